// Grows a subtree of some hundred rows in one go, on a copy of its columns that stays in the caches: the tree
// that the splits one by one give, where all that is asked is the cut of largest gain of complete columns.
// Most nodes of a deep tree are in such subtrees, and what a node costs beside its rows is most of theirs.
//     a column of many values:  its items in order; nodes own segments, which are divided as rows are
//     a column of two values:   the rows of the rarer one alone, so that 40 indicators cost what one does
//     nodes of up to 8 rows:    items are looked up by row and put in order, column by column; none is moved
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "candidates/best.hpp"
#include "settings.hpp"
#include "thicket_nodes.hpp"
#include "thicket_scan.hpp"

namespace bough {

template <class Sweep>
class Thicket : ThicketNodes<Sweep> {
  public:
    static constexpr bool kSuits = Numeric<Sweep> || requires(const Sweep& s) { s.most(); };

    // Whether the tree is one whose subtrees may grow here. 0: no; otherwise up to how many rows.
    static int64_t most_rows(const BinnedMatrix& matrix, const Target& target, const Settings& settings) {
        if constexpr (!kSuits) {
            return 0;
        } else {
            const bool cuts =
                std::all_of(matrix.columns.begin(), matrix.columns.end(), [](const BinnedColumn& c) {
                    return c.kind == ColumnKind::ordered &&
                           (c.sorted() ? !c.packed() : std::holds_alternative<InRecord>(c.store));
                });
            if (!grows_at_once(target, settings) || target.n_classes > kMostClasses || !cuts ||
                matrix.columns.empty())
                return 0;
            const auto fit = kMostItems / static_cast<int64_t>(matrix.columns.size());
            return fit < kTiny ? 0 : std::min(fit, Bounded<Sweep> ? kMostBounded : kMostRows);
        }
    }

    // Grows what is below the node; false, and nothing done, if a value is missing. `columns`: those that
    // may vary in it.
    bool grow(Plot& plot, Branch& branch, int32_t id, const std::vector<int32_t>& columns,
              const NodeRules& rules, Sweep& sweep) {
        plot_ = &plot;
        branch_ = &branch;
        rules_ = &rules;
        sweep_ = &sweep;
        const Node& root = branch.nodes[static_cast<size_t>(id)];
        if (!columns_.take(plot, root.segment, columns, active_)) return false;
        const auto n = static_cast<size_t>(root.segment.size());
        rows_.resize(n);
        std::iota(rows_.begin(), rows_.end(), uint16_t{0});
        sides_.resize(n);
        scan_.begin(plot.target, columns_.table_rows);
        tasks_.assign(1, {id, 0, static_cast<uint32_t>(root.segment.size()), 0});
        while (!tasks_.empty()) {
            const Task task = tasks_.back();
            tasks_.pop_back();
            here_.assign(active_.begin() + static_cast<std::ptrdiff_t>(task.columns), active_.end());
            active_.resize(task.columns);
            divide(task);
        }
        set_thresholds();
        return true;
    }

  private:
    using Nodes = ThicketNodes<Sweep>;
    using Nodes::plot_, Nodes::branch_, Nodes::rules_, Nodes::sweep_, Nodes::scan_, Nodes::columns_,
        Nodes::rows_, Nodes::edges_, Nodes::add_children, Nodes::set_thresholds;
    using typename Nodes::Task, typename Nodes::Edge;

    // Where blocks of cuts are left out by a bound, as for two classes, larger nodes are better off with it.
    static constexpr int64_t kTiny = 8, kMostRows = 2048, kMostBounded = 200, kMostItems = 1 << 18;
    static constexpr int32_t kMostClasses = 1 << kItemClass;
    static constexpr double kNone = -std::numeric_limits<double>::infinity();

    using Active = ThicketColumns::Active;

    struct Split {
        size_t active = 0;  // of `here_`
        double gain = kNone, above = kNone;
        bool found() const { return gain > kNone; }
    };

    void divide(const Task& task) {
        const auto rows = task.rows(rows_);
        const Node& node = branch_->nodes[static_cast<size_t>(task.id)];
        if (static_cast<int64_t>(rows.size()) <= kTiny) return divide_tiny(task);
        const double tolerance = enter(task);
        const double most = Numeric<Sweep> ? std::numeric_limits<double>::infinity() : scan_.most(rows);
        gains_.clear();
        Split best;
        for (size_t a = 0; a < here_.size() && best.gain < most; ++a) {
            gains_.push_back(largest(here_[a], rows.size(), slightly_less(best.gain, tolerance)));
            best.gain = std::max(best.gain, gains_.back());
        }
        if (!choose(best, tolerance) || !rules_->is_worth_it(node, best.gain, tolerance, sweep_->unit()))
            return;
        const Active& chosen = here_[best.active];
        Edge edge{task.id, 0, 0};
        if (columns_.of[chosen.column].two) {
            edge = cut_of_two(task, chosen);
        } else {
            edge = cut(task, columns_.items.data() + chosen.begin, rows.size(),
                       place_of(chosen, best, tolerance));
        }
        auto [low, high] =
            split(task, columns_.of[chosen.column].number, best.gain > tolerance ? best.gain : 0.0, edge);
        go_on(low, high);
    }

    double enter(const Task& task) {
        scan_.enter(*sweep_, branch_->stat(task.id), task.rows(rows_), rules_->settings.min_samples_leaf);
        return rules_->tie * branch_->nodes[static_cast<size_t>(task.id)].loss + sweep_->resolution();
    }

    // Less than the columns so far have, and no tie with them.
    static double slightly_less(double gain, double tolerance) {
        const double less = gain - 2 * tolerance;
        return less < gain ? less : kNone;
    }

    // The largest gain of a column, if it is above.
    double largest(const Active& a, size_t n, double above) {
        const SmallItem* const items = columns_.items.data() + a.begin;
        double top = kNone;
        if (columns_.of[a.column].two) {
            if (a.n > 0 && a.n < n) top = scan_.gain_of_two(items, a.n, columns_.of[a.column].rare_right);
            return top > above ? top : kNone;
        }
        if (same_code(items[0], items[n - 1])) return kNone;
        scan_.cuts(items, above, [&](int64_t, double gain) { above = top = gain; });
        return top;
    }

    // The first column that ties with the best.
    bool choose(Split& best, double tolerance) const {
        if (!best.found()) return false;
        for (; !(gains_[best.active] >= best.gain - tolerance); ++best.active)
            best.above = std::max(best.above, gains_[best.active]);
        best.above = slightly_less(best.above, tolerance);
        return true;
    }

    // Rows on the left of the best cut of a column, of ties the first: as try_cut in candidates/ordered.hpp.
    size_t place_of(const Active& a, const Split& best, double tolerance) {
        return place_of(columns_.items.data() + a.begin, best, tolerance);
    }
    size_t place_of(const SmallItem* items, const Split& best, double tolerance) {
        double above = best.above, own = kNone;
        int64_t place = 0;
        scan_.cuts(items, above, [&](int64_t left, double gain) {
            if (gain > own + tolerance) {
                own = gain;
                place = left;
            }
            above = gain;
        });
        return static_cast<size_t>(place);
    }

    // Sends the rows by their place in the order of a column.
    Edge cut(const Task& task, const SmallItem* items, size_t n, size_t left) {
        for (size_t i = 0; i < n; ++i) sides_[small_row(items[i])] = i >= left;
        return {task.id, small_row(items[left - 1]), small_row(items[left])};
    }
    Edge cut_of_two(const Task& task, const Active& chosen) {
        const auto rare = static_cast<uint8_t>(columns_.of[chosen.column].rare_right);
        for (const uint16_t r : task.rows(rows_)) sides_[r] = 1 - rare;
        const SmallItem* const items = columns_.items.data() + chosen.begin;
        for (uint32_t i = 0; i < chosen.n; ++i) sides_[small_row(items[i])] = rare;
        const auto rows = task.rows(rows_);
        const auto other =
            *std::find_if(rows.begin(), rows.end(), [&](uint16_t r) { return sides_[r] != rare; });
        const uint32_t one = small_row(items[0]);
        return {task.id, rare ? other : one, rare ? one : other};
    }

    // Makes the children and moves the rows, each of which knows its side.
    std::pair<Task, Task> split(const Task& task, int32_t feature, double gain, const Edge& edge) {
        edges_.push_back(edge);
        const auto rows = task.rows(rows_);
        const auto left = static_cast<uint32_t>(
            divide_in_two(rows.data(), rows.size(), [&](uint16_t r) { return sides_[r]; }, spare_rows_));
        Task low{0, task.begin, task.begin + left, 0}, high{0, task.begin + left, task.end, 0};
        add_children(task, low, high, feature, gain);
        return {low, high};
    }

    // The children that grow on: large ones take their columns along, the first child the last of them.
    void go_on(Task& low, Task& high) {
        const auto tiny = [](const Task& t) { return t.end - t.begin <= kTiny; };
        const bool low_grows = grows(low), high_grows = grows(high);
        const bool low_list = low_grows && !tiny(low), high_list = high_grows && !tiny(high);
        if (low_list || high_list) move_lists(low, high, low_list, high_list);
        if (low_grows && !low_list) divide_tiny(low);
        if (high_grows && !high_list) divide_tiny(high);
    }

    void move_lists(Task& low, Task& high, bool low_list, bool high_list) {
        const uint32_t n = high.end - low.begin;
        const auto side = [&](SmallItem item) -> size_t { return sides_[small_row(item)]; };
        lows_.clear();
        high.columns = active_.size();
        for (const Active& a : here_) {
            SmallItem* const items = columns_.items.data() + a.begin;
            const bool two = columns_.of[a.column].two;
            if (two ? a.n == 0 || a.n == n : same_code(items[0], items[n - 1])) continue;
            const uint32_t own = two ? a.n : n;
            if (!low_list || !high_list) {
                const uint32_t kept = keep_one(items, own, side, high_list);
                (low_list ? lows_ : active_).push_back({a.column, a.begin, kept});
                continue;
            }
            const auto first = static_cast<uint32_t>(divide_in_two(items, own, side, spare_items_));
            lows_.push_back({a.column, a.begin, first});
            active_.push_back({a.column, a.begin + first, own - first});
        }
        if (high_list) tasks_.push_back(high);
        if (!low_list) return;
        low.columns = active_.size();
        active_.insert(active_.end(), lows_.begin(), lows_.end());
        tasks_.push_back(low);
    }

    bool grows(const Task& task) const { return !branch_->nodes[static_cast<size_t>(task.id)].terminal; }

    // Stable and without branches: each item is written to both places, one of them counts. Returns how many
    // are on the left.
    template <class Item, class Side>
    static size_t divide_in_two(Item* items, size_t n, const Side& side, std::vector<Item>& spare) {
        if (spare.size() < n) spare.resize(n);
        Item* const others = spare.data();
        size_t left = 0, right = 0;
        for (size_t i = 0; i < n; ++i) {
            const Item item = items[i];
            const size_t s = side(item);
            items[left] = item;
            others[right] = item;
            left += 1 - s;
            right += s;
        }
        std::copy_n(others, right, items + left);
        return left;
    }

    // Only the items of one side, at the front; the others are lost.
    template <class Side>
    static uint32_t keep_one(SmallItem* items, uint32_t n, const Side& side, bool right) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < n; ++i) {
            const SmallItem item = items[i];
            items[kept] = item;
            kept += side(item) == static_cast<size_t>(right);
        }
        return kept;
    }

    // The items of each column by row, put in order by comparing all pairs. Columns are those of the last
    // node that had lists.
    void divide_tiny(const Task& task) {
        const auto rows = task.rows(rows_);
        const double tolerance = enter(task);
        const double most = scan_.most(rows);
        Split best;
        gains_.clear();
        for (size_t a = 0; a < here_.size() && best.gain < most; ++a) {
            double top = kNone, above = slightly_less(best.gain, tolerance);
            if (sort_tiny(here_[a], rows))
                scan_.cuts(sorted_.data(), above, [&](int64_t, double gain) { above = top = gain; });
            gains_.push_back(top);
            best.gain = std::max(best.gain, top);
        }
        if (!choose(best, tolerance) || !rules_->is_worth_it(branch_->nodes[static_cast<size_t>(task.id)],
                                                             best.gain, tolerance, sweep_->unit()))
            return;
        const Active& chosen = here_[best.active];
        sort_tiny(chosen, rows);
        const Edge edge = cut(task, sorted_.data(), rows.size(), place_of(sorted_.data(), best, tolerance));
        const auto [low, high] =
            split(task, columns_.of[chosen.column].number, best.gain > tolerance ? best.gain : 0.0, edge);
        if (grows(low)) divide_tiny(low);
        if (grows(high)) divide_tiny(high);
    }

    // False if the column has one value there.
    bool sort_tiny(const Active& a, std::span<const uint16_t> rows) {
        std::array<SmallItem, kTiny> items;
        const size_t n = rows.size();
        SmallItem differ = 0;
        for (size_t i = 0; i < n; ++i) {
            items[i] = columns_.item(rows[i], a.column);
            differ |= items[i] ^ items[0];
        }
        if (differ >> kItemCode == 0) return false;
        for (size_t i = 0; i < n; ++i) {
            size_t before = 0;
            for (size_t k = 0; k < n; ++k) before += items[k] < items[i];
            sorted_[before] = items[i];
        }
        return true;
    }

    std::vector<uint16_t> spare_rows_;
    std::vector<uint8_t> sides_;  // by row, in the split being made
    std::vector<SmallItem> spare_items_;
    std::vector<Active> active_, here_, lows_;
    std::vector<Task> tasks_;
    std::vector<double> gains_;
    std::array<SmallItem, kTiny> sorted_;
};

}  // namespace bough

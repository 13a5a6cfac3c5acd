// Grows a subtree of two classes in one go (see thicket.hpp) where no column is in the records: lists of two
// bytes a row, and gains for a few rows of each column only. 2,000 rows of 5,000 columns are 80 MB of
// entries, which every node would read twice; here they are 20.
//     list of a column:   [class row][class row] …   in order of value; every node owns one segment of all
//     codes of a column:  by row, to tell equal values; asked only where a cut gains enough
//     counts:             of 16 rows at once; 64 rows, then 16, are passed by if no cut of theirs can be best
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "candidates/ordered.hpp"
#include "row_partition.hpp"
#include "thicket_nodes.hpp"

namespace bough {

template <class Sweep>
class BinaryThicket : ThicketNodes<Sweep> {
  public:
    static constexpr bool kSuits = Bounded<Sweep>;

    // Up to how many rows the subtrees of a tree may grow here; 0: none.
    static int64_t most_rows(const BinnedMatrix& matrix, const Target& target, const Settings& settings) {
        if constexpr (!kSuits) {
            return 0;
        } else {
            const auto many = static_cast<int64_t>(matrix.columns.size());
            const bool lists = std::all_of(matrix.columns.begin(), matrix.columns.end(),
                                           [](const BinnedColumn& c) { return c.sorted() && !c.packed(); });
            if (many == 0 || !lists || !grows_at_once(target, settings)) return 0;
            return std::min(kMostRows, kMostItems / many);
        }
    }

    // Grows what is below the node; false, and nothing done, if a value is missing. `poll` is called for
    // every node that takes a while.
    template <class Poll>
    bool grow(Plot& plot, Branch& branch, int32_t id, const std::vector<int32_t>& columns,
              const NodeRules& rules, Sweep& sweep, const Poll& poll) {
        plot_ = &plot;
        branch_ = &branch;
        rules_ = &rules;
        sweep_ = &sweep;
        const Segment segment = branch.nodes[static_cast<size_t>(id)].segment;
        if (!take(segment, columns)) return false;
        rows_.resize(all_);
        std::iota(rows_.begin(), rows_.end(), uint16_t{0});
        sides_.of.resize(all_);
        tasks_.assign(1, {id, 0, static_cast<uint32_t>(all_), 0});
        while (!tasks_.empty()) {
            const Task task = tasks_.back();
            tasks_.pop_back();
            if ((task.end - task.begin) * numbers_.size() > kPolled) poll();
            divide(task);
        }
        set_thresholds();
        return true;
    }

  private:
    using Nodes = ThicketNodes<Sweep>;
    using Nodes::plot_, Nodes::branch_, Nodes::rules_, Nodes::sweep_, Nodes::columns_, Nodes::rows_,
        Nodes::edges_, Nodes::add_children, Nodes::set_thresholds;
    using typename Nodes::Task, typename Nodes::Edge;
    using State = typename Sweep::State;
    using Item = uint16_t;  // | class 1 | row 15 |

    static constexpr int kItemRow = 15;
    static constexpr uint32_t kRowMask = (1u << kItemRow) - 1;
    // Larger nodes are shared among threads; 64 MB of lists and codes a thread.
    static constexpr int64_t kMostRows = 2000, kMostItems = 1 << 24;
    static_assert(kMostRows <= kRowMask);
    static constexpr size_t kPolled = 1 << 14;         // items
    static constexpr int64_t kFine = 16, kCoarse = 4;  // rows; of these
    static constexpr double kNone = -std::numeric_limits<double>::infinity();

    static uint32_t row_of_item(Item item) { return item & kRowMask; }

    struct Sides {
        std::vector<uint8_t> of;  // by row, in the split being made
        int64_t operator[](uint32_t row) const { return of[row]; }
    };

    // Copies the rows of a node, of the columns that vary.
    bool take(Segment segment, const std::vector<int32_t>& columns) {
        const RowLists& lists = plot_->lists;
        for (const int32_t j : columns)
            if (code_of(*lists.entries(j, segment)) == 0) return false;
        all_ = static_cast<size_t>(segment.size());
        columns_.table_rows = {lists.rows().data() + segment.begin, all_};
        place_.resize(std::max(place_.size(), static_cast<size_t>(plot_->matrix.n_rows)));
        columns_.label.resize(all_);
        for (size_t i = 0; i < all_; ++i) {
            const uint32_t row = columns_.table_rows[i];
            columns_.label[i] = plot_->target.label[row];
            place_[row] = static_cast<Item>(columns_.label[i] << kItemRow | i);
        }
        if (items_.size() < all_ * columns.size()) {
            items_.resize(all_ * columns.size());
            codes_.resize(all_ * columns.size());
        }
        numbers_.clear();
        const uint32_t mask = plot_->target.row_mask;
        for (const int32_t j : columns) {
            const Entry* const entries = lists.entries(j, segment);
            if (code_of(entries[0]) == code_of(entries[all_ - 1])) continue;
            Item* const items = items_.data() + numbers_.size() * all_;
            uint16_t* const codes = codes_.data() + numbers_.size() * all_;
            uint32_t code = 0, before = code_of(entries[0]);
            for (size_t i = 0; i < all_; ++i) {
                const Item item = place_[row_of(entries[i]) & mask];
                code += code_of(entries[i]) != before;
                before = code_of(entries[i]);
                items[i] = item;
                codes[row_of_item(item)] = static_cast<uint16_t>(code);
            }
            numbers_.push_back(j);
        }
        return true;
    }

    // As Thicket::divide has it.
    void divide(const Task& task) {
        const Node& node = branch_->nodes[static_cast<size_t>(task.id)];
        n_ = task.end - task.begin;
        first_ = std::max<int64_t>(1, rules_->settings.min_samples_leaf);
        last_ = n_ - first_;
        sweep_->enter(branch_->stat(task.id));
        tolerance_ = rules_->tie * node.loss + sweep_->resolution();
        gains_.clear();
        double gain = kNone;
        for (size_t c = 0; c < numbers_.size() && gain < sweep_->most(); ++c) {
            gains_.push_back(largest(list_of(c, task), codes_of(c), slightly_less(gain)));
            gain = std::max(gain, gains_.back());
        }
        if (gain == kNone || !rules_->is_worth_it(node, gain, tolerance_, sweep_->unit())) return;
        size_t chosen = 0;
        double before = kNone;
        for (; !(gains_[chosen] >= gain - tolerance_); ++chosen) before = std::max(before, gains_[chosen]);
        const Item* const items = list_of(chosen, task);
        const size_t left = place_of(items, codes_of(chosen), slightly_less(before));
        for (size_t i = 0; i < static_cast<size_t>(n_); ++i) sides_.of[row_of_item(items[i])] = i >= left;
        edges_.push_back({task.id, row_of_item(items[left - 1]), row_of_item(items[left])});
        const auto middle = task.begin + static_cast<uint32_t>(left);
        Task low{0, task.begin, middle, 0}, high{0, middle, task.end, 0};
        partition_two(rows_.data() + task.begin, n_, static_cast<int64_t>(left), sides_, kRowMask, spare_);
        add_children(task, low, high, numbers_[chosen], gain > tolerance_ ? gain : 0.0);
        go_on(task, low, high, chosen);
    }

    Item* list_of(size_t c, const Task& task) { return items_.data() + c * all_ + task.begin; }
    const uint16_t* codes_of(size_t c) const { return codes_.data() + c * all_; }

    // Less than the columns so far have, and no tie with them.
    double slightly_less(double gain) const {
        const double less = gain - 2 * tolerance_;
        return less < gain ? less : kNone;
    }

    // Rows of the second class: four items a word, whose upper bits are added side by side.
    static int64_t ones_in(const Item* items, int64_t n) {
        constexpr uint64_t kEach = 0x0001000100010001;
        uint64_t sums = 0;
        int64_t i = 0, ones = 0;
        for (; i + 4 <= n; i += 4) {
            uint64_t four;
            std::memcpy(&four, items + i, 8);
            sums += four >> kItemRow & kEach;
        }
        for (; i < n; ++i) ones += items[i] >> kItemRow;
        return ones + static_cast<int64_t>(sums * kEach >> 48);
    }

    static bool cut_after(const Item* items, const uint16_t* codes, int64_t i) {
        return codes[row_of_item(items[i])] != codes[row_of_item(items[i + 1])];
    }

    // The largest gain of a column, if it is above.
    double largest(const Item* items, const uint16_t* codes, double above) {
        const int64_t begin = first_ - 1, cuts = last_ - begin;
        if (cuts <= 0 || codes[row_of_item(items[0])] == codes[row_of_item(items[n_ - 1])]) return kNone;
        const int64_t blocks = (cuts + kFine - 1) / kFine;
        State state{begin, ones_in(items, begin)};
        ends_[0] = {state, sweep_->gain(state)};
        double top = above;
        for (int64_t b = 0; b < blocks; ++b) {
            const int64_t rows = std::min(kFine, cuts - b * kFine);
            state.left1 += ones_in(items + state.left, rows);
            state.left += rows;
            End& end = ends_[static_cast<size_t>(b + 1)];
            end.state = state;
            if ((b + 1) % kCoarse != 0 && b + 1 < blocks) continue;
            end.gain = sweep_->gain(state);
            if (end.gain > top && cut_after(items, codes, state.left - 1)) top = end.gain;
        }
        for (int64_t b = 0; b < blocks; b += kCoarse) {
            const int64_t last = std::min(b + kCoarse, blocks);
            if (!may_exceed(ends_[static_cast<size_t>(b)], ends_[static_cast<size_t>(last)], top)) continue;
            for (int64_t f = b; f < last; ++f) {
                const End& from = ends_[static_cast<size_t>(f)];
                End& to = ends_[static_cast<size_t>(f + 1)];
                if (f + 1 < last) to.gain = sweep_->gain(to.state);
                if (may_exceed(from, to, top)) top = largest_between(items, codes, from.state, to.state, top);
            }
        }
        return top > above ? top : kNone;
    }

    struct End {
        State state;
        double gain;
    };
    // Whether a cut between the two may gain more; rounding is far less than what ties are told by.
    bool may_exceed(const End& from, const End& to, double top) const {
        const double enough = top - tolerance_;
        return std::max(from.gain, to.gain) >= enough || sweep_->between(from.state, to.state) >= enough;
    }

    double largest_between(const Item* items, const uint16_t* codes, State state, const State& to,
                           double top) const {
        while (state.left < to.left) {
            sweep_->move_one(state, items[state.left] >> kItemRow);
            const double gain = sweep_->gain(state);
            if (gain > top && cut_after(items, codes, state.left - 1)) top = gain;
        }
        return top;
    }

    // Rows on the left of the best cut of a column, of ties the first: as Thicket::place_of has it.
    size_t place_of(const Item* items, const uint16_t* codes, double above) const {
        double own = kNone;
        int64_t place = 0;
        State state{first_ - 1, ones_in(items, first_ - 1)};
        while (state.left < last_) {
            sweep_->move_one(state, items[state.left] >> kItemRow);
            const double gain = sweep_->gain(state);
            if (!(gain > above) || !cut_after(items, codes, state.left - 1)) continue;
            if (gain > own + tolerance_) {
                own = gain;
                place = state.left;
            }
            above = gain;
        }
        return static_cast<size_t>(place);
    }

    // The lists of the children that grow; that of the cut's column is in order already.
    void go_on(const Task& task, const Task& low, const Task& high, size_t chosen) {
        const auto grows = [&](const Task& t) { return !branch_->nodes[static_cast<size_t>(t.id)].terminal; };
        const bool low_grows = grows(low), high_grows = grows(high);
        if (high_grows) tasks_.push_back(high);
        if (low_grows) tasks_.push_back(low);
        for (size_t c = 0; (low_grows || high_grows) && c < numbers_.size(); ++c) {
            if (c == chosen) continue;
            Item* const items = list_of(c, task);
            if (low_grows && high_grows) {
                partition_two(items, n_, low.end - low.begin, sides_, kRowMask, spare_);
            } else {
                keep_one_side(items, n_, sides_, kRowMask, high_grows);
            }
        }
    }

    size_t all_ = 0;                // rows of the subtree
    std::vector<int32_t> numbers_;  // of its columns, in the table
    UnclearedVector<Item> items_;   // column after column
    UnclearedVector<uint16_t> codes_;
    UnclearedVector<Item> place_;  // by row of the table: its item
    Sides sides_;
    UnclearedVector<Item> spare_;
    std::vector<Task> tasks_;
    int64_t n_ = 0, first_ = 1, last_ = 0;  // rows of the node, and on the left of its first and last cut
    double tolerance_ = 0.0;
    std::vector<double> gains_;
    std::array<End, kMostRows / kFine + 2> ends_;
};

}  // namespace bough

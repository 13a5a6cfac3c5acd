// Grows one tree of a forest where all that is asked is a cut of complete columns, or a random cut or subset:
// the same tree as grower.cpp grows, without what other splits, missing values and limits need.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "candidates/best.hpp"
#include "lean/at_random.hpp"
#include "lean/bag.hpp"
#include "lean/by_weight.hpp"
#include "lean/drawn_columns.hpp"
#include "lean/edges.hpp"
#include "lean/nodes.hpp"
#include "profile.hpp"
#include "random.hpp"
#include "settings.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

// Cells are codes, and every cut is tried, or values, and one cut is drawn. Sums: what cuts.hpp needs for the
// criterion.
template <class Sums, class Cell>
class Grower {
  public:
    using Sweep = typename Sums::Sweep;

    Grower(const BinnedMatrix& matrix, const Settings& settings, Bag<Cell>& bag,
           const std::function<void()>& poll)
        : matrix_(matrix),
          settings_(settings),
          bag_(bag),
          poll_(poll),
          sweep_(bag.target),
          cuts_(bag.target, most_codes(matrix)),
          nodes_(bag.target.width()),
          columns_(matrix.columns.size(), settings.forbidden),
          random_(matrix, bag.holes, bag.target.width()) {
        if (settings.time_limit > 0)
            deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(std::min(settings.time_limit, 1e9)));
        limits_.min_rows = settings.min_samples_leaf;
        total_weight_ = static_cast<double>(bag.target.total_weight) * bag.target.weight_unit;
        stat_.resize(static_cast<size_t>(bag.target.width()));
        left_.resize(stat_.size());
    }

    FinishedTree grow(bool pack_it) {
        Task root{-1, 0, static_cast<int64_t>(bag_.rows.size()), 1, 0, 0, 0};
        std::fill(stat_.begin(), stat_.end(), 0);
        for (const uint32_t row : bag_.rows) bag_.target.add_row(stat_.data(), row);
        for (const int128 v : bag_.exact.value) root.sum += v;
        root.id = nodes_.add(root.size(), stat_.data());
        nodes_[root.id].step = bag_.target.scale.unit;
        std::vector<Task> stack;
        if (measure(root)) stack.push_back(root);
        while (!stack.empty()) {
            const Task task = stack.back();
            stack.pop_back();
            expand(task, stack);
        }
        edges_.set_thresholds(nodes_, matrix_, bag_.origin);
        if (pack_it && packs(nodes_)) return pack(nodes_, bag_.target, sweep_.unit());
        return flatten(nodes_, bag_.target, sweep_.unit());
    }

  private:
    using Clock = std::chrono::steady_clock;
    struct NoCuts {
        template <class... Given>
        explicit NoCuts(const Given&...) {}
    };
    static constexpr bool kRandom = std::is_floating_point_v<Cell>;
    static constexpr double kTie = 1e-12;  // relative to the node's loss, as in node_search.hpp
    static constexpr int64_t kPollRows = 20000;

    // A node that is to be split.
    struct Task {
        int32_t id;
        int64_t begin, end;
        uint64_t key;
        int64_t depth;
        int32_t columns;  // its list, see drawn_columns.hpp
        int128 sum;       // regression: of the exact values
        int64_t size() const { return end - begin; }
    };
    // The candidate of a column.
    struct Found {
        int32_t column;
        uint32_t last;  // code on the left
        double gain, threshold;
        int64_t missing = 0;
        bool missing_left = false;
        Edge edge{};
    };

    static uint32_t most_codes(const BinnedMatrix& matrix) {
        uint32_t most = 0;
        for (const BinnedColumn& column : matrix.columns) most = std::max(most, column.n_bins + 1);
        return most;
    }

    std::span<uint32_t> rows_of(const Task& task) {
        return std::span(bag_.rows).subspan(static_cast<size_t>(task.begin),
                                            static_cast<size_t>(task.size()));
    }

    void expand(const Task& task, std::vector<Task>& stack) {
        polled_ += task.size();
        if (polled_ > kPollRows) {
            poll_();
            polled_ = 0;
        }
        if (deadline_ != Clock::time_point::max() && Clock::now() > deadline_) return;
        const Node& node = nodes_[task.id];
        std::copy_n(nodes_.stat(task.id), stat_.size(), stat_.data());
        sweep_.enter(stat_.data());
        limits_.tolerance = kTie * node.loss + sweep_.resolution();
        look(task);
        const int32_t columns = columns_.leave(task.depth);
        if (found_.empty()) return;
        const auto [chosen, gain] = choose(task.key);
        if (!is_worth_it(gain, node.step)) return;
        split(task, chosen, gain > limits_.tolerance ? gain : 0.0, columns, stack);
    }

    bool is_worth_it(double gain, double step) const {
        if (!settings_.zero_gain_splits && gain <= limits_.tolerance) return false;
        return settings_.min_impurity_decrease <= 0 ||
               (gain + limits_.tolerance) * sweep_.unit() * step * step >=
                   settings_.min_impurity_decrease * total_weight_;
    }

    // The candidates of all columns, or of those drawn until max_features have more than one value here, and
    // of more, one by one, until there is one.
    void look(const Task& task) {
        const Timed here(Stage::search);
        found_.clear();
        lefts_.clear();
        const auto rows = rows_of(task);
        if constexpr (kRandom) {
            random_.enter(bag_.target, rows, mix(settings_.seed ^ mix(task.key)));
        } else {
            cuts_.enter(sweep_, stat_.data(), bag_.target, rows, nodes_[task.id].weight);
            above_ = -std::numeric_limits<double>::infinity();
        }
        columns_.enter(task.columns);
        if (settings_.max_features == 0) {
            look_at(rows, columns_.all());
            return;
        }
        NodeRandom random(settings_.seed, mix(task.key));
        const auto most = static_cast<size_t>(settings_.max_features);
        for (size_t varying = 0, wanted = most; wanted > 0;) {
            const auto drawn = columns_.draw(wanted, random);
            if (drawn.empty()) break;
            varying += look_at(rows, drawn);
            wanted = varying < most ? most - varying : found_.empty();
        }
    }

    // Returns how many vary. The cells of found number i are in place i when it is done.
    size_t look_at(std::span<const uint32_t> rows, std::span<const int32_t> columns) {
        const size_t n = rows.size(), step = step_of(n), first = found_.size();
        const size_t room = step * (first + columns.size()) + SideBySide::kBehind;
        if (gathered_.size() < room) gathered_.resize(room);
        bag_.cells.gather(rows, columns, gathered_.data() + first * step, step);
        size_t varying = 0;
        for (size_t k = 0; k < columns.size(); ++k) {
            const size_t place = found_.size();
            Cell* const cells = gathered_.data() + (first + k) * step;
            if (look_at(columns[k], {cells, n})) {
                ++varying;
            } else {
                columns_.note_constant(columns[k]);
            }
            if (found_.size() > place && place < first + k)
                std::copy_n(cells, n, gathered_.data() + place * step);
        }
        return varying;
    }
    // Columns a multiple of a page apart would get into each other's way in the cache.
    static size_t step_of(size_t n) { return n < 256 ? n : (n + 511) / 512 * 512 + 8; }
    // Whether the column varies.
    bool look_at(int32_t column, std::span<Cell> cells) {
        if constexpr (kRandom) {
            if (!random_.look(sweep_, column, cells, limits_)) return random_.varies;
            found_.push_back(
                {column, 0, random_.gain, random_.threshold, random_.missing, random_.missing_left, {}});
            random_.add_left(lefts_);
        } else {
            const auto cut = cuts_.best(cells, limits_, above_, left_.data());
            if (!cut.found) return cut.varies;
            found_.push_back({column, cut.last, cut.gain, 0.0, 0, false, cut.edge});
            lefts_.insert(lefts_.end(), left_.begin(), left_.end());
            // A column that has less, and is no tie, is not chosen.
            above_ = std::max(above_, cut.gain - 2 * limits_.tolerance);
        }
        return true;
    }

    // As in choose.hpp: which of the found, and the largest gain.
    std::pair<size_t, double> choose(uint64_t key) {
        double top = -std::numeric_limits<double>::infinity();
        for (const Found& f : found_) top = std::max(top, f.gain);
        tied_.clear();
        for (size_t i = 0; i < found_.size(); ++i)
            if (found_[i].gain >= top - limits_.tolerance) tied_.push_back(i);
        size_t picked = tied_[0];
        if (tied_.size() == 1) return {picked, top};
        const auto column = [&](size_t i) { return found_[i].column; };
        std::sort(tied_.begin(), tied_.end(), [&](size_t a, size_t b) { return column(a) < column(b); });
        const auto rank = [&](size_t i) { return settings_.column_rank[static_cast<size_t>(column(i))]; };
        NodeRandom random(settings_.seed, key ^ 0x7469657321);
        for (size_t i = 0; i < tied_.size(); ++i)
            if (i == 0 ||
                (settings_.ties == Ties::random ? random.below(i + 1) == 0 : rank(tied_[i]) < rank(picked)))
                picked = tied_[i];
        return {picked, top};
    }

    // `columns`: the list of the children.
    void split(const Task& task, size_t chosen, double gain, int32_t columns, std::vector<Task>& stack) {
        const Timed here(Stage::partition);
        const Found& found = found_[chosen];
        Node node = nodes_[task.id];
        node.feature = found.column;
        node.gain = gain;
        const auto rows = rows_of(task);
        const Cell* const cells = gathered_.data() + chosen * step_of(rows.size());
        int64_t n_left = 0;
        if constexpr (kRandom) {
            if (random_.is_nominal(found.column)) list_categories({cells, rows.size()}, node);
            n_left = send_by_value(rows, cells, found, node);
        } else {
            n_left = send_by_code(rows, cells, found, task.id);
        }
        const auto left = rows.first(static_cast<size_t>(n_left)), right = rows.subspan(left.size());
        const bool left_smaller = left.size() <= right.size();
        const auto smaller = left_smaller ? left : right;
        const int64_t* const sums = lefts_.data() + chosen * stat_.size();
        for (size_t k = 0; k < stat_.size(); ++k) stat_[k] -= sums[k];
        Task low{0, task.begin, task.begin + n_left, mix(task.key), task.depth + 1, columns, 0};
        Task high{0, low.end, task.end, mix(task.key + 1), task.depth + 1, columns, 0};
        if (bag_.target.regression()) {
            int128 sum = 0;
            for (const uint32_t row : smaller) sum += bag_.exact.value[row];
            low.sum = left_smaller ? sum : task.sum - sum;
            high.sum = task.sum - low.sum;
        }
        node.first_child = low.id = nodes_.add(low.size(), sums);
        high.id = nodes_.add(high.size(), stat_.data());
        nodes_[low.id].step = nodes_[high.id].step = node.step;
        nodes_[task.id] = node;
        const bool grows = measure(low);
        if (measure(high)) stack.push_back(high);
        if (grows) stack.push_back(low);
    }

    // Stable and without branches: each row is written to both places, one of them counts.
    template <class Right>
    int64_t send(std::span<uint32_t> rows, const Right& is_right) {
        if (spare_.size() < rows.size()) spare_.resize(rows.size());
        uint32_t* const at = rows.data();
        uint32_t* const spare = spare_.data();
        size_t left = 0, right = 0;
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint32_t row = at[i];
            const bool goes_right = is_right(i, row);
            at[left] = row;
            spare[right] = row;
            left += !goes_right;
            right += goes_right;
        }
        std::copy_n(spare, right, at + left);
        return static_cast<int64_t>(left);
    }
    int64_t send_by_value(std::span<uint32_t> rows, const Cell* cells, const Found& found, Node& node) {
        constexpr double kFar = std::numeric_limits<double>::infinity();
        double below = -kFar, above = kFar;
        const bool missing_right = !found.missing_left;
        const int64_t left = send(rows, [&](size_t i, uint32_t) {
            const auto v = static_cast<double>(cells[i]);
            const bool is_left = v <= found.threshold, is_right = v > found.threshold;
            const double left_value = is_left ? v : -kFar, right_value = is_right ? v : kFar;
            below = left_value > below ? left_value : below;
            above = right_value < above ? right_value : above;
            return missing_right ? !is_left : is_right;
        });
        node.missing = found.missing;
        node.missing_left = found.missing_left;
        if (node.n_categories > 0) return left;
        node.below = found.threshold == kFar ? kFar : below;
        node.above = above;
        node.threshold = found.threshold;
        return left;
    }
    void list_categories(std::span<const Cell> codes, Node& node) {
        const auto here = random_.present(node.feature, codes);
        node.first_category = nodes_.categories.size();
        node.n_categories = static_cast<uint32_t>(here.size());
        nodes_.categories.insert(nodes_.categories.end(), here.begin(), here.end());
    }
    int64_t send_by_code(std::span<uint32_t> rows, const Cell* cells, const Found& found, int32_t id) {
        const auto last = static_cast<Cell>(std::min<uint32_t>(found.last, std::numeric_limits<Cell>::max()));
        edges_.add(id, completed<Cell>(found.edge, {cells, rows.size()}, last), rows);
        return send(rows, [&](size_t i, uint32_t) { return cells[i] > last; });
    }

    // Loss and weight of a new node; whether it is to be split.
    bool measure(const Task& task) {
        Node& node = nodes_[task.id];
        const auto rows = rows_of(task);
        const int64_t n = task.size();
        sweep_.enter(nodes_.stat(task.id));
        node.loss = sweep_.loss(rows.data(), n);
        node.weight = sweep_.group_weight(nodes_.stat(task.id));
        if (bag_.target.regression()) {
            node.mean = bag_.exact.mean(task.sum, node.weight);
            if (node.loss > 0 && node.loss < coarse_loss(bag_.target, n, static_cast<double>(node.weight)))
                refine(task, node);
        }
        return n >= settings_.min_samples_split && n >= 2 * settings_.min_samples_leaf &&
               task.depth < settings_.max_depth && node.loss != 0.0;
    }
    // The moments of a node whose values lie close together get a scale of their own, as in splitter.hpp.
    void refine(const Task& task, Node& node) {
        const auto rows = rows_of(task);
        node.step = set_moments(bag_.target, rows).unit;
        int64_t* const stat = nodes_.stat(task.id);
        std::fill_n(stat, nodes_.width, int64_t{0});
        for (const uint32_t row : rows) bag_.target.add_row(stat, row);
        sweep_.enter(stat);
        node.loss = sweep_.loss(rows.data(), task.size());
    }

    const BinnedMatrix& matrix_;
    const Settings& settings_;
    Bag<Cell>& bag_;
    const std::function<void()>& poll_;
    Sweep sweep_;
    std::conditional_t<kRandom, NoCuts, CutsByWeight<Sums, Cell>> cuts_;
    Nodes nodes_;
    DrawnColumns columns_;
    Limits limits_;
    double total_weight_ = 0.0;
    Clock::time_point deadline_ = Clock::time_point::max();
    int64_t polled_ = 0;
    std::vector<int64_t> stat_, left_, lefts_;
    std::vector<Found> found_;
    Edges edges_;
    std::vector<size_t> tied_;
    GrowthArray<uint32_t> spare_;
    double above_ = 0.0;  // the gain that a further column must have
    std::conditional_t<kRandom, AtRandom<Cell>, NoCuts> random_;
    GrowthArray<Cell> gathered_;  // of the node's rows, column by column
};

}  // namespace bough::lean

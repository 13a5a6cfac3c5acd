// Grows the trees of one round after the other on the same bins, a tree in each thread.
#include "boost/booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "boost/growth.hpp"
#include "boost/symmetric.hpp"
#include "profile.hpp"

namespace bough::boost {

Booster::Booster(BinnedMatrix matrix, BoostSettings settings, int threads)
    : matrix_(std::move(matrix)),
      settings_(std::move(settings)),
      layout_(matrix_),
      records_(matrix_, settings_.share_bytes, threads) {
    for (const BinnedColumn& column : matrix_.columns)
        if (column.sorted()) throw std::invalid_argument("boosting needs bins, not sorted columns");
    const size_t n = matrix_.columns.size();
    if (!settings_.monotone.empty() && settings_.monotone.size() != n)
        throw std::invalid_argument("the settings need one direction for each column");
    for (const auto& group : settings_.interactions)
        for (const int32_t j : group)
            if (j < 0 || static_cast<size_t>(j) >= n) throw std::invalid_argument("no such column");
}

void Booster::check(const Round& round) const {
    const auto n = static_cast<size_t>(matrix_.n_rows);
    if (!round.slopes.fits(n) || (!round.weight.empty() && round.weight.size() != n))
        throw std::invalid_argument("rows and gradients differ in number");
    for (const int32_t j : round.columns)
        if (j < 0 || static_cast<size_t>(j) >= matrix_.columns.size())
            throw std::invalid_argument("no such column");
}

void Booster::take_rows(std::span<const uint32_t> rows) {
    const auto n = static_cast<size_t>(matrix_.n_rows);
    taken_.assign(rows.begin(), rows.end());
    in_tree_.assign(rows.empty() ? 0 : n, 0);
    for (const uint32_t row : rows)
        if (row >= n || std::exchange(in_tree_[row], 1))
            throw std::invalid_argument("the rows of a tree are different rows of the table");
    if (!std::is_sorted(taken_.begin(), taken_.end())) std::sort(taken_.begin(), taken_.end());
}

// Trees of which each thread has one take less time than threads that share a tree. Those that are left over
// are shared, unless they keep most of the threads busy.
std::vector<GrownTree> Booster::grow(const std::vector<Round>& rounds, std::span<const uint32_t> rows,
                                     int threads, const std::function<void()>& poll) {
    for (const Round& round : rounds) check(round);
    take_rows(rows);
    const auto n = static_cast<int64_t>(rounds.size()), each = static_cast<int64_t>(std::max(threads, 1));
    const int64_t left_over = n % each;
    const int64_t alone = each == 1 ? 0 : 2 * left_over > each ? n : n - left_over;
    benches_.resize(std::max<size_t>(benches_.size(), static_cast<size_t>(alone ? std::min(each, n) : 1)));
    grown_.resize(rounds.size());
    std::vector<GrownTree> trees(rounds.size());
    Interrupt interrupt(poll);
    const auto one = [&](int64_t number, int worker, int shared_by) {
        const auto k = static_cast<size_t>(number);
        trees[k] =
            grow_one(k, rounds[k], benches_[static_cast<size_t>(worker)], shared_by, interrupt, worker == 0);
    };
    interrupt.run([&] {
        parallel_for(
            alone, threads, [&](int64_t k, int worker) { one(k, worker, 1); }, [&] { interrupt.ask(); });
        for (int64_t k = alone; k < n; ++k) one(k, 0, threads);
    });
    note_moved(threads);
    return trees;
}

void Booster::note_moved(int threads) {
    const Timed here(Stage::partition);
    std::vector<int64_t> moved(matrix_.columns.size(), 0);
    for (const Grown& tree : grown_)
        for (const BoostNode& node : tree.nodes)
            if (node.left >= 0) moved[static_cast<size_t>(node.split.column)] += node.rows();
    records_.moved(moved, threads);
}

GrownTree Booster::grow_one(size_t k, const Round& round, Bench& bench, int threads, Interrupt& interrupt,
                            bool calling) {
    Grown& tree = grown_[k];
    if (tree.rows.empty()) tree.rows.swap(bench.rows);
    if (in_tree_.empty()) {
        tree.rows.resize(static_cast<size_t>(matrix_.n_rows));
        std::iota(tree.rows.begin(), tree.rows.end(), 0u);
    } else {
        tree.rows.assign(taken_.begin(), taken_.end());
    }
    // Beyond some millions of rows the gradient would have too few bits beside their number.
    GrownTree flat = round.slopes.unit_hessian() && tree.rows.size() < (size_t{1} << 22)
                         ? grow_with(tree, bench.counts, round, threads, interrupt, calling)
                         : grow_with(tree, bench.pairs, round, threads, interrupt, calling);
    if (grown_.size() > 1 && !tree.leaf.empty()) tree.rows.swap(bench.rows);  // for the next tree
    return flat;
}

template <class Sum>
GrownTree Booster::grow_with(Grown& tree, Memory<Sum>& memory, const Round& round, int threads,
                             Interrupt& interrupt, bool calling) {
    const auto with = [&](auto growth) {
        growth.run();
        refit(tree, round, growth.units().largest, threads);
        return flatten(tree, growth.units());
    };
    if (settings_.symmetric)
        return with(Symmetric<Sum>(*this, tree, memory, round, threads, interrupt, calling));
    return with(Growth<Sum>(*this, tree, memory, round, threads, interrupt, calling));
}

double Booster::value_of(const BoostNode& node, const Units& units) const {
    const double pull = std::max(std::abs(node.gradient) - settings_.l1, 0.0);
    const double h = node.hessian + settings_.l2;
    const double value = pull > 0.0 && h > 0.0 ? -std::copysign(pull, node.gradient) / h : 0.0;
    const double unit = units.gradient / units.hessian;
    return std::clamp(value, node.low * unit, node.high * unit) + 0.0;
}

GrownTree Booster::flatten(Grown& grown, const Units& units) const {
    const double gain_unit = units.gradient * (units.gradient / units.hessian);
    GrownTree tree;
    tree.category_start.push_back(0);
    std::vector<size_t> order{0};
    grown.number.assign(grown.nodes.size(), 0);
    for (size_t at = 0; at < order.size(); ++at) {
        const BoostNode& node = grown.nodes[order[at]];
        grown.number[order[at]] = static_cast<int64_t>(at);
        const bool leaf = node.left < 0;
        SplitKind kind = SplitKind::leaf;
        double threshold = 0.0;
        if (!leaf) {
            const BinnedColumn& column = matrix_.columns[static_cast<size_t>(node.split.column)];
            kind = column.kind == ColumnKind::nominal ? SplitKind::subset : SplitKind::threshold;
            if (kind == SplitKind::threshold) threshold = threshold_after(column, node.split.cut);
            for (const uint32_t code : node.present) {
                tree.category.push_back(static_cast<int32_t>(code) - 1);
                tree.category_child.push_back(node.side[code]);
            }
        }
        tree.feature.push_back(leaf ? -1 : node.split.column);
        tree.kind.push_back(static_cast<uint8_t>(kind));
        tree.threshold.push_back(threshold);
        tree.first_child.push_back(leaf ? -1 : static_cast<int64_t>(order.size()));
        tree.n_children.push_back(leaf ? 0 : 2);
        tree.missing_child.push_back(leaf || node.side[0] ? 1 - leaf * 2 : 0);
        tree.n_rows.push_back(node.rows());
        tree.n_missing.push_back(node.n_missing);
        tree.weight.push_back(node.weight);
        tree.impurity.push_back(node.saved * gain_unit / node.weight);
        tree.gain.push_back(leaf ? 0.0 : node.split.gain * gain_unit / node.weight);
        tree.value.push_back(value_of(node, units));
        tree.category_start.push_back(static_cast<int64_t>(tree.category.size()));
        if (leaf) continue;
        order.push_back(static_cast<size_t>(node.left));
        order.push_back(static_cast<size_t>(node.left) + 1);
    }
    tree.surrogate_start.assign(order.size() + 1, 0);
    tree.surrogate_category_start.assign(1, 0);
    return tree;
}

}  // namespace bough::boost

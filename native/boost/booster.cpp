// Grows one tree after the other on the same bins, and adds their values to the rows' numbers.
#include "boost/booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "boost/growth.hpp"
#include "profile.hpp"

namespace bough::boost {

Booster::Booster(BinnedMatrix matrix, std::vector<Codes8> by_column, BoostSettings settings, int threads)
    : matrix_(std::move(matrix)),
      settings_(std::move(settings)),
      layout_(matrix_),
      records_(matrix_, std::move(by_column), settings_.share_bytes, threads) {
    for (const BinnedColumn& column : matrix_.columns)
        if (column.sorted()) throw std::invalid_argument("boosting needs bins, not sorted columns");
    const size_t n = matrix_.columns.size();
    if (!settings_.monotone.empty() && settings_.monotone.size() != n)
        throw std::invalid_argument("the settings need one direction for each column");
    for (const auto& group : settings_.interactions)
        for (const int32_t j : group)
            if (j < 0 || static_cast<size_t>(j) >= n) throw std::invalid_argument("no such column");
}

GrownTree Booster::grow(const Round& round, int threads, const std::function<void()>& poll) {
    const auto n = static_cast<size_t>(matrix_.n_rows);
    if (round.gradient.size() != n || (!round.hessian.empty() && round.hessian.size() != n) ||
        (!round.weight.empty() && round.weight.size() != n))
        throw std::invalid_argument("rows and gradients differ in number");
    for (const int32_t j : round.columns)
        if (j < 0 || static_cast<size_t>(j) >= matrix_.columns.size())
            throw std::invalid_argument("no such column");
    if (round.rows.empty()) {
        in_tree_.clear();
        rows_.resize(n);
        std::iota(rows_.begin(), rows_.end(), 0u);
    } else {
        in_tree_.assign(n, 0);
        for (const uint32_t row : round.rows) {
            if (row >= n || std::exchange(in_tree_[row], 1))
                throw std::invalid_argument("the rows of a tree are different rows of the table");
        }
        rows_.assign(round.rows.begin(), round.rows.end());
        if (!std::is_sorted(rows_.begin(), rows_.end())) std::sort(rows_.begin(), rows_.end());
    }
    // Beyond some millions of rows the gradient would have too few bits beside their number.
    if (round.hessian.empty() && rows_.size() < (size_t{1} << 22))
        return grow_with(counts_, round, threads, poll);
    return grow_with(pairs_, round, threads, poll);
}

template <class Sum>
GrownTree Booster::grow_with(Memory<Sum>& memory, const Round& round, int threads,
                             const std::function<void()>& poll) {
    Growth<Sum> growth(*this, memory, round, threads, poll);
    growth.run();
    refit(round, growth.units().largest, threads);
    return flatten(growth.units());
}

double Booster::value_of(const BoostNode& node, const Units& units) const {
    const double pull = std::max(std::abs(node.gradient) - settings_.l1, 0.0);
    const double h = node.hessian + settings_.l2;
    const double value = pull > 0.0 && h > 0.0 ? -std::copysign(pull, node.gradient) / h : 0.0;
    const double unit = units.gradient / units.hessian;
    return std::clamp(value, node.low * unit, node.high * unit) + 0.0;
}

GrownTree Booster::flatten(const Units& units) {
    const double gain_unit = units.gradient * (units.gradient / units.hessian);
    GrownTree tree;
    tree.category_start.push_back(0);
    std::vector<size_t> order{0};
    number_.assign(nodes_.size(), 0);
    for (size_t at = 0; at < order.size(); ++at) {
        const BoostNode& node = nodes_[order[at]];
        number_[order[at]] = static_cast<int64_t>(at);
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

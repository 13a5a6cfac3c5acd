// Sums of the leaves, and their values on the way to the rows.
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "boost/booster.hpp"
#include "parallel.hpp"
#include "profile.hpp"

namespace bough::boost {

namespace {

struct LeafSums {
    int128 gradient = 0, hessian = 0, weight = 0;

    void add(const Round& round, const ExactUnits& unit, size_t row) {
        gradient += unit.gradient(round.gradient[row]);
        if (!round.hessian.empty()) hessian += unit.hessian(round.hessian[row]);
        if (!round.weight.empty()) weight += unit.weight(round.weight[row]);
    }
    void add(const LeafSums& other) {
        gradient += other.gradient;
        hessian += other.hessian;
        weight += other.weight;
    }
    void give(const Round& round, const ExactUnits& unit, BoostNode& node) const {
        const auto rows = static_cast<double>(node.rows());
        node.gradient = unit.gradient.back(gradient);
        node.hessian = round.hessian.empty() ? rows : unit.hessian.back(hessian);
        node.weight = round.weight.empty() ? rows : unit.weight.back(weight);
    }
};

}  // namespace

// Sums of the gradients as given, without the rounding that the search had.
void Booster::refit(const Round& round, const Largest& largest, int threads) {
    const Timed here(Stage::leaf_values);
    const ExactUnits units{Exact(largest.gradient), Exact(largest.hessian),
                           Exact(largest_of(round.weight, {}, threads).gradient)};
    leaf_.clear();
    if (rows_.size() > size_t{kRowBlock} && nodes_.size() <= kMostNodes) {
        sum_by_row(round, units, threads);
    } else {
        sum_by_leaf(round, units);
    }
    for (size_t i = nodes_.size(); i-- > 0;) {
        BoostNode& node = nodes_[i];
        if (node.left < 0) continue;
        for (auto c = static_cast<size_t>(node.left); c < static_cast<size_t>(node.left) + 2; ++c) {
            node.gradient += nodes_[c].gradient;
            node.hessian += nodes_[c].hessian;
            node.weight += nodes_[c].weight;
            node.saved += nodes_[c].saved;
        }
        node.saved += node.split.gain;
    }
}

// The plain way: a leaf after the other.
void Booster::sum_by_leaf(const Round& round, const ExactUnits& units) {
    for (BoostNode& node : nodes_) {
        if (node.left >= 0) continue;
        LeafSums sums;
        for (int64_t k = node.begin; k < node.end; ++k) sums.add(round, units, rows_[static_cast<size_t>(k)]);
        sums.give(round, units, node);
    }
}

// Many rows: each is given the number of its leaf, block by block, and then all arrays are read in their
// order. A leaf alone would read a line of memory for every row.
void Booster::sum_by_row(const Round& round, const ExactUnits& units, int threads) {
    const int64_t n = matrix_->n_rows, blocks = row_blocks(n);
    const size_t nowhere = nodes_.size();  // rows that the tree has not
    leaf_.resize(static_cast<size_t>(n));
    std::vector<std::vector<LeafSums>> found(static_cast<size_t>(blocks));
    parallel_for(blocks, threads, [&](int64_t b, int) {
        const int64_t begin = b * kRowBlock, end = std::min(n, begin + kRowBlock);
        if (!in_tree_.empty())
            std::fill(leaf_.begin() + begin, leaf_.begin() + end, static_cast<uint16_t>(nowhere));
        for (size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].left >= 0) continue;
            const auto last = rows_.begin() + nodes_[i].end;
            auto at = std::lower_bound(rows_.begin() + nodes_[i].begin, last, static_cast<uint32_t>(begin));
            for (; at != last && *at < end; ++at) leaf_[*at] = static_cast<uint16_t>(i);
        }
        std::vector<LeafSums> sums(nodes_.size() + 1);
        for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row)
            sums[leaf_[row]].add(round, units, row);
        found[static_cast<size_t>(b)] = std::move(sums);
    });
    for (size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].left >= 0) continue;
        for (size_t b = 1; b < found.size(); ++b) found[0][i].add(found[b][i]);
        found[0][i].give(round, units, nodes_[i]);
    }
}

void Booster::leaves(std::vector<int64_t>& nodes, std::vector<int64_t>& starts,
                     std::vector<uint32_t>& rows) const {
    std::vector<std::pair<int64_t, size_t>> found;
    for (size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].left < 0) found.push_back({nodes_[i].begin, i});
    std::sort(found.begin(), found.end());
    for (const auto& [begin, i] : found) {
        nodes.push_back(number_[i]);
        starts.push_back(begin);
    }
    starts.push_back(static_cast<int64_t>(rows_.size()));
    rows = rows_;
}

size_t Booster::leaf_of(const BinnedMatrix& other, size_t row) const {
    size_t i = 0;
    while (nodes_[i].left >= 0) {
        const BoostNode& node = nodes_[i];
        const uint32_t code = code_at(other, node.split.column, row);
        i = static_cast<size_t>(node.left) + node.side[code];
    }
    return i;
}

void Booster::add(std::span<const double> value, double rate, std::span<double> raw, int threads) const {
    if (value.size() != nodes_.size() || raw.size() != static_cast<size_t>(matrix_->n_rows))
        throw std::invalid_argument("values and nodes differ in number");
    const Timed here(Stage::leaf_values);
    std::vector<double> more(nodes_.size() + 1, 0.0);  // by leaf; last: rows that the tree has not
    for (size_t i = 0; i < nodes_.size(); ++i) more[i] = rate * value[static_cast<size_t>(number_[i])];
    if (leaf_.empty()) {
        for (size_t i = 0; i < nodes_.size(); ++i)
            for (int64_t k = nodes_[i].begin; nodes_[i].left < 0 && k < nodes_[i].end; ++k)
                raw[rows_[static_cast<size_t>(k)]] += more[i];
    }
    if (leaf_.empty() && in_tree_.empty()) return;
    parallel_for(row_blocks(matrix_->n_rows), threads, [&](int64_t b, int) {
        const auto end = static_cast<size_t>(std::min(matrix_->n_rows, (b + 1) * kRowBlock));
        for (auto row = static_cast<size_t>(b * kRowBlock); row < end; ++row) {
            if (!leaf_.empty()) raw[row] += more[leaf_[row]];
            if (!in_tree_.empty() && !in_tree_[row]) raw[row] += more[leaf_of(*matrix_, row)];
        }
    });
}

void Booster::add_to(const BinnedMatrix& other, std::span<const double> value, double rate,
                     std::span<double> raw, int threads) const {
    if (value.size() != nodes_.size() || raw.size() != static_cast<size_t>(other.n_rows) ||
        other.columns.size() != matrix_->columns.size() || other.stride != matrix_->stride)
        throw std::invalid_argument("the rows are not in the codes of the tree");
    const Timed here(Stage::leaf_values);
    parallel_for(row_blocks(other.n_rows), threads, [&](int64_t b, int) {
        const auto end = static_cast<size_t>(std::min(other.n_rows, (b + 1) * kRowBlock));
        for (auto row = static_cast<size_t>(b * kRowBlock); row < end; ++row)
            raw[row] += rate * value[static_cast<size_t>(number_[leaf_of(other, row)])];
    });
}

}  // namespace bough::boost

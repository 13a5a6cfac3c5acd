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

// Sums of the gradients as given, in the order of the rows: no rounding, and the same for any threads.
void Booster::refit(const Round& round, int threads) {
    const Timed here(Stage::leaf_values);
    leaf_.clear();
    if (rows_.size() > size_t{kRowBlock} && nodes_.size() <= kMostNodes) {
        sum_by_row(round, threads);
    } else {
        for (BoostNode& node : nodes_)
            if (node.left < 0) sum_leaf(round, node);
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
void Booster::sum_leaf(const Round& round, BoostNode& node) const {
    for (int64_t k = node.begin; k < node.end; ++k) {
        const uint32_t row = rows_[static_cast<size_t>(k)];
        node.gradient += round.gradient[row];
        node.hessian += round.hessian.empty() ? 1.0 : round.hessian[row];
        node.weight += round.weight.empty() ? 1.0 : round.weight[row];
    }
}

// Many rows: each is given the number of its leaf, block by block, and then all arrays are read in their
// order. A leaf alone would read a line of memory for every row.
void Booster::sum_by_row(const Round& round, int threads) {
    struct Sums {
        double gradient = 0.0, hessian = 0.0, weight = 0.0;
    };
    const int64_t n = matrix_->n_rows, blocks = row_blocks(n);
    const size_t nowhere = nodes_.size();  // rows that the tree has not
    leaf_.resize(static_cast<size_t>(n));
    std::vector<std::vector<Sums>> found(static_cast<size_t>(blocks));
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
        std::vector<Sums> sums(nodes_.size() + 1);
        for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
            Sums& sum = sums[leaf_[row]];
            sum.gradient += round.gradient[row];
            if (!round.hessian.empty()) sum.hessian += round.hessian[row];
            if (!round.weight.empty()) sum.weight += round.weight[row];
        }
        found[static_cast<size_t>(b)] = std::move(sums);
    });
    for (size_t i = 0; i < nodes_.size(); ++i) {
        BoostNode& node = nodes_[i];
        if (node.left >= 0) continue;
        for (const std::vector<Sums>& sums : found) {
            node.gradient += sums[i].gradient;
            node.hessian += sums[i].hessian;
            node.weight += sums[i].weight;
        }
        if (round.hessian.empty()) node.hessian = static_cast<double>(node.rows());
        if (round.weight.empty()) node.weight = static_cast<double>(node.rows());
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

// Sums of the leaves, and their values on the way to the rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "boost/booster.hpp"
#include "parallel.hpp"
#include "profile.hpp"

namespace bough::boost {

// What the numbers of a leaf are at most, without sign.
struct LeafLargest {
    double gradient = 0.0, hessian = 0.0, weight = 0.0;

    void add(const Round& round, size_t row) {
        gradient = std::max(gradient, std::abs(round.gradient[row]));
        if (!round.hessian.empty()) hessian = std::max(hessian, round.hessian[row]);
        if (!round.weight.empty()) weight = std::max(weight, round.weight[row]);
    }
    void add(const LeafLargest& other) {
        gradient = std::max(gradient, other.gradient);
        hessian = std::max(hessian, other.hessian);
        weight = std::max(weight, other.weight);
    }
};

namespace {

__extension__ using int128 = __int128;

// Powers of two that make whole numbers below 2^62 of them.
struct LeafScales {
    double gradient, hessian, weight;
    explicit LeafScales(const LeafLargest& largest = {})
        : gradient(scale_to(largest.gradient, 62)),
          hessian(scale_to(largest.hessian, 62)),
          weight(scale_to(largest.weight, 62)) {}
};

// Sums of whole numbers: the same in any order of the rows.
struct LeafSums {
    int128 gradient = 0, hessian = 0, weight = 0;

    void add(const Round& round, const LeafScales& scale, size_t row) {
        gradient += static_cast<int64_t>(round.gradient[row] * scale.gradient);
        if (!round.hessian.empty()) hessian += static_cast<int64_t>(round.hessian[row] * scale.hessian);
        if (!round.weight.empty()) weight += static_cast<int64_t>(round.weight[row] * scale.weight);
    }
    void add(const LeafSums& other) {
        gradient += other.gradient;
        hessian += other.hessian;
        weight += other.weight;
    }
    void give(const Round& round, const LeafScales& scale, BoostNode& node) const {
        const auto rows = static_cast<double>(node.rows());
        node.gradient = static_cast<double>(gradient) / scale.gradient;
        node.hessian = round.hessian.empty() ? rows : static_cast<double>(hessian) / scale.hessian;
        node.weight = round.weight.empty() ? rows : static_cast<double>(weight) / scale.weight;
    }
};

// What all rows add to their leaves; each worker has leaves of its own until the end.
template <class Leaf, class Add>
std::vector<Leaf> by_leaf(size_t n_leaves, int64_t n_rows, int threads, const Add& add) {
    std::vector<std::vector<Leaf>> of_worker(static_cast<size_t>(std::max(threads, 1)));
    parallel_for(row_blocks(n_rows), threads, [&](int64_t b, int worker) {
        std::vector<Leaf>& own = of_worker[static_cast<size_t>(worker)];
        own.resize(n_leaves);
        add(b * kRowBlock, std::min(n_rows, (b + 1) * kRowBlock), own);
    });
    std::vector<Leaf> all(n_leaves);
    for (const std::vector<Leaf>& own : of_worker)
        for (size_t i = 0; i < own.size(); ++i) all[i].add(own[i]);
    return all;
}

}  // namespace

// Sums of the derivatives as given, to 62 bits of the largest, not of what the search had. `even`: no number
// is so much larger than most that those of another leaf would vanish beside it.
void Booster::refit(const Round& round, const Largest& largest, bool even, int threads) {
    const Timed here(Stage::leaf_values);
    leaf_.clear();
    if (rows_.size() > size_t{kRowBlock} && nodes_.size() <= kMostNodes) {
        LeafLargest all{largest.gradient, largest.hessian, 0.0};
        if (!round.weight.empty()) all.weight = *std::max_element(round.weight.begin(), round.weight.end());
        sum_by_row(round, even ? &all : nullptr, threads);
    } else {
        sum_by_leaf(round);
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
void Booster::sum_by_leaf(const Round& round) {
    for (BoostNode& node : nodes_) {
        if (node.left >= 0) continue;
        LeafLargest largest;
        LeafSums sums;
        const auto rows =
            std::span(rows_).subspan(static_cast<size_t>(node.begin), static_cast<size_t>(node.rows()));
        for (const uint32_t row : rows) largest.add(round, row);
        const LeafScales scale(largest);
        for (const uint32_t row : rows) sums.add(round, scale, row);
        sums.give(round, scale, node);
    }
}

// Many rows: each is given the number of its leaf, block by block, and then all arrays are read in their
// order. A leaf alone would read a line of memory for every row.
// `all`: the largest numbers, if they do for every leaf.
void Booster::sum_by_row(const Round& round, const LeafLargest* all, int threads) {
    const int64_t n = matrix_->n_rows;
    const size_t leaves = nodes_.size() + 1;  // last: rows that the tree has not
    leaf_.resize(static_cast<size_t>(n));
    parallel_for(row_blocks(n), threads, [&](int64_t b, int) {
        const int64_t begin = b * kRowBlock, end = std::min(n, begin + kRowBlock);
        if (!in_tree_.empty())
            std::fill(leaf_.begin() + begin, leaf_.begin() + end, static_cast<uint16_t>(nodes_.size()));
        for (size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].left >= 0) continue;
            const auto last = rows_.begin() + nodes_[i].end;
            auto at = std::lower_bound(rows_.begin() + nodes_[i].begin, last, static_cast<uint32_t>(begin));
            for (; at != last && *at < end; ++at) leaf_[*at] = static_cast<uint16_t>(i);
        }
    });
    const auto each = [&](const auto& add) {
        return [&](int64_t begin, int64_t end, auto& of_leaf) {
            for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row)
                add(of_leaf[leaf_[row]], row);
        };
    };
    std::vector<LeafScales> scale;
    if (all) {
        scale.assign(leaves, LeafScales(*all));
    } else {
        const auto find = [&](LeafLargest& leaf, size_t row) { leaf.add(round, row); };
        for (const LeafLargest& leaf : by_leaf<LeafLargest>(leaves, n, threads, each(find)))
            scale.emplace_back(leaf);
    }
    const auto sum = [&](LeafSums& leaf, size_t row) { leaf.add(round, scale[leaf_[row]], row); };
    const std::vector<LeafSums> sums = by_leaf<LeafSums>(leaves, n, threads, each(sum));
    for (size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].left < 0) sums[i].give(round, scale[i], nodes_[i]);
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

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

namespace {

__extension__ using int128 = __int128;

// What numbers are at most, without sign.
struct MostOf {
    double gradient = 0.0, hessian = 0.0, weight = 0.0;

    void add(const Round& round, size_t row) {
        gradient = std::max(gradient, std::abs(round.gradient[row]));
        if (!round.hessian.empty()) hessian = std::max(hessian, round.hessian[row]);
        if (!round.weight.empty()) weight = std::max(weight, round.weight[row]);
    }
};

// Powers of two that make whole numbers below 2^62 of them.
struct Scales {
    double gradient, hessian, weight;
    explicit Scales(const MostOf& most)
        : gradient(scale_to(most.gradient, 62)),
          hessian(scale_to(most.hessian, 62)),
          weight(scale_to(most.weight, 62)) {}
};

// A sum of whole numbers, which is the same in any order, and the bits that any of them has.
struct WholeSum {
    int128 sum = 0;
    int64_t bits = 0;

    void add(double x, double scale) {
        const auto whole = static_cast<int64_t>(x * scale);
        sum += whole;
        bits |= whole ^ (whole >> 63);
    }
    void add(const WholeSum& other) {
        sum += other.sum;
        bits |= other.bits;
    }
    double back(double scale) const { return static_cast<double>(sum) / scale; }
    bool fine() const { return bits >> kFineBits != 0; }  // of the largest

    static constexpr int kFineBits = 40;
};

struct LeafSums {
    WholeSum gradient, hessian, weight;

    void add(const Round& round, const Scales& scale, size_t row) {
        gradient.add(round.gradient[row], scale.gradient);
        if (!round.hessian.empty()) hessian.add(round.hessian[row], scale.hessian);
        if (!round.weight.empty()) weight.add(round.weight[row], scale.weight);
    }
    void add(const LeafSums& other) {
        gradient.add(other.gradient);
        hessian.add(other.hessian);
        weight.add(other.weight);
    }
    bool fine(const Round& round) const {
        return gradient.fine() && (round.hessian.empty() || hessian.fine()) &&
               (round.weight.empty() || weight.fine());
    }
    void give(const Round& round, const Scales& scale, BoostNode& node) const {
        const auto rows = static_cast<double>(node.rows());
        node.gradient = gradient.back(scale.gradient);
        node.hessian = round.hessian.empty() ? rows : hessian.back(scale.hessian);
        node.weight = round.weight.empty() ? rows : weight.back(scale.weight);
    }
};

}  // namespace

// Sums of the derivatives as given, not as the search had them: to 62 bits of the largest.
void Booster::refit(const Round& round, const Largest& largest, int threads) {
    const Timed here(Stage::leaf_values);
    leaf_.clear();
    if (rows_.size() > size_t{kRowBlock} && nodes_.size() <= kMostNodes) {
        sum_by_row(round, largest, threads);
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

// The plain way: a leaf after the other, each at its own scale.
void Booster::sum_leaf(const Round& round, BoostNode& node) const {
    const auto rows =
        std::span(rows_).subspan(static_cast<size_t>(node.begin), static_cast<size_t>(node.rows()));
    MostOf most;
    for (const uint32_t row : rows) most.add(round, row);
    const Scales scale(most);
    LeafSums sums;
    for (const uint32_t row : rows) sums.add(round, scale, row);
    sums.give(round, scale, node);
}

// Many rows: each is given the number of its leaf, block by block, and then all arrays are read in their
// order. A leaf alone would read a line of memory for every row. All leaves have one scale; those whose
// numbers are so small that it has too few bits for them are summed again.
void Booster::sum_by_row(const Round& round, const Largest& largest, int threads) {
    MostOf most{largest.gradient, largest.hessian, 0.0};
    if (!round.weight.empty()) most.weight = *std::max_element(round.weight.begin(), round.weight.end());
    const Scales scale(most);
    const int64_t n = matrix_.n_rows;
    const size_t nowhere = nodes_.size();  // rows that the tree has not
    leaf_.resize(static_cast<size_t>(n));
    std::vector<std::vector<LeafSums>> found(static_cast<size_t>(std::max(threads, 1)));  // of each worker
    parallel_for(row_blocks(n), threads, [&](int64_t b, int worker) {
        const int64_t begin = b * kRowBlock, end = std::min(n, begin + kRowBlock);
        if (!in_tree_.empty())
            std::fill(leaf_.begin() + begin, leaf_.begin() + end, static_cast<uint16_t>(nowhere));
        for (size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].left >= 0) continue;
            const auto last = rows_.begin() + nodes_[i].end;
            auto at = std::lower_bound(rows_.begin() + nodes_[i].begin, last, static_cast<uint32_t>(begin));
            for (; at != last && *at < end; ++at) leaf_[*at] = static_cast<uint16_t>(i);
        }
        std::vector<LeafSums>& sums = found[static_cast<size_t>(worker)];
        sums.resize(nodes_.size() + 1);
        for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row)
            sums[leaf_[row]].add(round, scale, row);
    });
    for (size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].left >= 0) continue;
        LeafSums all;
        for (const std::vector<LeafSums>& sums : found)
            if (!sums.empty()) all.add(sums[i]);
        if (all.fine(round)) {
            all.give(round, scale, nodes_[i]);
        } else {
            sum_leaf(round, nodes_[i]);
        }
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
    if (value.size() != nodes_.size() || raw.size() != static_cast<size_t>(matrix_.n_rows))
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
    parallel_for(row_blocks(matrix_.n_rows), threads, [&](int64_t b, int) {
        const auto end = static_cast<size_t>(std::min(matrix_.n_rows, (b + 1) * kRowBlock));
        for (auto row = static_cast<size_t>(b * kRowBlock); row < end; ++row) {
            if (!leaf_.empty()) raw[row] += more[leaf_[row]];
            if (!in_tree_.empty() && !in_tree_[row]) raw[row] += more[leaf_of(matrix_, row)];
        }
    });
}

void Booster::add_to(const BinnedMatrix& other, std::span<const double> value, double rate,
                     std::span<double> raw, int threads) const {
    if (value.size() != nodes_.size() || raw.size() != static_cast<size_t>(other.n_rows) ||
        other.columns.size() != matrix_.columns.size() || other.stride != matrix_.stride)
        throw std::invalid_argument("the rows are not in the codes of the tree");
    const Timed here(Stage::leaf_values);
    parallel_for(row_blocks(other.n_rows), threads, [&](int64_t b, int) {
        const auto end = static_cast<size_t>(std::min(other.n_rows, (b + 1) * kRowBlock));
        for (auto row = static_cast<size_t>(b * kRowBlock); row < end; ++row)
            raw[row] += rate * value[static_cast<size_t>(number_[leaf_of(other, row)])];
    });
}

}  // namespace bough::boost

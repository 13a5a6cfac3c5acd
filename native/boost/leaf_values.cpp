// Sums of the leaves, and their values on the way to the rows.
#include <algorithm>
#include <array>
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

    // Without a hessian or a weight, those are 1.
    void add(const Scales& scale, double g, const double* h, const double* w) {
        gradient.add(g, scale.gradient);
        if (h) hessian.add(*h, scale.hessian);
        if (w) weight.add(*w, scale.weight);
    }
    void add(const LeafSums& other) {
        gradient.add(other.gradient);
        hessian.add(other.hessian);
        weight.add(other.weight);
    }
    bool fine(const Round& round) const {
        return gradient.fine() && (round.slopes.unit_hessian() || hessian.fine()) &&
               (round.weight.empty() || weight.fine());
    }
    void give(const Round& round, const Scales& scale, BoostNode& node) const {
        const auto rows = static_cast<double>(node.rows());
        node.gradient = gradient.back(scale.gradient);
        node.hessian = round.slopes.unit_hessian() ? rows : hessian.back(scale.hessian);
        node.weight = round.weight.empty() ? rows : weight.back(scale.weight);
    }
};

// Adds n rows to the sums of their leaves. What a round lacks is not asked for each row, and all that the
// loop needs stays in registers.
template <bool Hessian, bool Weight, class Number>
void add_by_leaf(const Scales scale, const Number* leaf, size_t n, const double* gradient,
                 const double* hessian, const double* weight, LeafSums* sums) {
    for (size_t i = 0; i < n; ++i) {
        LeafSums& own = sums[leaf[i]];
        own.gradient.add(gradient[i], scale.gradient);
        if constexpr (Hessian) own.hessian.add(hessian[i], scale.hessian);
        if constexpr (Weight) own.weight.add(weight[i], scale.weight);
    }
}

// The plain way: a leaf after the other, each at its own scale.
void sum_leaf(const std::vector<uint32_t>& all, const Round& round, BoostNode& node) {
    const auto rows =
        std::span(all).subspan(static_cast<size_t>(node.begin), static_cast<size_t>(node.rows()));
    const auto weight = [&](size_t i) { return round.weight.empty() ? nullptr : &round.weight[rows[i]]; };
    MostOf most;
    round.slopes.each(rows, [&](size_t first, size_t n, const double* gradient, const double* hessian) {
        for (size_t i = 0; i < n; ++i) {
            most.gradient = std::max(most.gradient, std::abs(gradient[i]));
            if (hessian) most.hessian = std::max(most.hessian, hessian[i]);
            if (const double* const w = weight(first + i)) most.weight = std::max(most.weight, *w);
        }
    });
    const Scales scale(most);
    LeafSums sums;
    round.slopes.each(rows, [&](size_t first, size_t n, const double* gradient, const double* hessian) {
        for (size_t i = 0; i < n; ++i)
            sums.add(scale, gradient[i], hessian ? hessian + i : nullptr, weight(first + i));
    });
    sums.give(round, scale, node);
}

// The numbers of the leaves of these rows; `some`: the tree has not all rows.
template <class Number>
void note_leaves(const Grown& tree, int64_t begin, int64_t end, bool some, MappedVector<Number>& leaf) {
    if (some) std::fill(leaf.begin() + begin, leaf.begin() + end, static_cast<Number>(tree.nodes.size()));
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
        if (tree.nodes[i].left >= 0) continue;
        const auto last = tree.rows.begin() + tree.nodes[i].end;
        auto at =
            std::lower_bound(tree.rows.begin() + tree.nodes[i].begin, last, static_cast<uint32_t>(begin));
        for (Number* const to = leaf.data(); at != last && *at < end; ++at) to[*at] = static_cast<Number>(i);
    }
}

// side_of(number of a node, row): 1 goes right.
template <class SideOf>
size_t leaf_of(const std::vector<BoostNode>& nodes, size_t row, const SideOf& side_of) {
    size_t i = 0;
    while (nodes[i].left >= 0) i = static_cast<size_t>(nodes[i].left) + side_of(i, row);
    return i;
}

// The ways of rows of the booster's own table, by byte of the records where the column is in them.
class OwnWays {
  public:
    OwnWays(const std::vector<BoostNode>& nodes, const BinnedMatrix& matrix, const Records& records)
        : nodes_(nodes), matrix_(matrix), records_(records), sides_(nodes.size()) {
        for (size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].left >= 0 && records.slot_of(nodes[i].split.column) >= 0)
                sides_[i] = records.by_byte(nodes[i].split.column, nodes[i].side);
    }
    uint8_t operator()(size_t i, size_t row) const {
        const int32_t column = nodes_[i].split.column, slot = records_.slot_of(column);
        if (slot < 0) return nodes_[i].side[code_at(matrix_, column, row)];
        return sides_[i][records_.data()[row * records_.stride() + static_cast<size_t>(slot)]];
    }

  private:
    const std::vector<BoostNode>& nodes_;
    const BinnedMatrix& matrix_;
    const Records& records_;
    std::vector<std::array<uint8_t, 256>> sides_;
};

}  // namespace

// Sums of the derivatives as given, not as the search had them: to 62 bits of the largest.
void Booster::refit(Grown& tree, const Round& round, const Largest& largest, int threads) const {
    const Timed here(Stage::leaf_values);
    std::vector<BoostNode>& nodes = tree.nodes;
    tree.leaf.clear();
    if (tree.rows.size() > size_t{kRowBlock} && nodes.size() <= kMostNodes) {
        sum_by_row(tree, round, largest, threads);
    } else {
        for (BoostNode& node : nodes)
            if (node.left < 0) sum_leaf(tree.rows, round, node);
    }
    for (size_t i = nodes.size(); i-- > 0;) {
        BoostNode& node = nodes[i];
        if (node.left < 0) continue;
        for (auto c = static_cast<size_t>(node.left); c < static_cast<size_t>(node.left) + 2; ++c) {
            node.gradient += nodes[c].gradient;
            node.hessian += nodes[c].hessian;
            node.weight += nodes[c].weight;
            node.saved += nodes[c].saved;
        }
        node.saved += node.split.gain;
    }
}

// Many rows: each is given the number of its leaf, block by block, and then all arrays are read in their
// order. A leaf alone would read a line of memory for every row. All leaves have one scale; those whose
// numbers are so small that it has too few bits for them are summed again.
void Booster::sum_by_row(Grown& tree, const Round& round, const Largest& largest, int threads) const {
    MostOf most{largest.gradient, largest.hessian, 0.0};
    if (!round.weight.empty()) most.weight = *std::max_element(round.weight.begin(), round.weight.end());
    const Scales scale(most);
    const int64_t n = matrix_.n_rows;
    std::vector<BoostNode>& nodes = tree.nodes;
    std::vector<std::vector<LeafSums>> found(static_cast<size_t>(std::max(threads, 1)));  // of each worker
    const auto sum = [&](auto& leaf, int64_t b, int worker) {
        const int64_t begin = b * kRowBlock, end = std::min(n, begin + kRowBlock);
        note_leaves(tree, begin, end, !in_tree_.empty(), leaf);
        std::vector<LeafSums>& sums = found[static_cast<size_t>(worker)];
        sums.resize(nodes.size() + 1);
        const double* const weight = round.weight.empty() ? nullptr : round.weight.data();
        const auto see = [&](size_t first, size_t m, const double* gradient, const double* hessian) {
            const auto* const own = leaf.data() + first;
            const auto add = [&]<bool Hessian, bool Weight>() {
                add_by_leaf<Hessian, Weight>(scale, own, m, gradient, hessian,
                                             weight ? weight + first : nullptr, sums.data());
            };
            if (hessian)
                weight ? add.template operator()<true, true>() : add.template operator()<true, false>();
            else
                weight ? add.template operator()<false, true>() : add.template operator()<false, false>();
        };
        round.slopes.each(static_cast<size_t>(begin), static_cast<size_t>(end), see);
    };
    tree.leaf.with(nodes.size(), [&](auto& leaf) {
        leaf.resize(static_cast<size_t>(n));
        parallel_for(row_blocks(n), threads, [&](int64_t b, int worker) { sum(leaf, b, worker); });
    });
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].left >= 0) continue;
        LeafSums all;
        for (const std::vector<LeafSums>& sums : found)
            if (!sums.empty()) all.add(sums[i]);
        if (all.fine(round)) {
            all.give(round, scale, nodes[i]);
        } else {
            sum_leaf(tree.rows, round, nodes[i]);
        }
    }
}

void Booster::leaves(std::vector<int64_t>& nodes, std::vector<int64_t>& starts,
                     std::vector<uint32_t>& rows) const {
    if (grown_.size() != 1) throw std::invalid_argument("the last round had not one tree");
    const Grown& tree = grown_[0];
    std::vector<std::pair<int64_t, size_t>> found;
    for (size_t i = 0; i < tree.nodes.size(); ++i)
        if (tree.nodes[i].left < 0) found.push_back({tree.nodes[i].begin, i});
    std::sort(found.begin(), found.end());
    for (const auto& [begin, i] : found) {
        nodes.push_back(tree.number[i]);
        starts.push_back(begin);
    }
    starts.push_back(static_cast<int64_t>(tree.rows.size()));
    rows = tree.rows;
}

void Booster::check(const Values& values, const BinnedMatrix& rows, std::span<double> raw) const {
    if (values.size() != grown_.size() || raw.size() != grown_.size() * static_cast<size_t>(rows.n_rows))
        throw std::invalid_argument("values and trees differ in number");
    for (size_t k = 0; k < grown_.size(); ++k)
        if (values[k].size() != grown_[k].nodes.size())
            throw std::invalid_argument("values and nodes differ in number");
}

void Booster::add(const Values& values, double rate, std::span<double> raw, int threads) const {
    check(values, matrix_, raw);
    const Timed here(Stage::leaf_values);
    std::vector<std::vector<double>> more;  // by tree and leaf; last: rows that the tree has not
    for (size_t k = 0; k < grown_.size(); ++k) {
        more.emplace_back(values[k].size() + 1, 0.0);
        for (size_t i = 0; i < values[k].size(); ++i)
            more[k][i] = rate * values[k][static_cast<size_t>(grown_[k].number[i])];
    }
    std::vector<OwnWays> ways;  // of rows that the trees have not
    for (size_t k = 0; !in_tree_.empty() && k < grown_.size(); ++k)
        ways.emplace_back(grown_[k].nodes, matrix_, records_);
    const int64_t blocks = row_blocks(matrix_.n_rows);
    const auto n = static_cast<size_t>(matrix_.n_rows);
    parallel_for(blocks * std::ssize(grown_), threads, [&](int64_t task, int) {
        const int64_t b = task % blocks;
        const auto k = static_cast<size_t>(task / blocks);
        const Grown& tree = grown_[k];
        double* const sums = raw.data() + k * n;
        if (tree.leaf.empty() && b == 0)
            for (size_t i = 0; i < tree.nodes.size(); ++i)
                for (int64_t r = tree.nodes[i].begin; tree.nodes[i].left < 0 && r < tree.nodes[i].end; ++r)
                    sums[tree.rows[static_cast<size_t>(r)]] += more[k][i];
        if (tree.leaf.empty() && in_tree_.empty()) return;
        const auto begin = static_cast<size_t>(b * kRowBlock), end = std::min(n, begin + kRowBlock);
        if (!tree.leaf.empty())
            tree.leaf.with([&](const auto& leaf) {
                for (size_t row = begin; row < end; ++row) sums[row] += more[k][leaf[row]];
            });
        for (size_t row = begin; !in_tree_.empty() && row < end; ++row)
            if (!in_tree_[row]) sums[row] += more[k][leaf_of(tree.nodes, row, ways[k])];
    });
}

void Booster::add_to(const BinnedMatrix& other, const Values& values, double rate, std::span<double> raw,
                     int threads) const {
    if (other.columns.size() != matrix_.columns.size() || other.stride != matrix_.stride)
        throw std::invalid_argument("the rows are not in the codes of the tree");
    check(values, other, raw);
    const Timed here(Stage::leaf_values);
    const int64_t blocks = row_blocks(other.n_rows);
    const auto n = static_cast<size_t>(other.n_rows);
    parallel_for(blocks * std::ssize(grown_), threads, [&](int64_t task, int) {
        const int64_t b = task % blocks;
        const auto k = static_cast<size_t>(task / blocks);
        const Grown& tree = grown_[k];
        const auto end = std::min(n, static_cast<size_t>((b + 1) * kRowBlock));
        for (auto row = static_cast<size_t>(b * kRowBlock); row < end; ++row) {
            const size_t leaf = leaf_of(tree.nodes, row, [&](size_t i, size_t r) {
                return tree.nodes[i].side[code_at(other, tree.nodes[i].split.column, r)];
            });
            raw[k * n + row] += rate * values[k][static_cast<size_t>(tree.number[leaf])];
        }
    });
}

}  // namespace bough::boost

// Walks rows down many trees by comparing ranks.
#include "rank_walk.hpp"

#include <algorithm>

#include "forest_predict.hpp"
#include "rank_order.hpp"
#include "terminals.hpp"

namespace bough {
namespace {

constexpr uint16_t kHigh = 65535;  // above every threshold; no number is above it
constexpr uint16_t kAsk = 65534;   // the rank of a node that asks its group
constexpr size_t kTogether = 8;    // rows (or trees) under way at once: their places stay in registers
constexpr size_t kTrees = 128;     // that one row goes down together
constexpr size_t kBlock = 128;     // rows whose numbers stay in the first-level cache
constexpr int kFirstLevels = 8, kLevels = 4;
// In large trees a row goes far (19 levels on average in full trees of 27,000 nodes): with 16 levels before
// the first look the walk took 0.90 of the time.
constexpr size_t kDeepNodes = 1 << 13;
constexpr int kFirstLevelsDeep = 16;

}  // namespace

RankWalk::RankWalk(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
                   const std::vector<uint8_t>& left_out, size_t width)
    : ranks_(ranks), groups_(trees[0].n_categories), width_(width) {
    for (const Part& part : parts) one_output_ &= part.output == 0;
    // All roots, then one tree after the other.
    size_t n_nodes = (trees.size() + NodeOrder::kLine - 1) / NodeOrder::kLine * NodeOrder::kLine;
    std::vector<NodeOrder> orders;
    for (size_t t = 0; t < trees.size(); ++t) {
        start_.push_back(n_nodes);
        orders.emplace_back(trees[t], left_out[t] != 0);
        n_nodes += orders.back().size();
    }
    start_.push_back(n_nodes);
    n_nodes_ = static_cast<uint32_t>(n_nodes);
    nodes_.resize(n_nodes);
    Terminals terminals(n_nodes, width, values_);
    for (size_t t = 0; t < trees.size(); ++t)
        if (!left_out[t]) take(t, trees[t], orders[t], parts[t], terminals);
    for (size_t k = 0; k < values_.size() / width; ++k)
        nodes_.push_back({0, kHigh, n_nodes_ + static_cast<uint32_t>(k)});
}

void RankWalk::take(size_t number, const TreeView& tree, const NodeOrder& order, const Part& part,
                    Terminals& terminals) {
    const auto place = [&](size_t node) { return start_[number] + order[node]; };
    for (size_t i = 0; i < tree.feature.size(); ++i) {
        const size_t at = i == 0 ? number : place(i);
        if (tree.feature[i] < 0) {
            nodes_[at] = {0, kHigh, n_nodes_ + terminals.of(&part.value[i * width_], part.weight)};
            continue;
        }
        const auto j = static_cast<size_t>(tree.feature[i]);
        const auto child = static_cast<uint32_t>(place(static_cast<size_t>(tree.first_child[i])));
        if (is_group(tree, i)) {
            group_.resize(n_nodes_);
            group_[at] = groups_.take(tree, i);
            nodes_[at] = {static_cast<uint16_t>(2 * j), kAsk, child};
        } else {
            nodes_[at] = {static_cast<uint16_t>(2 * j + (tree.missing_child[i] != 1)),
                          static_cast<uint16_t>(ranks_[j].rank(tree.threshold[i])), child};
        }
    }
}

void RankWalk::encode(const std::vector<ColumnView>& columns, int64_t first, int64_t n,
                      uint16_t* cells) const {
    for (size_t j = 0; j < columns.size(); ++j) {
        uint16_t* to = cells + 2 * j;
        if (groups_.categories(j) && !groups_.empty())
            for (int64_t r = first; r < first + n; ++r)
                to[static_cast<size_t>(r - first) * stride()] =
                    static_cast<uint16_t>(groups_.code(j, columns[j][r]));
        if (ranks_[j].size() == 0) continue;  // nobody asks
        const auto put = [&](double x, uint32_t rank) {
            to[0] = x != x ? kHigh : static_cast<uint16_t>(rank);
            to[1] = static_cast<uint16_t>(rank);
            to += stride();
        };
        if (n == 1) {
            put(columns[j][first], ranks_[j].rank(columns[j][first]));
            continue;
        }
        double x[kBlock];
        uint32_t rank[kBlock];
        for (int64_t r = first; r < first + n; r += kBlock) {
            const size_t m = std::min(kBlock, static_cast<size_t>(first + n - r));
            for (size_t i = 0; i < m; ++i) x[i] = columns[j][r + static_cast<int64_t>(i)];
            ranks_[j].ranks(x, m, rank);
            for (size_t i = 0; i < m; ++i) put(x[i], rank[i]);
        }
    }
}

// A step is five instructions on x86: place, number, compare, child, add the carry.
template <size_t G, int Levels, bool Grouped>
inline void RankWalk::descend(const uint16_t* const* rows, uint32_t* at) const {
    const Node* const nodes = nodes_.data();
#pragma GCC unroll 16
    for (int level = 0; level < Levels; ++level)
#pragma GCC unroll 8
        for (size_t g = 0; g < G; ++g) {
            const Node& node = nodes[at[g]];
            const uint16_t number = rows[g][node.place];
            bool right = node.rank < number;
            if (Grouped && node.rank == kAsk) right = groups_.right(group_[at[g]], number);
            at[g] = node.child + right;
        }
}

// Eight or sixteen levels, then four at a time; after each pass the rows that have arrived are left out;
// returns how many are still on their way at the end, fewer than a group.
template <bool Grouped>
size_t RankWalk::walk_block(bool deep, const uint16_t* cells, const uint32_t* chosen, size_t n,
                            uint32_t* walking, uint32_t* end) const {
    const auto pass = [&]<int Levels>(size_t count) {
        size_t left = 0, i = 0;
        for (; i + kTogether <= count; i += kTogether) {
            const uint16_t* rows[kTogether];
            uint32_t at[kTogether], who[kTogether];
            for (size_t g = 0; g < kTogether; ++g) {
                who[g] = walking[i + g];
                at[g] = end[who[g]];
                rows[g] = cells + chosen[who[g]] * stride();
            }
            descend<kTogether, Levels, Grouped>(rows, at);
            for (size_t g = 0; g < kTogether; ++g) {
                end[who[g]] = at[g];
                walking[left] = who[g];
                left += at[g] < n_nodes_;
            }
        }
        while (i < count) walking[left++] = walking[i++];
        return left;
    };
    n = deep ? pass.template operator()<kFirstLevelsDeep>(n) : pass.template operator()<kFirstLevels>(n);
    while (n >= kTogether) n = pass.template operator()<kLevels>(n);
    return n;
}

template <bool Grouped>
void RankWalk::walk_all(size_t tree, const uint16_t* cells, const std::vector<uint32_t>& chosen,
                        std::vector<uint32_t>& walking, uint32_t* end) const {
    walking.resize(kBlock);
    // The next tree is fetched while this one is walked, a share of it with each block.
    const size_t next = start_[tree + 1], next_end = start_[std::min(tree + 2, start_.size() - 1)];
    const size_t share = (next_end - next) * kBlock / std::max(chosen.size(), kBlock) + 8;
    size_t fetched = next;
    const bool deep = next - start_[tree] >= kDeepNodes;
    for (size_t first = 0; first < chosen.size(); first += kBlock) {
        for (const size_t stop = std::min(fetched + share, next_end); fetched < stop; fetched += 8)
            __builtin_prefetch(nodes_.data() + fetched, 0, 2);
        const size_t n = std::min(kBlock, chosen.size() - first);
        for (size_t k = 0; k < n; ++k) {
            walking[k] = static_cast<uint32_t>(k);
            end[first + k] = static_cast<uint32_t>(tree);
        }
        const size_t left =
            walk_block<Grouped>(deep, cells, chosen.data() + first, n, walking.data(), end + first);
        for (size_t i = 0; i < left; ++i) {
            uint32_t& at = end[first + walking[i]];
            const uint16_t* const row = cells + chosen[first + walking[i]] * stride();
            while (at < n_nodes_) descend<1, 1, Grouped>(&row, &at);
        }
    }
}

// Four levels at a time, eight trees at once; after each pass those that have arrived are left out.
template <bool Grouped>
void RankWalk::find_ends(size_t first, size_t n, const uint16_t* row, uint32_t* end) const {
    const uint16_t* rows[kTogether];
    std::fill_n(rows, kTogether, row);
    uint32_t at[kTrees];
    uint8_t walking[kTrees];
    for (size_t i = 0; i < n; ++i) {
        at[i] = static_cast<uint32_t>(first + i);
        walking[i] = static_cast<uint8_t>(i);
    }
    while (n > 0) {
        size_t left = 0, i = 0;
        const auto pass = [&]<size_t G>() {
            uint32_t now[G];
            uint8_t who[G];
            std::copy_n(at + i, G, now);
            std::copy_n(walking + i, G, who);
            descend<G, kLevels, Grouped>(rows, now);
            for (size_t g = 0; g < G; ++g) {
                end[who[g]] = at[left] = now[g];
                walking[left] = who[g];
                left += now[g] < n_nodes_;
            }
            i += G;
        };
        while (i + kTogether <= n) pass.template operator()<kTogether>();
        while (i < n) pass.template operator()<1>();
        n = left;
    }
}

// The sums of a few outputs stay in registers: through memory the trees would wait for each other.
template <size_t Width>
void RankWalk::add_values(const uint32_t* end, size_t n, double* out) const {
    double sums[Width];
    std::copy_n(out, Width, sums);
    for (size_t i = 0; i < n; ++i)
        for (size_t c = 0; c < Width; ++c) sums[c] += value(end[i])[c];
    std::copy_n(sums, Width, out);
}

void RankWalk::add_row(const uint16_t* row, const std::vector<Part>& parts, double* out) const {
    uint32_t end[kTrees];
    for (size_t t = 0; t < parts.size(); t += kTrees) {
        const size_t n = std::min(kTrees, parts.size() - t);
        groups_.empty() ? find_ends<false>(t, n, row, end) : find_ends<true>(t, n, row, end);
        if (one_output_ && width_ == 1) {
            add_values<1>(end, n, out);
        } else if (one_output_ && width_ == 2) {
            add_values<2>(end, n, out);
        } else {
            for (size_t i = 0; i < n; ++i)
                for (size_t c = 0; c < width_; ++c)
                    out[static_cast<size_t>(parts[t + i].output) + c] += value(end[i])[c];
        }
    }
}

template void RankWalk::walk_all<false>(size_t, const uint16_t*, const std::vector<uint32_t>&,
                                        std::vector<uint32_t>&, uint32_t*) const;
template void RankWalk::walk_all<true>(size_t, const uint16_t*, const std::vector<uint32_t>&,
                                       std::vector<uint32_t>&, uint32_t*) const;

}  // namespace bough

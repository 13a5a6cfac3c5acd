// Answers for many rows from small trees: tests cross out leaves.
#include "leaf_bits.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "forest_predict.hpp"
#include "simd.hpp"

namespace bough {
namespace {

// As bytes, which the vectors want.
constexpr int8_t kAll = -1, kNone = 0, kOne = 1, kTwo = 2, kFour = 4;
constexpr auto kUpper = static_cast<int8_t>(0xF0), kPairs = static_cast<int8_t>(0xCC),
               kOdd = static_cast<int8_t>(0xAA);

constexpr int32_t four_times(uint8_t byte) { return static_cast<int32_t>(byte * 0x01010101u); }

// The leaves below each node, [first, second), counted from left to right, and the nodes of the leaves.
struct LeafRanges {
    std::vector<std::pair<size_t, size_t>> of;
    std::vector<size_t> leaves;

    explicit LeafRanges(const TreeView& tree) : of(tree.feature.size()) {
        std::vector<size_t> stack{0};
        while (!stack.empty()) {
            const size_t i = stack.back();
            stack.pop_back();
            if (tree.feature[i] < 0) {
                of[i] = {leaves.size(), leaves.size() + 1};
                leaves.push_back(i);
            } else {
                stack.push_back(static_cast<size_t>(tree.first_child[i]) + 1);
                stack.push_back(static_cast<size_t>(tree.first_child[i]));
            }
        }
        for (size_t i = of.size(); i-- > 0;)  // children come after their parents
            if (tree.feature[i] >= 0) {
                const auto child = static_cast<size_t>(tree.first_child[i]);
                of[i] = {of[child].first, of[child + 1].second};
            }
    }
};

}  // namespace

LeafBits::LeafBits(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
                   size_t width)
    : ranks_(ranks), groups_(trees[0].n_categories), width_(width) {
    for (size_t t = 0; t < trees.size(); ++t) take(trees[t], parts[t]);
    start_.push_back(static_cast<uint32_t>(tests_.size()));
}

void LeafBits::take(const TreeView& tree, const Part& part) {
    const LeafRanges ranges(tree);
    const size_t n_bytes = (ranges.leaves.size() + 7) / 8;
    std::vector<size_t> group(tree.feature.size());  // of each node: which of the tree's
    SmallTree taken{start_.size(), n_bytes, values_.size(), asked_.size(), 0, part.output};
    for (size_t i = 0; i < tree.feature.size(); ++i) {
        if (tree.feature[i] < 0 || !is_group(tree, i)) continue;
        group[i] = taken.n_groups++;
        asked_.push_back({static_cast<size_t>(tree.feature[i]), groups_.take(tree, i)});
    }
    most_groups_ = std::max(most_groups_, taken.n_groups);
    trees_.push_back(taken);
    for (size_t byte = 0; byte < n_bytes; ++byte) {
        start_.push_back(static_cast<uint32_t>(tests_.size()));
        for (size_t i = 0; i < tree.feature.size(); ++i) {
            if (tree.feature[i] < 0) continue;
            const auto [first, end] = ranges.of[static_cast<size_t>(tree.first_child[i])];
            uint8_t crossed = 0;
            for (size_t bit = 0; bit < 8; ++bit)
                if (8 * byte + bit >= first && 8 * byte + bit < end)
                    crossed = static_cast<uint8_t>(crossed | 1u << bit);
            if (crossed == 0) continue;
            const auto j = static_cast<size_t>(tree.feature[i]);
            const bool grouped = is_group(tree, i);
            const auto rank = static_cast<uint8_t>(grouped ? 0u : ranks_[j].rank(tree.threshold[i]) ^ 0x80u);
            const size_t plane =
                grouped ? 2 * ranks_.size() + group[i] : 2 * j + (tree.missing_child[i] != 1);
            tests_.push_back({four_times(rank), four_times(crossed),
                              static_cast<uint32_t>(plane * static_cast<size_t>(kRows))});
        }
    }
    for (const size_t leaf : ranges.leaves)
        for (size_t c = 0; c < width_; ++c) values_.push_back(part.weight * part.value[leaf * width_ + c]);
}

// One byte for each row, moved by 128, because bytes are compared with a sign. Two planes for each column: a
// missing value stands above all in the first, below all in the second.
void LeafBits::encode(const std::vector<ColumnView>& columns, int64_t first, int64_t n, Tile& tile) const {
    tile.planes.resize(planes_of_groups() + most_groups_ * static_cast<size_t>(kRows));
    if (most_groups_ > 0) tile.codes.resize(columns.size() * static_cast<size_t>(kRows));
    for (size_t j = 0; j < columns.size(); ++j) {
        if (groups_.categories(j) && most_groups_ > 0) {
            uint32_t* const codes = tile.codes.data() + j * static_cast<size_t>(kRows);
            for (int64_t r = 0; r < n; ++r) codes[r] = groups_.code(j, columns[j][first + r]);
        }
        if (ranks_[j].size() == 0) continue;
        int8_t* const high = tile.planes.data() + 2 * j * static_cast<size_t>(kRows);
        int8_t* const low = high + kRows;
        for (int64_t r = 0; r < n; ++r) {
            const double x = columns[j][first + r];
            low[r] = static_cast<int8_t>(ranks_[j].rank(x) ^ 0x80u);
            high[r] = x != x ? int8_t{127} : low[r];
        }
    }
}

void LeafBits::ask_groups(const SmallTree& tree, int64_t n, Tile& tile) const {
    int8_t* plane = tile.planes.data() + planes_of_groups();
    for (size_t g = tree.first_group; g < tree.first_group + tree.n_groups; ++g, plane += kRows) {
        const uint32_t* const codes = tile.codes.data() + asked_[g].column * static_cast<size_t>(kRows);
        for (int64_t r = 0; r < n; ++r) plane[r] = groups_.right(asked_[g].group, codes[r]);
    }
}

// Bytes of leaves from the last to the first; of each, the tests that concern it. `Vectors` of rows at once,
// so that a test is read once for several.
template <int Lanes, int Vectors>
[[gnu::always_inline]] inline void LeafBits::find_leaves(const SmallTree& tree, const int8_t* planes,
                                                         int64_t n, uint8_t* leaf) const {
    typedef int8_t Bytes __attribute__((vector_size(Lanes)));
    typedef uint8_t Bits __attribute__((vector_size(Lanes)));  // -128 has no negative
    typedef int32_t Words __attribute__((vector_size(Lanes)));
    const uint32_t* const start = start_.data() + tree.first_byte;
    for (int64_t r = 0; r < n; r += Lanes * Vectors) {
        Bytes left[Vectors] = {}, byte[Vectors] = {};  // the first byte with a leaf, and its number times 8
        for (size_t k = tree.n_bytes; k-- > 0;) {
            Bytes crossed[Vectors] = {};
            for (const Test *test = tests_.data() + start[k], *const end = tests_.data() + start[k + 1];
                 test < end; ++test) {
                const Bytes rank = reinterpret_cast<Bytes>(Words{} + test->rank);
                const Bytes leaves = reinterpret_cast<Bytes>(Words{} + test->crossed);
                for (int v = 0; v < Vectors; ++v) {
                    Bytes number;
                    std::memcpy(&number, planes + test->plane + r + v * Lanes, Lanes);
                    crossed[v] |= reinterpret_cast<Bytes>(number > rank) & leaves;
                }
            }
            const auto place = static_cast<int8_t>(8 * k);
            for (int v = 0; v < Vectors; ++v) {
                const Bytes all = reinterpret_cast<Bytes>(crossed[v] == kAll);
                left[v] = (left[v] & all) | (~crossed[v] & ~all);
                byte[v] = (byte[v] & all) | ((Bytes{} + place) & ~all);
            }
        }
        for (int v = 0; v < Vectors; ++v) {
            const Bits bits = reinterpret_cast<Bits>(left[v]);
            const Bytes bit = reinterpret_cast<Bytes>(bits & -bits);
            const Bytes number = (reinterpret_cast<Bytes>((bit & kUpper) != kNone) & kFour) |
                                 (reinterpret_cast<Bytes>((bit & kPairs) != kNone) & kTwo) |
                                 (reinterpret_cast<Bytes>((bit & kOdd) != kNone) & kOne);
            const Bytes found = byte[v] + number;
            std::memcpy(leaf + r + v * Lanes, &found, Lanes);
        }
    }
}

BOUGH_AVX2 void LeafBits::find_leaves_avx2(const SmallTree& tree, const int8_t* planes, int64_t n,
                                           uint8_t* leaf) const {
    find_leaves<32, 4>(tree, planes, n, leaf);
}

void LeafBits::add(const std::vector<ColumnView>& columns, int64_t first, int64_t n, Tile& tile,
                   size_t n_outputs, double* out) const {
    encode(columns, first, n, tile);
    const int8_t* const planes = tile.planes.data();
    uint8_t leaf[kRows];
    for (const SmallTree& tree : trees_) {
        ask_groups(tree, n, tile);
        if (has_avx2()) {
            find_leaves_avx2(tree, planes, n, leaf);
        } else {
            find_leaves<16, 4>(tree, planes, n, leaf);
        }
        const double* const values = values_.data() + tree.first_value;
        double* const sum = out + static_cast<size_t>(first) * n_outputs + static_cast<size_t>(tree.output);
        if (width_ == 1) {
            for (int64_t r = 0; r < n; ++r) sum[static_cast<size_t>(r) * n_outputs] += values[leaf[r]];
        } else {
            for (int64_t r = 0; r < n; ++r)
                for (size_t c = 0; c < width_; ++c)
                    sum[static_cast<size_t>(r) * n_outputs + c] += values[leaf[r] * width_ + c];
        }
    }
}

}  // namespace bough

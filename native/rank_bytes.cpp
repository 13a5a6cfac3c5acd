// Walks one row down many small trees without walking.
#include "rank_bytes.hpp"

#include <algorithm>
#include <bit>

#include "forest_predict.hpp"
#include "simd.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define BOUGH_VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#endif

namespace bough {
namespace {

constexpr uint8_t kHigh = 255;    // above every threshold
constexpr size_t kTogether = 16;  // trees

}  // namespace

RankBytes::RankBytes(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
                     size_t width)
    : ranks_(ranks), width_(width), single_(width == 1) {
    for (size_t t = 0; t < trees.size(); ++t) {
        take(trees[t], parts[t]);
        single_ &= parts[t].output == 0;
    }
}

void RankBytes::take(const TreeView& tree, const Part& part) {
    const size_t n = tree.feature.size();
    std::vector<uint8_t> number(n);  // of a node among the inner ones, or of a leaf
    std::vector<uint32_t> depth(n, 0);
    uint8_t n_inner = 0, n_leaves = 0;
    const auto first_value = static_cast<uint32_t>(values_.size());
    for (size_t i = 0; i < n; ++i) {
        const bool leaf = tree.feature[i] < 0;
        number[i] = leaf ? static_cast<uint8_t>(kLeaf | n_leaves++) : n_inner++;
        if (leaf)
            for (size_t c = 0; c < width_; ++c) values_.push_back(part.weight * part.value[i * width_ + c]);
    }
    SmallTree small;
    uint32_t deepest = 1;
    if (n_inner == 0) small.left[0] = small.right[0] = number[0];
    for (size_t i = 0; i < n; ++i) {
        if (tree.feature[i] < 0) continue;
        const auto column = static_cast<size_t>(tree.feature[i]);
        const auto child = static_cast<size_t>(tree.first_child[i]);
        const size_t at = number[i];
        small.place[at] = static_cast<uint8_t>(column + (tree.missing_child[i] != 1 ? kMostColumns : 0));
        small.rank[at] = static_cast<uint8_t>(ranks_[column].rank(tree.threshold[i]));
        small.left[at] = number[child];
        small.right[at] = number[child + 1];
        depth[child] = depth[child + 1] = depth[i] + 1;
        deepest = std::max(deepest, depth[i] + 1);
    }
    trees_.push_back(small);
    endings_.push_back({first_value, part.output, static_cast<uint32_t>(std::bit_width(deepest - 1))});
}

void RankBytes::add_row(const std::vector<ColumnView>& columns, int64_t row, double* out) const {
    // Two numbers of a column, which differ in where a missing value stands, above or below all.
    alignas(64) uint8_t numbers[2 * kMostColumns];
    for (size_t j = 0; j < columns.size(); ++j) {
        if (ranks_[j].size() == 0) continue;  // nobody asks
        const double x = columns[j][row];
        const auto rank = static_cast<uint8_t>(ranks_[j].rank(x));
        numbers[j] = x != x ? kHigh : rank;
        numbers[kMostColumns + j] = rank;
    }
    uint32_t end[kTogether];
    for (size_t t = 0; t < trees_.size(); t += kTogether) {
        const size_t n = std::min(kTogether, trees_.size() - t);
        find_leaves(t, n, numbers, end);
        if (single_) {  // stays in a register: through memory the trees would wait for each other
            double sum = *out;
            for (size_t i = 0; i < n; ++i) sum += values_[end[i]];
            *out = sum;
            continue;
        }
        for (size_t i = 0; i < n; ++i)
            for (size_t c = 0; c < width_; ++c)
                out[static_cast<size_t>(endings_[t + i].output) + c] += values_[end[i] + c];
    }
}

#ifdef BOUGH_VBMI
bool RankBytes::supported() {
    static const bool has = has_avx512() && __builtin_cpu_supports("avx512vbmi");
    return has;
}

BOUGH_VBMI void RankBytes::find_leaves(size_t first, size_t n, const uint8_t* numbers, uint32_t* end) const {
    const __m512i above = _mm512_load_si512(numbers), below = _mm512_load_si512(numbers + kMostColumns);
    alignas(64) uint8_t all_leaves[kNodes];
    for (size_t i = 0; i < kNodes; ++i) all_leaves[i] = static_cast<uint8_t>(kLeaf | i);
    const __m512i leaves = _mm512_load_si512(all_leaves);
    for (size_t t = first; t < first + n; ++t) {
        const SmallTree& tree = trees_[t];
        const __m512i number = _mm512_permutex2var_epi8(above, _mm512_load_si512(tree.place), below);
        const __mmask64 right = _mm512_cmplt_epu8_mask(_mm512_load_si512(tree.rank), number);
        __m512i next = _mm512_mask_loadu_epi8(_mm512_load_si512(tree.left), right, tree.right);
        // Where a node leads, and where that one leads: twice as many levels with each join. Leaves stay.
        for (uint32_t k = 0; k < endings_[t].joins; ++k) next = _mm512_permutex2var_epi8(next, next, leaves);
        const auto leaf = static_cast<uint32_t>(_mm512_cvtsi512_si32(next)) & (kLeaf - 1);
        end[t - first] = endings_[t].first_value + leaf * static_cast<uint32_t>(width_);
    }
}
#else
bool RankBytes::supported() { return false; }
void RankBytes::find_leaves(size_t, size_t, const uint8_t*, uint32_t*) const {}
#endif

}  // namespace bough

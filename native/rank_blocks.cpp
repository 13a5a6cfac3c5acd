// Walks one row down many large trees, or many rows down one, fourteen tests at a time.
#include "rank_blocks.hpp"

#include <algorithm>
#include <utility>

#include "forest_predict.hpp"
#include "simd.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace bough {
namespace {

constexpr uint32_t kHigh = (1 << 20) - 1;  // above every threshold
constexpr int kPlaceBits = 12;
constexpr size_t kTogether = 128;  // trees that one row goes down together, or rows that go down one tree

bool is_leaf(const TreeView& tree, size_t node) { return tree.feature[node] < 0; }

}  // namespace

// Fills blocks from the root on, each with the nodes that most training rows reach.
class RankBlocks::Builder {
  public:
    Builder(RankBlocks& made, Terminals& terminals) : made_(made), terminals_(terminals) {}

    void take(const TreeView& tree, const Part& part, uint32_t root) {
        make_tests(tree);
        open_.assign(1, {0, root});
        while (!open_.empty()) {
            const auto [node, block] = open_.back();
            open_.pop_back();
            fill(tree, part, node, block);
        }
    }

  private:
    struct Exit {
        double weight;
        uint32_t node;
        uint16_t asked, said;  // on the way to it
    };

    void fill(const TreeView& tree, const Part& part, uint32_t root, uint32_t number) {
        Block block{};
        std::fill(std::begin(block.tests), std::end(block.tests), ~0u);
        Exit exits[kExits], leaves[kExits];
        size_t n_inner = 0, n_leaves = 0;
        const auto reach = [&](uint32_t node, size_t asked, size_t said) {
            (is_leaf(tree, node) ? leaves[n_leaves++] : exits[n_inner++]) = {
                tree.weight[node], node, static_cast<uint16_t>(asked), static_cast<uint16_t>(said)};
        };
        reach(root, 0, 0);
        for (size_t test = 0; test < kTests && n_inner > 0; ++test) {
            size_t heaviest = 0;
            for (size_t e = 1; e < n_inner; ++e)
                if (exits[e].weight > exits[heaviest].weight) heaviest = e;
            const Exit asks = std::exchange(exits[heaviest], exits[n_inner - 1]);
            --n_inner;
            block.tests[test] = tests_[asks.node];
            const auto child = static_cast<uint32_t>(tree.first_child[asks.node]);
            const size_t bit = size_t{1} << test, asked = asks.asked | bit;
            reach(child, asked, asks.said);
            reach(child + 1, asked, asks.said | bit);
        }
        uint32_t ends[kExits];
        sort_leaves(part, leaves, ends, n_leaves);
        std::copy_n(leaves, n_leaves, exits + n_inner);
        block.blocks = static_cast<uint32_t>(made_.blocks_.size());
        block.leaves = kLeaf + place_of(ends, n_leaves) - static_cast<uint32_t>(n_inner);
        for (size_t e = 0; e < kLanes; ++e) {
            const bool taken = e < n_inner + n_leaves;
            block.asked[e] = taken ? exits[e].asked : kNever;
            block.said[e] = taken ? exits[e].said : kNever;
        }
        block.said[kExits] = static_cast<uint16_t>(kNever | n_inner);
        made_.blocks_[number] = block;
        for (size_t e = 0; e < n_inner; ++e)
            open_.push_back({exits[e].node, block.blocks + static_cast<uint32_t>(e)});
        made_.blocks_.resize(block.blocks + n_inner);
    }
    // By what they say, so that blocks of leaves that say the same share their places in `leaves_`.
    void sort_leaves(const Part& part, Exit* leaves, uint32_t* ends, size_t n) {
        for (size_t e = 0; e < n; ++e) {
            const Exit leaf = leaves[e];
            const uint32_t end = terminals_.of(&part.value[leaf.node * made_.width_], part.weight);
            size_t at = e;
            for (; at > 0 && ends[at - 1] > end; --at) {
                ends[at] = ends[at - 1];
                leaves[at] = leaves[at - 1];
            }
            ends[at] = end;
            leaves[at] = leaf;
        }
    }
    // Where in `leaves_` these terminals stand one after the other.
    uint32_t place_of(const uint32_t* ends, size_t n) {
        uint32_t hash = static_cast<uint32_t>(n);
        for (size_t e = 0; e < n; ++e) hash = (hash ^ ends[e]) * 0x9E3779B1u;
        uint32_t& known = known_[hash >> (32 - kKnownBits)];
        std::vector<uint32_t>& all = made_.leaves_;
        if (known + n > all.size() || !std::equal(ends, ends + n, all.data() + known)) {
            known = static_cast<uint32_t>(all.size());
            all.insert(all.end(), ends, ends + n);
        }
        return known;
    }
    // In the order of the nodes, whose thresholds the processor then looks up several at a time.
    void make_tests(const TreeView& tree) {
        tests_.resize(tree.feature.size());
        for (size_t i = 0; i < tree.feature.size(); ++i) {
            if (is_leaf(tree, i)) continue;
            const auto column = static_cast<size_t>(tree.feature[i]);
            const size_t place = column + (tree.missing_child[i] != 1 ? kMostColumns : 0);
            tests_[i] =
                made_.ranks_[column].rank(tree.threshold[i]) << kPlaceBits | static_cast<uint32_t>(place);
        }
    }

    static constexpr uint32_t kKnownBits = 12;

    RankBlocks& made_;
    Terminals& terminals_;
    std::vector<uint32_t> known_ = std::vector<uint32_t>(size_t{1} << kKnownBits);  // by a hash: a place
    std::vector<uint32_t> tests_;                                                   // of each node
    std::vector<std::pair<uint32_t, uint32_t>> open_;  // nodes whose block has a number, but is empty
};

RankBlocks::RankBlocks(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
                       size_t width)
    : ranks_(ranks), width_(width) {
    size_t n_nodes = 0;
    for (const TreeView& tree : trees) n_nodes += tree.feature.size();
    Terminals terminals(n_nodes, width, values_);
    Builder builder(*this, terminals);
    blocks_.reserve(n_nodes / 8 + trees.size());
    blocks_.resize(trees.size());
    for (size_t t = 0; t < trees.size(); ++t) {
        start_.push_back(static_cast<uint32_t>(blocks_.size()));
        builder.take(trees[t], parts[t], static_cast<uint32_t>(t));
        output_.push_back(parts[t].output);
        one_output_ &= parts[t].output == 0;
    }
    start_.push_back(static_cast<uint32_t>(blocks_.size()));
}

void RankBlocks::add_row(const std::vector<ColumnView>& columns, int64_t row, double* out) const {
    Line above, below;
    double x[kMostColumns];
    uint32_t ranks[kMostColumns];
    const size_t n_columns = columns.size();
    for (size_t j = 0; j < n_columns; ++j) x[j] = columns[j][row];
    ranks_.of_row(x, ranks);
    bool missing = false;
    for (size_t j = 0; j < n_columns; ++j) {
        const uint32_t number = ranks[j] << kPlaceBits;
        missing |= x[j] != x[j];
        above.number[j] = x[j] != x[j] ? kHigh << kPlaceBits : number;
        below.number[j] = number;
    }
    uint32_t leaf[kTogether];
    for (size_t t = 0; t < output_.size(); t += kTogether) {
        const size_t n = std::min(kTogether, output_.size() - t);
        find_leaves({t, 1, n, &above, missing ? &below : nullptr, 0}, leaf);
        if (one_output_ && width_ == 1) {
            add_values<1>(leaf, n, out);
        } else if (one_output_ && width_ == 2) {
            add_values<2>(leaf, n, out);
        } else {
            for (size_t i = 0; i < n; ++i)
                for (size_t c = 0; c < width_; ++c)
                    out[static_cast<size_t>(output_[t + i]) + c] +=
                        values_[leaves_[leaf[i] - kLeaf] * width_ + c];
        }
    }
}

void RankBlocks::encode(const std::vector<ColumnView>& columns, int64_t first, int64_t n,
                        Numbers& numbers) const {
    const auto n_rows = static_cast<size_t>(n);
    numbers.above.resize(n_rows);
    numbers.below.clear();
    numbers.missing = false;
    for (size_t j = 0; j < columns.size(); ++j) {
        if (ranks_[j].size() == 0) continue;  // nobody asks
        double x[kTogether];
        uint32_t rank[kTogether];
        for (size_t r = 0; r < n_rows; r += kTogether) {
            const size_t m = std::min(kTogether, n_rows - r);
            bool missing = false;
            for (size_t i = 0; i < m; ++i) {
                x[i] = columns[j][first + static_cast<int64_t>(r + i)];
                missing |= x[i] != x[i];
            }
            ranks_[j].ranks(x, m, rank);
            for (size_t i = 0; i < m; ++i) numbers.above[r + i].number[j] = rank[i] << kPlaceBits;
            if (!missing) continue;
            numbers.missing = true;
            for (size_t i = 0; i < m; ++i)
                if (x[i] != x[i]) numbers.above[r + i].number[j] = kHigh << kPlaceBits;
        }
    }
    if (!numbers.missing) return;
    // Below all is rank 0.
    numbers.below = numbers.above;
    for (Line& row : numbers.below)
        for (uint32_t& number : row.number)
            if (number == kHigh << kPlaceBits) number = 0;
}

void RankBlocks::add_tree(size_t tree, const Numbers& numbers, size_t n_outputs, double* out) const {
    const size_t n_rows = numbers.above.size();
    out += output_[tree];
    // The next tree is fetched while this one is walked, a share of it with each block of rows.
    const size_t end = start_[std::min(tree + 2, output_.size())];
    size_t fetched = start_[tree + 1];
    const size_t share = (end - fetched) * kTogether / std::max(n_rows, kTogether) + 1;
    uint32_t leaf[kTogether];
    for (size_t r = 0; r < n_rows; r += kTogether, out += kTogether * n_outputs) {
        for (const size_t stop = std::min(fetched + share, end); fetched < stop; ++fetched) {
            __builtin_prefetch(blocks_[fetched].tests, 0, 2);
            __builtin_prefetch(blocks_[fetched].asked, 0, 2);
        }
        const size_t n = std::min(kTogether, n_rows - r);
        const Line* const below = numbers.below.empty() ? nullptr : &numbers.below[r];
        find_leaves({tree, 0, n, &numbers.above[r], below, 1}, leaf);
        for (size_t i = 0; i < n; ++i)
            for (size_t c = 0; c < width_; ++c)
                out[i * n_outputs + c] += values_[leaves_[leaf[i] - kLeaf] * width_ + c];
    }
}

// The sums of a few outputs stay in registers: through memory the trees would wait for each other.
template <size_t Width>
void RankBlocks::add_values(const uint32_t* leaf, size_t n, double* out) const {
    double sums[Width];
    std::copy_n(out, Width, sums);
    for (size_t i = 0; i < n; ++i)
        for (size_t c = 0; c < Width; ++c) sums[c] += values_[leaves_[leaf[i] - kLeaf] * Width + c];
    std::copy_n(sums, Width, out);
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
bool RankBlocks::supported() { return has_avx512(); }

// A block of each tree, then the next of those that have not arrived. All trees make their tests before the
// first exit is looked up: in one go 100 full trees took 0.97 us instead of 0.78, in groups of 10 to 20 trees
// that wait for each other 0.72 to 0.86. The next block is fetched ahead: the same row again then takes 0.85
// us, but different ones 1.2 us instead of 2.2.
BOUGH_AVX512 void RankBlocks::find_leaves(const Ways& ways, uint32_t* leaf) const {
    const Block* const blocks = blocks_.data();
    const Line *const above = ways.above, *const below = ways.below;
    const size_t stride = ways.stride;
    const __m512i second = _mm512_set1_epi32(kMostColumns);
    __m512i low = _mm512_load_si512(above->number);
    __m512i high = _mm512_load_si512(above->number + kMostColumns / 2);
    size_t n = ways.n;
    uint32_t at[kTogether];
    uint16_t said[kTogether];
    uint8_t walking[kTogether];
    for (size_t i = 0; i < n; ++i) {
        at[i] = static_cast<uint32_t>(ways.first + i * ways.step);
        walking[i] = static_cast<uint8_t>(i);
    }
    while (n > 0) {
        for (size_t i = 0; i < n; ++i) {
            const __m512i tests = _mm512_load_si512(blocks[at[i]].tests);
            const size_t row = walking[i] * stride;
            if (stride > 0) {
                low = _mm512_load_si512(above[row].number);
                high = _mm512_load_si512(above[row].number + kMostColumns / 2);
            }
            __m512i number = _mm512_permutex2var_epi32(low, tests, high);
            if (below) {
                const uint32_t* const lower = below[row].number;
                number = _mm512_mask_mov_epi32(
                    number, _mm512_test_epi32_mask(tests, second),
                    _mm512_permutex2var_epi32(_mm512_load_si512(lower), tests,
                                              _mm512_load_si512(lower + kMostColumns / 2)));
            }
            said[i] = _mm512_mask_cmplt_epu32_mask((1 << kTests) - 1, tests, number);
        }
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            const Block& block = blocks[at[i]];
            const __m256i differ =
                _mm256_xor_si256(_mm256_set1_epi16(static_cast<short>(said[i])),
                                 _mm256_load_si256(reinterpret_cast<const __m256i*>(block.said)));
            const auto exit = static_cast<uint32_t>(__builtin_ctz(_mm256_testn_epi16_mask(
                differ, _mm256_load_si256(reinterpret_cast<const __m256i*>(block.asked)))));
            const uint32_t n_blocks = static_cast<uint8_t>(block.said[kExits]);
            const uint32_t next = exit + (exit < n_blocks ? block.blocks : block.leaves);
            _mm_prefetch(reinterpret_cast<const char*>(blocks + next), _MM_HINT_T0);
            _mm_prefetch(reinterpret_cast<const char*>(blocks + next) + 64, _MM_HINT_T0);
            leaf[walking[i]] = at[left] = next;
            walking[left] = walking[i];
            left += next < kLeaf;
        }
        n = left;
    }
}
#else
bool RankBlocks::supported() { return false; }
void RankBlocks::find_leaves(const Ways&, uint32_t*) const {}
#endif

}  // namespace bough

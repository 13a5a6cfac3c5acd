// Answers for many rows from small trees without walking: every test of a tree is made for 16 or 32 rows at
// once, and crosses out the leaves that a row cannot come to; the first leaf that is left is the row's.
#pragma once
#include <cstdint>
#include <vector>

#include "category_bits.hpp"
#include "predict.hpp"
#include "ranks.hpp"

namespace bough {

struct Part;

class LeafBits {
  public:
    static constexpr size_t kMostLeaves = 64;
    static constexpr uint32_t kMostThresholds = 254;  // in one column: a rank is one byte
    static constexpr int64_t kRows = 256;             // of a tile: its numbers stay in the first-level cache

    // Memory to work in.
    struct Tile {
        std::vector<int8_t> planes;
        std::vector<uint32_t> codes;
    };

    // Trees that suit `CategoryBits`, of at most kMostLeaves leaves. `ranks` must outlive it.
    LeafBits(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
             size_t width);

    // Adds all trees' values, in their order, to the outputs of rows first ... first + n - 1 (at most kRows).
    void add(const std::vector<ColumnView>& columns, int64_t first, int64_t n, Tile& tile, size_t n_outputs,
             double* out) const;

  private:
    // A test, as one byte of leaves sees it: rows with a number above `rank` cannot come to the leaves of
    // `crossed`. Both bytes four times, which is how a vector is filled fastest.
    struct Test {
        int32_t rank, crossed;
        uint32_t plane;  // where the numbers of its column begin
    };
    // Before a tree is asked, each of its groups becomes a plane of 0 and 1, with 0 as the rank to be above.
    struct Asked {
        size_t column;
        uint32_t group;
    };
    struct SmallTree {
        size_t first_byte, n_bytes;  // of leaves: places in `start_`
        size_t first_value;
        size_t first_group, n_groups;
        int32_t output;
    };

    void take(const TreeView& tree, const Part& part);
    void encode(const std::vector<ColumnView>& columns, int64_t first, int64_t n, Tile& tile) const;
    void ask_groups(const SmallTree& tree, int64_t n, Tile& tile) const;
    size_t planes_of_groups() const { return 2 * ranks_.size() * static_cast<size_t>(kRows); }
    template <int Lanes, int Vectors>
    void find_leaves(const SmallTree& tree, const int8_t* planes, int64_t n, uint8_t* leaf) const;
    void find_leaves_avx2(const SmallTree& tree, const int8_t* planes, int64_t n, uint8_t* leaf) const;

    const Ranks& ranks_;
    CategoryBits groups_;
    std::vector<Asked> asked_;
    size_t most_groups_ = 0;  // in one tree
    std::vector<Test> tests_;
    std::vector<uint32_t> start_;  // of each byte of leaves: its first test; and the end
    std::vector<SmallTree> trees_;
    std::vector<double> values_;  // of the leaves, weighted, from left to right
    size_t width_;
};

}  // namespace bough

// Walks one row down many large trees, or many rows down one, fourteen tests at a time: all of a block are
// made at once, and the one way through them that agrees is looked up.
#pragma once
#include <cstdint>
#include <vector>

#include "huge_pages.hpp"
#include "predict.hpp"
#include "ranks.hpp"
#include "terminals.hpp"

namespace bough {

struct Part;

class RankBlocks {
  public:
    static constexpr size_t kMostColumns = 32;
    static constexpr uint32_t kMostThresholds = (1 << 20) - 2;  // in one column: a rank has 20 bits

    // The numbers of a row.
    struct alignas(64) Line {
        uint32_t number[kMostColumns] = {};
    };

    // Whether this machine has the instructions (AVX-512). Without them trees are walked by `RankWalk`.
    static bool supported();

    // Trees of thresholds with two children. `ranks` must outlive it.
    RankBlocks(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
               size_t width);

    // Adds all trees' values for one row of the columns, in their order.
    void add_row(const std::vector<ColumnView>& columns, int64_t row, double* out) const;

    // Numbers of several rows: one of each column where a missing value stands above all, and where one is
    // missing in these rows, one where it stands below.
    struct Numbers {
        std::vector<Line> above, below;
        bool missing = false;
    };
    // Rows first ... first + n - 1 of the columns.
    void encode(const std::vector<ColumnView>& columns, int64_t first, int64_t n, Numbers& numbers) const;
    // Adds a tree's values for these rows, rows by outputs.
    void add_tree(size_t tree, const Numbers& numbers, size_t n_outputs, double* out) const;

  private:
    static constexpr size_t kTests = 14, kExits = 15, kLanes = 16;
    static constexpr uint32_t kLeaf = 0x80000000;  // in the place of a block's number: a leaf and its number

    // Connected nodes from `kTests` tests down to one, in two lines of the cache. A test is right where it is
    // below the row's number: [rank 20 | place 12]. An exit is taken if the answers in `asked` are those in
    // `said`. First come the exits to further blocks, which are numbers blocks + exit, then those to leaves.
    struct alignas(64) Block {
        uint32_t tests[kTests];
        uint32_t blocks, leaves;
        uint16_t asked[kLanes], said[kLanes];  // the last lane never agrees
    };
    static constexpr uint16_t kNever = 0x8000;
    class Builder;

    // Walks n ways, which begin at root first, first + step ... with the numbers of row 0, stride ...;
    // `below` only where a value is missing.
    struct Ways {
        size_t first, step, n;
        const Line *above, *below;
        size_t stride;
    };
    void find_leaves(const Ways& ways, uint32_t* leaf) const;
    template <size_t Width>
    void add_values(const uint32_t* leaf, size_t n, double* out) const;

    const Ranks& ranks_;
    HugeVector<Block> blocks_;      // the roots', then the others'
    std::vector<uint32_t> leaves_;  // of each leaf: its terminal
    std::vector<double> values_;    // of the terminals, weighted
    std::vector<int32_t> output_;   // of each tree
    std::vector<uint32_t> start_;   // of each tree's blocks but for the root's; and the end
    size_t width_;
    bool one_output_ = true;  // all trees add to the same numbers
};

}  // namespace bough

// Walks one row down many small trees without walking: all tests of a tree are made at once, and the ways
// between its nodes are joined until the root's leads to a leaf.
#pragma once
#include <cstdint>
#include <vector>

#include "predict.hpp"
#include "ranks.hpp"

namespace bough {

struct Part;

class RankBytes {
  public:
    static constexpr size_t kMostLeaves = 64, kMostColumns = 64;
    static constexpr uint32_t kMostThresholds = 254;  // in one column: a rank is one byte

    // Whether this machine has the instructions (AVX-512 VBMI). Without them trees are walked by `RankWalk`.
    static bool supported();

    // Trees of thresholds with two children. `ranks` must outlive it.
    RankBytes(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
              size_t width);

    // Adds all trees' values for one row of the columns, in their order.
    void add_row(const std::vector<ColumnView>& columns, int64_t row, double* out) const;

  private:
    static constexpr size_t kNodes = 64;
    static constexpr uint8_t kLeaf = 0x40;  // in the place of a node's number: a leaf and its number
    // Right when rank < the row's number at `place`.
    struct alignas(64) SmallTree {
        uint8_t place[kNodes] = {}, rank[kNodes] = {}, left[kNodes] = {}, right[kNodes] = {};
    };
    struct Ending {
        uint32_t first_value;
        int32_t output;
        uint32_t joins;  // 2^joins levels reach the deepest leaf
    };

    void take(const TreeView& tree, const Part& part);
    // Where the values of the leaves stand to which trees first ... first + n - 1 lead.
    void find_leaves(size_t first, size_t n, const uint8_t* numbers, uint32_t* end) const;

    const Ranks& ranks_;
    std::vector<SmallTree> trees_;
    std::vector<Ending> endings_;
    std::vector<double> values_;  // of the leaves, weighted
    size_t width_;
    bool single_;  // one number for all trees
};

}  // namespace bough

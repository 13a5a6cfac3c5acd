// Brings rows to the leaves of many trees and adds up what these say, in the order of the trees. Three ways
// to the same sums: tests that cross out leaves (small trees, many rows), a walk by ranks (step by step;
// where the machine can, all tests of small trees at once for few rows, blocks of tests of large ones), a
// walk by values.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "binning.hpp"
#include "lazy.hpp"
#include "leaf_bits.hpp"
#include "predict.hpp"
#include "rank_blocks.hpp"
#include "rank_bytes.hpp"
#include "rank_walk.hpp"
#include "ranks.hpp"
#include "value_walk.hpp"

namespace bough {

// How one tree takes part: the values of its nodes, `width` numbers each, are added to the outputs `output`,
// `output` + 1 ... with a weight.
struct Part {
    std::span<const double> value;
    double weight = 1.0;
    int32_t output = 0;
};

// The arrays behind the views must stay alive; no tree may spread rows.
class Forest {
  public:
    Forest(std::vector<TreeView> trees, std::vector<Part> parts, int32_t width, int32_t n_outputs);

    size_t n_trees() const { return trees_.size(); }
    size_t n_columns() const { return trees_.empty() ? 0 : trees_[0].n_categories.size(); }
    int32_t n_outputs() const { return n_outputs_; }

    // Adds every tree's values to `out`, rows by outputs. Each row's sum is made in the order of the trees,
    // so it does not depend on threads. `takes_part(tree)`: nullptr for all rows, or a byte for each row.
    using RowsOf = std::function<const uint8_t*(size_t tree)>;
    void add(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, double* out,
             const RowsOf& takes_part = nullptr) const;

    // The node at which each row ends, rows by trees.
    void leaves(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, int64_t* out) const;

  private:
    // A block of rows as a matrix, of values or of ranks, and those of them that walk.
    struct Tile {
        const std::vector<ColumnView>& columns;
        int64_t first = 0, n = 0;
        std::vector<double> cells;
        std::vector<uint16_t> ranks;
        std::vector<uint32_t> chosen, all, end;  // row within the tile; where each of `chosen` ended
        std::vector<uint32_t> walking;           // memory of the walks
        RankBlocks::Numbers numbers;
    };

    // The same trees as two forests, the first ones and the others, if together they ask too many thresholds.
    using Halves = std::array<std::unique_ptr<const Forest>, 2>;

    const Ranks& ranks() const;
    const ValueWalk& by_value() const;
    const RankWalk& by_rank() const;
    const RankBytes& by_bytes() const;
    const RankBlocks& by_blocks() const;
    const LeafBits& by_bits() const;
    const Halves& halves() const;
    bool ranked() const;
    bool few_leaves() const;
    bool all_at_once() const;
    bool in_blocks() const;
    bool divisible() const;

    void choose(Tile& tile, size_t tree, const RowsOf& takes_part) const;
    void walk_special(size_t tree, Tile& tile) const;
    void add_by_blocks(const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                       double* out) const;
    void add_few(const std::vector<ColumnView>& columns, int64_t n_rows, double* out) const;
    void add_by_rank(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, double* out,
                     const RowsOf& takes_part) const;
    void add_by_value(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, double* out,
                      const RowsOf& takes_part) const;
    void over_tiles(const std::vector<ColumnView>& columns, int64_t n_rows, int64_t size, int threads,
                    const std::function<void(Tile&)>& work) const;
    void over_values(const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                     const std::function<void(Tile&)>& work) const;

    std::vector<TreeView> trees_;
    std::vector<Part> parts_;
    // Of each tree: it has more than thresholds with two children; also more than groups with two.
    std::vector<uint8_t> valued_out_, special_;
    bool any_special_ = false, any_valued_out_ = false;
    size_t most_leaves_ = 0;
    int32_t width_, n_outputs_;
    Lazy<Ranks> ranks_;
    Lazy<ValueWalk> by_value_;
    Lazy<RankWalk> by_rank_;
    Lazy<RankBytes> by_bytes_;
    Lazy<RankBlocks> by_blocks_;
    Lazy<LeafBits> by_bits_;
    Lazy<Halves> halves_;
};

}  // namespace bough

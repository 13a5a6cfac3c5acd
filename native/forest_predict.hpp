// Walks rows down many trees at once and adds up what their leaves say, in the order of the trees.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "binning.hpp"
#include "predict.hpp"

namespace bough {

// How one tree takes part: the values of its nodes, `width` numbers each, are added to the outputs `output`,
// `output` + 1 ... with a weight.
struct Part {
    std::span<const double> value;
    double weight = 1.0;
    int32_t output = 0;
};

// Trees packed for the walk. The arrays behind the views must stay alive; no tree may spread rows.
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
    // 16 bytes: four to a cache line. A leaf leads to itself, so rows that have arrived may walk on.
    struct Packed {
        double threshold;
        uint32_t child;    // the first of two, counted from the tree's root
        uint32_t feature;  // twice the column, plus 1 where missing values go right
    };
    // A block of rows as a matrix, and those of them that walk.
    struct Tile {
        const std::vector<ColumnView>& columns;
        int64_t first = 0, n = 0;
        std::vector<double> cells;
        std::vector<uint32_t> chosen, all, end;  // row within the tile; where each of `chosen` ended
        std::vector<uint32_t> walking;           // those of `chosen` that are still on their way
    };

    void pack(const TreeView& tree);
    void walk(size_t tree, Tile& tile) const;
    void walk_packed(size_t tree, Tile& tile) const;
    void over_tiles(const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                    const std::function<void(Tile&)>& work) const;

    std::vector<TreeView> trees_;
    std::vector<Part> parts_;
    std::vector<Packed> nodes_;
    std::vector<size_t> root_;      // of each tree in `nodes_`
    std::vector<uint8_t> special_;  // of each tree: it has more than thresholds with two children
    int32_t width_, n_outputs_;
};

}  // namespace bough

// Walks rows down a tree to where they end: a leaf, a node at which a missing value stops them, or several
// leaves with a share in each.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "binning.hpp"

namespace bough {

struct TreeView {
    std::span<const int32_t> feature;
    std::span<const uint8_t> kind;
    std::span<const double> threshold;
    std::span<const int64_t> first_child;
    std::span<const int32_t> n_children;
    std::span<const int32_t> missing_child;
    std::span<const double> weight;
    std::span<const int64_t> category_start;
    std::span<const int32_t> category;
    std::span<const int32_t> category_child;
    std::span<const int64_t> surrogate_start;
    std::span<const int32_t> surrogate_feature;
    std::span<const uint8_t> surrogate_kind;
    std::span<const double> surrogate_threshold;
    std::span<const int32_t> surrogate_first;
    std::span<const int64_t> surrogate_category_start;
    std::span<const int32_t> surrogate_category;
    std::span<const int32_t> surrogate_category_child;
    std::vector<int64_t> n_categories;  // of each column, 0: ordered
    bool unseen_to_majority = false;    // categories without a branch: to the heaviest child, not as missing

    // Throws unless every node refers to existing columns and to children that come after it.
    void validate() const;
    // The child that row `row` goes to from node i, kStay or kSpread.
    int32_t way(size_t i, const std::vector<ColumnView>& columns, int64_t row) const;
    bool spreads() const;

  private:
    int32_t way_of_value(size_t i, double x) const;
    int32_t way_of_surrogates(size_t i, const std::vector<ColumnView>& columns, int64_t row) const;
    int32_t heaviest_child(size_t i) const;
    void validate_surrogates() const;
};

// The node at which each row ends, for trees that spread no row.
void find_leaves(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                 int64_t* leaves);

// All nodes at which each row ends, with its share in each; rows ascending, nodes ascending within a row.
struct Ends {
    std::vector<int64_t> row, node;
    std::vector<double> share;
};
Ends find_ends(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows, int threads);

}  // namespace bough

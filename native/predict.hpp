// Walks rows down a tree to their leaves.
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
    std::span<const int64_t> category_start;
    std::span<const int32_t> category;
    std::span<const int32_t> category_child;

    // Throws unless every node refers to existing columns and to children that come after it.
    void validate(size_t n_columns) const;
    // The child that a value of node i's column goes to; NaN is missing.
    int64_t child_of(size_t i, double x) const;
};

void find_leaves(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                 int64_t* leaves);

}  // namespace bough

// Shapley values of rows in a tree; what they are and why the sums below give them is told in
// src/bough/explain/shap.py.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "predict.hpp"

namespace bough {

struct Shapley {
    std::span<const double> cover;            // by node: the share of its parent's unknown rows
    std::span<const double> value;            // nodes by outputs
    std::span<const double> points, weights;  // a rule of integration on [0, 1]
    size_t n_values = 1;                      // outputs of this tree
    size_t n_outputs = 1;                     // of the table that is added to
    size_t first_output = 0;                  // where this tree's stand in it
};

// Different columns that are asked on one path, at most.
int64_t most_asked(const TreeView& tree);

// By node, the share of its parent's training weight that it has; what stays at a node belongs to none.
std::vector<double> training_shares(const TreeView& tree);

// By node, the share of its parent's part of this row that goes there.
std::vector<double> shares_of_row(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t row);

// The mean of the values where rows end that are sent down by these shares, by output.
std::vector<double> expected_values(const TreeView& tree, const Shapley& of);

// Adds to `into`, rows by columns by outputs.
void add_shapley(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows,
                 const Shapley& of, int threads, const std::function<void()>& poll, double* into);

}  // namespace bough

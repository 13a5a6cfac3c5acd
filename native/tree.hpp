// A grown tree as parallel arrays, breadth-first, siblings next to each other.
#pragma once
#include <cstdint>

#include "tree_memory.hpp"
#include "vocabulary.hpp"

namespace bough {

struct GrownTree {
    int32_t value_width = 1;         // classes, or 1 for regression
    TreeArray<int32_t> feature;      // column asked, -1 in a leaf
    TreeArray<uint8_t> kind;         // SplitKind
    TreeArray<double> threshold;     // x <= threshold goes to the first child
    TreeArray<int64_t> first_child;  // -1 in a leaf
    TreeArray<int32_t> n_children;
    TreeArray<int32_t> missing_child;  // where missing and unlisted values go: a child, kStay or kSpread
    TreeArray<int64_t> n_rows;
    TreeArray<int64_t> n_missing;  // training rows missing in the asked column
    TreeArray<double> weight;
    TreeArray<double> impurity;  // loss / weight
    TreeArray<double> gain;      // gain / weight, 0 in a leaf
    TreeArray<double> value;     // class weights, or the mean
    // Subset splits: categories present in the node, ascending, and the child of each; node i owns
    // [category_start[i], category_start[i + 1]).
    TreeArray<int64_t> category_start;
    TreeArray<int32_t> category;
    TreeArray<int32_t> category_child;
    // The values of the node on either side of its threshold.
    TreeArray<double> below, above;
    // Surrogates, best first; node i owns [surrogate_start[i], surrogate_start[i + 1]).
    TreeArray<int64_t> surrogate_start;
    TreeArray<int32_t> surrogate_feature;
    TreeArray<uint8_t> surrogate_kind;
    TreeArray<double> surrogate_threshold;
    TreeArray<int32_t> surrogate_first;  // the child that takes x <= threshold
    TreeArray<double> surrogate_agree, surrogate_adjusted;
    TreeArray<int64_t> surrogate_category_start;  // by surrogate
    TreeArray<int32_t> surrogate_category, surrogate_category_child;
};

}  // namespace bough

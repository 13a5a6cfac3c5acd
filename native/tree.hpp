// A grown tree as parallel arrays, breadth-first, siblings next to each other.
#pragma once
#include <cstdint>
#include <vector>

#include "vocabulary.hpp"

namespace bough {

struct GrownTree {
    int32_t value_width = 1;           // classes, or 1 for regression
    std::vector<int32_t> feature;      // column asked, -1 in a leaf
    std::vector<uint8_t> kind;         // SplitKind
    std::vector<double> threshold;     // x <= threshold goes to the first child
    std::vector<int64_t> first_child;  // -1 in a leaf
    std::vector<int32_t> n_children;
    std::vector<int32_t> missing_child;  // where missing and unlisted values go: a child, kStay or kSpread
    std::vector<int64_t> n_rows;
    std::vector<int64_t> n_missing;  // training rows missing in the asked column
    std::vector<double> weight;
    std::vector<double> impurity;  // loss / weight
    std::vector<double> gain;      // gain / weight, 0 in a leaf
    std::vector<double> value;     // class weights, or the mean
    // Subset splits: categories present in the node, ascending, and the child of each; node i owns
    // [category_start[i], category_start[i + 1]).
    std::vector<int64_t> category_start;
    std::vector<int32_t> category;
    std::vector<int32_t> category_child;
    // The values of the node on either side of its threshold.
    std::vector<double> below, above;
    // Surrogates, best first; node i owns [surrogate_start[i], surrogate_start[i + 1]).
    std::vector<int64_t> surrogate_start;
    std::vector<int32_t> surrogate_feature;
    std::vector<uint8_t> surrogate_kind;
    std::vector<double> surrogate_threshold;
    std::vector<int32_t> surrogate_first;  // the child that takes x <= threshold
    std::vector<double> surrogate_agree, surrogate_adjusted;
    std::vector<int64_t> surrogate_category_start;  // by surrogate
    std::vector<int32_t> surrogate_category, surrogate_category_child;
};

}  // namespace bough

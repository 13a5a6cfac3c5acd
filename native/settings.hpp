// Everything that decides which tree grows from given data; the fields' meaning is in docs/semantics.md.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "vocabulary.hpp"

namespace bough {

struct Settings {
    Criterion criterion = Criterion::gini;
    Categories categories = Categories::subset;
    Ties ties = Ties::column;
    bool zero_gain_splits = true;
    int64_t max_depth = std::numeric_limits<int64_t>::max();
    int64_t max_leaf_nodes = 0;  // 0: no limit, and depth-first growth
    int64_t min_samples_split = 2;
    int64_t min_samples_leaf = 1;
    double min_weight_fraction_leaf = 0.0;
    double min_impurity_decrease = 0.0;
    int64_t max_features = 0;  // columns drawn at each node; 0: all
    uint64_t seed = 0;
    std::vector<int32_t> column_rank;  // place of each column in the order that breaks ties
};

}  // namespace bough

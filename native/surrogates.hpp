// Surrogate splits: other columns that send the rows of a node the way its split does.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "vocabulary.hpp"

namespace bough {

struct Surrogate {
    int32_t feature = -1;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0.0;
    int32_t first = 0;  // the child that takes x <= threshold
    double agree = 0.0, adjusted = 0.0;
    std::vector<std::pair<int32_t, int32_t>> categories;  // category number, child
};

}  // namespace bough

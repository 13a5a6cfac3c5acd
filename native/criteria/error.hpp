// Error rate: W - max w_k, the weight that a majority vote gets wrong.
#pragma once
#include <algorithm>

#include "criteria/class_sweep.hpp"

namespace bough {

struct ErrorPlain {
    explicit ErrorPlain(const Target&) {}
    double loss(const int64_t* w, int32_t n_classes, int64_t sum) const {
        return static_cast<double>(sum - *std::max_element(w, w + n_classes));
    }
    double resolution() const { return 0.0; }
};

}  // namespace bough

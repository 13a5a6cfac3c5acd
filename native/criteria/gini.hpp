// Gini: W - sum w_k^2 / W, written as sum w_k (W - w_k) / W so that nothing cancels.
#pragma once
#include <algorithm>

#include "criteria/binary_sweep.hpp"
#include "criteria/class_sweep.hpp"
#include "criteria/counting_sweep.hpp"

namespace bough {

struct GiniPlain {
    explicit GiniPlain(const Target&) {}
    double loss(const int64_t* w, int32_t n_classes, int64_t sum) const {
        double pairs = 0.0;
        for (int32_t k = 0; k < n_classes; ++k)
            pairs += static_cast<double>(w[k]) * static_cast<double>(sum - w[k]);
        return pairs / static_cast<double>(sum);
    }
    double resolution() const { return 0.0; }
};

// The same for two classes of any weights.
struct GiniWeighted {
    explicit GiniWeighted(const Target&) {}
    double cost(int64_t a, int64_t b) const {
        const auto x = static_cast<double>(a), y = static_cast<double>(b);
        return x + y > 0 ? 2 * x * (y / (x + y)) : 0.0;
    }
    double step() const { return 1.0; }
    double resolution() const { return 0.0; }
};

// The running sum is the number of ordered pairs of rows of different classes.
struct GiniCounting {
    explicit GiniCounting(const Target&) {}
    int64_t grow(int64_t count, int64_t sum, int64_t w) const { return 2 * w * (sum - count); }
    double cost(int64_t a, int64_t b) const {
        return static_cast<double>(2 * a * b) / static_cast<double>(std::max<int64_t>(1, a + b));
    }
    double step() const { return 1.0; }
    double loss(int64_t pairs, int64_t sum) const {
        return static_cast<double>(pairs) / static_cast<double>(sum);
    }
    double resolution() const { return 0.0; }
};

}  // namespace bough

// Gini: W - sum w_k^2 / W, written as sum w_k (W - w_k) / W so that nothing cancels.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

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
    explicit GiniCounting(const Target& target) : shares_(shares_of(target)) {}
    int64_t grow(int64_t count, int64_t sum, int64_t w) const { return 2 * w * (sum - count); }
    double cost(int64_t a, int64_t b) const {
        return static_cast<double>(2 * a * b) / static_cast<double>(std::max<int64_t>(1, a + b));
    }
    double step() const { return 1.0; }
    double loss(int64_t pairs, int64_t sum) const {
        return static_cast<double>(pairs) / static_cast<double>(sum);
    }
    // The same but for rounding, without a division: two of them are half of what a cut costs.
    double about(int64_t pairs, int64_t sum) const {
        return shares_->empty() ? 0.0 : static_cast<double>(pairs) * (*shares_)[static_cast<size_t>(sum)];
    }
    // 1 / n by n; nullptr: they are too many.
    const double* shares() const { return shares_->empty() ? nullptr : shares_->data(); }
    double resolution() const { return 0.0; }

  private:
    // 1 / n, and 0 for more: then no cut is left out. Two classes are compared in another way.
    static std::shared_ptr<const std::vector<double>> shares_of(const Target& target) {
        const bool many = target.n_classes > 2 && target.total_weight < kMost;
        auto shares = std::make_shared<std::vector<double>>(
            static_cast<size_t>(many ? target.total_weight + 1 : 0), 0.0);
        for (size_t n = 1; n < shares->size(); ++n) (*shares)[n] = 1.0 / static_cast<double>(n);
        return shares;
    }

    static constexpr int64_t kMost = int64_t{1} << 24;
    std::shared_ptr<const std::vector<double>> shares_;
};

}  // namespace bough

// Entropy: sum w_k log2(W / w_k), in bits.
#pragma once
#include <memory>

#include "criteria/class_sweep.hpp"
#include "criteria/counting_sweep.hpp"
#include "logarithm.hpp"

namespace bough {

struct EntropyPlain {
    explicit EntropyPlain(const Target&) {}
    double loss(const int64_t* w, int32_t n_classes, int64_t sum) const {
        double bits = 0.0;
        for (int32_t k = 0; k < n_classes; ++k) {
            if (w[k] <= 0) continue;
            const double x = static_cast<double>(w[k]);
            bits += x * log2_portable(static_cast<double>(sum) / x);
        }
        return bits;
    }
    double resolution() const { return 0.0; }
};

// W log W - sum w_k log w_k, all from one fixed-point table; the running sum is the second part.
struct EntropyCounting {
    explicit EntropyCounting(const Target& target)
        : table_(std::make_shared<CountLogarithms>(target.total_weight)), classes_(target.n_classes) {}
    int64_t grow(int64_t count, int64_t, int64_t w) const { return (*table_)(count + w) - (*table_)(count); }
    double loss(int64_t running, int64_t sum) const {
        return static_cast<double>((*table_)(sum) - running) * table_->unit();
    }
    // Each looked-up number is off by half a unit at most; a gain adds up three sides.
    double resolution() const { return table_->unit() * (2.0 * classes_ + 3.0); }

    std::shared_ptr<const CountLogarithms> table_;
    int32_t classes_;
};

}  // namespace bough

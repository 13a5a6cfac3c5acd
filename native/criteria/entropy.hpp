// Entropy: sum w_k log2(W / w_k), in bits.
#pragma once
#include <memory>

#include "criteria/binary_sweep.hpp"
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

// The same for two classes of any weights.
struct EntropyWeighted {
    explicit EntropyWeighted(const Target&) {}
    double cost(int64_t a, int64_t b) const {
        if (a <= 0 || b <= 0) return 0.0;
        const auto x = static_cast<double>(a), y = static_cast<double>(b);
        double logs[] = {(x + y) / x, (x + y) / y};
        log2_portable(logs);
        return x * logs[0] + y * logs[1];
    }
    // cost(a, b) + cost(c, d)
    double cost(int64_t a, int64_t b, int64_t c, int64_t d) const {
        if (a <= 0 || b <= 0 || c <= 0 || d <= 0) return cost(a, b) + cost(c, d);
        const double x[] = {static_cast<double>(a), static_cast<double>(b), static_cast<double>(c),
                            static_cast<double>(d)};
        double logs[] = {(x[0] + x[1]) / x[0], (x[0] + x[1]) / x[1], (x[2] + x[3]) / x[2],
                         (x[2] + x[3]) / x[3]};
        log2_portable(logs);
        return (x[0] * logs[0] + x[1] * logs[1]) + (x[2] * logs[2] + x[3] * logs[3]);
    }
    double step() const { return 1.0; }
    double resolution() const { return 0.0; }
};

// W log W - sum w_k log w_k, all from one fixed-point table; the running sum is the second part.
struct EntropyCounting {
    explicit EntropyCounting(const Target& target)
        : logarithms_(std::make_shared<CountLogarithms>(target.total_weight)),
          table_(logarithms_->table()),
          unit_(logarithms_->unit()),
          classes_(target.n_classes) {}
    int64_t grow(int64_t count, int64_t, int64_t w) const { return n_log_n(count + w) - n_log_n(count); }
    int64_t cost(int64_t a, int64_t b) const { return n_log_n(a + b) - n_log_n(a) - n_log_n(b); }
    double step() const { return unit_; }
    double loss(int64_t running, int64_t sum) const {
        return static_cast<double>(n_log_n(sum) - running) * unit_;
    }
    // Each looked-up number is off by half a unit at most; a gain adds up three sides.
    double resolution() const { return unit_ * (2.0 * classes_ + 3.0); }

  private:
    int64_t n_log_n(int64_t n) const { return table_[n]; }

    std::shared_ptr<const CountLogarithms> logarithms_;
    const int64_t* table_;
    double unit_;
    int32_t classes_;
};

}  // namespace bough

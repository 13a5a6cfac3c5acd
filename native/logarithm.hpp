// Logarithms with the same bits on every machine, and exact sums of n log n for whole counts.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "huge_pages.hpp"
#include "simd.hpp"

namespace bough {

// log2 of positive normal doubles, from additions and multiplications only (a C library's own log2
// may differ in the last bit between versions). Error below 2 units in the last place. Several at once,
// because the terms of one wait for each other.
template <size_t N>
inline void log2_portable(double (&x)[N]) {
    // log(m) = 2 atanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...) with |s| < 0.1716, so 12 terms reach 2^-53.
    constexpr double term[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                               1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    double exponent[N], s[N], z[N], series[N] = {};
    for (size_t k = 0; k < N; ++k) {
        const uint64_t bits = std::bit_cast<uint64_t>(x[k]);
        const double m = std::bit_cast<double>((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
        const bool upper = m > 1.4142135623730951;
        exponent[k] = static_cast<double>(static_cast<int>((bits >> 52) & 0x7ff) - 1023 + upper);
        const double half = upper ? m * 0.5 : m;
        s[k] = (half - 1.0) / (half + 1.0);
        z[k] = s[k] * s[k];
    }
    for (const double t : term)
        for (size_t k = 0; k < N; ++k) series[k] = series[k] * z[k] + t;
    for (size_t k = 0; k < N; ++k) x[k] = exponent[k] + 2.0 * s[k] * series[k] * 1.4426950408889634;
}
inline double log2_portable(double x) {
    double one[] = {x};
    log2_portable(one);
    return one[0];
}

// n log2 n in fixed point. Sums of these integers do not depend on the order of addition, so the entropy
// of a running count is updated by one difference per row, with no drift. A double has too few bits for them
// (the gain of a rare class would drown in its rounding), so the logarithms are added up in pairs of doubles,
// from log2(n) - log2(n - 1) = 2 log2(e) atanh(1 / (2n - 1)).
class CountLogarithms {
  public:
    static constexpr int64_t kLargest = int64_t{1} << 24;  // 128 MB

    explicit CountLogarithms(int64_t largest) {
        const double top = static_cast<double>(largest) * log2_portable(std::max<double>(2.0, largest)) + 1.0;
        scale_ = std::ldexp(1.0, 60 - std::ilogb(top));
        table_.resize(static_cast<size_t>(largest) + 1);
        has_fma() ? fill_fused() : fill();
    }

    const int64_t* table() const { return table_.data(); }
    double unit() const { return 1.0 / scale_; }

  private:
    // high + low, |low| at most half a unit in the last place of high
    struct Pair {
        double high, low;
    };
    static constexpr Pair kTwoLog2E{2.8853900817779268, 4.0710547481862066e-17};

    void fill() {
        Pair log2{0.0, 0.0};
        for (size_t n = 2; n < table_.size(); ++n) {
            log2 = sum(log2, product(atanh_inverse(2.0 * static_cast<double>(n) - 1.0), kTwoLog2E));
            table_[n] = fixed(product(log2, Pair{static_cast<double>(n), 0.0}));
        }
    }
    // The same with the processor's own fma and floor, which the baseline calls the C library for.
    BOUGH_FMA __attribute__((flatten)) void fill_fused() { fill(); }

    static Pair quick_sum(double a, double b) {
        const double s = a + b;
        return {s, b - (s - a)};
    }
    static Pair sum(Pair a, Pair b) {
        const double s = a.high + b.high, t = s - a.high;
        return quick_sum(s, (a.high - (s - t)) + (b.high - t) + a.low + b.low);
    }
    static Pair product(Pair a, Pair b) {
        const double p = a.high * b.high;
        return quick_sum(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
    }
    // atanh(1/x) = s + s^3/3 + s^5/5 + ..., s = 1/x
    static Pair atanh_inverse(double x) {
        const double s = 1.0 / x;
        const Pair inverse{s, std::fma(-s, x, 1.0) / x};
        if (x > 0x1p13) {  // from here on the later terms are small enough for one double
            const double z = s * s;
            return quick_sum(s, inverse.low + s * (z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7)))));
        }
        const Pair square = product(inverse, inverse);
        Pair series{0.0, 0.0}, power = inverse;
        for (double k = 1.0; power.high > series.high * 0x1p-80 || k == 1.0; k += 2.0) {
            const double q = power.high / k;
            series = sum(series, Pair{q, (std::fma(-q, k, power.high) + power.low) / k});
            power = product(power, square);
        }
        return series;
    }
    int64_t fixed(Pair x) const {
        const double high = x.high * scale_, whole = std::floor(high);
        return static_cast<int64_t>(whole) +
               static_cast<int64_t>(std::floor((high - whole) + x.low * scale_ + 0.5));
    }

    double scale_ = 1.0;
    HugeVector<int64_t> table_;
};

}  // namespace bough

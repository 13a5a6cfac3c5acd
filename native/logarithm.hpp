// Logarithms with the same bits on every machine, and exact sums of n log n for whole counts.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "huge_pages.hpp"

namespace bough {

// log2 of a positive normal double, from additions and multiplications only (a C library's own log2
// may differ in the last bit between versions). Error below 2 units in the last place.
inline double log2_portable(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
    double m = std::bit_cast<double>((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    // log(m) = 2 atanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...) with |s| < 0.1716, so 12 terms reach 2^-53.
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    constexpr double term[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                               1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    double series = 0.0;
    for (const double t : term) series = series * z + t;
    return static_cast<double>(exponent) + 2.0 * s * series * 1.4426950408889634;
}

// n log2 n in fixed point. Sums of these integers do not depend on the order of addition, so the entropy
// of a running count is updated by one difference per row, with no drift.
class CountLogarithms {
  public:
    explicit CountLogarithms(int64_t largest) {
        const double top = static_cast<double>(largest) * log2_portable(std::max<double>(2.0, largest)) + 1.0;
        scale_ = std::ldexp(1.0, 61 - std::ilogb(top));
        table_.resize(static_cast<size_t>(std::min<int64_t>(largest, kTable)) + 1);
        for (size_t n = 0; n < table_.size(); ++n) table_[n] = compute(static_cast<int64_t>(n));
    }

    // The numbers for 0 .. total, or null if the table does not reach that far.
    const int64_t* table_for(int64_t total) const {
        return total < static_cast<int64_t>(table_.size()) ? table_.data() : nullptr;
    }
    int64_t compute(int64_t n) const {
        const double x = static_cast<double>(n);
        return n < 2 ? 0 : static_cast<int64_t>(x * log2_portable(x) * scale_ + 0.5);
    }
    double unit() const { return 1.0 / scale_; }

  private:
    static constexpr int64_t kTable = int64_t{1} << 22;  // 32 MB; larger counts occur in few nodes

    double scale_ = 1.0;
    HugeVector<int64_t> table_;
};

}  // namespace bough

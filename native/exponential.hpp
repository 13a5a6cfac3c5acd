// Exponentials with the same bits on every machine, two at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bough {

using TwoReals = double __attribute__((vector_size(16)));
using TwoWholes = int64_t __attribute__((vector_size(16)));

// e^x from additions and multiplications only: a C library's own differs in the last bit between versions and
// machines, and a model would with it. Error below 1 unit in the last place.
inline TwoReals exp_portable(TwoReals x) {
    // x = n log 2 + r, |r| <= log(2) / 2; log 2 in two parts, of which n times the first is exact.
    constexpr double kWhole = 0x1.8p52, kFirst = 0x1.62e42feep-1, kRest = 0x1.a39ef35793c76p-33;
    x = x < -760.0 ? TwoReals{-760.0, -760.0} : x;  // far enough for 0 and infinity
    x = x > 720.0 ? TwoReals{720.0, 720.0} : x;
    const TwoReals n = (x * 1.4426950408889634 + kWhole) - kWhole;
    const TwoReals r = (x - n * kFirst) - n * kRest;
    const TwoReals r2 = r * r, r4 = r2 * r2;  // terms in pairs, so that none waits for all before it
    const TwoReals low = (0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
    const TwoReals middle = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
    const TwoReals high =
        (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800));
    const TwoReals e = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)));
    // 2^n in two factors, of which only the second may round. The last bits of a sum with kWhole are a whole
    // number, here the exponent.
    const TwoReals half = n * 0.5 + kWhole, rest = (n - (half - kWhole)) + kWhole;
    const TwoWholes one = ((TwoWholes)half + 1023) << 52, other = ((TwoWholes)rest + 1023) << 52;
    return (e * (TwoReals)one) * (TwoReals)other;
}

// `out` may be `x`.
inline void exp_portable(const double* x, double* out, size_t n) {
    TwoReals two{};
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        std::memcpy(&two, x + i, sizeof two);
        two = exp_portable(two);
        std::memcpy(out + i, &two, sizeof two);
    }
    if (i < n) out[i] = exp_portable(TwoReals{x[i], 0.0})[0];
}

}  // namespace bough

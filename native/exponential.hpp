// Exponentials with the same bits on every machine, several at once.
#pragma once
#include <cstddef>
#include <cstring>

#include "simd.hpp"

namespace bough {

// e^x from additions and multiplications only: a C library's own differs in the last bit between versions and
// machines, and a model would with it. Error below 1 unit in the last place. `to` may be `from`.
template <size_t N>
inline void exp_lanes(const double* from, double* to) {
    using Reals = typename Lanes<N>::Reals;
    using Wholes = typename Lanes<N>::Wholes;
    // x = n log 2 + r, |r| <= log(2) / 2; log 2 in two parts, of which n times the first is exact.
    constexpr double kWhole = 0x1.8p52, kFirst = 0x1.62e42feep-1, kRest = 0x1.a39ef35793c76p-33;
    const Reals lowest = Reals{} - 760.0, highest = Reals{} + 720.0;  // far enough for 0 and infinity
    Reals x;
    std::memcpy(&x, from, sizeof x);
    x = x < lowest ? lowest : x;
    x = x > highest ? highest : x;
    const Reals n = (x * 1.4426950408889634 + kWhole) - kWhole;
    const Reals r = (x - n * kFirst) - n * kRest;
    const Reals r2 = r * r, r4 = r2 * r2;  // terms in pairs, so that none waits for all before it
    const Reals low = (0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
    const Reals middle = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
    const Reals high =
        (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800));
    const Reals e = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)));
    // 2^n in two factors, of which only the second may round. The last bits of a sum with kWhole are a whole
    // number, here the exponent.
    const Reals half = n * 0.5 + kWhole, rest = (n - (half - kWhole)) + kWhole;
    const Wholes one = ((Wholes)half + 1023) << 52, other = ((Wholes)rest + 1023) << 52;
    const Reals power = (e * (Reals)one) * (Reals)other;
    std::memcpy(to, &power, sizeof power);
}

// Within `in_lanes`; `out` may be `x`.
template <size_t N>
inline void exp_all(const double* x, double* out, size_t n) {
    size_t i = 0;
    for (; i + N <= n; i += N) exp_lanes<N>(x + i, out + i);
    for (; i < n; ++i) exp_lanes<1>(x + i, out + i);
}

inline void exp_portable(const double* x, double* out, size_t n) {
    in_lanes([&](auto lanes) { exp_all<lanes>(x, out, n); });
}

}  // namespace bough

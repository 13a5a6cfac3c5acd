// Exponentials with the same bits on every machine, two at once.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bough {

// e^x from additions and multiplications only: a C library's own differs in the last bit between versions and
// machines, and a model would with it. Error below 1 unit in the last place. `out` may be `x`.
inline void exp_portable(const double* x, double* out, size_t n) {
    using Real = double __attribute__((vector_size(16)));
    using Whole = int64_t __attribute__((vector_size(16)));
    constexpr size_t kLanes = 2;
    // x = n log 2 + r, |r| <= log(2) / 2; log 2 in two parts, of which n times the first is exact.
    constexpr double kWhole = 0x1.8p52, kFirst = 0x1.62e42feep-1, kRest = 0x1.a39ef35793c76p-33;
    for (size_t i = 0; i < n; i += kLanes) {
        Real v{};
        const size_t bytes = std::min(kLanes, n - i) * 8;
        std::memcpy(&v, x + i, i + kLanes <= n ? sizeof v : bytes);
        v = v < -760.0 ? Real{} - 760.0 : v;  // far enough for 0 and infinity
        v = v > 720.0 ? Real{} + 720.0 : v;
        const Real whole = (v * 1.4426950408889634 + kWhole) - kWhole;
        const Real r = (v - whole * kFirst) - whole * kRest;
        const Real r2 = r * r, r4 = r2 * r2;  // terms in pairs, so that none waits for all before it
        const Real low = (0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
        const Real middle = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
        const Real high =
            (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800));
        const Real e = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)));
        // 2^n in two factors, of which only the second may round. The last bits of a sum with kWhole are a
        // whole number, here the exponent.
        const Real half = whole * 0.5 + kWhole, rest = (whole - (half - kWhole)) + kWhole;
        const Whole one = ((Whole)half + 1023) << 52, other = ((Whole)rest + 1023) << 52;
        const Real result = (e * (Real)one) * (Real)other;
        std::memcpy(out + i, &result, i + kLanes <= n ? sizeof result : bytes);
    }
}

}  // namespace bough

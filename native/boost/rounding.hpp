// Rounds the derivatives of rows to few bits, so that sums of many rows fit one word.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "boost/sums.hpp"
#include "simd.hpp"

namespace bough::boost {

// Gradient 26 bits | hessian 24 | rows 14. A gradient has at most 11 bits and a sign, a hessian at most 10:
// kWordRows rows leave no field.
inline constexpr int kRowBits = 14, kHessianField = 24, kGradientBits = 11, kHessianBits = 10;
inline constexpr int64_t kWordRows = (1 << kRowBits) - 1;

// A row's derivatives: gradient | hessian, which may be 2^10 itself.
using Narrow = int32_t;

inline Narrow narrow_of(int64_t gradient, int64_t hessian) {
    return static_cast<Narrow>(gradient * (1 << (kHessianBits + 1)) + hessian);
}

// A whole number next to x, |x| < 2^50: the nearer the likelier, so that sums of many small ones do not
// vanish. It depends on `seed`, the number itself, alone: neither rows nor threads may change a model.
inline int64_t one_of_two(double x, double seed) {
    const auto mixed = static_cast<int32_t>((std::bit_cast<uint64_t>(seed) * 0x9E3779B97F4A7C15u) >> 32);
    return nearest(x + (mixed + 0.5) * 0x1p-32);
}

// Sums over some rows; `size`: of the gradients without sign.
struct Rounded {
    int64_t gradient = 0, hessian = 0, size = 0;
};

// The plain way.
inline void round_plainly(const double* gradient, const double* hessian, size_t n, double gradients,
                          double hessians, Narrow* values, Rounded& sum) {
    for (size_t i = 0; i < n; ++i) {
        const int64_t g = one_of_two(gradient[i] * gradients, gradient[i]);
        const int64_t h = one_of_two(hessian[i] * hessians, hessian[i]);
        values[i] = narrow_of(g, h);
        sum.gradient += g;
        sum.hessian += h;
        sum.size += std::abs(g);
    }
}

// `one_of_two` of N numbers.
template <size_t N>
inline void one_of_two(const typename Lanes<N>::Reals& x, double scale, typename Lanes<N>::Wholes& out) {
    using Reals = typename Lanes<N>::Reals;
    using Words = typename Lanes<N>::Words;
    const Words mixed = (((Words)x * 0x9E3779B97F4A7C15u) >> 32) ^ 0x80000000u;  // 2^31 more: no sign
    const Reals chance = (Reals)(mixed + std::bit_cast<uint64_t>(0x1p52)) - (0x1p52 + 0x1p31);
    const Reals near = x * scale + (chance + 0.5) * 0x1p-32 + kShift;
    out = (typename Lanes<N>::Wholes)near - std::bit_cast<int64_t>(kShift);
}

// N at a time, the same bits. Two gain nothing: without AVX2 a product of words takes too many steps.
template <size_t N>
inline void round_rows(const double* gradient, const double* hessian, size_t n, double gradients,
                       double hessians, Narrow* values, Rounded& sum) {
    using Wholes = typename Lanes<N>::Wholes;
    size_t i = 0;
    if constexpr (N > 2) {
        Wholes gradient_sum{}, hessian_sum{}, size{};
        for (; i + N <= n; i += N) {
            typename Lanes<N>::Reals x, y;
            std::memcpy(&x, gradient + i, sizeof x);
            std::memcpy(&y, hessian + i, sizeof y);
            Wholes g, h;
            one_of_two<N>(x, gradients, g);
            one_of_two<N>(y, hessians, h);
            const Wholes value = (g << (kHessianBits + 1)) + h;
            const auto narrow = __builtin_convertvector(value, typename Lanes<N>::Halves);
            std::memcpy(values + i, &narrow, sizeof narrow);
            const Wholes sign = g < 0;
            gradient_sum += g;
            hessian_sum += h;
            size += (g ^ sign) - sign;
        }
        for (size_t k = 0; k < N; ++k) {
            sum.gradient += gradient_sum[k];
            sum.hessian += hessian_sum[k];
            sum.size += size[k];
        }
    }
    round_plainly(gradient + i, hessian + i, n - i, gradients, hessians, values + i, sum);
}

// Rounds to so few bits if that suits the numbers; otherwise false. Where
// the largest is far above the rest, few bits are left for most rows: with gradients of 13 on average, the
// variance of rounding, 1/6, is at most a thousandth of their squares.
inline constexpr int64_t kMeanGradient = 13, kMeanHessian = 8;

// Whether they suit is known, and the values are right, where the scale of `guess` is that of the largest.
// `whole`: the sums over all rows.
inline bool quantise_narrow(const Slopes& slopes, const Largest& guess, int64_t n_summed, int threads,
                            MappedVector<Narrow>& values, Units& units, Total& whole) {
    const auto n = static_cast<int64_t>(slopes.size());
    const double gradients = scale_to(guess.gradient, kGradientBits);
    const double hessians = scale_to(guess.hessian, kHessianBits);
    values.resize(slopes.size());
    std::vector<Rounded> sums(static_cast<size_t>(row_blocks(n)));
    const auto see = [&](size_t block, size_t first, size_t m, const double* gradient,
                         const double* hessian) {
        in_most_lanes([&](auto lanes) {
            round_rows<lanes>(gradient, hessian, m, gradients, hessians, values.data() + first, sums[block]);
        });
    };
    units.largest = look_through(slopes, guess, threads, see);
    Rounded all;
    for (const Rounded& sum : sums) {
        all.gradient += sum.gradient;
        all.hessian += sum.hessian;
        all.size += sum.size;
    }
    if (all.size < kMeanGradient * n || all.hessian < kMeanHessian * n) return false;
    units.gradient = 1.0 / gradients;
    units.hessian = 1.0 / hessians;
    units.count_bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(n_summed)));
    whole = {all.gradient, all.hessian, n};
    return true;
}

}  // namespace bough::boost

// What a bin of a histogram holds: gradient, hessian and rows as whole numbers, added in one instruction.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "boost/slopes.hpp"
#include "mapped.hpp"
#include "parallel.hpp"
#include "simd.hpp"

namespace bough::boost {

// How the numbers of one tree are packed. Rows take `count_bits` bits of a word that they share with the
// hessian (or, where all hessians are 1, with the gradient); no sum over all rows leaves its field.
struct Largest {
    double gradient = 0.0, hessian = 0.0;
};

struct Units {
    double gradient = 1.0, hessian = 1.0;  // of one whole number
    int count_bits = 1;
    Largest largest;  // of the numbers as given
};

struct Total {
    int64_t gradient = 0, hessian = 0, rows = 0;

    Total operator+(const Total& o) const {
        return {gradient + o.gradient, hessian + o.hessian, rows + o.rows};
    }
    Total operator-(const Total& o) const {
        return {gradient - o.gradient, hessian - o.hessian, rows - o.rows};
    }
};

using Wholes = int64_t __attribute__((vector_size(16)));

inline constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: its last bit is worth 1

// N whole numbers below 2^51 as doubles, without a conversion for each.
template <size_t N>
inline void as_numbers(const typename Lanes<N>::Words& whole, typename Lanes<N>::Reals& out) {
    out = (typename Lanes<N>::Reals)(whole + std::bit_cast<uint64_t>(kShift)) - kShift;
}

// Of N pairs of words, the first of each and the second of each.
template <size_t N>
inline void part_pairs(const void* pairs, typename Lanes<N>::Words& first, typename Lanes<N>::Words& second) {
    typename Lanes<N>::Words low, high;
    std::memcpy(&low, pairs, sizeof low);
    std::memcpy(&high, static_cast<const char*>(pairs) + sizeof low, sizeof high);
    if constexpr (N == 2) {
        first = __builtin_shufflevector(low, high, 0, 2);
        second = __builtin_shufflevector(low, high, 1, 3);
    } else if constexpr (N == 4) {
        first = __builtin_shufflevector(low, high, 0, 2, 4, 6);
        second = __builtin_shufflevector(low, high, 1, 3, 5, 7);
    } else {
        static_assert(N == 8);
        first = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
        second = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
    }
}

// Gradient | hessian and rows: 16 bytes, one addition of two lanes.
struct PairSum {
    Wholes lanes;

    static PairSum of(int64_t gradient, int64_t hessian, int count_bits) {
        return {Wholes{gradient, (hessian << count_bits) + 1}};
    }
    static PairSum of(const Total& t, int count_bits) {
        return {Wholes{t.gradient, (t.hessian << count_bits) + t.rows}};
    }
    void operator+=(const PairSum& o) { lanes += o.lanes; }
    void operator-=(const PairSum& o) { lanes -= o.lanes; }
    bool empty() const { return lanes[1] == 0; }
    Total total(int count_bits) const {
        const int64_t mask = (int64_t{1} << count_bits) - 1;
        return {lanes[0], lanes[1] >> count_bits, lanes[1] & mask};
    }
    // Of N sums that follow each other. Hessians are not negative: zeros may be shifted in.
    template <size_t N>
    static void numbers(const PairSum* sums, int count_bits, typename Lanes<N>::Reals& gradient,
                        typename Lanes<N>::Reals& hessian) {
        typename Lanes<N>::Words first, second;
        part_pairs<N>(sums, first, second);
        as_numbers<N>(first, gradient);
        as_numbers<N>(second >> count_bits, hessian);
    }
};

// Where every hessian is 1, it is the number of rows: gradient and rows in 8 bytes.
struct CountSum {
    int64_t packed;

    static CountSum of(int64_t gradient, int64_t, int count_bits) { return {(gradient << count_bits) + 1}; }
    static CountSum of(const Total& t, int count_bits) { return {(t.gradient << count_bits) + t.rows}; }
    void operator+=(const CountSum& o) { packed += o.packed; }
    void operator-=(const CountSum& o) { packed -= o.packed; }
    bool empty() const { return packed == 0; }  // a row adds 1, and rows never reach the next field
    Total total(int count_bits) const {
        const int64_t rows = packed & ((int64_t{1} << count_bits) - 1);
        return {packed >> count_bits, rows, rows};
    }
    template <size_t N>
    static void numbers(const CountSum* sums, int count_bits, typename Lanes<N>::Reals& gradient,
                        typename Lanes<N>::Reals& hessian) {
        typename Lanes<N>::Words packed;
        std::memcpy(&packed, sums, sizeof packed);
        constexpr uint64_t sign = uint64_t{1} << 63;  // added, so that shifting zeros in is right
        as_numbers<N>(((packed + sign) >> count_bits) - (sign >> count_bits), gradient);
        as_numbers<N>(packed & ((uint64_t{1} << count_bits) - 1), hessian);
    }
};

inline constexpr int64_t kRowBlock = 1 << 15;  // rows of one task

inline int64_t row_blocks(int64_t n) { return (n + kRowBlock - 1) / kRowBlock; }

// The power of two that brings numbers up to `largest` just below 2^bits.
inline double scale_to(double largest, int bits) {
    if (!(largest > 0)) return 1.0;
    int exponent = 0;
    std::frexp(largest, &exponent);
    return std::ldexp(1.0, std::clamp(bits - exponent, -1000, 1000));
}

// The nearest whole number of |x| < 2^51, without a call.
inline int64_t nearest(double x) {
    return std::bit_cast<int64_t>(x + kShift) - std::bit_cast<int64_t>(kShift);
}

// The exponent of the power of two above a number; numbers of one exponent have one scale.
inline int exponent_of(double largest) {
    int exponent = std::numeric_limits<int>::min();
    if (largest > 0) std::frexp(largest, &exponent);
    return exponent;
}
inline bool same_scale(const Largest& a, const Largest& b) {
    return exponent_of(a.gradient) == exponent_of(b.gradient) &&
           exponent_of(a.hessian) == exponent_of(b.hessian);
}

// The largest of some rows, N at a time; false: one is not possible.
template <size_t N>
inline bool add_largest(const double* gradient, const double* hessian, size_t n, Largest& most) {
    using Reals = typename Lanes<N>::Reals;
    using Wholes = typename Lanes<N>::Wholes;
    Reals g{}, h{}, lowest{}, odd{};  // x - x is 0 unless x is infinite or no number
    Reals x, y{};
    size_t i = 0;
    for (; i + N <= n; i += N) {
        std::memcpy(&x, gradient + i, sizeof x);
        x = (Reals)((Wholes)x & std::numeric_limits<int64_t>::max());
        g = x > g ? x : g;
        odd += x - x;
        if (!hessian) continue;
        std::memcpy(&y, hessian + i, sizeof y);
        h = y > h ? y : h;
        lowest = y < lowest ? y : lowest;
        odd += y - y;
    }
    bool possible = true;
    for (size_t k = 0; k < N; ++k) {
        most = {std::max(most.gradient, g[k]), std::max(most.hessian, h[k])};
        possible = possible && odd[k] == 0.0 && !(lowest[k] < 0.0);
    }
    if constexpr (N > 1)
        if (i < n) possible &= add_largest<1>(gradient + i, hessian ? hessian + i : nullptr, n - i, most);
    return possible;
}

// The largest numbers. On the way calls see(block, first row, how many, gradients, hessians or nullptr) for
// strips that do not go beyond the scale of `guess`: where it is that of the result, all of them were seen.
template <class See>
Largest look_through(const Slopes& slopes, const Largest& guess, int threads, const See& see) {
    const auto n = static_cast<int64_t>(slopes.size());
    const int64_t blocks = row_blocks(n);
    std::vector<Largest> most(static_cast<size_t>(blocks));
    // Below the next power of two, or not above 0.
    const auto top = [](double x) { return x > 0 ? std::ldexp(1.0, exponent_of(x)) : 0x1p-1074; };
    const double top_g = top(guess.gradient), top_h = top(guess.hessian);
    parallel_for(blocks, threads, [&](int64_t b, int) {
        Largest& all = most[static_cast<size_t>(b)];
        const auto look = [&](size_t first, size_t m, const double* gradient, const double* hessian) {
            Largest here;
            bool possible = true;
            in_most_lanes([&](auto lanes) { possible = add_largest<lanes>(gradient, hessian, m, here); });
            if (!possible) throw std::domain_error("a gradient or hessian is not possible");
            all = {std::max(all.gradient, here.gradient), std::max(all.hessian, here.hessian)};
            if (here.gradient < top_g && here.hessian < top_h)
                see(static_cast<size_t>(b), first, m, gradient, hessian);
        };
        slopes.each(static_cast<size_t>(b * kRowBlock), static_cast<size_t>(std::min(n, (b + 1) * kRowBlock)),
                    look);
    });
    Largest all;
    for (const Largest& one : most)
        all = {std::max(all.gradient, one.gradient), std::max(all.hessian, one.hessian)};
    return all;
}

// Rounds the gradients and hessians of `n_summed` rows at most to whole numbers in `values`; they are right
// where the scale of `guess` is that of the largest numbers, which become known.
template <class Sum>
Units quantise(const Slopes& slopes, const Largest& guess, int64_t n_summed, int threads,
               MappedVector<Sum>& values) {
    Units units;
    units.count_bits = std::bit_width(static_cast<uint64_t>(n_summed));
    const bool own = !slopes.unit_hessian();
    // Sums stay below 2^51, so that a double holds them and `nearest` too; beside the rows is what is left.
    const int wide = std::min(49, 51 - units.count_bits), beside = std::min(wide, 61 - 2 * units.count_bits);
    const double gradients = scale_to(guess.gradient, std::is_same_v<Sum, CountSum> ? beside : wide);
    const double hessians = own ? scale_to(guess.hessian, beside) : 1.0;
    units.gradient = 1.0 / gradients;
    units.hessian = 1.0 / hessians;
    values.resize(slopes.size());
    const auto see = [&](size_t, size_t first, size_t m, const double* gradient, const double* hessian) {
        for (size_t i = 0; i < m; ++i)
            values[first + i] = Sum::of(nearest(gradient[i] * gradients),
                                        own ? nearest(hessian[i] * hessians) : 1, units.count_bits);
    };
    units.largest = look_through(slopes, guess, threads, see);
    return units;
}

}  // namespace bough::boost

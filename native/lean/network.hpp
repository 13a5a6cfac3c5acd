// Sorts up to some hundred numbers without a branch that depends on them: eight stand in a vector, and pairs
// of vectors are exchanged in a fixed order. Only for functions that are compiled for AVX2 (simd.hpp).
//     eight by eight:  sorted down the columns, turned, so that each row is sorted;
//     then neighbours are merged:  a run and the next one backwards rise and fall, and so do both halves
//     after  low = min(a, b), high = max(a, b)  of the numbers that are half of their length apart
#pragma once
#include <cstddef>
#include <cstdint>

namespace bough::lean {

typedef int32_t Eight __attribute__((vector_size(32), aligned(4), may_alias));
#define BOUGH_INLINE [[gnu::always_inline]] inline

class Network {
  public:
    // So many vectors the numbers must fill, the last ones with the largest number there is.
    static constexpr size_t vectors(size_t n) {
        return n <= 8 ? 1 : n <= 16 ? 2 : n <= 32 ? 4 : (n + 63) / 64 * 8;
    }

    BOUGH_INLINE static void sort(int32_t* keys, size_t n) {
        auto* const v = reinterpret_cast<Eight*>(keys);
        const size_t used = (n + 7) / 8;
        for (size_t first = 0; first < used; first += 8) sort_block(v + first, used - first);
        for (size_t run = 8; run < used; run *= 2)
            for (size_t first = 0; first + run < used; first += 2 * run) merge(v + first, run, used - first);
    }

  private:
    BOUGH_INLINE static void exchange(Eight& a, Eight& b) {
        const Eight low = a < b ? a : b;
        b = a < b ? b : a;
        a = low;
    }
    // The numbers of a vector that are 4, 2 and 1 apart.
    BOUGH_INLINE static void four_apart(Eight& v) {
        Eight a = v, b = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
        exchange(a, b);
        v = __builtin_shufflevector(a, b, 0, 1, 2, 3, 12, 13, 14, 15);
    }
    BOUGH_INLINE static void two_apart(Eight& v) {
        Eight a = v, b = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
        exchange(a, b);
        v = __builtin_shufflevector(a, b, 0, 1, 10, 11, 4, 5, 14, 15);
    }
    BOUGH_INLINE static void one_apart(Eight& v) {
        Eight a = v, b = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
        exchange(a, b);
        v = __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
    }
    BOUGH_INLINE static void reverse(Eight& v) { v = __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0); }
    // The first of a with the last of b, and so on.
    BOUGH_INLINE static void exchange_ends(Eight& a, Eight& b) {
        reverse(b);
        exchange(a, b);
        reverse(b);
    }

    // Numbers that rise and then fall, or fall and then rise.
    template <size_t N>
    BOUGH_INLINE static void straighten(Eight* v) {
        for (size_t apart = N / 2; apart > 0; apart /= 2)
            for (size_t i = 0; i < N; ++i)
                if (!(i & apart)) exchange(v[i], v[i + apart]);
        for (size_t i = 0; i < N; ++i) {
            four_apart(v[i]);
            two_apart(v[i]);
            one_apart(v[i]);
        }
    }
    template <size_t N>
    BOUGH_INLINE static void merge_halves(Eight* v) {
        for (size_t i = 0; i < N / 2; ++i) exchange_ends(v[i], v[N - 1 - i]);
        straighten<N / 2>(v);
        straighten<N / 2>(v + N / 2);
    }
    BOUGH_INLINE static void sort_eight(Eight& v) {
        one_apart(v);
        Eight a = v, b = __builtin_shufflevector(v, v, 3, 2, 1, 0, 7, 6, 5, 4);
        exchange(a, b);
        v = __builtin_shufflevector(a, b, 0, 1, 10, 11, 4, 5, 14, 15);
        one_apart(v);
        a = v;
        b = v;
        reverse(b);
        exchange(a, b);
        v = __builtin_shufflevector(a, b, 0, 1, 2, 3, 12, 13, 14, 15);
        two_apart(v);
        one_apart(v);
    }

    template <size_t N>
    BOUGH_INLINE static void sort_few(Eight* at) {
        Eight v[N];
        for (size_t i = 0; i < N; ++i) v[i] = at[i];
        for (size_t i = 0; i < N; ++i) sort_eight(v[i]);
        if constexpr (N >= 2)
            for (size_t i = 0; i < N; i += 2) merge_halves<2>(v + i);
        if constexpr (N >= 4) merge_halves<4>(v);
        for (size_t i = 0; i < N; ++i) at[i] = v[i];
    }
    BOUGH_INLINE static void sort_block(Eight* at, size_t used) {
        if (used <= 1) return sort_few<1>(at);
        if (used <= 2) return sort_few<2>(at);
        if (used <= 4) return sort_few<4>(at);
        Eight v[8];
        for (size_t i = 0; i < 8; ++i) v[i] = at[i];
        sort_columns(v);
        turn(v);
        for (size_t i = 0; i < 8; i += 2) merge_halves<2>(v + i);
        merge_halves<4>(v);
        merge_halves<4>(v + 4);
        merge_halves<8>(v);
        for (size_t i = 0; i < 8; ++i) at[i] = v[i];
    }
    // Batcher's exchanges of eight.
    BOUGH_INLINE static void sort_columns(Eight* v) {
        exchange_apart<1, 0, 2, 4, 6>(v);
        exchange_apart<2, 0, 1, 4, 5>(v);
        exchange_apart<1, 1, 5>(v);
        exchange_apart<4, 0, 1, 2, 3>(v);
        exchange_apart<2, 2, 3>(v);
        exchange_apart<1, 1, 3, 5>(v);
    }
    template <size_t Apart, size_t... At>
    BOUGH_INLINE static void exchange_apart(Eight* v) {
        (exchange(v[At], v[At + Apart]), ...);
    }
    // Rows become columns.
    BOUGH_INLINE static void turn(Eight* v) {
        Eight a[8], b[8];
        for (size_t i = 0; i < 8; i += 2) {
            a[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
            a[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
        }
        for (size_t i = 0; i < 8; i += 4)
            for (size_t k = 0; k < 2; ++k) {
                b[i + 2 * k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
                b[i + 2 * k + 1] =
                    __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
            }
        for (size_t i = 0; i < 4; ++i) {
            v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
            v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        }
    }
    // Two runs of so many vectors. Those beyond `used` hold the largest number only, and stay where they are.
    BOUGH_INLINE static void merge(Eight* v, size_t run, size_t used) {
        const size_t all = 2 * run < used ? 2 * run : used;
        for (size_t i = 2 * run - all; i < run; ++i) exchange_ends(v[i], v[2 * run - 1 - i]);
        for (size_t apart = run / 2; apart >= 8; apart /= 2)
            for (size_t first = 0; first + apart < all; first += 2 * apart)
                for (size_t i = first; i < first + apart && i + apart < all; ++i)
                    exchange(v[i], v[i + apart]);
        for (size_t first = 0; first < all; first += 8) {
            Eight block[8];
            for (size_t i = 0; i < 8; ++i) block[i] = v[first + i];
            straighten<8>(block);
            for (size_t i = 0; i < 8; ++i) v[first + i] = block[i];
        }
    }
};

}  // namespace bough::lean

// Sorts up to some hundred numbers without a branch that depends on them: eight or sixteen stand in a vector,
// and pairs of vectors are exchanged in a fixed order. Only for functions that are compiled for AVX2 or
// AVX-512 (simd.hpp).
//     eight vectors:  sorted down the columns, turned by eights, so that runs of eight lie in the rows;
//     then neighbours are merged:  a run and the next one backwards rise and fall, and so do both halves
//     after  low = min(a, b), high = max(a, b)  of the numbers that are half of their length apart
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bough::lean {

#define BOUGH_INLINE [[gnu::always_inline]] inline

// Vectors of so many numbers, at any address. (GCC 12 forgets the attributes where the width is a parameter.)
typedef int32_t EightWholes __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t SixteenWholes __attribute__((vector_size(64), aligned(4), may_alias));
typedef float EightReals __attribute__((vector_size(32), aligned(4), may_alias));
typedef float SixteenReals __attribute__((vector_size(64), aligned(4), may_alias));
template <size_t Width>
struct Wide;
template <>
struct Wide<8> {
    using Wholes = EightWholes;
    using Reals = EightReals;
};
template <>
struct Wide<16> {
    using Wholes = SixteenWholes;
    using Reals = SixteenReals;
};

template <size_t Width>
class Network {
  public:
    using Vector = typename Wide<Width>::Wholes;

    // So many vectors the numbers must fill, the last ones with the largest number there is.
    static constexpr size_t vectors(size_t n) {
        const size_t used = (n + Width - 1) / Width;
        return used <= 2 ? used : used <= 4 ? 4 : (used + 7) / 8 * 8;
    }

    BOUGH_INLINE static void sort(int32_t* keys, size_t n) {
        auto* const v = reinterpret_cast<Vector*>(keys);
        const size_t used = (n + Width - 1) / Width;
        for (size_t first = 0; first < used; first += 8) sort_block(v + first, used - first);
        for (size_t run = 8; run < used; run *= 2)
            for (size_t first = 0; first + run < used; first += 2 * run) merge(v + first, run, used - first);
    }

  private:
    using Places = std::make_index_sequence<Width>;

    BOUGH_INLINE static void exchange(Vector& a, Vector& b) {
        const Vector low = a < b ? a : b;
        b = a < b ? b : a;
        a = low;
    }
    // Each number changes places with the one whose place differs in these bits.
    template <size_t Bits, size_t... I>
    BOUGH_INLINE static void swap_places(Vector& v, std::index_sequence<I...>) {
        v = __builtin_shufflevector(v, v, (I ^ Bits)...);
    }
    // The lower half of each 2 * Half places from a, the upper one from b.
    template <size_t Half, size_t... I>
    BOUGH_INLINE static void join(Vector& to, const Vector& a, const Vector& b, std::index_sequence<I...>) {
        to = __builtin_shufflevector(a, b, (I & Half ? I + Width : I)...);
    }
    // The numbers of a vector whose places differ in these bits; the smaller one goes to the smaller place.
    template <size_t Bits>
    BOUGH_INLINE static void exchange_within(Vector& v) {
        Vector a = v, b = v;
        swap_places<Bits>(b, Places{});
        exchange(a, b);
        join<std::bit_floor(Bits)>(v, a, b, Places{});
    }
    template <size_t Apart>
    BOUGH_INLINE static void straighten_within(Vector& v) {
        if constexpr (Apart > 0) {
            exchange_within<Apart>(v);
            straighten_within<Apart / 2>(v);
        }
    }
    // Runs of Run numbers in a vector become one.
    template <size_t Run>
    BOUGH_INLINE static void merge_within(Vector& v) {
        if constexpr (Run < Width) {
            exchange_within<2 * Run - 1>(v);
            straighten_within<Run / 2>(v);
            merge_within<2 * Run>(v);
        }
    }
    BOUGH_INLINE static void reverse(Vector& v) { swap_places<Width - 1>(v, Places{}); }
    // The first of a with the last of b, and so on.
    BOUGH_INLINE static void exchange_ends(Vector& a, Vector& b) {
        reverse(b);
        exchange(a, b);
        reverse(b);
    }

    // Numbers that rise and then fall, or fall and then rise.
    template <size_t N>
    BOUGH_INLINE static void straighten(Vector* v) {
        for (size_t apart = N / 2; apart > 0; apart /= 2)
            for (size_t i = 0; i < N; ++i)
                if (!(i & apart)) exchange(v[i], v[i + apart]);
        for (size_t i = 0; i < N; ++i) straighten_within<Width / 2>(v[i]);
    }
    template <size_t N>
    BOUGH_INLINE static void merge_halves(Vector* v) {
        for (size_t i = 0; i < N / 2; ++i) exchange_ends(v[i], v[N - 1 - i]);
        straighten<N / 2>(v);
        straighten<N / 2>(v + N / 2);
    }

    template <size_t N>
    BOUGH_INLINE static void sort_few(Vector* at) {
        Vector v[N];
        for (size_t i = 0; i < N; ++i) v[i] = at[i];
        for (size_t i = 0; i < N; ++i) merge_within<1>(v[i]);
        if constexpr (N >= 2)
            for (size_t i = 0; i < N; i += 2) merge_halves<2>(v + i);
        if constexpr (N >= 4) merge_halves<4>(v);
        for (size_t i = 0; i < N; ++i) at[i] = v[i];
    }
    BOUGH_INLINE static void sort_block(Vector* at, size_t used) {
        if (used <= 1) return sort_few<1>(at);
        if (used <= 2) return sort_few<2>(at);
        if (used <= 4) return sort_few<4>(at);
        Vector v[8];
        for (size_t i = 0; i < 8; ++i) v[i] = at[i];
        sort_columns(v);
        turn(v);
        for (size_t i = 0; i < 8; ++i) merge_within<8>(v[i]);
        for (size_t i = 0; i < 8; i += 2) merge_halves<2>(v + i);
        merge_halves<4>(v);
        merge_halves<4>(v + 4);
        merge_halves<8>(v);
        for (size_t i = 0; i < 8; ++i) at[i] = v[i];
    }
    // Batcher's exchanges of eight.
    BOUGH_INLINE static void sort_columns(Vector* v) {
        exchange_apart<1, 0, 2, 4, 6>(v);
        exchange_apart<2, 0, 1, 4, 5>(v);
        exchange_apart<1, 1, 5>(v);
        exchange_apart<4, 0, 1, 2, 3>(v);
        exchange_apart<2, 2, 3>(v);
        exchange_apart<1, 1, 3, 5>(v);
    }
    template <size_t Apart, size_t... At>
    BOUGH_INLINE static void exchange_apart(Vector* v) {
        (exchange(v[At], v[At + Apart]), ...);
    }
    // In every eight places, where a and b have 0 … 7 and 8 … 15.
    template <size_t... Of>
    struct Pick {
        static constexpr size_t of[8] = {Of...};
        static constexpr size_t place(size_t i) {
            const size_t from = of[i % 8];
            return i / 8 * 8 + from % 8 + (from < 8 ? 0 : Width);
        }
        template <size_t... I>
        BOUGH_INLINE static void from(const Vector& a, const Vector& b, Vector& to,
                                      std::index_sequence<I...>) {
            to = __builtin_shufflevector(a, b, place(I)...);
        }
    };
    template <size_t... Of>
    BOUGH_INLINE static void pick(const Vector& a, const Vector& b, Vector& to) {
        Pick<Of...>::from(a, b, to, Places{});
    }
    // Rows become columns, by eights.
    BOUGH_INLINE static void turn(Vector* v) {
        Vector a[8], b[8];
        for (size_t i = 0; i < 8; i += 2) {
            pick<0, 8, 1, 9, 4, 12, 5, 13>(v[i], v[i + 1], a[i]);
            pick<2, 10, 3, 11, 6, 14, 7, 15>(v[i], v[i + 1], a[i + 1]);
        }
        for (size_t i = 0; i < 8; i += 4)
            for (size_t k = 0; k < 2; ++k) {
                pick<0, 1, 8, 9, 4, 5, 12, 13>(a[i + k], a[i + k + 2], b[i + 2 * k]);
                pick<2, 3, 10, 11, 6, 7, 14, 15>(a[i + k], a[i + k + 2], b[i + 2 * k + 1]);
            }
        for (size_t i = 0; i < 4; ++i) {
            pick<0, 1, 2, 3, 8, 9, 10, 11>(b[i], b[i + 4], v[i]);
            pick<4, 5, 6, 7, 12, 13, 14, 15>(b[i], b[i + 4], v[i + 4]);
        }
    }
    // Two runs of so many vectors. Those beyond `used` hold the largest number only, and stay where they are.
    BOUGH_INLINE static void merge(Vector* v, size_t run, size_t used) {
        const size_t all = 2 * run < used ? 2 * run : used;
        for (size_t i = 2 * run - all; i < run; ++i) exchange_ends(v[i], v[2 * run - 1 - i]);
        for (size_t apart = run / 2; apart >= 8; apart /= 2)
            for (size_t first = 0; first + apart < all; first += 2 * apart)
                for (size_t i = first; i < first + apart && i + apart < all; ++i)
                    exchange(v[i], v[i + apart]);
        for (size_t first = 0; first < all; first += 8) {
            Vector block[8];
            for (size_t i = 0; i < 8; ++i) block[i] = v[first + i];
            straighten<8>(block);
            for (size_t i = 0; i < 8; ++i) v[first + i] = block[i];
        }
    }
};

}  // namespace bough::lean

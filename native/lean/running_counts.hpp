// What the left side counts after each row of an order, where a row's class and weight stand in its key (with
// AVX-512, see side_by_side.hpp): sixteen rows of two classes at once, eight rows of up to eight.
//     keys     code | weight 4 | class 3                       sorted
//     units    | 0 1 0 … | 0 0 2 … | 0 1 0 … |                 the lane of a row's class has its weight
//     counts   | 0 1 0 … | 0 1 2 … | 0 2 2 … |                 with all before it: one row apart, two, four
//     squares  of pairs of lanes, added up, then all of a row
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simd.hpp"

namespace bough::lean {

// Class and weight of a row, for its key.
struct Tag {
    static constexpr int kLabelBits = 3, kBits = 7;
    static constexpr uint32_t kHeaviest = 15;
    static uint8_t of(uint32_t label, uint32_t weight) {
        return static_cast<uint8_t>(weight << kLabelBits | label);
    }
    static uint32_t label(int32_t key) { return static_cast<uint32_t>(key) & 7; }
    static uint32_t weight(int32_t key) { return static_cast<uint32_t>(key) >> kLabelBits & kHeaviest; }
};

#if defined(__x86_64__)

// Weight, and weight of the second class: both in one number, which 512 rows of weight 15 fit.
BOUGH_AVX512 inline void run_two(const int32_t* keys, size_t n, int32_t* left, int32_t* left1) {
    const __m512i none = _mm512_setzero_si512(), last = _mm512_set1_epi32(15);
    __m512i before = none;
    for (size_t i = 0; i < n; i += 16) {
        const __m512i key = _mm512_loadu_si512(keys + i);
        const __m512i weight =
            _mm512_and_si512(_mm512_srli_epi32(key, Tag::kLabelBits), _mm512_set1_epi32(Tag::kHeaviest));
        __m512i sum = _mm512_mask_or_epi32(weight, _mm512_test_epi32_mask(key, _mm512_set1_epi32(1)), weight,
                                           _mm512_slli_epi32(weight, 16));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, none, 15));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, none, 14));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, none, 12));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, none, 8));
        sum = _mm512_add_epi32(sum, before);
        before = _mm512_permutexvar_epi32(last, sum);
        _mm512_storeu_si512(left + i, _mm512_and_si512(sum, _mm512_set1_epi32(0xffff)));
        _mm512_storeu_si512(left1 + i, _mm512_srli_epi32(sum, 16));
    }
}

// Counts of a byte or two, and the arrays that are written, up to a multiple of eight rows.
template <class Lane>
struct RunByEight {
    static constexpr size_t kWords = sizeof(Lane);
    using Bin = std::array<uint64_t, kWords>;

    int32_t *left, *squares_left, *squares_right;
    Bin* before;  // every eight rows

    BOUGH_AVX512 void run(const int32_t* keys, size_t n, const Bin& node) const {
        const __m512i none = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
        __m512i so_far[kWords];
        for (size_t w = 0; w < kWords; ++w) so_far[w] = none;
        for (size_t i = 0; i < n; i += 8) {
            __m512i counts[kWords], weight = none, squares = none, rest = none;
            units(keys + i, counts);
            for (size_t w = 0; w < kWords; ++w) {
                _mm_storel_epi64(reinterpret_cast<__m128i*>(&before[i / 8][w]),
                                 _mm512_castsi512_si128(so_far[w]));
                __m512i& c = counts[w];
                c = _mm512_add_epi64(c, _mm512_alignr_epi64(c, none, 7));
                c = _mm512_add_epi64(c, _mm512_alignr_epi64(c, none, 6));
                c = _mm512_add_epi64(c, _mm512_alignr_epi64(c, none, 4));
                c = _mm512_add_epi64(c, so_far[w]);
                so_far[w] = _mm512_permutexvar_epi64(last, c);
                const __m512i others = _mm512_sub_epi64(_mm512_set1_epi64(static_cast<int64_t>(node[w])), c);
                weight = _mm512_add_epi32(weight, in_pairs(c));
                squares = _mm512_add_epi32(squares, squares_in_pairs(c));
                rest = _mm512_add_epi32(rest, squares_in_pairs(others));
            }
            store(weight, left + i);
            store(squares, squares_left + i);
            store(rest, squares_right + i);
        }
    }

  private:
    BOUGH_AVX512 static void units(const int32_t* keys, __m512i (&of)[kWords]) {
        const __m512i key = _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys)));
        const __m512i weight =
            _mm512_and_si512(_mm512_srli_epi64(key, Tag::kLabelBits), _mm512_set1_epi64(Tag::kHeaviest));
        const __m512i lane = _mm512_and_si512(key, _mm512_set1_epi64(8 / sizeof(Lane) - 1));
        of[0] = _mm512_sllv_epi64(weight, _mm512_slli_epi64(lane, sizeof(Lane) == 1 ? 3 : 4));
        if constexpr (kWords == 2) {
            const __mmask8 second = _mm512_test_epi64_mask(key, _mm512_set1_epi64(4));
            of[1] = _mm512_maskz_mov_epi64(second, of[0]);
            of[0] = _mm512_maskz_mov_epi64(_knot_mask8(second), of[0]);
        }
    }
    // Two sums in each row.
    BOUGH_AVX512 static __m512i in_pairs(__m512i v) {
        if constexpr (sizeof(Lane) == 1) return _mm512_sad_epu8(v, _mm512_setzero_si512());
        return _mm512_madd_epi16(v, _mm512_set1_epi16(1));
    }
    BOUGH_AVX512 static __m512i squares_in_pairs(__m512i v) {
        if constexpr (sizeof(Lane) == 2) return _mm512_madd_epi16(v, v);
        const __m512i even = _mm512_and_si512(v, _mm512_set1_epi16(0xff)), odd = _mm512_srli_epi16(v, 8);
        return _mm512_add_epi32(_mm512_madd_epi16(even, even), _mm512_madd_epi16(odd, odd));
    }
    BOUGH_AVX512 static void store(__m512i sum, int32_t* to) {
        sum = _mm512_add_epi32(sum, _mm512_srli_epi64(sum, 32));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(sum));
    }
};

#endif

}  // namespace bough::lean

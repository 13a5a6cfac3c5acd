// Sends rows to the left or right child of a node: one by one, or eight at a time where the machine has AVX2.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "boost/records.hpp"
#include "simd.hpp"

namespace bough::boost {

// What tells the way of a row: sides[its code], 1 goes right.
template <class Code>
struct Ways {
    const Code* codes;
    size_t stride;
    const uint8_t* sides;

    size_t operator()(uint32_t row) const { return sides[codes[row * stride]]; }
};

// Where the next row to either side goes. The left ones go up; one place may be where the rows are, or both
// are the ends of one room.
struct Ends {
    uint32_t *left, *right;
};

// The plain way: to both places, of which one is taken further, so that there is no branch to foresee.
template <int Step, int Right, class Code>
void send_plainly(const Ways<Code>& ways, const uint32_t* first, int64_t n, Ends& ends) {
    uint32_t *left = ends.left, *right = ends.right;
    const auto send = [&](uint32_t row) {
        const auto goes_right = static_cast<ptrdiff_t>(ways(row));
        *left = row;
        *right = row;
        left += !goes_right;
        right += Right * goes_right;
    };
    int64_t i = 0;
    for (; i + kFarAhead < n; ++i) {
        __builtin_prefetch(ways.codes + first[Step * (i + kFarAhead)] * ways.stride);
        send(first[Step * i]);
    }
    for (; i < n; ++i) send(first[Step * i]);
    ends = {left, right};
}

#if defined(__x86_64__)
// By the ways of eight rows, the first one's the highest bit: those that go left, in their order, then those
// that go right, from the last to the first.
inline constexpr auto kEightInOrder = [] {
    std::array<std::array<uint8_t, 8>, 256> table{};
    for (unsigned ways = 0; ways < 256; ++ways) {
        size_t left = 0, right = 8;
        for (uint8_t k = 0; k < 8; ++k) table[ways][ways >> (7 - k) & 1 ? --right : left++] = k;
    }
    return table;
}();

// Whether the codes of the rows stand so far from each other that each is on a line of its own, or nearly.
template <int Step, class Code>
bool far_apart(const Ways<Code>& ways, const uint32_t* first, int64_t n) {
    const int64_t span = Step * (int64_t{first[Step * (n - 1)]} - int64_t{first[0]});
    return span * static_cast<int64_t>(ways.stride * sizeof(Code)) >= 16 * n;
}

// The same rows in the same places. Eight are put in order at once and written to both places; what is too
// much at one of them lies where the next rows go, or where rows were read. Lines are fetched for every
// fourth row, or for each where rows are far apart: 2 to 5 ns a row instead of 4 to 6 where codes are read in
// the records. Returns how many rows were sent: some are left, so that there is always room for sixteen.
template <int Step, int Right, class Code>
BOUGH_AVX2 int64_t send_eights(const Ways<Code>& ways, const uint32_t* first, int64_t n, Ends& ends) {
    constexpr int64_t ahead = 64, rest = 72;  // rows that are fetched before they are needed; those left
    const __m256i backwards = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    uint32_t *left = ends.left, *right = ends.right;
    int64_t i = 0;
    const bool each = n > 0 && far_apart<Step>(ways, first, n);
    for (; i + rest <= n; i += 8) {
        const uint32_t* const at = first + Step * i;
        for (int k = 0; k < 8; k += each ? 1 : 4)
            __builtin_prefetch(ways.codes + at[Step * (ahead + k)] * ways.stride);
        size_t found = 0;
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) found = 2 * found + ways(at[Step * k]);
        __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(Step > 0 ? at : at - 7));
        if constexpr (Step < 0) eight = _mm256_permutevar8x32_epi32(eight, backwards);
        const __m128i order = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kEightInOrder[found].data()));
        eight = _mm256_permutevar8x32_epi32(eight, _mm256_cvtepu8_epi32(order));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(left), eight);
        if constexpr (Right > 0)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(right),
                                _mm256_permutevar8x32_epi32(eight, backwards));
        else
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(right - 7), eight);
        const int64_t n_right = std::popcount(found);
        left += 8 - n_right;
        right += Right * n_right;
    }
    ends = {left, right};
    return i;
}
#endif

// Sends n rows, read upwards or downwards (Step) from `first` on; the right ones go up or down (Right), the
// left ones up. Returns how many went left.
template <int Step, int Right, class Code>
int64_t send(const Ways<Code>& ways, const uint32_t* first, int64_t n, uint32_t* left, uint32_t* right) {
    Ends ends{left, right};
    int64_t sent = 0;
#if defined(__x86_64__)
    if (has_avx2()) sent = send_eights<Step, Right>(ways, first, n, ends);
#endif
    send_plainly<Step, Right>(ways, first + Step * sent, n - sent, ends);
    return ends.left - left;
}

}  // namespace bough::boost

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

// Where the next row to either side goes. The left ones go up from `left`, which may be where the rows are,
// or the room that the right ones fill from its end down.
struct Ends {
    uint32_t *left, *right;
};

// The plain way: to both places, of which one is taken further, so that there is no branch to foresee.
template <class Code>
void send_plainly(const Ways<Code>& ways, const uint32_t* rows, int64_t n, Ends& ends) {
    uint32_t *left = ends.left, *right = ends.right;
    const auto send = [&](uint32_t row) {
        const size_t goes_right = ways(row);
        *left = row;
        *right = row;
        left += !goes_right;
        right -= goes_right;
    };
    int64_t i = 0;
    for (; i + kFarAhead < n; ++i) {
        __builtin_prefetch(ways.codes + rows[i + kFarAhead] * ways.stride);
        send(rows[i]);
    }
    for (; i < n; ++i) send(rows[i]);
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

// The same rows in the same places. Eight are put in order at once and written to both ends; what is too much
// at one of them lies between the ends, where the next rows go. Returns how many rows were sent: some are
// left, so that there is always room for sixteen.
template <class Code>
BOUGH_AVX2 int64_t send_eights(const Ways<Code>& ways, const uint32_t* rows, int64_t n, Ends& ends) {
    constexpr int64_t ahead = 64, rest = 72;  // rows that are fetched before they are needed; those left
    uint32_t *left = ends.left, *right = ends.right;
    int64_t i = 0;
    for (; i + rest <= n; i += 8) {
        __builtin_prefetch(ways.codes + rows[i + ahead] * ways.stride);
        __builtin_prefetch(ways.codes + rows[i + ahead + 4] * ways.stride);
        size_t found = 0;
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) found = 2 * found + ways(rows[i + k]);
        const __m128i order = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kEightInOrder[found].data()));
        const __m256i eight = _mm256_permutevar8x32_epi32(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + i)), _mm256_cvtepu8_epi32(order));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(left), eight);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(right - 7), eight);
        const int64_t n_right = std::popcount(found);
        left += 8 - n_right;
        right -= n_right;
    }
    ends = {left, right};
    return i;
}
#endif

// Sends n rows; `room` is for n. Returns how many went left.
template <class Code>
int64_t send(const Ways<Code>& ways, const uint32_t* rows, int64_t n, uint32_t* left, uint32_t* room) {
    Ends ends{left, room + n - 1};
    int64_t sent = 0;
#if defined(__x86_64__)
    if (has_avx2()) sent = send_eights(ways, rows, n, ends);
#endif
    send_plainly(ways, rows + sent, n - sent, ends);
    return ends.left - left;
}

}  // namespace bough::boost

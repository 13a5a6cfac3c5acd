// Judges all cuts of a column in a node of some hundred rows, for gini, where the machine has AVX2: the rows
// are sorted by a network, what the left side counts after each of them stands in arrays, and eight cuts are
// judged at once, with AVX-512 sixteen.
//     keys     code of a row, and its place or its tag (running_counts.hpp), in one number, sorted
//     left     1  3  4  7 …                           after each row (two_sums.hpp, packed_sums.hpp)
//     worth    squares / left + rest / right          in single precision; a cut gains it less that of the
//     node
// Those that come near the largest are for cuts.hpp to compare exactly.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "lean/network.hpp"
#include "lean/running_counts.hpp"
#include "simd.hpp"

namespace bough::lean {

template <class Reals>
BOUGH_INLINE void load(const int32_t* from, Reals& to) {
    constexpr size_t kWidth = sizeof(Reals) / sizeof(float);
    to = __builtin_convertvector(*reinterpret_cast<const typename Wide<kWidth>::Wholes*>(from), Reals);
}

// 0, 1, 2, …
template <class Wholes>
BOUGH_INLINE void count_up(Wholes& to) {
    for (size_t i = 0; i < sizeof(Wholes) / sizeof(int32_t); ++i) to[i] = static_cast<int32_t>(i);
}

class SideBySide {
  public:
    static constexpr size_t kMost = 512;  // rows; with more of them ranges are faster
    static constexpr size_t kWidest = 16;
    static constexpr size_t kFew = 24;  // up to so many rows vectors of sixteen are no faster than of eight

    static constexpr size_t kBehind = kWidest - 1;  // cells that are read behind those of a node, whatever
                                                    // they are

    // Sorts the rows; whether the column varies. No tags: keys have places.
    template <class Sums, class Cell>
    bool sort(Sums& sums, std::span<const Cell> cells, size_t min_rows, const uint8_t* tags) {
        n_ = cells.size();
        tags_ = tags;
        bits_ = tags ? Tag::kBits : static_cast<int>(std::bit_width(n_ - 1));
        return n_ > kFew && has_avx512() ? sort_sixteen(sums, cells.data(), min_rows)
                                         : sort_eight(sums, cells.data(), min_rows);
    }
    // The places of the cuts that may gain as much as the best of them, and `enough`, ascending: place i is
    // the cut after row i of the order. `slack`: how much less than the best still counts. `share`: the worth
    // of the node.
    BOUGH_AVX2 std::span<const uint32_t> near_best(double share, double enough, double slack) {
        if (top_ * (1 + kRounding) < enough + share) return {};
        const double least = std::max(enough + share, top_ * (1 - kRounding) - slack) * (1 - kRounding);
        const auto limit = static_cast<float>(least * (1 - kRounding));
        size_t found = 0;
        for (size_t i = 0; i + 1 < n_; i += 8)
            for (uint32_t set = which_reach(worth_ + i, limit); set; set &= set - 1) {
                near_[found] = static_cast<uint32_t>(i) + static_cast<uint32_t>(std::countr_zero(set));
                ++found;
            }
        return {near_, found};
    }
    // Of row i of the order: its code, and its place among the node's rows.
    uint32_t code(size_t i) const { return static_cast<uint32_t>(keys_[i]) >> bits_; }
    uint32_t place(size_t i) const { return static_cast<uint32_t>(keys_[i]) & ((1u << bits_) - 1); }

    const int32_t* keys() const { return keys_; }

    // Codes below it fit a key together with a place, or a tag.
    static constexpr uint32_t kMostCodes = (uint32_t{1} << 31) / kMost;
    static_assert(kMostCodes <= uint32_t{1} << (31 - Tag::kBits));

  private:
    static constexpr double kRounding = 1e-6;  // of a worth; some 6 steps of single precision

    template <class Sums, class Cell>
    BOUGH_AVX2 __attribute__((flatten)) bool sort_eight(Sums& sums, const Cell* cells, size_t min_rows) {
        return sort_by<8>(sums, cells, min_rows);
    }
    template <class Sums, class Cell>
    BOUGH_AVX512 __attribute__((flatten)) bool sort_sixteen(Sums& sums, const Cell* cells, size_t min_rows) {
        return sort_by<16>(sums, cells, min_rows);
    }
    template <size_t Width, class Sums, class Cell>
    BOUGH_INLINE bool sort_by(Sums& sums, const Cell* cells, size_t min_rows) {
        const size_t n = n_;
        set_keys<Width>(cells, n);
        Network<Width>::sort(keys_, n);
        if (code(0) == code(n - 1)) return false;
        if (tags_)
            sums.run_tagged(keys_, n);
        else
            sums.run(keys_, (int32_t{1} << bits_) - 1, n);
        top_ = judge<Width>(sums, n, min_rows);
        return true;
    }

    // Whole vectors: a number that is written alone is not at hand for a vector that is read right after it.
    template <size_t Width, class Cell>
    BOUGH_INLINE void set_keys(const Cell* cells, size_t n) {
        using Wholes = typename Wide<Width>::Wholes;
        typedef Cell Cells
            __attribute__((vector_size(Width * sizeof(Cell)), aligned(sizeof(Cell)), may_alias));
        typedef uint8_t Bytes __attribute__((vector_size(Width), aligned(1), may_alias));
        Wholes lanes;
        count_up(lanes);
        const Wholes top = Wholes{} + std::numeric_limits<int32_t>::max();
        auto* const keys = reinterpret_cast<Wholes*>(keys_);
        size_t v = 0;
        for (; Width * v < n; ++v) {
            const Wholes codes =
                __builtin_convertvector(*reinterpret_cast<const Cells*>(cells + Width * v), Wholes);
            const Wholes place = lanes + static_cast<int32_t>(Width * v);
            Wholes low = place;
            if (tags_)
                low = __builtin_convertvector(*reinterpret_cast<const Bytes*>(tags_ + Width * v), Wholes);
            keys[v] = place < static_cast<int32_t>(n) ? codes << bits_ | low : top;
        }
        for (; v < Network<Width>::vectors(n); ++v) keys[v] = top;
    }

    // The worth of all cuts, the largest. No cut, worth 0: equal codes, or too few rows.
    template <size_t Width, class Sums>
    BOUGH_INLINE float judge(const Sums& sums, size_t n, size_t min_rows) {
        using Wholes = typename Wide<Width>::Wholes;
        using Reals = typename Wide<Width>::Reals;
        Wholes lanes;
        count_up(lanes);
        const auto first = static_cast<int32_t>(min_rows) - 1, last = static_cast<int32_t>(n - min_rows) - 1;
        Reals tops{};
        for (size_t i = 0; i + 1 < n; i += Width) {
            const Wholes here = reinterpret_cast<const Wholes&>(keys_[i]) >> bits_;
            const Wholes next = reinterpret_cast<const Wholes&>(keys_[i + 1]) >> bits_;
            const Wholes place = lanes + static_cast<int32_t>(i);
            Reals worth;
            sums.judge(i, worth);
            // Below 0 where there is a cut, in all three: GCC 12 takes conditions of sixteen apart.
            const Wholes is_cut = ((here - next) & (first - 1 - place) & (place - 1 - last)) >> 31;
            worth = reinterpret_cast<Reals>(reinterpret_cast<Wholes>(worth) & is_cut);
            reinterpret_cast<Reals&>(worth_[i]) = worth;
            tops = worth > tops ? worth : tops;
        }
        return largest<Width / 2>(tops, std::make_index_sequence<Width>());
    }
    template <size_t Apart, class Reals, size_t... I>
    BOUGH_INLINE static float largest(const Reals& tops, std::index_sequence<I...> places) {
        const Reals others = __builtin_shufflevector(tops, tops, (I ^ Apart)...);
        const Reals both = tops > others ? tops : others;
        if constexpr (Apart > 1)
            return largest<Apart / 2>(both, places);
        else
            return both[0];
    }
    // A bit for each of eight cuts; the machine has AVX2 where this class is used.
    BOUGH_AVX2 static uint32_t which_reach(const float* worth, float limit) {
#if defined(__x86_64__)
        return static_cast<uint32_t>(
            _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(worth), _mm256_set1_ps(limit), _CMP_GE_OQ)));
#else
        uint32_t set = 0;
        for (uint32_t k = 0; k < 8; ++k) set |= uint32_t{worth[k] >= limit} << k;
        return set;
#endif
    }

    const uint8_t* tags_ = nullptr;
    size_t n_ = 0;
    int bits_ = 0;
    float top_ = 0.0F;
    // A vector may read so many places behind the rows; what is there does not count.
    alignas(64) int32_t keys_[kMost + kWidest] = {};
    alignas(64) float worth_[kMost + kWidest] = {};
    uint32_t near_[kMost];
};

}  // namespace bough::lean

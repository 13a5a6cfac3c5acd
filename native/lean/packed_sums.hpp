// What rows of several classes count in a node of little weight, for gini: the counts of all classes stand
// side by side in a word or two, so that a range is counted by one addition and its squares come from a
// vector. The sums of squares change with each row by what its own class has, whatever the number of classes.
//     bytes, classes 0 … 7 of a node of up to 255:   | 0 | 12 | 3 | 0 | 7 | 0 | 0 | 0 |
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "criteria/counting_sweep.hpp"
#include "criteria/gini.hpp"
#include "lean/side_by_side.hpp"
#include "target.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

// Of at most `Lanes` classes, 8 or a multiple; a count is a Lane.
template <size_t Lanes, class Lane>
class PackedSums {
  public:
    using Sweep = CountingSweep<GiniCounting>;
    static constexpr bool kBytes = sizeof(Lane) == 1;
    // Nodes of less weight have counts of bytes.
    using Lighter = std::conditional_t<kBytes, void, PackedSums<Lanes, uint8_t>>;
    static constexpr int64_t kLargest = kBytes ? 255 : 32767;  // weight of a node: squares fit 30 bits
    static constexpr size_t kWords = Lanes * sizeof(Lane) / 8;
    using Bin = std::array<uint64_t, kWords>;
    struct Sum {
        Bin of_class{};
        int32_t left = 0;               // weight
        int32_t squares = 0, rest = 0;  // sums of the squares on the left, on the right

        // Member by member, in registers: a copy of 16 bytes would wait for the smaller stores before it.
        Sum() = default;
        Sum(const Sum& o) : of_class(o.of_class), left(o.left), squares(o.squares), rest(o.rest) {}
        Sum& operator=(const Sum& o) {
            of_class = o.of_class;
            left = o.left;
            squares = o.squares;
            rest = o.rest;
            return *this;
        }
    };
    static constexpr bool kTags = Lanes == 8;
    static constexpr int kMostBits = 10;
    static constexpr double kRounding = 1e-14;  // of `reaches`, for each unit of weight

    explicit PackedSums(const Target& target) : classes_(static_cast<size_t>(target.n_classes)) {
        packed_.reserve(target.n_rows());
        for (uint32_t row = 0; row < target.n_rows(); ++row)
            packed_.push_back(static_cast<uint32_t>(target.weight_of(row)) << kLabelBits | target.label[row]);
    }

    // `tagged`: the rows have tags, which is all that cuts side by side ask.
    void enter(Sweep& sweep, const int64_t* stat, const Target&, std::span<const uint32_t> rows,
               bool tagged) {
        sweep_ = &sweep;
        node_ = {};
        all_ = squares_ = 0;
        std::array<int32_t, Lanes> twice{};
        for (size_t k = 0; k < classes_; ++k) {
            const auto weight = static_cast<int32_t>(stat[k]);
            node_[k / kPerWord] |= static_cast<uint64_t>(weight) << shift_of(k);
            twice[k] = 2 * weight;
            all_ += weight;
            squares_ += weight * weight;
        }
        share_ = static_cast<double>(squares_) / static_cast<double>(all_);
        for (size_t k = 0; k < Lanes; ++k) {
            times_[2 * k] = static_cast<int16_t>(all_);
            times_[2 * k + 1] = static_cast<int16_t>(-twice[k] / 2);
        }
        constexpr uint32_t kLabel = (1u << kLabelBits) - 1;
        if (tagged) {
            for (size_t i = 0; i < rows.size(); ++i)
                tags_[i] = Tag::of(packed_[rows[i]] & kLabel, packed_[rows[i]] >> kLabelBits);
            return;
        }
        if (of_row_.size() < rows.size()) of_row_.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint32_t p = packed_[rows[i]], k = p & kLabel, weight = p >> kLabelBits;
            of_row_[i] = {uint64_t{weight} << shift_of(k), static_cast<int32_t>(weight) * twice[k],
                          static_cast<uint16_t>(weight), static_cast<uint8_t>(shift_of(k)),
                          static_cast<uint8_t>(k / kPerWord)};
        }
    }

    void make_room(size_t bins) {
        if (bins_.size() < bins) bins_.resize(bins);
    }
    void add_to(size_t bin, size_t i) { bins_[bin][word_of(of_row_[i])] += of_row_[i].unit; }
    Bin take(size_t bin) { return std::exchange(bins_[bin], Bin{}); }
    Sum zero() const {
        Sum sum;
        sum.rest = squares_;
        return sum;
    }
    void move_bin(Sum& sum, const Bin& bin) const {
        Bin right;
        for (size_t w = 0; w < kWords; ++w) {
            sum.of_class[w] += bin[w];
            right[w] = node_[w] - sum.of_class[w];
        }
        const auto [left, squares, rest] = figures(sum.of_class, right);
        sum.left = left;
        sum.squares = squares;
        sum.rest = rest;
    }
    void move_row(Sum& sum, size_t i) const {
        const Row& row = of_row_[i];
        const auto own = static_cast<int32_t>(sum.of_class[word_of(row)] >> row.shift & kMask);
        const int32_t weight = row.weight;
        const int32_t more = weight * (own + own + weight);
        sum.left += weight;
        sum.squares += more;
        sum.rest += more - row.twice;
        sum.of_class[word_of(row)] += row.unit;
    }
    int64_t weight(const Sum& sum) const { return sum.left; }
    int64_t node_weight() const { return all_; }

    // squares / left + rest / right - (squares of the node) / all, without the divisions
    bool reaches(const Sum& sum, double gain) const {
        return top(sum) >= (gain + share_) * static_cast<double>(sides(sum.left));
    }
    // Whether some cut within the bin may: class by class, see several_sums.hpp.
    [[gnu::always_inline]] bool may_reach(const Sum& before, const Bin& bin, const Sum& after,
                                          double gain) const {
        const int64_t least =
            std::min(sides(std::max(before.left, 1)), sides(std::min(after.left, all_ - 1)));
        return by_class(before, bin, after) >= gain * static_cast<double>(all_ * least);
    }
    // Moving rows of one class gains most at an end.
    bool is_pure(const Bin& bin) const {
        if constexpr (kWords == 1) {
            return bin[0] == 0 || bin[0] >> (std::countr_zero(bin[0]) / 8 * 8) <= kMask;
        } else {
            size_t classes = 0;
            for (size_t k = 0; k < classes_; ++k) classes += (bin[k / kPerWord] >> shift_of(k) & kMask) != 0;
            return classes <= 1;
        }
    }
    double gain(const Sum& sum) const {
        const auto loss = [](int64_t weight, int64_t squares) {
            return static_cast<double>(weight * weight - squares) / static_cast<double>(weight);
        };
        return sweep_->node_term() - loss(sum.left, sum.squares) - loss(all_ - sum.left, sum.rest);
    }
    void put(const Sum& sum, int64_t* stat) const {
        for (size_t k = 0; k < classes_; ++k)
            stat[k] = static_cast<int64_t>(sum.of_class[k / kPerWord] >> shift_of(k) & kMask);
    }

    // What the left side counts after each of these rows (side_by_side.hpp), and what cuts are worth.
    void run(const int32_t* keys, int32_t places, size_t n) {
        const Row* const rows = of_row_.data();
        Bin of_class{};
        int32_t left = 0, squares = 0, rest = squares_;
        for (size_t i = 0; i < n; ++i) {
            const Row& row = rows[keys[i] & places];
            uint64_t& word = of_class[word_of(row)];
            const auto own = static_cast<int32_t>(word >> row.shift & kMask);
            const int32_t weight = row.weight, more = weight * (own + own + weight);
            word += row.unit;
            left_[i] = left += weight;
            squares_left_[i] = squares += more;
            squares_right_[i] = rest += more - row.twice;
        }
    }
    void run_tagged([[maybe_unused]] const int32_t* keys, [[maybe_unused]] size_t n) {
#if defined(__x86_64__)
        if constexpr (kTags)
            RunByEight<Lane>{left_, squares_left_, squares_right_, before_.data()}.run(keys, n, node_);
#endif
    }
    const uint8_t* tags() const { return tags_; }
    template <class Reals>
    BOUGH_INLINE void judge(size_t i, Reals& worth) const {
        Reals left, squares, rest;
        load(left_ + i, left);
        load(squares_left_ + i, squares);
        load(squares_right_ + i, rest);
        const Reals right = static_cast<float>(all_) - left;
        worth = (squares * right + rest * left) / (left * right);
    }
    // Without the classes.
    Sum after(size_t i) const {
        Sum sum;
        sum.left = left_[i];
        sum.squares = squares_left_[i];
        sum.rest = squares_right_[i];
        return sum;
    }
    template <class Cell>
    void count_classes(Sum& sum, std::span<const Cell> cells, uint32_t last) const {
        for (size_t i = 0; i < cells.size(); ++i)
            sum.of_class[word_of(of_row_[i])] += of_row_[i].unit & (uint64_t{0} - (cells[i] <= last));
    }
    // The same up to row i of an order of tagged rows.
    void count_classes(Sum& sum, const int32_t* keys, size_t i) const {
        sum.of_class = before_[i / 8];
        for (size_t k = i / 8 * 8; k <= i; ++k)
            sum.of_class[Tag::label(keys[k]) / kPerWord] += uint64_t{Tag::weight(keys[k])}
                                                            << shift_of(Tag::label(keys[k]));
    }
    bool side_by_side() const { return true; }
    double share() const { return share_; }

  private:
    static constexpr size_t kPerWord = 8 / sizeof(Lane);
    static constexpr uint64_t kMask = kBytes ? 0xff : 0xffff;
    static constexpr int kLabelBits = 5;
    static_assert(Lanes <= size_t{1} << kLabelBits);
    static constexpr double kSafe = 1 + 1e-5;  // squares in single precision

    struct Row {
        uint64_t unit;  // its weight in the lane of its class
        int32_t twice;  // its weight by the node's weight of its class
        uint16_t weight;
        uint8_t shift, word;
    };
    struct Figures {
        int32_t left, squares, rest;
    };

    // A number that the compiler knows lets the sums stay in registers.
    static size_t word_of(const Row& row) { return kWords == 1 ? 0 : row.word; }
    static size_t shift_of(size_t k) { return k % kPerWord * (8 * sizeof(Lane)); }
    int64_t sides(int32_t left) const { return static_cast<int64_t>(left) * (all_ - left); }
    double top(const Sum& sum) const {
        return static_cast<double>(static_cast<int64_t>(sum.squares) * (all_ - sum.left) +
                                   static_cast<int64_t>(sum.rest) * sum.left);
    }

#if defined(__SSE2__)
    // Eight counts of 16 bits, the given number of a side.
    static __m128i eight(const Bin& bin, size_t v) {
        if constexpr (kBytes) {
            return _mm_unpacklo_epi8(_mm_cvtsi64_si128(static_cast<int64_t>(bin[v])), _mm_setzero_si128());
        } else {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bin.data() + 2 * v));
        }
    }
    static Figures figures(const Bin& left, const Bin& right) {
        __m128i weight = _mm_setzero_si128(), squares = weight, rest = weight;
        for (size_t v = 0; v < Lanes / 8; ++v) {
            const __m128i own = eight(left, v), others = eight(right, v);
            weight = _mm_add_epi32(weight, _mm_madd_epi16(own, _mm_set1_epi16(1)));
            squares = _mm_add_epi32(squares, _mm_madd_epi16(own, own));
            rest = _mm_add_epi32(rest, _mm_madd_epi16(others, others));
        }
        // Two sums side by side, then their halves.
        const __m128i both =
            _mm_add_epi32(_mm_unpacklo_epi32(squares, rest), _mm_unpackhi_epi32(squares, rest));
        const int64_t two = _mm_cvtsi128_si64(_mm_add_epi32(both, _mm_unpackhi_epi64(both, both)));
        weight = _mm_add_epi32(weight, _mm_unpackhi_epi64(weight, weight));
        const int64_t halves = _mm_cvtsi128_si64(weight);
        return {static_cast<int32_t>(halves) + static_cast<int32_t>(halves >> 32), static_cast<int32_t>(two),
                static_cast<int32_t>(two >> 32)};
    }
    // The largest that all left_k - node_k left may get without its sign, squared, of all classes.
    double by_class(const Sum& before, const Bin& bin, const Sum& after) const {
        const __m128i left = _mm_set1_epi16(static_cast<int16_t>(before.left));
        const __m128i end = _mm_set1_epi16(static_cast<int16_t>(after.left));
        __m128 sum = _mm_setzero_ps();
        for (size_t v = 0; v < Lanes / 8; ++v) {
            const __m128i own = eight(bin, v), from = eight(before.of_class, v);
            // Only rows of the class have moved, or all others.
            const __m128i most = _mm_add_epi16(from, own), at_most = _mm_add_epi16(left, own);
            const __m128i at_least = _mm_sub_epi16(end, own);
            const auto* const times = reinterpret_cast<const __m128i*>(times_.data()) + 2 * v;
            const auto add = [&](__m128i high, __m128i low, __m128i factors) {
                const __m128 up = _mm_cvtepi32_ps(_mm_madd_epi16(high, factors));
                const __m128 down = _mm_cvtepi32_ps(_mm_madd_epi16(low, factors));
                const __m128 largest = _mm_max_ps(up, _mm_sub_ps(_mm_setzero_ps(), down));
                sum = _mm_add_ps(sum, _mm_mul_ps(largest, largest));
            };
            add(_mm_unpacklo_epi16(most, at_most), _mm_unpacklo_epi16(from, at_least), times[0]);
            add(_mm_unpackhi_epi16(most, at_most), _mm_unpackhi_epi16(from, at_least), times[1]);
        }
        sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
        return static_cast<double>(_mm_cvtss_f32(sum) + _mm_cvtss_f32(_mm_shuffle_ps(sum, sum, 1))) * kSafe;
    }
#else
    double by_class(const Sum& before, const Bin& bin, const Sum& after) const {
        double sum = 0.0;
        for (size_t k = 0; k < classes_; ++k) {
            const auto of = [&](const Bin& b) {
                return static_cast<int64_t>(b[k / kPerWord] >> shift_of(k) & kMask);
            };
            const int64_t own = of(bin), from = of(before.of_class), node = of(node_);
            const int64_t up = all_ * (from + own) - node * (before.left + own);
            const int64_t down = node * (after.left - own) - all_ * from;
            const auto largest = static_cast<double>(std::max(up, down));
            sum += largest * largest;
        }
        return sum * kSafe;
    }
    static Figures figures(const Bin& left, const Bin& right) {
        std::array<Lane, Lanes> own, others;
        std::memcpy(own.data(), left.data(), sizeof own);
        std::memcpy(others.data(), right.data(), sizeof others);
        Figures all{};
        for (size_t k = 0; k < Lanes; ++k) {
            all.left += own[k];
            all.squares += int32_t{own[k]} * own[k];
            all.rest += int32_t{others[k]} * others[k];
        }
        return all;
    }
#endif

    size_t classes_;
    GrowthArray<uint32_t> packed_;  // by row of the bag: weight and class
    Sweep* sweep_ = nullptr;
    Bin node_{};
    int32_t all_ = 0, squares_ = 0;
    double share_ = 0.0;
    alignas(16) std::array<int16_t, 2 * Lanes> times_;  // of each class: all, and less its own
    GrowthArray<Row> of_row_;
    std::vector<Bin> bins_;
    uint8_t tags_[SideBySide::kMost + SideBySide::kWidest];
    std::array<Bin, SideBySide::kMost / 8 + 1> before_;
    alignas(
        64) int32_t left_[SideBySide::kMost + SideBySide::kWidest] = {},
                                              squares_left_[SideBySide::kMost + SideBySide::kWidest] = {},
                                              squares_right_[SideBySide::kMost + SideBySide::kWidest] = {};
};

}  // namespace bough::lean

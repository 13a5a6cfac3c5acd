// What rows of two classes count, summed up: weight, and weight of the second class above it, in one number.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "criteria/binary_sweep.hpp"
#include "criteria/gini.hpp"
#include "lean/side_by_side.hpp"
#include "target.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

template <class Measure>
class TwoSums {
  public:
    using Sweep = BinarySweep<Measure>;
    using Lighter = void;
    using Sum = uint64_t;
    using Bin = uint64_t;
    static constexpr bool kTags = std::is_same_v<Measure, GiniCounting>;
    static constexpr int kMostBits = 11;
    static constexpr double kRounding = 0.0;  // of `reaches`, beyond that of the gains

    explicit TwoSums(const Target& target) {
        packed_.reserve(target.n_rows());
        for (uint32_t row = 0; row < target.n_rows(); ++row)
            packed_.push_back(static_cast<uint32_t>(target.weight_of(row)) | uint32_t{target.label[row]}
                                                                                 << 31);
    }

    // The rows of a node, described by `stat`. `tagged`: they have tags, which is all that cuts side by side
    // ask.
    void enter(Sweep& sweep, const int64_t* stat, const Target&, std::span<const uint32_t> rows,
               bool tagged) {
        sweep_ = &sweep;
        node0_ = stat[0];
        node1_ = stat[1];
        share_ = 2.0 / static_cast<double>(node0_ + node1_);
        if (tagged) {
            for (size_t i = 0; i < rows.size(); ++i)
                tags_[i] = Tag::of(packed_[rows[i]] >> 31, packed_[rows[i]] & 0x7fffffff);
            return;
        }
        if (of_row_.size() < rows.size()) of_row_.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint64_t p = packed_[rows[i]], weight = p & 0x7fffffff;
            of_row_[i] = weight | (weight & (uint64_t{0} - (p >> 31))) << 32;
        }
    }

    // All bins are empty until rows are added, and after they are taken.
    void make_room(size_t bins) {
        if (bins_.size() < bins) bins_.resize(bins);
    }
    void add_to(size_t bin, size_t i) { bins_[bin] += of_row_[i]; }
    Bin take(size_t bin) { return std::exchange(bins_[bin], Bin{0}); }
    Sum zero() const { return 0; }
    bool is_pure(Bin bin) const { return bin >> 32 == 0 || bin >> 32 == (bin & 0xffffffff); }
    void move_bin(Sum& sum, Bin bin) const { sum += bin; }
    void move_row(Sum& sum, size_t i) const { sum += of_row_[i]; }
    int64_t weight(Sum sum) const { return static_cast<int64_t>(sum & 0xffffffff); }
    int64_t node_weight() const { return node0_ + node1_; }

    // Whether a cut after rows of this sum gains about so much.
    bool reaches(Sum sum, double gain) const {
        const int64_t left1 = static_cast<int64_t>(sum >> 32), left0 = weight(sum) - left1;
        return reaches(left0, left1, gain);
    }
    // Whether some cut within the bin may: gain is convex in the two counts, so it is largest where all rows
    // of one class come first.
    [[gnu::always_inline]] bool may_reach(Sum before, Bin bin, Sum, double gain) const {
        const int64_t left1 = static_cast<int64_t>(before >> 32), left0 = weight(before) - left1;
        const int64_t more1 = static_cast<int64_t>(bin >> 32), more0 = weight(bin) - more1;
        if constexpr (kGini) {
            // The largest d and the smallest product of the sides, if not of the same cut.
            const int64_t d = left1 * node0_ - left0 * node1_;
            const auto most = static_cast<double>(std::max(d + more1 * node0_, more0 * node1_ - d));
            const int64_t all = node_weight(), first = std::max<int64_t>(left0 + left1, 1);
            const int64_t last = std::min(left0 + left1 + more0 + more1, all - 1);
            return share_ * most * most >=
                   gain * static_cast<double>(std::min(first * (all - first), last * (all - last)));
        } else {
            return reaches(left0, left1 + more1, gain) || reaches(left0 + more0, left1, gain) ||
                   reaches(left0 + more0, left1 + more1, gain) || reaches(left0, left1, gain);
        }
    }
    void put(Sum sum, int64_t* stat) const {
        stat[1] = static_cast<int64_t>(sum >> 32);
        stat[0] = weight(sum) - stat[1];
    }
    double gain(Sum sum) const { return sweep_->gain({weight(sum), static_cast<int64_t>(sum >> 32)}); }

    // What the left side counts after each of these rows (side_by_side.hpp), and what cuts are worth.
    void run(const int32_t* keys, int32_t places, size_t n) {
        const Sum* const of_row = of_row_.data();
        uint64_t sum = 0;
        for (size_t i = 0; i < n; ++i) {
            sum += of_row[static_cast<size_t>(keys[i] & places)];
            left_[i] = static_cast<int32_t>(sum);
            left1_[i] = static_cast<int32_t>(sum >> 32);
        }
    }
    void run_tagged([[maybe_unused]] const int32_t* keys, [[maybe_unused]] size_t n) {
#if defined(__x86_64__)
        run_two(keys, n, left_, left1_);
#endif
    }
    const uint8_t* tags() const { return tags_; }
    template <class Reals>
    BOUGH_INLINE void judge(size_t i, Reals& worth) const {
        Reals left, left1;
        load(left_ + i, left);
        load(left1_ + i, left1);
        const auto all = static_cast<float>(node_weight()), all1 = static_cast<float>(node1_);
        const Reals left0 = left - left1, right = all - left, right1 = all1 - left1;
        const Reals right0 = right - right1;
        worth = ((left0 * left0 + left1 * left1) * right + (right0 * right0 + right1 * right1) * left) /
                (left * right);
    }
    Sum after(size_t i) const {
        return static_cast<uint64_t>(left_[i]) | static_cast<uint64_t>(left1_[i]) << 32;
    }
    template <class Cell>
    void count_classes(const Sum&, std::span<const Cell>, uint32_t) const {}
    void count_classes(const Sum&, const int32_t*, size_t) const {}
    bool side_by_side() const { return kGini && node_weight() < int64_t{1} << 24; }
    double share() const {
        const auto zero = static_cast<double>(node0_), one = static_cast<double>(node1_);
        return (zero * zero + one * one) / (zero + one);
    }

  private:
    static constexpr bool kGini = kTags;

    bool reaches(int64_t left0, int64_t left1, double gain) const {
        if constexpr (kGini) {
            // 2 d^2 / (W left right), without the division
            const auto d = static_cast<double>(left1 * node0_ - left0 * node1_);
            const int64_t left = left0 + left1;
            return share_ * d * d >=
                   gain * (static_cast<double>(left) * static_cast<double>(node_weight() - left));
        } else {
            return sweep_->gain({left0 + left1, left1}) >= gain;
        }
    }

    GrowthArray<uint32_t> packed_;  // by row of the bag: weight, and the class in the highest bit
    Sweep* sweep_ = nullptr;
    int64_t node0_ = 0, node1_ = 0;
    double share_ = 0.0;
    GrowthArray<Sum> of_row_;
    std::vector<Sum> bins_;
    uint8_t tags_[SideBySide::kMost + SideBySide::kWidest];
    alignas(64) int32_t left_[SideBySide::kMost + SideBySide::kWidest] = {},
                                                  left1_[SideBySide::kMost + SideBySide::kWidest] = {};
};

}  // namespace bough::lean

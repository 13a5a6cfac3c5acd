// The fast sweep for whole counts: each moved row changes an exact running sum of both sides, whatever the
// number of classes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "binning.hpp"
#include "target.hpp"

namespace bough {

// The entries of a sorted column whose rows have their class above them, as stride_to asks for them.
struct PackedEntries {
    const Entry* entries;
    int shift;
    uint32_t label(int64_t i) const { return row_of(entries[i]) >> shift; }
    bool cut_after(int64_t i) const { return code_of(entries[i]) != code_of(entries[i + 1]); }
};

// Measure: int64_t grow(count, sum, w): change of a side's running sum when its class `count` and its `sum`
// grow by w; double loss(running, sum).
template <class Measure>
class CountingSweep {
  public:
    explicit CountingSweep(const Target& target)
        : measure_(target), left_(static_cast<size_t>(target.n_classes)) {
        bind(target);
    }

    const Measure& measure() const { return measure_; }
    void bind(const Target& target) {
        label_ = target.label.data();
        weight_ = target.weight.empty() ? nullptr : target.weight.data();
        shift_ = target.label_shift;
        mask_ = target.row_mask;
    }
    void enter(const int64_t* stat) {
        node_ = stat;
        total_ = node_running_ = 0;
        for (int32_t k = 0; k < size(); ++k) {
            node_running_ += measure_.grow(0, total_, stat[k]);
            total_ += stat[k];
        }
        loss_ = total_ == 0 ? 0.0 : measure_.loss(node_running_, total_);
    }
    double loss(const uint32_t*, int64_t) const { return loss_; }
    struct State {
        int64_t left_sum = 0, left_running = 0, right_running = 0;
    };
    State start() {
        std::fill(left_.begin(), left_.end(), 0);
        return {0, 0, node_running_};
    }
    void move_item(State& s, uint32_t item) {
        const uint32_t label = shift_ < 32 ? item >> shift_ : label_[item];
        move(s, static_cast<int32_t>(label), weight_ ? weight_[item & mask_] : 1);
    }
    // A row of weight 1.
    void move_one(State& s, uint32_t label) { move(s, static_cast<int32_t>(label), 1); }
    void move_group(State& s, const int64_t* stat) {
        for (int32_t k = 0; k < size(); ++k)
            if (stat[k]) move(s, k, stat[k]);
    }
    double gain(const State& s) const {
        return loss_ - measure_.loss(s.left_running, s.left_sum) -
               measure_.loss(s.right_running, total_ - s.left_sum);
    }
    // False: the gain is not larger than this; true if it is, or if that is not so sure.
    bool may_exceed(const State& s, double gain) const
        requires requires(const Measure& m) { m.about(int64_t{0}, int64_t{0}); }
    {
        const double both =
            measure_.about(s.left_running, s.left_sum) + measure_.about(s.right_running, total_ - s.left_sum);
        return both <= loss_ - gain + kUnsure * loss_;
    }
    // Whether rows can be moved by stride_to.
    bool strides() const
        requires requires(const Measure& m) { m.shares(); }
    {
        return !weight_ && shift_ < 32 && measure_.shares();
    }
    PackedEntries packed(const Entry* entries) const { return {entries, shift_}; }
    // Moves rows up to the first from `i` on after which a cut may_exceed the gain, as move_item does, with
    // all that changes in registers; returns its place, or `last`.
    template <class Items>
    int64_t stride_to(State& s, const Items& items, int64_t i, int64_t last, double gain)
        requires requires(const Measure& m) { m.shares(); }
    {
        const double enough = loss_ - gain + kUnsure * loss_;
        const double* const shares = measure_.shares();
        const int64_t* const node = node_;
        int32_t* const counts = left_.data();
        const int64_t total = total_;
        int64_t sum = s.left_sum, left = s.left_running, right = s.right_running;
        const auto is_enough = [&](int64_t at, int64_t in_left, int64_t in_right, int64_t rows) {
            const double both = static_cast<double>(in_left) * shares[rows] +
                                static_cast<double>(in_right) * shares[total - rows];
            return (both <= enough) & items.cut_after(at);
        };
        // Two rows at a time: a count that was just stored is slow to be read again.
        for (; i + 1 < last; i += 2) {
            const uint32_t k = items.label(i), next = items.label(i + 1);
            const int64_t count = counts[k], next_count = counts[next] + (k == next);
            counts[k] = static_cast<int32_t>(count + 1);
            counts[next] = static_cast<int32_t>(next_count + 1);
            left += 2 * (sum - count);
            right -= 2 * ((total - sum) - (node[k] - count));
            ++sum;
            if (is_enough(i, left, right, sum)) {
                counts[next] = static_cast<int32_t>(next_count);
                s = {sum, left, right};
                return i;
            }
            left += 2 * (sum - next_count);
            right -= 2 * ((total - sum) - (node[next] - next_count));
            ++sum;
            if (is_enough(i + 1, left, right, sum)) {
                s = {sum, left, right};
                return i + 1;
            }
        }
        if (i < last) {
            const uint32_t k = items.label(i);
            const int64_t count = counts[k];
            left += 2 * (sum - count);
            right -= 2 * ((total - sum) - (node[k] - count));
            counts[k] = static_cast<int32_t>(count + 1);
            ++sum;
            if (!is_enough(i, left, right, sum)) ++i;
        }
        s = {sum, left, right};
        return i;
    }
    // No gain is larger: both sides are pure.
    double most() const { return loss_; }
    void left_stat(const State&, int64_t* out) const { std::copy(left_.begin(), left_.end(), out); }
    int64_t left_weight(const State& s) const { return s.left_sum; }
    int64_t right_weight(const State& s) const { return total_ - s.left_sum; }
    double node_term() const { return loss_; }
    double group_term(const int64_t* stat) const {
        int64_t sum = 0, running = 0;
        for (int32_t k = 0; k < size(); ++k) {
            running += measure_.grow(0, sum, stat[k]);
            sum += stat[k];
        }
        return sum == 0 ? 0.0 : measure_.loss(running, sum);
    }
    int64_t group_weight(const int64_t* stat) const {
        return std::accumulate(stat, stat + size(), int64_t{0});
    }
    double resolution() const { return measure_.resolution(); }
    double unit() const { return 1.0; }

  private:
    int32_t size() const { return static_cast<int32_t>(left_.size()); }
    void move(State& s, int32_t k, int64_t w) {
        const int64_t left = left_[static_cast<size_t>(k)];
        const int64_t right = node_[k] - left, right_sum = total_ - s.left_sum;
        s.left_running += measure_.grow(left, s.left_sum, w);
        s.right_running -= measure_.grow(right - w, right_sum - w, w);
        left_[static_cast<size_t>(k)] = static_cast<int32_t>(left + w);
        s.left_sum += w;
    }

    static constexpr double kUnsure = 1e-12;  // of the loss; rounding is a thousand times less

    Measure measure_;
    const uint16_t* label_ = nullptr;
    const int64_t* weight_ = nullptr;
    int shift_ = 32;
    uint32_t mask_ = 0;
    const int64_t* node_ = nullptr;
    double loss_ = 0.0;
    int64_t total_ = 0, node_running_ = 0;
    std::vector<int32_t> left_;  // not int64_t: the compiler can tell its stores from everything else
};

}  // namespace bough

// The fastest sweep, for two classes and whole counts: one number moves, the gain follows from four counts.
#pragma once
#include <algorithm>
#include <cstdint>

#include "binning.hpp"
#include "target.hpp"

namespace bough {

// Measure: cost(a, b) is the loss of a side with these two class counts in steps of `step()`, in the type
// that it is exact in; cost(a, b, c, d), if it has that, is of two sides at once.
template <class Measure>
class BinarySweep {
  public:
    explicit BinarySweep(const Target& target) : measure_(target) { bind(target); }

    void bind(const Target& target) {
        label_ = target.label.data();
        weight_ = target.weight.empty() ? nullptr : target.weight.data();
        shift_ = target.label_shift;
        mask_ = target.row_mask;
        unit_ = target.weight_unit;
    }
    void enter(const int64_t* stat) {
        node0_ = stat[0];
        node1_ = stat[1];
        loss_ = static_cast<double>(measure_.cost(node0_, node1_)) * measure_.step();
    }
    double loss(const uint32_t*, int64_t) const { return loss_; }
    struct State {
        int64_t left = 0, left1 = 0;
    };
    State start() const { return {}; }
    void move_item(State& s, uint32_t item) const {
        const int64_t w = weight_ ? weight_[item & mask_] : 1;
        s.left += w;
        s.left1 += w * (shift_ < 32 ? item >> shift_ : label_[item]);
    }
    // Rows of a sorted column; where they are of weight 1 and have their class with them, several at once.
    void move_items(State& s, const Entry* entries, int64_t n) const {
        if (weight_ || shift_ >= 32) {
            for (int64_t i = 0; i < n; ++i) move_item(s, row_of(entries[i]));
            return;
        }
        uint64_t ones = 0;
        for (int64_t i = 0; i < n; ++i) ones += row_of(entries[i]) >> shift_;
        s.left += n;
        s.left1 += static_cast<int64_t>(ones);
    }
    // A row of weight 1.
    void move_one(State& s, uint32_t label) const {
        ++s.left;
        s.left1 += label;
    }
    void move_group(State& s, const int64_t* stat) const {
        s.left += stat[0] + stat[1];
        s.left1 += stat[1];
    }
    double gain(const State& s) const {
        const int64_t left0 = s.left - s.left1;
        return loss_ - static_cast<double>(costs(left0, s.left1)) * measure_.step();
    }
    // No state between the two has a larger gain than this or than the two: it is a convex function of the
    // two left counts, so over the box that they can reach it is largest in a corner.
    double between(const State& a, const State& b) const {
        const State corner{a.left - a.left1 + b.left1, b.left1}, other{b.left - b.left1 + a.left1, a.left1};
        return std::max(gain(corner), gain(other));
    }
    // No gain is larger: both sides are pure.
    double most() const { return loss_; }
    void left_stat(const State& s, int64_t* out) const {
        out[0] = s.left - s.left1;
        out[1] = s.left1;
    }
    int64_t left_weight(const State& s) const { return s.left; }
    int64_t right_weight(const State& s) const { return node0_ + node1_ - s.left; }
    double node_term() const { return loss_; }
    double group_term(const int64_t* stat) const {
        return stat[0] + stat[1] == 0
                   ? 0.0
                   : static_cast<double>(measure_.cost(stat[0], stat[1])) * measure_.step();
    }
    int64_t group_weight(const int64_t* stat) const { return stat[0] + stat[1]; }
    double resolution() const { return measure_.resolution(); }
    double unit() const { return unit_; }

  private:
    auto costs(int64_t left0, int64_t left1) const {
        const int64_t right0 = node0_ - left0, right1 = node1_ - left1;
        if constexpr (requires { measure_.cost(left0, left1, right0, right1); }) {
            return measure_.cost(left0, left1, right0, right1);
        } else {
            return measure_.cost(left0, left1) + measure_.cost(right0, right1);
        }
    }

    Measure measure_;
    const uint16_t* label_ = nullptr;
    const int64_t* weight_ = nullptr;
    int shift_ = 32;
    uint32_t mask_ = 0;
    double unit_ = 1.0;
    int64_t node0_ = 0, node1_ = 0;
    double loss_ = 0.0;
};

}  // namespace bough

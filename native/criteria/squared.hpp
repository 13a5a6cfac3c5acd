// Squared error around the mean. With S the moment and W the weight of a side, the gain of a cut is
// (S_left W - S W_left)^2 / (W W_left W_right): the difference is taken in exact integers, so nothing
// cancels. For whole weights the moments are taken around a whole number next to the node's mean, which keeps
// them in 64 bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "target.hpp"

namespace bough {

template <bool Counting>
class SquaredSweep {
  public:
    explicit SquaredSweep(const Target& target) { bind(target); }

    void bind(const Target& target) {
        target_ = &target;
        moments_ = target.moment.data();
        weights_ = target.weight.empty() ? nullptr : target.weight.data();
    }
    void enter(const int64_t* stat) {
        weight_ = stat[0];
        moment_ = stat[1];
        centre_ = moment_ / weight_;
        rest_ = static_cast<double>(moment_ - centre_ * weight_) / static_cast<double>(weight_);
    }
    double loss(const uint32_t* rows, int64_t n) const {
        bool equal = true;
        double loss = 0.0;
        const double mean = static_cast<double>(moment_) / static_cast<double>(weight_);
        for (int64_t i = 0; i < n; ++i) {
            const double w = static_cast<double>(target_->weight_of(rows[i]));
            const double off = static_cast<double>(target_->moment[rows[i]]) / w - mean;
            loss += w * off * off;
            equal &= target_->value[rows[i]] == target_->value[rows[0]];
        }
        // Different values that the moments cannot tell apart are not pure.
        return equal ? 0.0 : std::max(loss, std::numeric_limits<double>::min());
    }
    struct State {
        int64_t weight = 0, moment = 0;
    };
    State start() const { return {}; }
    void move_item(State& s, uint32_t row) const {  // numbers do not fit beside the row: an item is the row
        s.weight += weights_ ? weights_[row] : 1;
        s.moment += moments_[row];
    }
    void move_group(State& s, const int64_t* stat) const {
        s.weight += stat[0];
        s.moment += stat[1];
    }
    double gain(const State& s) const { return gain(s, factor(s.weight)); }
    // The same with the factor known, which the weight on the left decides.
    double gain(const State& s, double factor) const {
        const double d = difference(s.moment, s.weight);
        return d * factor * d;
    }
    // The same from the distance, below, of the rows on the left.
    double gain_of(int64_t distance, int64_t left, double factor) const {
        const double d = static_cast<double>(distance) - rest_ * static_cast<double>(left);
        return d * factor * d;
    }
    int64_t centre() const { return centre_; }
    double factor(int64_t left) const {
        return static_cast<double>(weight_) /
               (static_cast<double>(left) * static_cast<double>(weight_ - left));
    }
    // Cuts between rows of weight 1 can be left out by the distance of their sum from that of the mean's
    // whole part, which changes by one step a row.
    bool unit_weights() const { return Counting && !weights_; }
    int64_t distance(const State& s) const { return s.moment - centre_ * s.weight; }
    int64_t step(uint32_t row) const { return moments_[row] - centre_; }
    State after(const State& s, int64_t n, int64_t distance) const {
        return {s.weight + n, distance + centre_ * (s.weight + n)};
    }
    // Within the next n rows, no cut that is nearer has a larger gain than this. Negative: any may have.
    int64_t reach(const State& s, int64_t n, double gain) const {
        if (!(gain > 0)) return -1;
        const auto sides = [&](int64_t left) {
            return static_cast<double>(left) * static_cast<double>(weight_ - left);
        };
        // The product of the sides is smallest at an end; the mean's rest adds less than 1 a row.
        const double least =
            std::min(sides(s.weight + 1), sides(s.weight + n)) / static_cast<double>(weight_);
        return static_cast<int64_t>(std::sqrt(gain * least) * (1 - 1e-9)) - (s.weight + n) - 1;
    }
    void left_stat(const State& s, int64_t* out) const {
        out[0] = s.weight;
        out[1] = s.moment;
    }
    int64_t left_weight(const State& s) const { return s.weight; }
    int64_t right_weight(const State& s) const { return weight_ - s.weight; }
    double node_term() const { return 0.0; }
    double group_term(const int64_t* stat) const {
        if (stat[0] == 0) return 0.0;
        const double d = difference(stat[1], stat[0]);
        return -d * (d / static_cast<double>(stat[0]));
    }
    int64_t group_weight(const int64_t* stat) const { return stat[0]; }
    double resolution() const { return 0.0; }
    // Losses are in squares of a moment's step per unit of weight.
    double unit() const { return 1.0 / target_->weight_unit; }

  private:
    // moment - mean * weight
    double difference(int64_t moment, int64_t weight) const {
        if constexpr (Counting) {
            return static_cast<double>(moment - centre_ * weight) - rest_ * static_cast<double>(weight);
        } else {
            __extension__ using int128 = __int128;
            const int128 d = static_cast<int128>(moment) * weight_ - static_cast<int128>(moment_) * weight;
            return static_cast<double>(d) / static_cast<double>(weight_);
        }
    }

    const Target* target_ = nullptr;
    const int64_t* moments_ = nullptr;
    const int64_t* weights_ = nullptr;
    int64_t weight_ = 0, moment_ = 0;
    int64_t centre_ = 0;  // whole part of the node's mean
    double rest_ = 0.0;   // and what is left of it
};

}  // namespace bough

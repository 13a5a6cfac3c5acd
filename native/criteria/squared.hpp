// Squared error around the mean. With S the moment and W the weight of a side, the gain of a cut is
// (S_left W - S W_left)^2 / (W W_left W_right): the difference is taken in exact integers, so nothing cancels.
#pragma once
#include <cstdint>

#include "target.hpp"

namespace bough {

class SquaredSweep {
  public:
    SquaredSweep(const Target& target) : target_(target) {}

    double begin(const int64_t* stat, const uint32_t* rows, int64_t n) {
        weight_ = stat[0];
        moment_ = stat[1];
        bool equal = true;
        double loss = 0.0;
        const double mean = static_cast<double>(moment_) / static_cast<double>(weight_);
        for (int64_t i = 0; i < n; ++i) {
            const double w = static_cast<double>(target_.weight_of(rows[i]));
            const double off = static_cast<double>(target_.moment[rows[i]]) / w - mean;
            loss += w * off * off;
            equal &= target_.value[rows[i]] == target_.value[rows[0]];
        }
        return equal ? 0.0 : loss;
    }
    void restart() { left_weight_ = left_moment_ = 0; }
    void move_row(uint32_t row) {
        left_weight_ += target_.weight_of(row);
        left_moment_ += target_.moment[row];
    }
    void move_group(const int64_t* stat) {
        left_weight_ += stat[0];
        left_moment_ += stat[1];
    }
    double gain() const {
        const double d = difference(left_moment_, left_weight_), w = static_cast<double>(weight_);
        return d / w * (d / (static_cast<double>(left_weight_) * static_cast<double>(weight_ - left_weight_)));
    }
    int64_t left_weight() const { return left_weight_; }
    int64_t right_weight() const { return weight_ - left_weight_; }
    double node_term() const { return 0.0; }
    double group_term(const int64_t* stat) const {
        if (stat[0] == 0) return 0.0;
        const double d = difference(stat[1], stat[0]) / static_cast<double>(weight_);
        return -d * (d / static_cast<double>(stat[0]));
    }
    int64_t group_weight(const int64_t* stat) const { return stat[0]; }
    double resolution() const { return 0.0; }
    // Losses are in units of moment^2 per unit of weight.
    double unit() const { return target_.moment_unit * target_.moment_unit / target_.weight_unit; }

  private:
    double difference(int64_t moment, int64_t weight) const {
        __extension__ using int128 = __int128;
        return static_cast<double>(static_cast<int128>(moment) * weight_ - static_cast<int128>(moment_) * weight);
    }

    const Target& target_;
    int64_t weight_ = 0, moment_ = 0;
    int64_t left_weight_ = 0, left_moment_ = 0;
};

}  // namespace bough

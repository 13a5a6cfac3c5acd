// Half the Poisson deviance, for numbers of events: sum w y log(y / mean). The moments are taken around zero,
// so that S, the moment of a branch, is its weighted sum of y. With E = S_node B / W what a branch of weight
// B would have at the node's mean, the gain of a split is the sum over branches (S log(S / E) - S + E): each
// part is positive, and its S - E is an exact difference of integers, so nothing cancels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "statistics.hpp"
#include "target.hpp"

namespace bough {

class PoissonSweep {
  public:
    explicit PoissonSweep(const Target& target) { bind(target); }

    void bind(const Target& target) {
        target_ = &target;
        moments_ = target.moment.data();
        weights_ = target.weight.empty() ? nullptr : target.weight.data();
    }
    void enter(const int64_t* stat) {
        weight_ = stat[0];
        moment_ = stat[1];
    }
    double loss(const uint32_t* rows, int64_t n) const {
        bool equal = true;
        double loss = 0.0;
        for (int64_t i = 0; i < n; ++i) {
            loss += part(target_->moment[rows[i]], target_->weight_of(rows[i]));
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
    // A branch without any event would predict that none ever happens: such a cut is no candidate.
    double gain(const State& s) const {
        if (s.moment == 0 || s.moment == moment_) return -std::numeric_limits<double>::infinity();
        return (part(s.moment, s.weight) + part(moment_ - s.moment, weight_ - s.weight));
    }
    void left_stat(const State& s, int64_t* out) const {
        out[0] = s.weight;
        out[1] = s.moment;
    }
    int64_t left_weight(const State& s) const { return s.weight; }
    int64_t right_weight(const State& s) const { return weight_ - s.weight; }
    double node_term() const { return 0.0; }
    double group_term(const int64_t* stat) const { return stat[0] == 0 ? 0.0 : -part(stat[1], stat[0]); }
    int64_t group_weight(const int64_t* stat) const { return stat[0]; }
    double resolution() const { return 0.0; }
    // Losses are in steps of a moment, not in their squares as for squared error.
    double unit() const { return 1.0 / target_->scale.unit; }

  private:
    // S log(S / E) - S + E
    double part(int64_t moment, int64_t weight) const {
        __extension__ using int128 = __int128;
        if (moment_ == 0) return 0.0;
        const int128 d = static_cast<int128>(moment) * weight_ - static_cast<int128>(moment_) * weight;
        const double all = static_cast<double>(weight_);
        const double expected = static_cast<double>(moment_) * (static_cast<double>(weight) / all);
        return deviance(static_cast<double>(moment), expected, static_cast<double>(d) / all);
    }

    const Target* target_ = nullptr;
    const int64_t* moments_ = nullptr;
    const int64_t* weights_ = nullptr;
    int64_t weight_ = 0, moment_ = 0;
};

}  // namespace bough

// A loss that the user wrote: called once for all cuts of a scan, with the sums of each side.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "target.hpp"

namespace bough {

// Sums are real numbers: class weights, or weight, sum and sum of squares of the target.
class CustomSweep {
  public:
    explicit CustomSweep(const Target& target) { bind(target); }

    void bind(const Target& target) {
        target_ = &target;
        left_.resize(static_cast<size_t>(target.width()));
    }
    void enter(const int64_t* stat) {
        node_.assign(stat, stat + target_->width());
        loss_ = loss_of(stat);
    }
    double loss(const uint32_t*, int64_t) const { return loss_; }
    struct State {
        int64_t weight = 0;
    };
    State start() {
        left_.assign(left_.size(), 0);
        return {};
    }
    void move_item(State& s, uint32_t item) {
        const uint32_t row = item & target_->row_mask;
        target_->add_row(left_.data(), row);
        s.weight += target_->weight_of(row);
    }
    void move_group(State& s, const int64_t* stat) {
        for (size_t k = 0; k < left_.size(); ++k) left_[k] += stat[k];
        s.weight += group_weight(stat);
    }
    double gain(const State& s) {
        note(s);
        return noted_gains()[0];
    }
    // Keeps the two sides for noted_gains.
    void note(const State&) {
        right_.resize(left_.size());
        for (size_t k = 0; k < left_.size(); ++k) right_[k] = node_[k] - left_[k];
        append(left_.data());
        append(right_.data());
    }
    // The gains of all that was noted, in one call.
    std::vector<double> noted_gains() {
        std::vector<double> gains(noted_.size() / (2 * left_.size()));
        losses_.resize(2 * gains.size());
        if (!gains.empty()) call(noted_, losses_);
        for (size_t i = 0; i < gains.size(); ++i) gains[i] = loss_ - losses_[2 * i] - losses_[2 * i + 1];
        noted_.clear();
        return gains;
    }
    void left_stat(const State&, int64_t* out) const {
        std::copy_n(left_.begin(), target_->regression() ? 2 : left_.size(), out);
    }
    int64_t left_weight(const State& s) const { return s.weight; }
    int64_t right_weight(const State& s) const { return group_weight(node_.data()) - s.weight; }
    double node_term() const { return loss_; }
    double group_term(const int64_t* stat) { return group_weight(stat) == 0 ? 0.0 : loss_of(stat); }
    int64_t group_weight(const int64_t* stat) const {
        if (target_->regression()) return stat[0];
        int64_t sum = 0;
        for (int32_t k = 0; k < target_->n_classes; ++k) sum += stat[k];
        return sum;
    }
    double resolution() const { return 0.0; }
    double unit() const { return target_->regression() ? 1.0 : target_->weight_unit; }

  private:
    // Losses of numbers are in squares of a moment's step, as those of squared error.
    double scale() const {
        return target_->regression() ? 1.0 / (target_->scale.unit * target_->scale.unit)
                                     : 1.0 / target_->weight_unit;
    }
    double loss_of(const int64_t* stat) {
        std::vector<double> one;
        std::swap(one, noted_);
        append(stat);
        std::swap(one, noted_);
        std::vector<double> loss(1);
        call(one, loss);
        return loss[0];
    }
    void call(const std::vector<double>& sums, std::vector<double>& losses) const {
        const auto n = static_cast<int64_t>(losses.size());
        (*target_->loss)(sums.data(), n, static_cast<int64_t>(sums.size()) / n, losses.data());
        for (double& loss : losses) loss *= scale();
    }
    void append(const int64_t* stat) {
        const double unit = target_->weight_unit;
        if (!target_->regression()) {
            for (int32_t k = 0; k < target_->n_classes; ++k)
                noted_.push_back(static_cast<double>(stat[k]) * unit);
            return;
        }
        const double w = static_cast<double>(stat[0]) * unit, c = target_->scale.centre;
        const double off = static_cast<double>(stat[1]) * target_->scale.unit;  // sum of w (y - c)
        const double squares = static_cast<double>(stat[2]) * target_->square_unit;
        noted_.insert(noted_.end(), {w, off + c * w, squares + 2 * c * off + c * c * w});
    }

    const Target* target_ = nullptr;
    std::vector<int64_t> node_, left_, right_;
    std::vector<double> noted_, losses_;
    double loss_ = 0.0;
};

}  // namespace bough

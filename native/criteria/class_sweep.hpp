// Moves rows of known class from the right side of a cut to the left and tells the gain, from class weights.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "target.hpp"

namespace bough {

// The plain way: the loss of each side is computed anew from its class weights. Measure: double loss(const
// int64_t* weights, int n_classes, int64_t sum). Right for any weights; O(classes) for each cut.
template <class Measure>
class ClassSweep {
  public:
    explicit ClassSweep(const Target& target) : measure_(target) {
        bind(target);
        left_.resize(static_cast<size_t>(target.n_classes));
        right_.resize(left_.size());
    }

    // From now on items are rows of this target.
    void bind(const Target& target) { target_ = &target; }
    // Enters a group of rows with these class weights, which must stay where they are.
    void enter(const int64_t* stat) {
        node_ = stat;
        total_ = group_weight(stat);
        loss_ = measure_.loss(stat, size(), total_);
    }
    // The loss of what was entered; for numbers it takes the rows.
    double loss(const uint32_t*, int64_t) const { return loss_; }
    // What changes with each moved row, kept by the caller so that it stays in registers.
    struct State {
        int64_t left_sum = 0;
    };
    // All rows right.
    State start() {
        left_.assign(left_.size(), 0);
        right_.assign(node_, node_ + size());
        return {};
    }
    // `item`: see Target::item
    void move_item(State& s, uint32_t item) {
        const uint32_t row = item & target_->row_mask;
        move(s, target_->label[row], target_->weight_of(row));
    }
    void move_group(State& s, const int64_t* stat) {
        for (int32_t k = 0; k < size(); ++k) move(s, k, stat[k]);
    }
    double gain(const State& s) const {
        return loss_ - measure_.loss(left_.data(), size(), s.left_sum) -
               measure_.loss(right_.data(), size(), total_ - s.left_sum);
    }
    void left_stat(const State&, int64_t* out) const { std::copy(left_.begin(), left_.end(), out); }
    int64_t left_weight(const State& s) const { return s.left_sum; }
    int64_t right_weight(const State& s) const { return total_ - s.left_sum; }
    // gain of a multiway split = node_term() - sum of group_term(branch)
    double node_term() const { return loss_; }
    double group_term(const int64_t* stat) const {
        const int64_t sum = group_weight(stat);
        return sum == 0 ? 0.0 : measure_.loss(stat, size(), sum);
    }
    int64_t group_weight(const int64_t* stat) const {
        return std::accumulate(stat, stat + size(), int64_t{0});
    }
    // Rounding of a gain beyond that of doubles.
    double resolution() const { return measure_.resolution(); }
    double unit() const { return target_->weight_unit; }

  private:
    int32_t size() const { return target_->n_classes; }
    void move(State& s, int32_t k, int64_t w) {
        left_[static_cast<size_t>(k)] += w;
        right_[static_cast<size_t>(k)] -= w;
        s.left_sum += w;
    }

    const Target* target_ = nullptr;
    Measure measure_;
    const int64_t* node_ = nullptr;
    double loss_ = 0.0;
    int64_t total_ = 0;
    std::vector<int64_t> left_, right_;
};

}  // namespace bough

// The fast sweep for whole counts: each moved row changes an exact running sum of both sides, whatever the
// number of classes.
#pragma once
#include <cstdint>
#include <numeric>
#include <vector>

#include "target.hpp"

namespace bough {

// Measure: int64_t grow(count, sum, w): change of a side's running sum when its class `count` and its `sum` grow by w;
// double loss(running, sum).
template <class Measure>
class CountingSweep {
  public:
    CountingSweep(const Target& target) : target_(target), measure_(target), left_(size()) {}

    double begin(const int64_t* stat, const uint32_t*, int64_t) {
        node_ = stat;
        total_ = node_running_ = 0;
        for (int32_t k = 0; k < size(); ++k) {
            node_running_ += measure_.grow(0, total_, stat[k]);
            total_ += stat[k];
        }
        loss_ = measure_.loss(node_running_, total_);
        return loss_;
    }
    void restart() {
        left_.assign(left_.size(), 0);
        left_sum_ = left_running_ = 0;
        right_running_ = node_running_;
    }
    void move_row(uint32_t row) { move(target_.label[row], target_.weight_of(row)); }
    void move_group(const int64_t* stat) {
        for (int32_t k = 0; k < size(); ++k)
            if (stat[k]) move(k, stat[k]);
    }
    double gain() const {
        return loss_ - measure_.loss(left_running_, left_sum_) - measure_.loss(right_running_, total_ - left_sum_);
    }
    int64_t left_weight() const { return left_sum_; }
    int64_t right_weight() const { return total_ - left_sum_; }
    double node_term() const { return loss_; }
    double group_term(const int64_t* stat) const {
        int64_t sum = 0, running = 0;
        for (int32_t k = 0; k < size(); ++k) {
            running += measure_.grow(0, sum, stat[k]);
            sum += stat[k];
        }
        return sum == 0 ? 0.0 : measure_.loss(running, sum);
    }
    int64_t group_weight(const int64_t* stat) const { return std::accumulate(stat, stat + size(), int64_t{0}); }
    double resolution() const { return measure_.resolution(); }
    double unit() const { return 1.0; }

  private:
    int32_t size() const { return target_.n_classes; }
    void move(int32_t k, int64_t w) {
        int64_t& left = left_[static_cast<size_t>(k)];
        const int64_t right = node_[k] - left, right_sum = total_ - left_sum_;
        left_running_ += measure_.grow(left, left_sum_, w);
        right_running_ -= measure_.grow(right - w, right_sum - w, w);
        left += w;
        left_sum_ += w;
    }

    const Target& target_;
    Measure measure_;
    const int64_t* node_ = nullptr;
    double loss_ = 0.0;
    int64_t total_ = 0, node_running_ = 0;
    int64_t left_sum_ = 0, left_running_ = 0, right_running_ = 0;
    std::vector<int64_t> left_;
};

}  // namespace bough

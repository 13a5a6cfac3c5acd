// Pearson's chi-square of the table branches x classes. With O the class weights of a branch, B their sum,
// n_k the class weights of the node and W their sum, a branch adds sum (O_k W - n_k B)^2 / (n_k B W). The
// differences are exact integers.
//
// Chi-square belongs to a split, not to a leaf: a branch's term depends on the node that it is a branch of,
// and what is left to split is not a sum over leaves. As the loss of a node stands what a split into pure
// branches would reach, W times (classes present - 1): no gain is larger, and it is 0 in a pure node alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "target.hpp"

namespace bough {

template <bool Counting>
class ChiSquareSweep {
  public:
    explicit ChiSquareSweep(const Target& target) : left_(static_cast<size_t>(target.n_classes)) {
        bind(target);
    }

    void bind(const Target& target) { target_ = &target; }
    void enter(const int64_t* stat) {
        node_ = stat;
        total_ = group_weight(stat);
    }
    double loss(const uint32_t*, int64_t) const {
        const auto present = std::count_if(node_, node_ + size(), [](int64_t w) { return w > 0; });
        return static_cast<double>(total_) * static_cast<double>(present - 1);
    }
    struct State {
        int64_t left_sum = 0;
    };
    State start() {
        std::fill(left_.begin(), left_.end(), 0);
        return {};
    }
    void move_item(State& s, uint32_t item) {
        const uint32_t row = item & target_->row_mask;
        const int64_t w = target_->weight_of(row);
        left_[target_->label[row]] += w;
        s.left_sum += w;
    }
    void move_group(State& s, const int64_t* stat) {
        for (int32_t k = 0; k < size(); ++k) {
            left_[static_cast<size_t>(k)] += stat[k];
            s.left_sum += stat[k];
        }
    }
    // The differences of the right side are those of the left with the other sign.
    double gain(const State& s) const {
        return squares(left_.data(), s.left_sum) /
               (static_cast<double>(s.left_sum) * static_cast<double>(total_ - s.left_sum));
    }
    void left_stat(const State&, int64_t* out) const { std::copy(left_.begin(), left_.end(), out); }
    int64_t left_weight(const State& s) const { return s.left_sum; }
    int64_t right_weight(const State& s) const { return total_ - s.left_sum; }
    double node_term() const { return 0.0; }
    double group_term(const int64_t* stat) const {
        const int64_t sum = group_weight(stat);
        if (sum == 0) return 0.0;
        return -squares(stat, sum) / (static_cast<double>(sum) * static_cast<double>(total_));
    }
    int64_t group_weight(const int64_t* stat) const {
        return std::accumulate(stat, stat + size(), int64_t{0});
    }
    double resolution() const { return 0.0; }
    double unit() const { return target_->weight_unit; }

  private:
    int32_t size() const { return target_->n_classes; }
    // The sum of (O_k W - n_k B)^2 / n_k.
    double squares(const int64_t* weights, int64_t sum) const {
        double squares = 0.0;
        for (int32_t k = 0; k < size(); ++k) {
            if (node_[k] == 0) continue;
            const double d = difference(weights[k], node_[k], sum);
            squares += d * (d / static_cast<double>(node_[k]));
        }
        return squares;
    }
    double difference(int64_t observed, int64_t of_class, int64_t sum) const {
        if constexpr (Counting) {
            return static_cast<double>(observed * total_ - of_class * sum);
        } else {
            __extension__ using int128 = __int128;
            return static_cast<double>(static_cast<int128>(observed) * total_ -
                                       static_cast<int128>(of_class) * sum);
        }
    }

    const Target* target_ = nullptr;
    const int64_t* node_ = nullptr;
    int64_t total_ = 0;
    std::vector<int64_t> left_;
};

}  // namespace bough

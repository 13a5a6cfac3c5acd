// What rows of numbers count, summed up: weight, and the moment around a whole number next to the mean.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "criteria/squared.hpp"
#include "target.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

class NumberSums {
  public:
    using Sweep = SquaredSweep<true>;
    using Lighter = void;
    struct Sum {
        int64_t weight = 0, moment = 0;
    };
    struct Bin {
        int64_t weight = 0, moment = 0, size = 0;  // size: the sum of the moments without their signs
        bool operator==(const Bin&) const = default;
    };
    static constexpr int kMostBits = 10;
    static constexpr double kRounding = 0.0;

    explicit NumberSums(const Target&) {}

    void enter(Sweep& sweep, const int64_t* stat, const Target& target, std::span<const uint32_t> rows) {
        sweep_ = &sweep;
        weight_ = stat[0];
        centre_ = stat[1] / stat[0];
        rest_ = static_cast<double>(stat[1] - centre_ * weight_) / static_cast<double>(weight_);
        if (of_row_.size() < rows.size()) of_row_.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            const int64_t weight = target.weight_of(rows[i]);
            of_row_[i] = {weight, target.moment[rows[i]] - centre_ * weight};
        }
    }

    void make_room(size_t bins) {
        if (bins_.size() < bins) bins_.resize(bins);
    }
    void add_to(size_t bin, size_t i) {
        Bin& b = bins_[bin];
        const Sum row = of_row_[i];
        b.weight += row.weight;
        b.moment += row.moment;
        b.size += std::abs(row.moment);
    }
    Bin take(size_t bin) { return std::exchange(bins_[bin], Bin{}); }
    Sum zero() const { return {}; }
    bool is_pure(const Bin& bin) const { return bin.weight == 0; }
    void move_bin(Sum& sum, const Bin& bin) const {
        sum.weight += bin.weight;
        sum.moment += bin.moment;
    }
    void move_row(Sum& sum, size_t i) const {
        sum.weight += of_row_[i].weight;
        sum.moment += of_row_[i].moment;
    }
    int64_t weight(const Sum& sum) const { return sum.weight; }
    int64_t node_weight() const { return weight_; }

    bool reaches(const Sum& sum, double gain) const {
        const auto left = static_cast<double>(sum.weight), all = static_cast<double>(weight_);
        const double d = static_cast<double>(sum.moment) - rest_ * left;
        return d * d * all >= gain * (left * (all - left));
    }
    // The moment is largest where all rows above the mean come first.
    bool may_reach(const Sum& before, const Bin& b, const Sum&, double gain) const {
        const auto all = static_cast<double>(weight_);
        const auto first = static_cast<double>(std::max<int64_t>(before.weight, 1));
        const auto last = static_cast<double>(std::min(before.weight + b.weight, weight_ - 1));
        const auto high = static_cast<double>(before.moment + (b.size + b.moment) / 2);
        const auto low = static_cast<double>(before.moment - (b.size - b.moment) / 2);
        const double most = std::max(std::fabs(high), std::fabs(low)) + std::fabs(rest_) * last + 1.0;
        return most * most * all >= gain * std::min(first * (all - first), last * (all - last));
    }
    void put(const Sum& sum, int64_t* stat) const {
        stat[0] = sum.weight;
        stat[1] = sum.moment + centre_ * sum.weight;
    }
    double gain(const Sum& sum) const {
        return sweep_->gain({sum.weight, sum.moment + centre_ * sum.weight});
    }

  private:
    Sweep* sweep_ = nullptr;
    int64_t weight_ = 0, centre_ = 0;
    double rest_ = 0.0;
    GrowthArray<Sum> of_row_;
    std::vector<Bin> bins_;
};

}  // namespace bough::lean

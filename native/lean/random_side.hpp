// One random cut of a column in one node: the extremes of its values, a threshold, and what the rows up to
// it, and those without a value, sum to. What the rows count is put together once for all columns of a node.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "candidates/random_cut.hpp"
#include "random.hpp"
#include "target.hpp"

namespace bough::lean {

template <class Value>
class RandomSide {
  public:
    void enter(const Target& target, std::span<const uint32_t> rows) {
        n_ = rows.size();
        if (first_.size() < n_) {
            first_.resize(n_);
            second_.resize(n_);
        }
        weighted_ = !target.weight.empty();
        width_ = static_cast<size_t>(target.width());
        kind_ = target.regression() ? Kind::numbers
                : width_ <= 2       ? Kind::two
                : weighted_         ? Kind::classes
                : width_ <= 8       ? Kind::lanes
                                    : Kind::classes;
        for (size_t i = 0; i < n_; ++i) {
            const uint32_t row = rows[i];
            const int64_t weight = target.weight_of(row);
            switch (kind_) {
                case Kind::two:
                    first_[i] = weight | weight * target.label[row] << 32;
                    break;
                case Kind::lanes:
                    first_[i] = static_cast<int64_t>(uint64_t{1} << (8 * target.label[row]));
                    break;
                case Kind::classes:
                    first_[i] = target.label[row];
                    second_[i] = weight;
                    break;
                case Kind::numbers:
                    first_[i] = weight;
                    second_[i] = target.moment[row];
                    break;
            }
        }
    }

    // The cells of the next column; NaN: missing.
    void enter_column(const Value* values) { values_ = values; }

    // Draws a threshold between the extremes; false if all known values are the same.
    bool draw(uint64_t salt) {
        constexpr Value kFar = std::numeric_limits<Value>::infinity();
        Value low[4] = {kFar, kFar, kFar, kFar};  // in turn, so that none waits for the one before
        Value high[4] = {-kFar, -kFar, -kFar, -kFar};
        const auto see = [&](size_t lane, Value v) {
            low[lane] = v < low[lane] ? v : low[lane];
            high[lane] = v > high[lane] ? v : high[lane];
        };
        size_t i = 0;
        for (; i + 4 <= n_; i += 4)
            for (size_t lane = 0; lane < 4; ++lane) see(lane, values_[i + lane]);
        for (; i < n_; ++i) see(0, values_[i]);
        for (size_t lane = 1; lane < 4; ++lane) {
            low[0] = std::min(low[0], low[lane]);
            high[0] = std::max(high[0], high[lane]);
        }
        if (!(low[0] < high[0])) return false;
        NodeRandom random(0, salt);
        threshold_ = between(random, static_cast<double>(low[0]), static_cast<double>(high[0]));
        return true;
    }
    double threshold() const { return threshold_; }

    // Puts the sums of the rows up to the threshold into `stat` and returns their number.
    int64_t count(double threshold, int64_t* stat) const {
        return count_if([&](size_t i) { return static_cast<double>(values_[i]) <= threshold; }, stat);
    }
    // The same of the missing ones.
    int64_t count_missing(int64_t* stat) const {
        int64_t missing = 0;
        for (size_t i = 0; i < n_; ++i) missing += values_[i] != values_[i];
        return missing ? count_if([&](size_t i) { return values_[i] != values_[i]; }, stat) : 0;
    }

  private:
    // What `first` and `second` hold: weight and, above it, the weight of the second of two classes; a byte
    // for each class; the class and the weight; the weight and the moment.
    enum class Kind { two, lanes, classes, numbers };

    template <class Is>
    int64_t count_if(const Is& is, int64_t* stat) const {
        const auto mask = [&](size_t i) { return -static_cast<int64_t>(is(i)); };  // all bits, or none
        std::fill_n(stat, width_, int64_t{0});
        switch (kind_) {
            case Kind::two:
                return count_two(mask, stat);
            case Kind::lanes:
                return count_lanes(mask, stat);
            case Kind::classes:
                return count_classes(mask, stat);
            default:
                return count_numbers(mask, stat);
        }
    }

    template <class Mask>
    int64_t count_two(const Mask& mask, int64_t* stat) const {
        int64_t sum = 0, left = 0;
        for (size_t i = 0; i < n_; ++i) sum += mask(i) & first_[i];
        if (weighted_)
            for (size_t i = 0; i < n_; ++i) left -= mask(i);
        const int64_t weight = sum & 0xffffffff, second = sum >> 32;
        stat[0] = weight - second;
        if (width_ > 1) stat[1] = second;
        return weighted_ ? left : weight;
    }
    template <class Mask>
    int64_t count_lanes(const Mask& mask, int64_t* stat) const {
        constexpr size_t kMost = 255;  // what a byte holds
        for (size_t begin = 0; begin < n_; begin += kMost) {
            const size_t end = std::min(n_, begin + kMost);
            uint64_t sum = 0;
            for (size_t i = begin; i < end; ++i) sum += static_cast<uint64_t>(mask(i) & first_[i]);
            for (size_t k = 0; k < width_; ++k) stat[k] += static_cast<int64_t>(sum >> (8 * k) & 255);
        }
        int64_t left = 0;
        for (size_t k = 0; k < width_; ++k) left += stat[k];
        return left;
    }
    template <class Mask>
    int64_t count_classes(const Mask& mask, int64_t* stat) const {
        int64_t left = 0;
        for (size_t i = 0; i < n_; ++i) {
            left -= mask(i);
            stat[first_[i]] += mask(i) & second_[i];
        }
        return left;
    }
    template <class Mask>
    int64_t count_numbers(const Mask& mask, int64_t* stat) const {
        int64_t left = 0, weight = 0, moment = 0;
        for (size_t i = 0; i < n_; ++i) {
            left -= mask(i);
            moment += mask(i) & second_[i];
        }
        if (weighted_)
            for (size_t i = 0; i < n_; ++i) weight += mask(i) & first_[i];
        stat[0] = weighted_ ? weight : left;
        stat[1] = moment;
        return left;
    }

    Kind kind_ = Kind::two;
    bool weighted_ = false;
    size_t n_ = 0, width_ = 0;
    double threshold_ = 0.0;
    const Value* values_ = nullptr;
    std::vector<int64_t> first_, second_;
};

}  // namespace bough::lean

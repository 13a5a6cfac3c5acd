// Does the target depend on a column at all? The permutation test of one column in one node, as conditional
// inference trees use it: its quadratic form from additive numbers, and the logarithm of its p-value.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "binning.hpp"
#include "candidates/groups.hpp"
#include "statistics.hpp"
#include "target.hpp"

namespace bough {

struct Association {
    double statistic = 0.0;
    double df = 0.0;  // 0: nothing to test, since the column or the target does not vary
    double log_p = 0.0;

    bool tested() const { return df > 0.0; }
};

inline Association association(double statistic, double df) {
    return {statistic, df, chi_square_log_survival(statistic, df)};
}

// A sum that hardly depends on the order of its terms: what rounding takes away is kept apart.
struct Sum {
    double high = 0.0, low = 0.0;

    void add(double x) {
        const double s = high + x, t = s - high;
        low += (high - (s - t)) + (x - t);
        high = s;
    }
    double value() const { return high + low; }
};

// Moves and scales the values to [-1, 1], which changes no test and keeps squares in range. Returns whether
// they vary.
inline bool centre(std::span<double> values) {
    if (values.empty()) return false;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (*low == *high) return false;
    const double top = std::max(std::fabs(*low), std::fabs(*high));
    const double safe = top > 0x1p1000 ? 0x1p-2 : top < 0x1p-400 ? 0x1p600 : 1.0;
    const double middle = *low * safe / 2 + *high * safe / 2;
    const double reach = std::max(*high * safe - middle, middle - *low * safe);
    const double scale = std::ldexp(1.0, -std::ilogb(reach) - 1);
    for (double& v : values) v = (v * safe - middle) * scale;
    return true;
}

// Pearson's chi-square of a table of class weights: stats[g * n_classes + k] in units of `weight_unit`. The
// differences from what independence would give are exact. Groups and classes without weight do not count.
inline Association pearson(const int64_t* stats, size_t n_groups, int32_t n_classes, double weight_unit) {
    __extension__ using int128 = __int128;
    const auto width = static_cast<size_t>(n_classes);
    std::vector<int64_t> of_class(width, 0), of_group(n_groups, 0);
    int64_t total = 0;
    for (size_t g = 0; g < n_groups; ++g)
        for (size_t k = 0; k < width; ++k) {
            of_group[g] += stats[g * width + k];
            of_class[k] += stats[g * width + k];
            total += stats[g * width + k];
        }
    const auto present = [](const std::vector<int64_t>& sums) {
        return static_cast<double>(std::count_if(sums.begin(), sums.end(), [](int64_t s) { return s > 0; }));
    };
    const double df = (present(of_group) - 1) * (present(of_class) - 1);
    if (total == 0 || df == 0.0) return {};
    const auto all = static_cast<double>(total);
    double chi_square = 0.0;
    for (size_t g = 0; g < n_groups; ++g)
        for (size_t k = 0; k < width; ++k) {
            if (of_group[g] == 0 || of_class[k] == 0) continue;
            const auto off =
                static_cast<double>(static_cast<int128>(stats[g * width + k]) * total -
                                    static_cast<int128>(of_group[g]) * static_cast<int128>(of_class[k]));
            chi_square +=
                off / (static_cast<double>(of_group[g]) * static_cast<double>(of_class[k])) * (off / all);
        }
    return association(chi_square * weight_unit, df);
}

// Categories against classes: (n - 1) / n times Pearson's.
inline Association categories_and_classes(const int64_t* stats, size_t n_groups, int32_t n_classes,
                                          double weight_unit) {
    const Association found = pearson(stats, n_groups, n_classes, weight_unit);
    int64_t total = 0;
    for (size_t i = 0; i < n_groups * static_cast<size_t>(n_classes); ++i) total += stats[i];
    const double n = static_cast<double>(total) * weight_unit;
    return found.tested() && n > 1.0 ? association(found.statistic * ((n - 1) / n), found.df) : Association{};
}

// Categories against numbers, from the weight and the moment of each category. `y_spread`: the sum of squares
// of the target around its mean over the known rows, in squares of a moment's step per step of weight, which
// is the loss of SquaredSweep.
inline Association categories_and_numbers(const int64_t* stats, size_t n_groups, double weight_unit,
                                          double y_spread) {
    __extension__ using int128 = __int128;
    int64_t weight = 0, moment = 0;
    for (size_t g = 0; g < n_groups; ++g) {
        weight += stats[2 * g];
        moment += stats[2 * g + 1];
    }
    double between = 0.0, groups = 0.0;
    for (size_t g = 0; g < n_groups; ++g) {
        if (stats[2 * g] == 0) continue;
        const int128 off =
            static_cast<int128>(stats[2 * g + 1]) * weight - static_cast<int128>(moment) * stats[2 * g];
        const double d = static_cast<double>(off) / static_cast<double>(weight);
        between += d * (d / static_cast<double>(stats[2 * g]));
        groups += 1.0;
    }
    const double n = static_cast<double>(weight) * weight_unit;
    if (groups < 2.0 || !(n > 1.0) || !(y_spread > 0.0)) return {};
    return association((n - 1) * std::min(1.0, between / y_spread), groups - 1);
}

// The sum of squares of these rows' targets around their mean, in squares of a moment's step.
inline double spread_of(const Target& target, const std::vector<uint32_t>& rows) {
    Sum weight, moment, squares;
    for (const uint32_t row : rows) {
        weight.add(static_cast<double>(target.weight_of(row)));
        moment.add(static_cast<double>(target.moment[row]));
    }
    const double mean = moment.value() / weight.value();
    for (const uint32_t row : rows) {
        const auto w = static_cast<double>(target.weight_of(row));
        const double off = static_cast<double>(target.moment[row]) / w - mean;
        squares.add(w * off * off);
    }
    return squares.value();
}

// The rows below come as plain arrays, `x` and `y` centred; an empty `w` means weights of 1.

inline double weight_at(std::span<const double> w, size_t i) { return w.empty() ? 1.0 : w[i]; }

struct Moments {
    double weight = 0.0, mean = 0.0;
};

inline Moments moments(std::span<const double> values, std::span<const double> w) {
    Sum weight, sum;
    for (size_t i = 0; i < values.size(); ++i) {
        weight.add(weight_at(w, i));
        sum.add(weight_at(w, i) * values[i]);
    }
    return {weight.value(), sum.value() / weight.value()};
}

// Numbers against classes: (n - 1) times the share of the sum of squares of x that lies between the classes.
inline Association numbers_and_classes(std::span<const double> x, std::span<const uint16_t> label,
                                       int32_t n_classes, std::span<const double> w) {
    const auto [n, mean] = moments(x, w);
    std::vector<Sum> of_class(static_cast<size_t>(n_classes));
    std::vector<double> weight(of_class.size(), 0.0);
    Sum spread;
    for (size_t i = 0; i < x.size(); ++i) {
        const double d = x[i] - mean;
        of_class[label[i]].add(weight_at(w, i) * d);
        weight[label[i]] += weight_at(w, i);
        spread.add(weight_at(w, i) * d * d);
    }
    double between = 0.0, classes = 0.0;
    for (size_t k = 0; k < weight.size(); ++k) {
        if (weight[k] <= 0.0) continue;
        between += of_class[k].value() * (of_class[k].value() / weight[k]);
        classes += 1.0;
    }
    if (classes < 2.0 || !(n > 1.0) || !(spread.value() > 0.0)) return {};
    return association((n - 1) * std::min(1.0, between / spread.value()), classes - 1);
}

// Numbers against numbers: (n - 1) r^2.
inline Association numbers_and_numbers(std::span<const double> x, std::span<const double> y,
                                       std::span<const double> w) {
    const auto [n, x_mean] = moments(x, w);
    const double y_mean = moments(y, w).mean;
    Sum xx, xy, yy;
    for (size_t i = 0; i < x.size(); ++i) {
        const double dx = x[i] - x_mean, dy = y[i] - y_mean, weight = weight_at(w, i);
        xx.add(weight * dx * dx);
        xy.add(weight * dx * dy);
        yy.add(weight * dy * dy);
    }
    if (!(n > 1.0) || !(xx.value() > 0.0) || !(yy.value() > 0.0)) return {};
    const double r2 = (xy.value() / xx.value()) * (xy.value() / yy.value());
    return association((n - 1) * std::min(1.0, r2), 1.0);
}

// The test of a column among given rows of a target; rows that are missing in the column are left out.
class IndependenceTest {
  public:
    explicit IndependenceTest(const Target& target) : target_(&target) {}

    void bind(const Target& target) { target_ = &target; }

    // Of ordered values; value(row) is NaN where it is missing.
    template <class Value>
    Association numbers(const Value& value, std::span<const uint32_t> rows) {
        x_.clear();
        y_.clear();
        w_.clear();
        label_.clear();
        for (const uint32_t row : rows) {
            const double x = value(row);
            if (std::isnan(x)) continue;
            x_.push_back(x);
            if (target_->regression()) {
                y_.push_back(target_->value[row]);
            } else {
                label_.push_back(target_->label[row]);
            }
            if (!target_->weight.empty())
                w_.push_back(static_cast<double>(target_->weight[row]) * target_->weight_unit);
        }
        if (!centre(x_)) return {};
        if (!target_->regression()) return numbers_and_classes(x_, label_, target_->n_classes, w_);
        return centre(y_) ? numbers_and_numbers(x_, y_, w_) : Association{};
    }

    // Of categories, whose known rows are put together in `groups`.
    template <class Value>
    Association categories(const Groups& groups, const Value& value, std::span<const uint32_t> rows) const {
        if (groups.size() < 2) return {};
        if (!target_->regression())
            return categories_and_classes(groups.stat(0), groups.size(), target_->n_classes,
                                          target_->weight_unit);
        return categories_and_numbers(groups.stat(0), groups.size(), target_->weight_unit,
                                      spread(groups, value, rows));
    }

  private:
    // Of the target of the known rows, see categories_and_numbers; what rounding of weights makes of equal
    // values is none.
    template <class Value>
    double spread(const Groups& groups, const Value& value, std::span<const uint32_t> rows) const {
        int64_t weight = 0, moment = 0;
        for (size_t g = 0; g < groups.size(); ++g) {
            weight += groups.stat(g)[0];
            moment += groups.stat(g)[1];
        }
        const double mean = static_cast<double>(moment) / static_cast<double>(weight);
        Sum squares;
        bool varies = false;
        double first = std::numeric_limits<double>::quiet_NaN();
        for (const uint32_t row : rows) {
            if (std::isnan(value(row))) continue;
            if (std::isnan(first)) first = target_->value[row];
            varies |= target_->value[row] != first;
            const double w = static_cast<double>(target_->weight_of(row));
            const double off = static_cast<double>(target_->moment[row]) / w - mean;
            squares.add(w * off * off);
        }
        return varies ? squares.value() : 0.0;
    }

    const Target* target_;
    std::vector<double> x_, y_, w_;
    std::vector<uint16_t> label_;
};

}  // namespace bough

// Monotone columns: no answer below a split may contradict the order that its column must have.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "target.hpp"

namespace bough {

// An answer as numbers that must rise or fall together: the mean, or for each class but the last the share of
// the classes after it. Moments are counted from `centre` in steps of `step`.
struct AnswerScale {
    int32_t n_classes = 0;
    double centre = 0.0, step = 1.0;

    size_t size() const { return n_classes == 0 ? 1 : static_cast<size_t>(n_classes - 1); }
    void answers(const int64_t* stat, double* out) const {
        if (n_classes == 0) {
            out[0] = centre + step * (static_cast<double>(stat[1]) / static_cast<double>(stat[0]));
            return;
        }
        int64_t total = 0, after = 0;
        for (int32_t k = 0; k < n_classes; ++k) total += stat[k];
        for (int32_t k = n_classes - 1; k > 0; --k) {
            after += stat[k];
            out[k - 1] = static_cast<double>(after) / static_cast<double>(total);
        }
    }
};

// What the answers below a node must lie between.
struct Bounds {
    std::vector<double> low, high;
};

// The check of the candidates of one column in one node.
struct MonotoneCheck {
    int direction = 0;  // 1: the answers rise with the column, -1: they fall, 0: no matter
    const Bounds* bounds = nullptr;
    AnswerScale scale;
    const int64_t* node = nullptr;  // stat of the rows that are divided

    bool within(const int64_t* stat) const {
        std::vector<double> a(scale.size());
        scale.answers(stat, a.data());
        for (size_t k = 0; k < a.size(); ++k)
            if (bounds && (a[k] < bounds->low[k] || a[k] > bounds->high[k])) return false;
        return true;
    }
    bool allows(const int64_t* left, int32_t width) const {
        std::vector<int64_t> right(node, node + width);
        for (int32_t k = 0; k < width; ++k) right[static_cast<size_t>(k)] -= left[k];
        if (!within(left) || !within(right.data())) return false;
        std::vector<double> a(scale.size()), b(scale.size());
        scale.answers(left, a.data());
        scale.answers(right.data(), b.data());
        for (size_t k = 0; k < a.size(); ++k)
            if (direction * (b[k] - a[k]) < 0) return false;
        return true;
    }
};

// The bound between the answers of the lower and of the upper side of a split: their middle. A share of 0 or
// 1 stays what it is further down, so it leaves the other side all the room. (Two classes have the middle in
// any case, as in scikit-learn.)
inline double bound_between(double lower, double upper, bool shares) {
    if (shares && upper == 1.0) return 1.0;
    if (shares && lower == 0.0) return 0.0;
    return lower / 2 + upper / 2;
}

// The bounds of the two children of a split.
inline std::pair<Bounds, Bounds> divided(const Bounds* node, const AnswerScale& scale, int direction,
                                         const std::vector<double>& left, const std::vector<double>& right) {
    Bounds own;
    own.low.assign(scale.size(), -std::numeric_limits<double>::infinity());
    own.high.assign(scale.size(), std::numeric_limits<double>::infinity());
    if (node) own = *node;
    std::pair<Bounds, Bounds> both{own, own};
    for (size_t k = 0; k < scale.size() && direction != 0; ++k) {
        const double least = direction > 0 ? left[k] : right[k], most = direction > 0 ? right[k] : left[k];
        const double between = bound_between(least, most, scale.n_classes > 2);
        Bounds& lower = direction > 0 ? both.first : both.second;
        Bounds& upper = direction > 0 ? both.second : both.first;
        lower.high[k] = std::min(lower.high[k], between);
        upper.low[k] = std::max(upper.low[k], between);
    }
    return both;
}

}  // namespace bough

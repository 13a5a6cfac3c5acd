// The best split of a node by one column: cuts of ordered values, groups of categories.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "boost/settings.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

inline constexpr double kManyCategories = 30.0;  // from 2 and so many on, smoothing is at its full strength
inline constexpr double kTie = 1e-12;            // relative: what is better by less is not better

struct Split {
    double score = 0.0;  // of both sides; less that of the node it is the gain
    double gain = 0.0;
    int32_t column = -1;               // -1: none was possible
    uint32_t cut = 0;                  // ordered values: codes 1 ... cut go left
    std::vector<uint32_t> left_codes;  // categories: these go left
    bool missing_left = false;
    Total left;
};

// What a side of a split is worth, in the whole units of the tree: `l1`, `l2` and the bounds are in them,
// too.
struct Worth {
    double l1 = 0.0, l2 = 0.0, min_hessian = 0.0;
    int64_t min_rows = 1;
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    int direction = 0;

    bool plain() const { return l1 == 0.0 && direction == 0 && std::isinf(low) && std::isinf(high); }
    bool enough(const Total& t) const {
        const auto h = static_cast<double>(t.hessian);
        return t.rows >= min_rows && h >= min_hessian && h + l2 > 0.0;
    }
    double value(const Total& t) const {
        const auto g = static_cast<double>(t.gradient);
        const double pull = std::max(std::abs(g) - l1, 0.0);
        const double best = -std::copysign(pull, g) / (static_cast<double>(t.hessian) + l2);
        return std::clamp(best, low, high);
    }
    double score(const Total& t) const {
        const auto g = static_cast<double>(t.gradient);
        const double h = static_cast<double>(t.hessian) + l2;
        if (plain()) return g * g / h;
        const double v = value(t);
        return -(2.0 * (g * v + l1 * std::abs(v)) + h * v * v);
    }
};

// Takes candidates of one column in their order; the first of equal ones stays.
class Scan {
  public:
    Scan(const Worth& worth, const Total& whole) : worth_(worth), whole_(whole), plain_(worth.plain()) {}

    // True if it is the best so far.
    bool offer(const Total& left) {
        const Total right = whole_ - left;
        if (!worth_.enough(left) || !worth_.enough(right)) return false;
        double score = 0.0;
        if (plain_) {
            const auto a = static_cast<double>(left.gradient), b = static_cast<double>(right.gradient);
            score = a * a / (static_cast<double>(left.hessian) + worth_.l2) +
                    b * b / (static_cast<double>(right.hessian) + worth_.l2);
        } else {
            if (worth_.direction * (worth_.value(right) - worth_.value(left)) < 0.0) return false;
            score = worth_.score(left) + worth_.score(right);
        }
        if (!(score > limit_)) return false;
        limit_ = score + kTie * std::abs(score);
        best.score = score;
        best.left = left;
        best.column = 0;
        return true;
    }
    Split best;

  private:
    const Worth& worth_;
    const Total& whole_;
    const bool plain_;
    double limit_ = -std::numeric_limits<double>::infinity();
};

// Cuts "codes up to c | the rest": missing rows left, then right; last, all known | missing.
template <class Sum>
Split best_cut(const Sum* bins, size_t n_codes, int count_bits, const Worth& worth, const Total& whole) {
    Scan scan(worth, whole);
    const Total missing = bins[0].total(count_bits);
    const bool holes = missing.rows > 0;
    Total left;
    for (size_t code = 1; code < n_codes; ++code) {
        if (bins[code].empty()) continue;  // the same cut as before
        left = left + bins[code].total(count_bits);
        if (left.rows + missing.rows == whole.rows) break;
        if (holes && scan.offer(left + missing)) {
            scan.best.cut = static_cast<uint32_t>(code);
            scan.best.missing_left = true;
        }
        if (scan.offer(left)) {
            scan.best.cut = static_cast<uint32_t>(code);
            scan.best.missing_left = false;
        }
    }
    if (holes && scan.offer(whole - missing)) {
        scan.best.cut = static_cast<uint32_t>(n_codes - 1);
        scan.best.missing_left = false;
    }
    return std::move(scan.best);
}

// A category, or all rare ones together, as the search counts it.
struct Item {
    uint32_t code;  // 0: the rare ones
    Total total, mixed;
    double key = 0.0;
};

// Each category's average is mixed with the node's: of a category with few rows most is noise, and the best
// of many groups would be that of the most noise. Two categories have only one grouping: nothing is chosen
// there.
inline void mix(std::vector<Item>& items, const Total& whole, double smoothing) {
    const double many = std::clamp((static_cast<double>(items.size()) - 2.0) / kManyCategories, 0.0, 1.0);
    const double share = smoothing * many / static_cast<double>(whole.rows);
    for (Item& item : items) {
        const auto own = static_cast<double>(item.total.hessian);
        const double h = own + share * static_cast<double>(whole.hessian);
        const double g =
            static_cast<double>(item.total.gradient) + share * static_cast<double>(whole.gradient);
        item.key = h > 0.0 ? g / h : 0.0;
        item.mixed = item.total;
        if (share > 0.0) item.mixed.gradient = nearest(item.key * own);
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
        return a.key < b.key || (a.key == b.key && a.code < b.code);
    });
}

// Categories with few rows count as one; ordered by their mixed averages they are cut as ordered values are.
template <class Sum>
Split best_group(const Sum* bins, size_t n_codes, int count_bits, const Worth& worth, const Total& whole,
                 const BoostSettings& settings) {
    std::vector<Item> items;
    std::vector<uint32_t> rare;
    Total together;
    for (uint32_t code = 1; code < n_codes; ++code) {
        if (bins[code].empty()) continue;
        const Total t = bins[code].total(count_bits);
        if (t.rows >= settings.min_category_rows) {
            items.push_back({code, t, t});
        } else {
            rare.push_back(code);
            together = together + t;
        }
    }
    if (!rare.empty()) items.push_back({0, together, together});
    mix(items, whole, settings.category_smoothing);
    const Total missing = bins[0].total(count_bits);
    const bool holes = missing.rows > 0;
    Total all = missing;
    for (const Item& item : items) all = all + item.mixed;
    Scan scan(worth, all);
    size_t taken = 0;
    Total left;
    for (size_t i = 0; i + 1 < items.size(); ++i) {
        left = left + items[i].mixed;
        if (holes && scan.offer(left + missing)) {
            taken = i + 1;
            scan.best.missing_left = true;
        }
        if (scan.offer(left)) {
            taken = i + 1;
            scan.best.missing_left = false;
        }
    }
    if (holes && scan.offer(all - missing)) {
        taken = items.size();
        scan.best.missing_left = false;
    }
    Split& best = scan.best;
    if (best.column < 0) return std::move(best);
    best.score += worth.score(whole) - worth.score(all);
    best.left = best.missing_left ? missing : Total{};
    for (size_t i = 0; i < taken; ++i) {
        best.left = best.left + items[i].total;
        if (items[i].code) {
            best.left_codes.push_back(items[i].code);
        } else {
            best.left_codes.insert(best.left_codes.end(), rare.begin(), rare.end());
        }
    }
    return std::move(best);
}

}  // namespace bough::boost

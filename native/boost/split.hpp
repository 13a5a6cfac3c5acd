// The best split of a node by one column: cuts of ordered values, groups of categories.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "boost/settings.hpp"
#include "boost/sums.hpp"
#include "simd.hpp"

namespace bough::boost {

inline constexpr double kManyCategories = 30.0;  // from 2 and so many on, smoothing is at its full strength
inline constexpr double kTie = 1e-12;            // relative: what is better by less is not better

struct Split {
    double score = 0.0;  // of both sides; less that of the node it is the gain
    double gain = 0.0;
    int32_t column = -1;               // -1: none was possible
    size_t taken = 0;                  // candidates up to it go left
    uint32_t cut = 0;                  // ordered values: codes 1 ... cut do
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

// The candidates of one column in their order: sums of the left side, of which rows and hessian never fall.
// All are scored together, so that the divisions run side by side; the memory is a thread's own and stays.
template <class Sum>
class Scan {
  public:
    // `large`: sums may not fit `as_numbers`.
    Scan(const Worth& worth, const Total& whole, int count_bits, size_t most, bool large = false)
        : worth_(worth), whole_(whole), count_bits_(count_bits), large_(large) {
        static thread_local Memory memory;
        if (memory.sums.size() < most + 1) {  // one more: they are read in pairs
            memory.sums.resize(most + 1);
            memory.with_left.resize(most + 1);
            memory.with_right.resize(most + 1);
        }
        sums_ = memory.sums.data();
        with_left_ = memory.with_left.data();
        with_right_ = memory.with_right.data();
    }
    void set(size_t i, const Sum& left) { sums_[i] = left; }
    // The best of the first n candidates: missing rows left, then right; last, all known | missing. Of equal
    // ones the first.
    Split best(size_t n, const Total& missing) {
        Split split;
        const bool holes = missing.rows > 0;
        const double right = score(n, Total{}, with_right_);
        const double left = holes ? score(n, missing, with_left_) : kNone;
        const double last = score_missing(missing);
        const double most = std::max({right, left, last});
        if (most == kNone) return split;
        split.column = 0;
        const double limit = most - kTie * std::abs(most);
        for (size_t i = 0; i < n; ++i) {
            const bool with_missing = holes && with_left_[i] >= limit;
            if (!with_missing && !(with_right_[i] >= limit)) continue;
            split.score = with_missing ? with_left_[i] : with_right_[i];
            split.left = with_missing ? at(i) + missing : at(i);
            split.missing_left = with_missing;
            split.taken = i + 1;
            return split;
        }
        split.score = last;
        split.left = whole_ - missing;
        split.taken = n + 1;
        return split;
    }

    // What each of the first n candidates gains with so much more on its left side; 0: it does not divide the
    // node, or there is none. `undivided` is the node's score.
    const double* gains(size_t n, const Total& more, double undivided) {
        score(n, more, with_left_);
        for (size_t i = 0; i < n; ++i) with_left_[i] = gain(with_left_[i], undivided);
        return with_left_;
    }
    // The same of all known | missing.
    double gain_of_missing(const Total& missing, double undivided) const {
        return gain(score_missing(missing), undivided);
    }

  private:
    static constexpr double kNone = -std::numeric_limits<double>::infinity();
    struct Memory {
        std::vector<Sum> sums;
        std::vector<double> with_left, with_right;
    };

    Total at(size_t i) const { return sums_[i].total(count_bits_); }
    static double gain(double score, double undivided) {
        const double more = score - undivided;
        return more > kTie * std::abs(score) ? more : 0.0;
    }
    double score_missing(const Total& missing) const {
        const Total known = whole_ - missing;
        if (missing.rows == 0 || !worth_.enough(known) || !worth_.enough(missing)) return kNone;
        if (worth_.direction * (worth_.value(missing) - worth_.value(known)) < 0.0) return kNone;
        return worth_.score(known) + worth_.score(missing);
    }
    // Scores them with so much more on the left side; the largest, or minus infinity if none is possible.
    double score(size_t n, const Total& more, double* scores) const {
        size_t first = 0, last = n;
        while (first < n && !worth_.enough(at(first) + more)) scores[first++] = kNone;
        while (last > first && !worth_.enough(whole_ - at(last - 1) - more)) scores[--last] = kNone;
        double best = kNone;
        if (worth_.plain() && !large_) {
            in_most_lanes([&](auto lanes) { best = score_plain<lanes>(more, first, last, scores); });
            return best;
        }
        for (size_t i = first; i < last; ++i) {
            const Total left = at(i) + more, right = whole_ - left;
            const bool rises = worth_.direction * (worth_.value(right) - worth_.value(left)) >= 0.0;
            scores[i] = rises ? worth_.score(left) + worth_.score(right) : kNone;
            best = std::max(best, scores[i]);
        }
        return best;
    }
    // N that follow each other; both sides over one denominator, because a division takes longer than all the
    // rest.
    template <size_t N>
    void score_lanes(const Sum* sums, const Total& more, typename Lanes<N>::Reals& score) const {
        using Reals = typename Lanes<N>::Reals;
        const auto more_g = static_cast<double>(more.gradient), more_h = static_cast<double>(more.hessian);
        const auto g = static_cast<double>(whole_.gradient), h = static_cast<double>(whole_.hessian);
        Reals left_g, left_h;
        Sum::template numbers<N>(sums, count_bits_, left_g, left_h);
        left_g += more_g;
        const Reals right_g = g - left_g;
        const Reals right_h = h - (left_h + more_h) + worth_.l2;
        left_h = left_h + more_h + worth_.l2;
        score = (left_g * left_g * right_h + right_g * right_g * left_h) / (left_h * right_h);
    }
    // N at a time, then two, then the last one.
    template <size_t N>
    double score_plain(const Total& more, size_t first, size_t last, double* scores) const {
        using Reals = typename Lanes<N>::Reals;
        Reals score, most = Reals{} + kNone;
        size_t i = first;
        for (; i + N <= last; i += N) {
            score_lanes<N>(sums_ + i, more, score);
            std::memcpy(scores + i, &score, sizeof score);
            most = score > most ? score : most;
        }
        double best = kNone;
        for (size_t k = 0; k < N; ++k) best = std::max(best, most[k]);
        if constexpr (N > 2) {
            best = std::max(best, score_plain<2>(more, i, last, scores));
        } else if (i < last) {
            const Sum twice[2] = {sums_[i], sums_[i]};
            score_lanes<2>(twice, more, score);
            scores[i] = score[0];
            best = std::max(best, scores[i]);
        }
        return best;
    }

    const Worth& worth_;
    const Total whole_;
    const int count_bits_;
    const bool large_;
    Sum* sums_;
    double *with_left_, *with_right_;
};

// Cuts "codes up to c | the rest".
template <class Sum>
Split best_cut(const Sum* bins, size_t n_codes, int count_bits, const Worth& worth, const Total& whole) {
    Scan<Sum> scan(worth, whole, count_bits, n_codes);
    std::array<uint8_t, 257> code_of;
    size_t n = 0;
    Sum sum{};
    for (size_t code = 1; code < n_codes; ++code) {
        sum += bins[code];
        scan.set(n, sum);
        code_of[n] = static_cast<uint8_t>(code);
        n += !bins[code].empty();  // an empty bin makes no cut: the next one takes its place
    }
    if (n == 0) return {};
    Split split = scan.best(n - 1, bins[0].total(count_bits));  // the last one takes all known rows
    if (split.column >= 0)
        split.cut = split.taken >= n ? static_cast<uint32_t>(n_codes - 1) : code_of[split.taken - 1];
    return split;
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
        if (share > 0.0) item.mixed.gradient = static_cast<int64_t>(std::nearbyint(item.key * own));
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
    Total all = missing;
    int64_t most = std::abs(missing.gradient);  // what is mixed in may double the sum
    for (const Item& item : items) {
        all = all + item.mixed;
        most += std::abs(item.mixed.gradient);
    }
    if (items.empty()) return {};
    Scan<Sum> scan(worth, all, count_bits, items.size(), most >= int64_t{1} << 51);
    Total left;
    for (size_t i = 0; i + 1 < items.size(); ++i) {
        left = left + items[i].mixed;
        scan.set(i, Sum::of(left, count_bits));
    }
    Split best = scan.best(items.size() - 1, missing);
    if (best.column < 0) return best;
    best.score += worth.score(whole) - worth.score(all);
    best.left = best.missing_left ? missing : Total{};
    for (size_t i = 0; i < best.taken; ++i) {
        best.left = best.left + items[i].total;
        if (items[i].code) {
            best.left_codes.push_back(items[i].code);
        } else {
            best.left_codes.insert(best.left_codes.end(), rare.begin(), rare.end());
        }
    }
    return best;
}

}  // namespace bough::boost

// The cuts of one column in a node of a thicket (thicket.hpp): rows, classes and codes are small numbers that
// stand together in four bytes, and what a row counts is found in a table of the thicket's own rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "candidates/ordered.hpp"
#include "target.hpp"

namespace bough {

// One value of a column in one row of a thicket. Sorting items sorts by code, equal codes in any order.
//     | code 11 | class 8 | row 12 |
using SmallItem = int32_t;
inline constexpr int kItemRow = 12, kItemClass = 8, kItemCode = kItemRow + kItemClass;
inline SmallItem small_item(uint32_t code, uint32_t label, uint32_t row) {
    return static_cast<SmallItem>(code << kItemCode | label << kItemRow | row);
}
inline uint32_t small_row(SmallItem item) { return static_cast<uint32_t>(item) & ((1u << kItemRow) - 1); }
inline uint32_t small_class(SmallItem item) {
    return static_cast<uint32_t>(item) >> kItemRow & ((1u << kItemClass) - 1);
}
inline bool same_code(SmallItem a, SmallItem b) { return (a ^ b) >> kItemCode == 0; }

// Items as CountingSweep::stride_to asks for them.
struct SmallItems {
    const SmallItem* items;
    uint32_t label(int64_t i) const { return small_class(items[i]); }
    bool cut_after(int64_t i) const { return !same_code(items[i], items[i + 1]); }
};

// Whether a sweep is of numbers; otherwise it is of classes.
template <class Sweep>
concept Numeric = requires(const Sweep& s) { s.factor(1); };

template <class Sweep>
class ThicketScan {
  public:
    // Nodes up to this size try every cut of numbers; their factors are worked out once for all columns.
    static constexpr int64_t kPlain = kFewEntries;

    // The rows of a thicket, by their place in it.
    void begin(const Target& target, std::span<const uint32_t> rows) {
        width_ = target.width();
        if constexpr (Numeric<Sweep>) {
            moment_.resize(rows.size());
            step_.resize(rows.size());
            for (size_t i = 0; i < rows.size(); ++i) moment_[i] = target.moment[rows[i]];
        }
    }
    std::vector<int64_t>& moments() { return moment_; }

    // Enters a node of these rows.
    void enter(Sweep& sweep, const int64_t* stat, std::span<const uint16_t> rows, int64_t min_rows) {
        sweep_ = &sweep;
        stat_ = stat;
        n_ = static_cast<int64_t>(rows.size());
        first_ = std::max<int64_t>(1, min_rows);
        last_ = n_ - first_;
        sweep.enter(stat);
        if constexpr (Numeric<Sweep>) {
            const int64_t centre = sweep.centre();
            for (const uint16_t r : rows) step_[r] = moment_[r] - centre;
            for (int64_t left = 1; n_ <= kPlain && left < n_; ++left) factor_[left] = sweep.factor(left);
        }
    }

    // Calls offer(rows on the left, gain) for the cuts of these items, in order, whose gain is larger than
    // `above`, which may be raised by it.
    template <class Offer>
    void cuts(const SmallItem* items, double& above, const Offer& offer) {
        if constexpr (Numeric<Sweep>) {
            if (n_ <= kPlain) {
                cuts_of_few_numbers(items, above, offer);
            } else {
                cuts_of_numbers(items, above, offer);
            }
        } else {
            cuts_of_classes(items, above, offer);
        }
    }

    // The gain of a column of two values, from the rows of one of them; -infinity: it may not be cut.
    double gain_of_two(const SmallItem* items, int64_t n, bool right) {
        if (std::min(n, n_ - n) < first_) return -std::numeric_limits<double>::infinity();
        if constexpr (Numeric<Sweep>) {
            int64_t distance = 0;
            for (int64_t i = 0; i < n; ++i) distance += step_[small_row(items[i])];
            const int64_t left = right ? n_ - n : n;
            return sweep_->gain_of(right ? all_steps() - distance : distance, left, sweep_->factor(left));
        } else {
            group_.assign(static_cast<size_t>(width_), 0);
            for (int64_t i = 0; i < n; ++i) ++group_[small_class(items[i])];
            for (size_t k = 0; right && k < group_.size(); ++k) group_[k] = stat_[k] - group_[k];
            typename Sweep::State state = sweep_->start();
            sweep_->move_group(state, group_.data());
            return sweep_->gain(state);
        }
    }

    // No cut of the node of these few rows gains more. Of numbers: a gain grows with the distance of the sum
    // from the mean's, which is largest with the largest or the smallest rows on the left.
    double most(std::span<const uint16_t> rows) const {
        if constexpr (Numeric<Sweep>) {
            int64_t steps[kPlain];
            for (size_t i = 0; i < rows.size(); ++i) {
                const int64_t own = step_[rows[i]];
                size_t k = i;
                for (; k > 0 && steps[k - 1] > own; --k) steps[k] = steps[k - 1];
                steps[k] = own;
            }
            double most = 0.0;
            int64_t low = 0, high = 0;
            for (int64_t left = 1; left < n_; ++left) {
                low += steps[left - 1];
                high += steps[n_ - left];
                most = std::max({most, sweep_->gain_of(low, left, factor_[left]),
                                 sweep_->gain_of(high, left, factor_[left])});
            }
            return most;
        } else {
            return sweep_->most();
        }
    }

  private:
    int64_t all_steps() const { return stat_[1] - sweep_->centre() * stat_[0]; }

    template <class Offer>
    void cuts_of_few_numbers(const SmallItem* items, double& above, const Offer& offer) {
        int64_t distance = 0;
        for (int64_t left = 1; left <= last_; ++left) {
            distance += step_[small_row(items[left - 1])];
            if (left < first_ || same_code(items[left - 1], items[left])) continue;
            const double gain = sweep_->gain_of(distance, left, factor_[left]);
            if (gain > above) offer(left, gain);
        }
    }

    // As try_distant in candidates/ordered.hpp has it.
    template <class Offer>
    void cuts_of_numbers(const SmallItem* items, double& above, const Offer& offer) {
        constexpr int64_t kBlock = 32;
        int64_t distance = 0;
        for (int64_t i = 0; i < std::min(first_ - 1, last_); ++i) distance += step_[small_row(items[i])];
        for (int64_t i = first_ - 1; i < last_; i += kBlock) {
            const int64_t n = std::min(kBlock, last_ - i);
            const int64_t reach = sweep_->reach({i, 0}, n, above);
            for (int64_t k = i; k < i + n; ++k) {
                distance += step_[small_row(items[k])];
                if (distance <= reach && distance >= -reach) continue;
                if (same_code(items[k], items[k + 1])) continue;
                const double gain = sweep_->gain_of(distance, k + 1, sweep_->factor(k + 1));
                if (gain > above) offer(k + 1, gain);
            }
        }
    }

    template <class Offer>
    void cuts_of_classes(const SmallItem* items, double& above, const Offer& offer) {
        typename Sweep::State state = sweep_->start();
        for (int64_t i = 0; i < std::min(first_ - 1, last_); ++i)
            sweep_->move_one(state, small_class(items[i]));
        if constexpr (Striding<Sweep>) {
            if (sweep_->strides()) {
                const SmallItems all{items};
                for (int64_t i = first_ - 1; (i = sweep_->stride_to(state, all, i, last_, above)) < last_;
                     ++i) {
                    const double gain = sweep_->gain(state);
                    if (gain > above) offer(i + 1, gain);
                }
                return;
            }
        }
        for (int64_t i = first_ - 1; i < last_; ++i) {
            sweep_->move_one(state, small_class(items[i]));
            if (same_code(items[i], items[i + 1])) continue;
            const double gain = sweep_->gain(state);
            if (gain > above) offer(i + 1, gain);
        }
    }

    Sweep* sweep_ = nullptr;
    const int64_t* stat_ = nullptr;
    int32_t width_ = 0;                     // of stat_
    int64_t n_ = 0, first_ = 1, last_ = 0;  // rows of the node, and on the left of its first and last cut
    std::vector<int64_t> moment_, step_;    // numbers: by row of the thicket; the second, from the mean
    double factor_[kPlain + 1] = {};        // by rows on the left
    std::vector<int64_t> group_;
};

}  // namespace bough

// What each row adds to a sum: rounded once for a tree.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "boost/narrow.hpp"
#include "boost/records.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

template <class Sum>
class RowValues {
  public:
    // For a tree of n rows; narrow, where that suits the numbers, from `narrow_from` rows on. `largest`: of
    // the tree before, a guess that spares a look at all rows wherever the scale is still the same.
    Units set(const Slopes& slopes, Largest& largest, int64_t n, int64_t narrow_from, int threads) {
        Units units;
        const auto to_scale = [&](const auto& round) {
            const bool done = round();
            return same_scale(units.largest, std::exchange(largest, units.largest)) ? done : round();
        };
        narrow_used_ =
            std::is_same_v<Sum, PairSum> && !slopes.unit_hessian() && n >= narrow_from && n < kMostNarrow &&
            to_scale([&] { return quantise_narrow(slopes, largest, n, threads, narrow_, units, whole_); });
        if (!narrow_used_)
            to_scale([&] {
                units = quantise(slopes, largest, n, threads, values_);
                return true;
            });
        count_bits_ = units.count_bits;
        return units;
    }
    // Of all rows; nullptr: they are wide.
    const Narrow* narrow() const { return narrow_used_ ? narrow_.data() : nullptr; }
    const Sum* wide() const { return values_.data(); }

    Sum sum(const std::vector<uint32_t>& rows, int threads) const {
        if (narrow_used_ && rows.size() == narrow_.size()) return Sum::of(whole_, count_bits_);
        const auto n = static_cast<int64_t>(rows.size());
        std::vector<Sum> sums(static_cast<size_t>(row_blocks(n)), Sum{});
        parallel_for(row_blocks(n), threads, [&](int64_t b, int) {
            const auto end = static_cast<size_t>(std::min(n, (b + 1) * kRowBlock));
            Sum sum{};
            for (auto i = static_cast<size_t>(b * kRowBlock); i < end; ++i) sum += of(rows[i]);
            sums[static_cast<size_t>(b)] = sum;
        });
        Sum whole{};
        for (const Sum& sum : sums) whole += sum;
        return whole;
    }

  private:
    static constexpr int64_t kMostNarrow = 1 << 25;  // more rows leave no room for the hessian beside them

    Sum of(uint32_t row) const {
        if constexpr (std::is_same_v<Sum, PairSum>)
            if (narrow_used_) return wide_of(word_of(narrow_[row]), count_bits_);
        return values_[row];
    }

    MappedVector<Sum> values_;
    MappedVector<Narrow> narrow_;
    bool narrow_used_ = false;
    Total whole_;  // of all rows, where they are narrow
    int count_bits_ = 1;
};

}  // namespace bough::boost

// What each row adds to a sum: rounded once for a tree.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "boost/narrow.hpp"
#include "boost/records.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

template <class Sum>
class RowValues {
  public:
    // For a tree of n rows; narrow, where that suits the numbers, from `narrow_from` rows on.
    Units set(std::span<const double> gradient, std::span<const double> hessian, int64_t n,
              int64_t narrow_from, int threads) {
        const Largest largest = largest_of(gradient, hessian, threads);
        Units units;
        narrow_used_ = std::is_same_v<Sum, PairSum> && !hessian.empty() && n >= narrow_from &&
                       n < kMostNarrow &&
                       quantise_narrow(gradient, hessian, largest, n, threads, narrow_, units);
        if (!narrow_used_) units = quantise(gradient, hessian, largest, n, threads, values_);
        count_bits_ = units.count_bits;
        units.largest = largest;
        return units;
    }
    // Of all rows; nullptr: they are wide.
    const Narrow* narrow() const { return narrow_used_ ? narrow_.data() : nullptr; }
    const Sum* wide() const { return values_.data(); }

    Sum sum(const std::vector<uint32_t>& rows, int threads) const {
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

    HugeVector<Sum> values_;
    HugeVector<Narrow> narrow_;
    bool narrow_used_ = false;
    int count_bits_ = 1;
};

}  // namespace bough::boost

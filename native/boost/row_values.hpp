// What each row adds to a sum: rounded once for a tree, and put in the order of a node's list.
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

    // Of n rows (nullptr: the first), read once in any order, then block by block in this one, from `room`.
    // nullptr: they are narrow and enough to be counted so.
    const Sum* in_order(const uint32_t* rows, int64_t n, HugeVector<Sum>& room, int threads) const {
        if (narrow_used_ && n >= kFew) return nullptr;
        if (!rows && !narrow_used_) return values_.data();
        if (room.size() < static_cast<size_t>(n))
            room.resize(std::max(static_cast<size_t>(n), 2 * room.size()));
        Sum* const ordered = room.data();
        parallel_for(row_blocks(n), threads, [&](int64_t b, int) {
            const int64_t end = std::min(n, (b + 1) * kRowBlock);
            for (int64_t i = b * kRowBlock; i < end; ++i) {
                if (rows && i + kFarAhead < end) fetch(rows[i + kFarAhead]);
                ordered[i] = of(rows ? rows[i] : static_cast<uint32_t>(i));
            }
        });
        return ordered;
    }

  private:
    static constexpr int64_t kMostNarrow = 1 << 25;  // more rows leave no room for the hessian beside them
    static constexpr int64_t kFew = 512;             // rows from which on emptying narrow bins pays

    Sum of(uint32_t row) const {
        if constexpr (std::is_same_v<Sum, PairSum>)
            if (narrow_used_) return wide_of(word_of(narrow_[row]), count_bits_);
        return values_[row];
    }
    void fetch(uint32_t row) const {
        if (narrow_used_) {
            __builtin_prefetch(narrow_.data() + row);
        } else {
            __builtin_prefetch(values_.data() + row);
        }
    }

    HugeVector<Sum> values_;
    HugeVector<Narrow> narrow_;
    bool narrow_used_ = false;
    int count_bits_ = 1;
};

}  // namespace bough::boost

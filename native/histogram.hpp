// Counts the rows of a node by code: one pass, a few plain additions for each row.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "candidates/groups.hpp"
#include "target.hpp"

namespace bough {

class Histogram {
  public:
    // Fills `groups` (cleared) with the codes present among the rows; codes run from 0 (missing) to n_bins.
    template <class Code>
    void count(const Code* codes, uint32_t n_bins, const uint32_t* rows, int64_t n, const Target& target,
               Groups& groups) {
        const auto width = static_cast<size_t>(target.width());
        const size_t bins = n_bins + size_t{1}, words = bins / 64 + 1;
        if (rows_.size() < bins) rows_.resize(bins, 0);
        if (stats_.size() < bins * width) stats_.resize(bins * width, 0);
        if (seen_.size() < words) seen_.resize(words, 0);
        add(codes, rows, n, target, bins, width);
        // A small node visits only the bins it has touched.
        if (n < static_cast<int64_t>(bins)) {
            for (int64_t i = 0; i < n; ++i) seen_[codes[rows[i]] / 64u] |= uint64_t{1} << (codes[rows[i]] % 64u);
            for (size_t w = 0; w < words; ++w)
                for (uint64_t bits = std::exchange(seen_[w], 0); bits; bits &= bits - 1)
                    take(w * 64 + static_cast<size_t>(std::countr_zero(bits)), width, target, groups);
        } else {
            for (size_t b = 0; b < bins; ++b) take(b, width, target, groups);
        }
    }

  private:
    // Rows of weight 1 need no count of their own: their class counts add up to it.
    static bool unit_classes(const Target& target) { return !target.regression() && target.weight.empty(); }

    template <class Code>
    void add(const Code* codes, const uint32_t* rows, int64_t n, const Target& target, size_t bins,
             size_t width) {
        int64_t* const stats = stats_.data();
        if (unit_classes(target)) {
            const uint16_t* const label = target.label.data();
            const auto place = [&](int64_t i) { return codes[rows[i]] * width + label[rows[i]]; };
            int64_t i = 0;
            if (n >= kLanes * static_cast<int64_t>(bins)) {
                // Rows of the same bin and class follow each other: counting them in turns in separate lanes keeps one
                // addition from waiting for the last (44 two-valued columns: 0.6 of the time).
                const size_t lane = bins * width;
                if (lanes_.size() < kLanes * lane) lanes_.resize(kLanes * lane, 0);
                int64_t* const lanes = lanes_.data();
                for (; i + kLanes <= n; i += kLanes)
                    for (int64_t k = 0; k < kLanes; ++k) ++lanes[static_cast<size_t>(k) * lane + place(i + k)];
                for (size_t b = 0; b < kLanes * lane; ++b) stats[b % lane] += std::exchange(lanes[b], 0);
            }
            for (; i < n; ++i) ++stats[place(i)];
            return;
        }
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t row = rows[i];
            ++rows_[codes[row]];
            target.add_row(stats + codes[row] * width, row);
        }
    }

    // Hands bin b over, if it has rows, and leaves it empty.
    void take(size_t b, size_t width, const Target& target, Groups& groups) {
        int64_t* const stat = stats_.data() + b * width;
        const int64_t in_bin = unit_classes(target) ? std::accumulate(stat, stat + width, int64_t{0}) : rows_[b];
        if (in_bin == 0) return;
        if (b == 0) {
            groups.missing_rows = in_bin;
            std::copy_n(stat, width, groups.missing_stat.data());
        } else {
            std::copy_n(stat, width, groups.append(static_cast<uint32_t>(b), in_bin));
        }
        std::fill_n(stat, width, int64_t{0});
        rows_[b] = 0;
    }

    static constexpr int64_t kLanes = 4;

    // all zero between calls
    std::vector<uint32_t> rows_;
    std::vector<int64_t> stats_, lanes_;
    std::vector<uint64_t> seen_;  // one bit for each bin
};

}  // namespace bough

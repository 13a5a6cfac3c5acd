// Counts the rows of a node by code: one pass, a few plain additions for each row.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "candidates/groups.hpp"
#include "target.hpp"

namespace bough {

class Histogram {
  public:
    // Fills `groups` with the codes present among the rows; codes run from 0 (missing) to n_bins.
    template <class Code>
    void count(const Code* codes, uint32_t n_bins, const uint32_t* rows, int64_t n, const Target& target,
               Groups& groups) {
        const auto width = static_cast<size_t>(target.width());
        const size_t bins = n_bins + size_t{1};
        if (rows_.size() < bins) rows_.resize(bins, 0);
        if (stats_.size() < bins * width) stats_.resize(bins * width, 0);
        // Rows of weight 1 need no count of their own: the class counts add up to it.
        const bool unit_classes = !target.regression() && target.weight.empty();
        if (unit_classes) {
            const uint16_t* const label = target.label.data();
            for (int64_t i = 0; i < n; ++i) ++stats_[codes[rows[i]] * width + label[rows[i]]];
        } else if (!target.regression()) {
            for (int64_t i = 0; i < n; ++i) {
                const uint32_t row = rows[i];
                ++rows_[codes[row]];
                stats_[codes[row] * width + target.label[row]] += target.weight[row];
            }
        } else {
            for (int64_t i = 0; i < n; ++i) {
                const uint32_t row = rows[i];
                ++rows_[codes[row]];
                stats_[codes[row] * 2] += target.weight_of(row);
                stats_[codes[row] * 2 + 1] += target.moment[row];
            }
        }
        for (size_t b = 0; b < bins; ++b) {
            int64_t* const stat = stats_.data() + b * width;
            const int64_t in_bin = unit_classes ? std::accumulate(stat, stat + width, int64_t{0}) : rows_[b];
            if (in_bin == 0) continue;
            if (b == 0) {
                groups.missing_rows = in_bin;
                std::copy_n(stat, width, groups.missing_stat.data());
            } else {
                std::copy_n(stat, width, groups.append(static_cast<uint32_t>(b)));
                groups.rows.back() = in_bin;
            }
            std::fill_n(stat, width, int64_t{0});
            rows_[b] = 0;
        }
    }

  private:
    std::vector<uint32_t> rows_;  // all zero between calls
    std::vector<int64_t> stats_;  // all zero between calls
};

}  // namespace bough

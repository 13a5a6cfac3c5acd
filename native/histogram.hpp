// Counts the rows of a node by code, several columns in one pass over their records.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "candidates/groups.hpp"
#include "target.hpp"

namespace bough {

// Where each chunk of columns begins that are counted together, and the end: at least so many of about equal
// length, and the histograms of one fit into the first-level cache.
inline std::vector<size_t> chunks_of(const BinnedMatrix& matrix, int32_t width,
                                     std::span<const int32_t> columns, int at_least) {
    constexpr int64_t kCache = 32 << 10;
    const size_t longest = std::max<size_t>(1, columns.size() / static_cast<size_t>(at_least));
    std::vector<size_t> starts{0};
    int64_t bytes = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
        const BinnedColumn& column = matrix.columns[static_cast<size_t>(columns[i])];
        const int64_t own =
            std::holds_alternative<InRecord>(column.store) ? (int64_t{column.n_bins} + 1) * width * 8 : 0;
        if (i > starts.back() && (bytes + own > kCache || i - starts.back() >= longest)) {
            starts.push_back(i);
            bytes = 0;
        }
        bytes += own;
    }
    starts.push_back(columns.size());
    return starts;
}

// A row's codes of all columns with few bins stand next to each other (BinnedMatrix::records), so a row costs
// one cache line for all of them:
//     row 7:  [c0 c1 c2 c3 ...]   each adds to its own column's part of `stats_`:  | column 0 | column 1 |
//     ...
// Counting column by column instead touches a line for each column and row: 54 columns and 7 classes took 1.4
// times as long.
class RecordHistogram {
  public:
    // Counts these columns, all of them in the records.
    void count(const BinnedMatrix& matrix, std::span<const int32_t> columns, const uint32_t* rows, int64_t n,
               const Target& target) {
        width_ = static_cast<size_t>(target.width());
        unit_classes_ = !target.regression() && target.weight.empty();
        rows_list_ = rows;
        n_ = n;
        parts_.clear();
        size_t bins = 0;
        for (const int32_t j : columns) {
            const BinnedColumn& column = matrix.columns[static_cast<size_t>(j)];
            parts_.push_back({std::get<InRecord>(column.store).offset, bins, column.n_bins + size_t{1}});
            bins += column.n_bins + size_t{1};
        }
        gather_twos(matrix.twos);
        if (rows_.size() < bins) rows_.resize(bins, 0);
        if (stats_.size() < bins * width_) stats_.resize(bins * width_, 0);
        if (!twos_.empty()) add_twos(matrix, target);
        add(matrix, target);
    }

    // Fills `groups` (cleared) with the i-th of the counted columns, which is thereby used up.
    void take(const BinnedMatrix& matrix, size_t i, Groups& groups) {
        const Part part = parts_[i];
        if (n_ < static_cast<int64_t>(part.bins)) {
            // A small node visits only the bins that it has touched.
            uint64_t seen[4] = {0, 0, 0, 0};
            for (int64_t r = 0; r < n_; ++r) {
                const uint8_t code = matrix.code(rows_list_[r], part.offset);
                seen[code / 64u] |= uint64_t{1} << (code % 64u);
            }
            for (size_t w = 0; w < 4; ++w)
                for (uint64_t bits = seen[w]; bits; bits &= bits - 1)
                    take_bin(part, w * 64 + static_cast<size_t>(std::countr_zero(bits)), groups);
        } else {
            for (size_t b = 0; b < part.bins; ++b) take_bin(part, b, groups);
        }
    }

  private:
    static constexpr int64_t kManyRows = 8;  // fewer are counted one by one

    struct Part {
        uint32_t offset;  // in a record
        size_t first;     // bin in `rows_` and, times the width, in `stats_`
        size_t bins;      // missing included
    };

    // Which columns are counted eight at once, and which one by one.
    void gather_twos(size_t twos) {
        twos_.clear();
        others_.clear();
        const bool worth = unit_classes_ && n_ >= kManyRows && std::endian::native == std::endian::little;
        for (const Part& p : parts_) (worth && p.offset < twos ? twos_ : others_).push_back(p);
        if (twos_.size() < 8) {
            twos_.clear();
            others_ = parts_;
            return;
        }
        const auto [low, high] = std::minmax_element(
            twos_.begin(), twos_.end(), [](const Part& a, const Part& b) { return a.offset < b.offset; });
        first_word_ = low->offset / 8;
        words_ = high->offset / 8 - first_word_ + 1;
    }

    // Codes that are 1 or 2 are added up as bytes, by class, and emptied before a byte can overflow. What
    // other columns have above them in the last word carries upwards, where nobody looks.
    //     sums of class 3:  | c0 c1 … c7 | c8 … |    sum of the codes = rows + rows of code 2
    void add_twos(const BinnedMatrix& matrix, const Target& target) {
        if (sums_.size() < width_ * words_) sums_.resize(width_ * words_, 0);
        if (pending_.size() < width_) pending_.resize(width_, 0);
        for (int64_t i = 0; i < n_; ++i) {
            const uint32_t row = rows_list_[i];
            const uint8_t* const record = matrix.record(row) + 8 * first_word_;
            __builtin_prefetch(matrix.record(rows_list_[std::min(i + 16, n_ - 1)]) + 8 * first_word_);
            const size_t label = target.label[row];
            uint64_t* const sums = sums_.data() + label * words_;
            for (size_t w = 0; w < words_; ++w) {
                uint64_t codes;
                std::memcpy(&codes, record + 8 * w, 8);
                sums[w] += codes;
            }
            if (++pending_[label] == 127) empty_sums(label);
        }
        for (size_t label = 0; label < width_; ++label)
            if (pending_[label] > 0) empty_sums(label);
    }

    void empty_sums(size_t label) {
        uint64_t* const sums = sums_.data() + label * words_;
        const auto rows = static_cast<int64_t>(std::exchange(pending_[label], uint8_t{0}));
        for (const Part& p : twos_) {
            const size_t byte = p.offset - 8 * first_word_;
            const auto sum = static_cast<int64_t>(sums[byte / 8] >> (8 * (byte % 8)) & 0xff);
            int64_t* const stat = stats_.data() + p.first * width_ + label;
            stat[width_] += 2 * rows - sum;
            stat[2 * width_] += sum - rows;
        }
        std::fill_n(sums, words_, uint64_t{0});
    }

    void add(const BinnedMatrix& matrix, const Target& target) {
        if (others_.empty()) return;
        int64_t* const stats = stats_.data();
        const Part* const first = others_.data();
        const Part* const last = first + others_.size();
        for (int64_t i = 0; i < n_; ++i) {
            const uint32_t row = rows_list_[i];
            const uint8_t* const record = matrix.record(row);
            __builtin_prefetch(matrix.record(rows_list_[std::min(i + 16, n_ - 1)]));
            if (unit_classes_) {
                // Rows of weight 1 need no count of their own: their class counts add up to it.
                int64_t* const at = stats + target.label[row];
                for (const Part* p = first; p != last; ++p) ++at[(p->first + record[p->offset]) * width_];
            } else {
                for (const Part* p = first; p != last; ++p) {
                    const size_t bin = p->first + record[p->offset];
                    ++rows_[bin];
                    target.add_row(stats + bin * width_, row);
                }
            }
        }
    }

    // Hands a bin over, if it has rows, and leaves it empty.
    void take_bin(const Part& part, size_t b, Groups& groups) {
        int64_t* const stat = stats_.data() + (part.first + b) * width_;
        const int64_t in_bin =
            unit_classes_ ? std::accumulate(stat, stat + width_, int64_t{0}) : rows_[part.first + b];
        if (in_bin == 0) return;
        if (b == 0) {
            groups.missing_rows = in_bin;
            std::copy_n(stat, width_, groups.missing_stat.data());
        } else {
            std::copy_n(stat, width_, groups.append(static_cast<uint32_t>(b), in_bin));
        }
        std::fill_n(stat, width_, int64_t{0});
        rows_[part.first + b] = 0;
    }

    size_t width_ = 0;
    bool unit_classes_ = false;
    const uint32_t* rows_list_ = nullptr;
    int64_t n_ = 0;
    std::vector<Part> parts_, twos_, others_;
    size_t first_word_ = 0, words_ = 0;  // of a record, that `twos_` are in
    std::vector<uint64_t> sums_;         // of codes, by class; all zero between calls
    std::vector<uint8_t> pending_;       // rows in them, by class; likewise
    std::vector<uint32_t> rows_;         // rows in each bin; all zero between calls
    std::vector<int64_t> stats_;         // likewise
};

}  // namespace bough

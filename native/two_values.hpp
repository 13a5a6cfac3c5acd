// Columns of one or two values are recognised and coded where they stand, many columns at once.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "binning.hpp"
#include "parallel.hpp"

namespace bough {

// Some rows of a column, read for as long as they have no third value. Values are compared by their bits, so
// that a missing one is just another; -0 beside 0 is left to the usual way.
class TwoValues {
  public:
    // Writes the codes of the rows [first, last), which come after those before: 1 is the value that came
    // first. False: the column is not one of two values.
    bool take(const ColumnView& column, size_t first, size_t last, uint8_t* codes) {
        while (!equal_known(column, first, last, codes))
            if (!note_next(column, first, last)) return false;
        return true;
    }

    // Adds the values to those of other rows of the column; false if they are more than two then.
    bool join(std::vector<double>& values) const {
        for (size_t k = 0; k < n_; ++k)
            if (std::find(values.begin(), values.end(), value(k)) == values.end()) values.push_back(value(k));
        return values.size() <= 2;
    }

    // The codes of these rows, once all values of the column are known.
    void finish(const std::vector<double>& values, uint8_t* codes, size_t first, size_t last) const {
        const auto code = [&](size_t k) { return static_cast<uint8_t>(1 + (value(k) != values[0])); };
        const uint8_t one = code(0), other = n_ == 2 ? code(1) : one;
        if (one == 1 && (n_ == 1 || other == 2)) return;
        for (size_t r = first; r < last; ++r) codes[r] = codes[r] == 1 ? one : other;
    }

  private:
    double value(size_t k) const { return std::bit_cast<double>(known_[k]) + 0.0; }
    static uint64_t bits_of(const ColumnView& column, size_t row) {
        return std::bit_cast<uint64_t>(column[static_cast<int64_t>(row)]);
    }

    bool equal_known(const ColumnView& column, size_t first, size_t last, uint8_t* codes) const {
        if (n_ == 0) return false;
        const uint64_t one = known_[0], two = known_[n_ - 1];
        const bool both = n_ == 2;
        bool all = true;
        for (size_t r = first; r < last; ++r) {
            const uint64_t bits = bits_of(column, r);
            const bool second = bits == two;
            all &= second | (bits == one);
            codes[r] = static_cast<uint8_t>(1 + (second & both));
        }
        return all;
    }

    // Makes the first value that is not known a known one; false if there is no room for it, or no value.
    bool note_next(const ColumnView& column, size_t first, size_t last) {
        for (size_t r = first; n_ < 2 && r < last; ++r) {
            const uint64_t bits = bits_of(column, r);
            if (n_ == 1 && bits == known_[0]) continue;
            const double x = std::bit_cast<double>(bits) + 0.0;
            if (std::isnan(x) || (n_ == 1 && x == value(0))) return false;
            known_[n_++] = bits;
            return true;
        }
        return false;
    }

    uint64_t known_[2] = {0, 0};
    size_t n_ = 0;
};

// Asks memory for rows of some columns: where a row has several of them on a line, once.
class RowsAhead {
  public:
    explicit RowsAhead(std::span<const ColumnView> columns) {
        for (const ColumnView& c : columns)
            if (c.stride > 1 && (lines_.empty() || far(lines_.back().data, c.data))) lines_.push_back(c);
    }
    void fetch(size_t first, size_t last) const {
        for (size_t r = first; r < last; ++r)
            for (const ColumnView& c : lines_)
                __builtin_prefetch(c.data + static_cast<int64_t>(r) * c.stride);
    }

  private:
    static bool far(const double* a, const double* b) { return (a < b ? b - a : a - b) >= 8; }
    std::vector<ColumnView> lines_;
};

// A column of one or two values, smallest first, and its codes by row; no values: it is none.
struct TwoValued {
    std::vector<double> values;
    Codes8 codes;
};

// A block of rows is read for all columns, while the next one is on its way. Copied column by column and then
// noted value by value, a table of 44 indicators and 10 other columns took 1.3 times as long to bin.
// check(worker) and, of those who wait, ask() may throw.
template <class Check, class Ask>
std::vector<TwoValued> code_two_values(std::span<const ColumnView> columns, int threads, const Check& check,
                                       const Ask& ask) {
    constexpr size_t kBlock = 64, kPart = 16384;
    const auto n = static_cast<size_t>(columns[0].size);
    const size_t parts = std::clamp<size_t>(n / kPart, 1, static_cast<size_t>(std::max(1, threads)));
    const auto start = [&](size_t part) { return n * part / parts; };
    std::vector<TwoValued> out(columns.size());
    std::vector<TwoValues> seen(columns.size() * parts);
    std::vector<std::atomic<bool>> fits(columns.size());
    for (size_t c = 0; c < columns.size(); ++c) {
        fits[c] = columns[c].kind == ColumnKind::ordered;
        if (fits[c]) out[c].codes.resize(n);
    }
    const RowsAhead ahead(columns);
    const auto read = [&](int64_t part, int worker) {
        const auto p = static_cast<size_t>(part);
        for (size_t row = start(p); row < start(p + 1); row += kBlock) {
            const size_t end = std::min(start(p + 1), row + kBlock);
            if ((row - start(p)) % kPart == 0) check(worker);
            ahead.fetch(end, std::min(start(p + 1), end + kBlock));
            for (size_t c = 0; c < columns.size(); ++c)
                if (fits[c].load(std::memory_order_relaxed) &&
                    !seen[c * parts + p].take(columns[c], row, end, out[c].codes.data()))
                    fits[c] = false;
        }
    };
    parallel_for(static_cast<int64_t>(parts), threads, read, ask);
    for (size_t c = 0; c < columns.size(); ++c) {
        std::vector<double>& values = out[c].values;
        for (size_t p = 0; p < parts && fits[c]; ++p) fits[c] = seen[c * parts + p].join(values);
        if (!fits[c]) values.clear();
        std::sort(values.begin(), values.end());
        for (size_t p = 0; p < parts && fits[c]; ++p)
            seen[c * parts + p].finish(values, out[c].codes.data(), start(p), start(p + 1));
    }
    return out;
}

}  // namespace bough

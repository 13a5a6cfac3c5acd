// The values of one column in the rows of one node, and what the rows up to a threshold sum to. What the rows
// count is put together once for all columns of a node.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "target.hpp"

namespace bough {

// The bin that a value is in.
inline uint32_t code_of_bin(const BinnedColumn& c, double value) {
    const std::vector<double>& low = c.values();
    return static_cast<uint32_t>(std::upper_bound(low.begin(), low.end(), value) - low.begin());
}

// Calls see(i, value) for each of these rows; NaN: missing, of bins of several values the smallest.
// `origin(i)`: the row of the whole table.
template <class Origin, class See>
void for_each_value(const BinnedMatrix& matrix, const BinnedColumn& c, std::span<const uint32_t> rows,
                    const Origin& origin, const See& see) {
    const size_t n = rows.size();
    const auto of_codes = [&](const auto& code_of_row) {
        const double* const low = c.values().data();
        for (size_t i = 0; i < n; ++i) {
            const uint32_t code = code_of_row(rows[i]);
            see(i, code ? low[code - 1] : std::numeric_limits<double>::quiet_NaN());
        }
    };
    if (const auto* place = std::get_if<InRecord>(&c.store)) {
        of_codes([&](uint32_t row) { return matrix.code(row, place->offset); });
        return;
    }
    const ColumnView& source = (c.whole ? c.whole : &c)->source;
    if (c.packed()) {
        if (const auto* codes = std::get_if<Codes16>(&c.store)) {
            of_codes([&](uint32_t row) { return (*codes)[row]; });
        } else if (const auto* wide = std::get_if<Codes32>(&c.store)) {
            of_codes([&](uint32_t row) { return (*wide)[row]; });
        } else {  // codes stand in sorted order only
            for (size_t i = 0; i < n; ++i) {
                const double v = source[origin(i)];
                see(i, v == v ? c.values()[code_of_bin(c, v) - 1] : v);
            }
        }
        return;
    }
    // One place in memory for each row, where a code and the value that it stands for are two. `see` keeps
    // what it has seen in memory, so that it would hold up the loads: they go ahead in blocks.
    constexpr size_t kBlock = 64;
    double block[kBlock];
    for (size_t first = 0; first < n; first += kBlock) {
        const size_t size = std::min(kBlock, n - first);
        for (size_t i = 0; i < size; ++i) block[i] = source[origin(first + i)] + 0.0;
        for (size_t i = 0; i < size; ++i) see(first + i, block[i]);
    }
}

class NodeValues {
  public:
    // The next node begins.
    void forget() { known_ = false; }

    void gather(const BinnedMatrix& matrix, const BinnedColumn& c, const Target& target,
                std::span<const uint32_t> rows) {
        if (!known_) gather_rows(matrix, target, rows);
        n_ = rows.size();
        double* const values = values_.data();
        const uint32_t* const origin = origin_.data();
        for_each_value(
            matrix, c, rows, [&](size_t i) { return origin[i]; }, [&](size_t i, double v) { values[i] = v; });
        find_ends();
    }
    // The smallest and largest value; not ascending where all are missing.
    double low() const { return low_; }
    double high() const { return high_; }
    int64_t missing() const { return missing_; }

    void add_missing(const Target& target, std::span<const uint32_t> rows, int64_t* stat) const {
        if (sums_two(target)) {
            int64_t a = 0, b = 0;
            for (size_t i = 0; i < n_; ++i) {
                const int64_t mask = -static_cast<int64_t>(values_[i] != values_[i]);
                a += mask & first_[i];
                b += mask & second_[i];
            }
            add_two(target, a, b, stat);
            return;
        }
        for (size_t i = 0; i < n_; ++i)
            if (values_[i] != values_[i]) target.add_row(stat, rows[i]);
    }

    // The values on either side of a threshold that has both.
    std::pair<double, double> next_to(double threshold) const {
        double below = low_, above = high_;
        for (size_t i = 0; i < n_; ++i) {
            const double v = values_[i];
            if (v <= threshold) below = std::max(below, v);
            if (v > threshold) above = std::min(above, v);
        }
        return {below, above};
    }

    // Adds the rows up to the threshold to `stat` and returns their number.
    int64_t count(const Target& target, std::span<const uint32_t> rows, double threshold,
                  int64_t* stat) const {
        const double* const values = values_.data();
        const int64_t* const first = first_.data();
        if (!target.square.empty() || (target.n_classes > 2 && !target.weight.empty()))
            return count_plainly(target, rows, threshold, stat);
        int64_t left = 0, a = 0, b = 0;
        if (target.n_classes > 2) {
            for (size_t i = 0; i < n_; ++i) {
                const int64_t is = values[i] <= threshold;
                left += is;
                stat[first[i]] += is;
            }
            return left;
        }
        if (target.weight.empty() && !target.regression()) {
            for (size_t i = 0; i < n_; ++i) a += -static_cast<int64_t>(values[i] <= threshold) & first[i];
            add_two(target, a, b, stat);
            return a & 0xffffffff;
        }
        const int64_t* const second = second_.data();
        for (size_t i = 0; i < n_; ++i) {
            const int64_t mask = -static_cast<int64_t>(values[i] <= threshold);
            left -= mask;
            a += mask & first[i];
            b += mask & second[i];
        }
        add_two(target, a, b, stat);
        return left;
    }

  private:
    // Whether sums of `first` and `second` are all that a stat has.
    static bool sums_two(const Target& target) {
        return target.square.empty() && (target.regression() || target.n_classes == 2);
    }
    static void add_two(const Target& target, int64_t a, int64_t b, int64_t* stat) {
        if (target.weight.empty() && !target.regression()) {
            stat[0] += (a & 0xffffffff) - (a >> 32);
            stat[1] += a >> 32;
        } else {
            stat[0] += a;
            stat[1] += b;
        }
    }

    // Several at a time, so that none waits for the one before.
    void find_ends() {
        constexpr double kFar = std::numeric_limits<double>::infinity();
        constexpr size_t kLanes = 4;
        double low[kLanes] = {kFar, kFar, kFar, kFar}, high[kLanes] = {-kFar, -kFar, -kFar, -kFar};
        int64_t missing = 0;
        const double* const values = values_.data();
        const auto see = [&](size_t lane, double v) {
            low[lane] = v < low[lane] ? v : low[lane];  // never a missing one
            high[lane] = v > high[lane] ? v : high[lane];
            missing += v != v;
        };
        size_t i = 0;
        for (; i + kLanes <= n_; i += kLanes)
            for (size_t lane = 0; lane < kLanes; ++lane) see(lane, values[i + lane]);
        for (; i < n_; ++i) see(0, values[i]);
        low_ = *std::min_element(low, low + kLanes);
        high_ = *std::max_element(high, high + kLanes);
        missing_ = missing;
    }

    int64_t count_plainly(const Target& target, std::span<const uint32_t> rows, double threshold,
                          int64_t* stat) const {
        int64_t left = 0;
        for (size_t i = 0; i < n_; ++i)
            if (values_[i] <= threshold) {
                ++left;
                target.add_row(stat, rows[i]);
            }
        return left;
    }

    // first, second: two classes of rows that count once: 1 and the class above it; with weights: the weight
    // of a row under its class; more classes: the class; numbers: weight and moment.
    void gather_rows(const BinnedMatrix& matrix, const Target& target, std::span<const uint32_t> rows) {
        known_ = true;
        const size_t n = rows.size();
        if (values_.size() < n) {
            values_.resize(n);
            origin_.resize(n);
            first_.resize(n);
            second_.resize(n);
        }
        if (matrix.origin.empty()) {
            std::copy(rows.begin(), rows.end(), origin_.begin());
        } else {
            for (size_t i = 0; i < n; ++i) origin_[i] = matrix.origin[rows[i]];
        }
        if (target.regression()) {
            for (size_t i = 0; i < n; ++i) {
                first_[i] = target.weight_of(rows[i]);
                second_[i] = target.moment[rows[i]];
            }
        } else if (target.n_classes > 2) {
            for (size_t i = 0; i < n; ++i) first_[i] = target.label[rows[i]];
        } else if (target.weight.empty()) {
            for (size_t i = 0; i < n; ++i) first_[i] = 1 | int64_t{target.label[rows[i]]} << 32;
        } else {
            for (size_t i = 0; i < n; ++i) {
                const bool second = target.label[rows[i]] == 1;
                first_[i] = second ? 0 : target.weight[rows[i]];
                second_[i] = second ? target.weight[rows[i]] : 0;
            }
        }
    }

    bool known_ = false;
    size_t n_ = 0;
    int64_t missing_ = 0;
    double low_ = 0.0, high_ = 0.0;
    std::vector<double> values_;
    std::vector<uint32_t> origin_;
    std::vector<int64_t> first_, second_;
};

}  // namespace bough

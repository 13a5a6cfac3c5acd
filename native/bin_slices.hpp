// Packs many values into bins without sorting them all: only slices of their range where a bin may end are.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "binning.hpp"

namespace bough {

// Values in ascending order go to at most `bins_left` bins of about equal numbers of rows.
struct Packing {
    int64_t rows_left, bins_left;
    int64_t in_bin = 0;
    uint32_t bin = 1;

    double share() const { return static_cast<double>(rows_left + in_bin) / static_cast<double>(bins_left); }
    // The bin of the next value, which so many rows have. A bin is closed before a value that would overshoot
    // its fair share by more than it falls short now.
    uint32_t next(uint32_t count) {
        if (in_bin > 0 && bins_left > 1 && static_cast<double>(in_bin) + 0.5 * count > share()) {
            ++bin;
            --bins_left;
            in_bin = 0;
        }
        add(count);
        return bin;
    }
    // Whether so many rows go to the open bin whatever their values are.
    bool takes(uint32_t count) const {
        return bins_left == 1 || static_cast<double>(in_bin + count) <= share();
    }
    void add(uint32_t count) {
        in_bin += count;
        rows_left -= count;
    }
};

// Slices of equal width are counted. One that ends within the share of the open bin belongs to it as a whole;
// the values of the few others are gathered, sorted and packed one by one.
//
//     slices:   | 120 | 131 | 118 | 125 | 122 | …      share 500
//     bins:     |--------- 1 ---------+---- 2 …         only the slice where 500 is passed is looked into
//
// Which slices these are is foretold as if all values differed; where equal ones prove that wrong, more are
// gathered. A sample tells where to slice, the outermost slices take what lies beyond, and slice 0 what is
// missing. So a column is read once, and then its slices, two bytes a row.
class SlicedBins {
  public:
    std::vector<double> low, high;  // of each bin; `high` empty: each has one value

    // False if slices do not suit the column. Then count all rows, then pack.
    bool begin(const ColumnView& column, int64_t max_bins) {
        const auto n = static_cast<size_t>(column.size);
        if (n < kEnough * static_cast<size_t>(max_bins)) return false;
        std::vector<double> sample;
        for (size_t r = 0; r < n; r += n / kSample + 1)
            if (const double x = column[static_cast<int64_t>(r)]; !std::isnan(x)) sample.push_back(x);
        if (sample.size() < kSample / 16) return false;
        std::ranges::sort(sample);
        const auto steps = std::ranges::count_if(
            sample, [last = sample[0]](double x) mutable { return std::exchange(last, x) != x; });
        few_ = steps < max_bins;
        const size_t beyond = few_ ? 0 : sample.size() / kBeyond;
        low_ = sample[beyond];
        high_ = sample[sample.size() - 1 - beyond];
        slices_ = std::clamp(n / 4, kSlices / 16, kSlices);
        scale_ = (static_cast<double>(slices_) - 0.5) / (high_ - low_);
        if (!(scale_ > 0) || !std::isfinite(scale_)) return false;
        count_.assign(slices_ + 1, 0);
        if (few_) value_.assign(slices_ + 1, std::numeric_limits<double>::quiet_NaN());
        slice_.resize(n);
        return true;
    }
    void count(const ColumnView& column, size_t first, size_t last) {
        const double lowest = low_, highest = high_, scale = scale_;
        for (size_t r = first; r < last; ++r) {
            double x = column[static_cast<int64_t>(r)];
            x = x < lowest ? lowest : x;
            x = x > highest ? highest : x;
            const double place = (x - lowest) * scale + 1.0;
            slice_[r] = static_cast<uint16_t>(static_cast<int32_t>(place > 0.0 ? place : 0.0));
        }
        for (size_t r = first; r < last; ++r) ++count_[slice_[r]];
        few_ = few_ && alone(column, first, last);
    }
    // False if the values are not many, most of them are in few slices, or too many are equal.
    bool pack(const ColumnView& column, int64_t max_bins) {
        const auto known = static_cast<int64_t>(slice_.size() - count_[0]);
        if (known < static_cast<int64_t>(kEnough) * max_bins) return false;
        const auto used = static_cast<int64_t>(slices_) - std::count(count_.begin() + 1, count_.end(), 0u);
        if (used <= max_bins) {
            if (few_) number();
            return few_;
        }
        if (*std::max_element(count_.begin() + 1, count_.end()) > known / 16) return false;
        wanted_.assign(slices_ + 1, 0);
        size_t first = 1, last = slices_;
        while (count_[first] == 0) ++first;
        while (count_[last] == 0) --last;
        wanted_[first] = wanted_[last] = 1;
        Start start{first, first, {known, max_bins}};
        for (int turn = 0; turn < kTurns; ++turn) {
            foretell(start);
            gather(column);
            start = walk(first, {known, max_bins});
            if (start.slice > slices_) {
                high.push_back(sorted_.back());
                return true;
            }
        }
        return false;
    }
    // The bin of each row, 0 if it is missing.
    template <class Code>
    void codes(Code* out) const {
        std::vector<Code> bin_of(slices_ + 1, 0);
        for (size_t s = 1; s <= slices_; ++s) bin_of[s] = static_cast<Code>(bins_[s].first);
        for (size_t r = 0; r < slice_.size(); ++r) out[r] = bin_of[slice_[r]];
        for (size_t i = 0; i < rows_.size(); ++i) {
            auto [bin, last] = bins_[slice_[rows_[i]]];
            while (bin < last && values_[i] >= low[bin]) ++bin;
            out[rows_[i]] = static_cast<Code>(bin);
        }
    }

  private:
    static constexpr size_t kSlices = 32768, kSample = 2048;
    static_assert(kSlices < 65536);         // a slice is two bytes
    static constexpr size_t kBeyond = 256;  // one value in so many is beyond the slices, on each side
    static constexpr int kTurns = 4;
    static constexpr size_t kEnough = 32;  // values in a bin: with fewer, most slices would be looked into

    struct Start {
        size_t slice, before;  // where to begin, and the last slice before it that has values
        Packing packing;
    };

    // Marks the slices where bins end, and those before them, whose largest value may be a bin's last.
    void foretell(Start at) {
        for (; at.slice < count_.size(); ++at.slice) {
            uint32_t n = count_[at.slice];
            if (n == 0) continue;
            if (!at.packing.takes(n)) {
                wanted_[at.slice] = wanted_[at.before] = 1;
                while (!at.packing.takes(n)) {
                    const double rest = at.packing.share() - static_cast<double>(at.packing.in_bin);
                    const uint32_t fit = std::min(n, static_cast<uint32_t>(std::max(0.0, rest)));
                    at.packing.add(fit);
                    n -= fit;
                    if (n == 0) break;
                    at.packing.next(1);
                    --n;
                }
            }
            at.packing.add(n);
            at.before = at.slice;
        }
    }

    // Whether each slice has one value, as far as the rows have come.
    bool alone(const ColumnView& column, size_t first, size_t last) {
        for (size_t r = first; r < last; ++r) {
            const double x = column[static_cast<int64_t>(r)];
            double& value = value_[slice_[r]];
            if (x == value || std::isnan(x)) continue;
            if (!std::isnan(value)) return false;
            value = x;
        }
        return true;
    }

    // Each slice is a bin.
    void number() {
        low.clear();
        high.clear();
        rows_.clear();
        bins_.assign(slices_ + 1, {0, 0});
        for (size_t s = 1; s <= slices_; ++s) {
            if (count_[s] == 0) continue;
            low.push_back(value_[s] + 0.0);
            bins_[s].first = static_cast<uint32_t>(low.size());
        }
    }

    // The rows of the slices that are wanted, and their values, as they come and in order.
    void gather(const ColumnView& column) {
        place_.assign(slices_ + 1, 0);
        uint32_t n = 0;
        for (size_t s = 1; s <= slices_; ++s)
            if (wanted_[s]) {
                place_[s] = n;
                n += count_[s];
            }
        rows_.resize(n + 1);  // one more: every row is written, and stays if it is wanted
        uint32_t* to = rows_.data();
        for (size_t r = 0; r < slice_.size(); ++r) {
            *to = static_cast<uint32_t>(r);
            to += wanted_[slice_[r]];
        }
        rows_.resize(n);
        values_.resize(n);
        sorted_.resize(n);
        for (size_t i = 0; i < n; ++i) {
            values_[i] = column[rows_[i]] + 0.0;
            sorted_[place_[slice_[rows_[i]]]++] = values_[i];
        }
        for (size_t s = 1; s <= slices_; ++s)
            if (wanted_[s]) std::sort(sorted_.data() + place_[s] - count_[s], sorted_.data() + place_[s]);
    }

    // Packs slice by slice; stops before one that is needed but was not gathered.
    Start walk(size_t first, Packing packing) {
        bins_.assign(count_.size(), {1, 1});
        low.assign(1, sorted_.front());
        high.clear();
        const double* at = sorted_.data();
        size_t before = first;
        for (size_t s = first; s < count_.size(); ++s) {
            const uint32_t n = count_[s];
            bins_[s] = {packing.bin, packing.bin};
            if (n == 0) continue;
            if (packing.takes(n)) {
                packing.add(n);
            } else if (!wanted_[s] || !wanted_[before]) {
                return {s, before, packing};
            } else {
                bins_[s] = pack_slice(at, at + n, packing);
            }
            if (wanted_[s]) at += n;
            before = s;
        }
        return {count_.size(), before, packing};
    }

    // The bins of the first and the last value; if a bin ends before the first, its own last is the value
    // gathered before.
    std::pair<uint32_t, uint32_t> pack_slice(const double* begin, const double* end, Packing& packing) {
        uint32_t first = 0;
        for (const double* v = begin; v < end;) {
            const double* const next = std::find_if(v, end, [v](double x) { return x != *v; });
            const uint32_t bin = packing.next(static_cast<uint32_t>(next - v));
            if (bin > low.size()) {
                low.push_back(*v);
                high.push_back(v[-1]);
            }
            if (v == begin) first = bin;
            v = next;
        }
        return {first, packing.bin};
    }

    double low_ = 0.0, high_ = 0.0, scale_ = 0.0;
    size_t slices_ = 0;
    std::vector<uint16_t> slice_;  // of each row
    std::vector<uint32_t> count_;  // of the rows in each slice
    bool few_ = false;             // each slice may have one value,
    std::vector<double> value_;    // which is this
    std::vector<uint8_t> wanted_;  // 1: its values are gathered
    std::vector<uint32_t> rows_, place_;
    std::vector<double> values_, sorted_;              // of these rows
    std::vector<std::pair<uint32_t, uint32_t>> bins_;  // of the first and the last value of each slice
};

}  // namespace bough

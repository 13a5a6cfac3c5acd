// Packs many values into bins without sorting them all: only slices of their range where a bin may end are.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "value_sort.hpp"

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
// gathered.
class SlicedBins {
  public:
    std::vector<double> low, high;  // of each bin

    // False if the values are not many, most of them are in few slices, or too many are equal.
    template <class Value>
    bool pack(const Value& value, size_t n_rows, size_t known, const Range& range, int64_t max_bins) {
        const size_t slices = std::clamp(known / 4, kSlices / 16, kSlices);
        low_ = range.low + 0.0;
        scale_ = (static_cast<double>(slices) - 0.5) / (range.high - range.low);
        if (known < kEnough * static_cast<size_t>(max_bins) || !(scale_ > 0) || !std::isfinite(scale_))
            return false;
        count_.assign(slices, 0);
        for (size_t r = 0; r < n_rows; ++r)
            if (const double x = value(r); !std::isnan(x)) ++count_[slice_of(x)];
        const auto used = static_cast<int64_t>(slices) - std::ranges::count(count_, 0u);
        if (used <= max_bins || std::ranges::max(count_) > known / 16) return false;
        wanted_.assign(slices, 0);
        Start start{0, 0, {static_cast<int64_t>(known), max_bins}};
        for (int turn = 0; turn < kTurns; ++turn) {
            foretell(start);
            gather(value, n_rows);
            start = walk({static_cast<int64_t>(known), max_bins});
            if (start.slice == slices) {
                high.push_back(range.high + 0.0);
                return true;
            }
        }
        return false;
    }
    // The bin of each row that is not missing.
    template <class Value>
    void codes(const Value& value, size_t n_rows, auto* out) const {
        for (size_t r = 0; r < n_rows; ++r) {
            const double x = value(r);
            if (std::isnan(x)) continue;
            const auto [first, last] = bins_[slice_of(x)];
            uint32_t bin = first;
            while (bin < last && x >= low[bin]) ++bin;
            out[r] = static_cast<std::remove_reference_t<decltype(*out)>>(bin);
        }
    }

  private:
    static constexpr size_t kSlices = 16384;
    static constexpr int kTurns = 4;
    static constexpr size_t kEnough = 32;  // values in a bin: with fewer, most slices would be looked into

    struct Start {
        size_t slice, before;  // where to begin, and the last slice before it that has values
        Packing packing;
    };

    size_t slice_of(double x) const { return static_cast<size_t>(static_cast<int64_t>((x - low_) * scale_)); }

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

    template <class Value>
    void gather(const Value& value, size_t n_rows) {
        size_t n = 0;
        for (size_t s = 0; s < count_.size(); ++s) n += wanted_[s] ? count_[s] : 0;
        gathered_.resize(n + 1);  // one more: every value is written, and stays if it is wanted
        double* to = gathered_.data();
        for (size_t r = 0; r < n_rows; ++r) {
            const double x = value(r);
            if (std::isnan(x)) continue;
            *to = x + 0.0;
            to += wanted_[slice_of(x)];
        }
        gathered_.resize(n);
        std::sort(gathered_.begin(), gathered_.end());
    }

    // Packs slice by slice; stops before one that is needed but was not gathered.
    Start walk(Packing packing) {
        bins_.assign(count_.size(), {1, 1});
        low.assign(1, low_);
        high.clear();
        const double* at = gathered_.data();
        size_t before = 0;
        for (size_t s = 0; s < count_.size(); ++s) {
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

    double low_ = 0.0, scale_ = 0.0;
    std::vector<uint32_t> count_;  // of the rows in each slice
    std::vector<uint8_t> wanted_;  // 1: its values are gathered
    std::vector<double> gathered_;
    std::vector<std::pair<uint32_t, uint32_t>> bins_;  // of the first and the last value of each slice
};

}  // namespace bough

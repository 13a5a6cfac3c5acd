// Puts the rows of one node in the order of a column. Beside node_sort.hpp it has a way for a handful of
// rows, and one for nodes of a middle size.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "binning.hpp"
#include "node_sort.hpp"

namespace bough::lean {

class Order {
  public:
    // The entries (code, item) by code; empty if all codes are the same. Equal codes are in any order.
    std::span<const Entry> sorted(std::span<const uint32_t> codes, const uint32_t* items) {
        const size_t n = codes.size();
        uint32_t low = ~uint32_t{0}, high = 0;
        for (const uint32_t code : codes) {
            low = std::min(low, code);
            high = std::max(high, code);
        }
        if (low == high) return {};
        if (n <= kHandful) return by_comparing(codes, items);
        entries_.resize(n);
        for (size_t i = 0; i < n; ++i) entries_[i] = make_entry(codes[i], items[i]);
        if (n > kMany) {
            node_sort_.sort(entries_);
            return entries_;
        }
        return by_buckets(low, high);
    }

  private:
    static constexpr size_t kHandful = 32;    // 5 bits of a key are the place
    static constexpr size_t kMany = 1 << 13;  // above it two passes of small counters are faster
    static constexpr size_t kFull = 24;       // entries of a bucket from which it is sorted by itself

    // The place of each is the number of those before it: no branch that depends on the values.
    std::span<const Entry> by_comparing(std::span<const uint32_t> codes, const uint32_t* items) {
        const size_t n = codes.size(), padded = (n + 3) / 4 * 4;
        int32_t keys[kHandful];
        for (size_t i = 0; i < n; ++i)
            keys[i] = static_cast<int32_t>(codes[i] << 5 | static_cast<uint32_t>(i));
        for (size_t i = n; i < padded; ++i) keys[i] = std::numeric_limits<int32_t>::max();
        for (size_t i = 0; i < n; ++i) {
            int32_t before[4] = {0, 0, 0, 0};
            for (size_t k = 0; k < padded; k += 4)
                for (size_t lane = 0; lane < 4; ++lane) before[lane] += keys[k + lane] < keys[i];
            handful_[static_cast<size_t>(before[0] + before[1] + before[2] + before[3])] =
                make_entry(static_cast<uint32_t>(keys[i]) >> 5, items[i]);
        }
        return {handful_, n};
    }

    // About as many buckets of equal width as entries, then a last sort of neighbours.
    std::span<const Entry> by_buckets(uint32_t low, uint32_t high) {
        const size_t n = entries_.size();
        const int bits = std::bit_width(high - low), wanted = static_cast<int>(std::bit_width(n));
        const int shift = std::max(0, bits - wanted);
        counts_.assign(((high - low) >> shift) + size_t{1}, 0);
        for (const Entry e : entries_) ++counts_[(code_of(e) - low) >> shift];
        uint32_t before = 0, fullest = 0;
        for (uint32_t& c : counts_) {
            const uint32_t own = c;
            fullest = std::max(fullest, own);
            c = before;
            before += own;
        }
        placed_.resize(n);
        for (const Entry e : entries_) placed_[counts_[(code_of(e) - low) >> shift]++] = e;
        if (shift == 0) return placed_;
        if (fullest > kFull) sort_full_buckets();
        for (size_t i = 1; i < n; ++i) {
            const Entry e = placed_[i];
            size_t k = i;
            for (; k > 0 && placed_[k - 1] > e; --k) placed_[k] = placed_[k - 1];
            placed_[k] = e;
        }
        return placed_;
    }
    // By now a counter holds the end of its bucket.
    void sort_full_buckets() {
        uint32_t start = 0;
        for (const uint32_t end : counts_) {
            if (end - start > kFull) std::sort(placed_.begin() + start, placed_.begin() + end);
            start = end;
        }
    }

    Entry handful_[kHandful];
    std::vector<uint32_t> counts_;
    Sorted entries_, placed_;
    NodeSort node_sort_;
};

}  // namespace bough::lean

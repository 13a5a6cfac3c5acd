// Sorts the values of a column and numbers the distinct ones; only its first step leaves the caches.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "binning.hpp"
#include "huge_pages.hpp"

namespace bough {

// Unsigned integers in the same order as the doubles; -0 becomes +0 first.
inline uint64_t sortable(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x + 0.0);
    return bits ^ ((bits >> 63) ? ~uint64_t{0} : uint64_t{1} << 63);
}

// A known value on its way to its place.
struct Item {
    double value;
    uint32_t row;
};

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -low;

    void add(double x) {  // NaN changes nothing
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    void add(const Range& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

// Working memory of one thread's sorts, kept from column to column.
struct SortScratch {
    UnclearedVector<Item> items, spare;
    std::vector<Item> sorted;
    std::vector<uint64_t> words, other;
    std::vector<uint32_t> counts;
    std::function<void()> check;  // throws if the work is to stop
};

// The rows of a column by value, as far as they have come: missing ones first, then by code, then by row.
struct Numbered {
    Sorted entries;  // room for all rows
    size_t size = 0;
    uint32_t n_bins = 0;
    double last = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> distinct;  // complete up to `keep` values, afterwards not needed
    size_t keep = 0;

    void append_missing(uint32_t row) { entries[size++] = make_entry(0, row); }
    // Takes the next items, which are in their final order.
    void append(const Item* items, size_t n) {
        Entry* const to = entries.data() + size;
        size += n;
        for (size_t i = 0; i < n; ++i) {
            const bool next = items[i].value != last;
            last = items[i].value;
            n_bins += next;
            if (next && n_bins <= keep) distinct.push_back(last);
            to[i] = make_entry(n_bins, items[i].row);
        }
    }
};

// Sorts by value, equal values by row: deals the items out to slices of the range of their values, keeping
// their order, until a slice fits into the caches, and sorts each slice there.
class Sorter {
  public:
    Sorter(SortScratch& scratch, Numbered& out) : scratch_(scratch), out_(out) {}

    // `range` is that of the known values; the missing ones are in `out` already. value(row) is asked for no
    // more once anything is appended.
    template <class Value>
    void sort(const Value& value, size_t n_rows, Range range) {
        const size_t known = n_rows - out_.size;
        Item* const items = grown(scratch_.items, known);
        const auto at = [&value](size_t r) { return Item{value(r) + 0.0, static_cast<uint32_t>(r)}; };
        if (known > kCached) return spread(at, n_rows, known, range, items, nullptr);
        deal(at, n_rows, 1, items, nullptr, known, [](double) { return 0; });
    }

  private:
    static constexpr size_t kCached = 16384, kSlices = 1024;

    static Item* grown(UnclearedVector<Item>& items, size_t n) {
        if (items.size() < n) items.resize(n);
        return items.data();
    }

    // Slices of equal width do for most columns; skewed ones are sliced by the bits of their values, 16 to a
    // power of two or finer. Either the slices or their range become much smaller, so it comes to an end.
    template <class At>
    void spread(const At& at, size_t n, size_t known, Range range, Item* to, Item* spare) {
        scratch_.check();
        const size_t slices = std::clamp(known / 2048, kSlices / 8, kSlices);
        const double low = range.low, scale = (static_cast<double>(slices) - 0.5) / (range.high - low);
        if (scale > 0 && std::isfinite(scale)) {
            const auto by_value = [=](double x) { return static_cast<int64_t>((x - low) * scale); };
            if (deal(at, n, slices, to, spare, known / 16, by_value)) return;
        }
        const uint64_t first = sortable(low), width = sortable(range.high) - first;
        int shift = 0;
        while (shift < 48 && width >> shift >= kSlices) ++shift;
        const auto by_bits = [=](double x) { return static_cast<int64_t>((sortable(x) - first) >> shift); };
        deal(at, n, (width >> shift) + 1, to, spare, known, by_bits);
    }

    // False, and nothing done, if a slice would hold more than `most`.
    template <class At, class SliceOf>
    bool deal(const At& at, size_t n, size_t slices, Item* to, Item* spare, size_t most,
              const SliceOf& slice_of) {
        std::vector<uint32_t> end(slices);
        for (size_t i = 0; i < n; ++i) {
            const Item item = at(i);
            if (!std::isnan(item.value)) ++end[static_cast<size_t>(slice_of(item.value))];
        }
        const size_t largest = *std::max_element(end.begin(), end.end());
        if (largest > most) return false;
        uint32_t place = 0;
        for (uint32_t& e : end) place += std::exchange(e, place);
        for (size_t i = 0; i < n; ++i) {
            const Item item = at(i);
            if (!std::isnan(item.value)) to[end[static_cast<size_t>(slice_of(item.value))]++] = item;
        }
        if (!spare && largest > kCached) spare = grown(scratch_.spare, largest);
        size_t first = 0;
        for (const uint32_t e : end) {
            if (e > first) settle(to + first, e - first, spare);
            first = e;
        }
        return true;
    }

    void settle(Item* items, size_t n, Item* spare) {
        if (n <= kCached) return sort_cached(items, n);
        Range range;
        for (size_t i = 0; i < n; ++i) range.add(items[i].value);
        if (range.low == range.high) return out_.append(items, n);
        spread([items](size_t i) { return items[i]; }, n, n, range, spare, items);
    }

    // Sorts words: above, 48 bits of the value's place in the range; below, the item's number, which keeps
    // equal ones in their order.
    void sort_cached(const Item* items, size_t n) {
        std::vector<uint64_t>& words = scratch_.words;
        words.resize(n);
        uint64_t low = ~uint64_t{0}, high = 0;
        for (size_t i = 0; i < n; ++i) {
            words[i] = sortable(items[i].value);
            low = std::min(low, words[i]);
            high = std::max(high, words[i]);
        }
        if (low >= high) return out_.append(items, n);
        const int width = static_cast<int>(std::bit_width(high - low)), lost = std::max(0, width - 48);
        for (size_t i = 0; i < n; ++i) words[i] = (words[i] - low) >> lost << 16 | i;
        sort_words(width - lost + 16);
        std::vector<Item>& sorted = scratch_.sorted;
        sorted.resize(n);
        for (size_t i = 0; i < n; ++i) sorted[i] = items[words[i] & 0xffff];
        const auto less = [](const Item& a, const Item& b) { return a.value < b.value; };
        if (lost > 0 && !std::is_sorted(sorted.begin(), sorted.end(), less))
            std::stable_sort(sorted.begin(), sorted.end(), less);
        out_.append(sorted.data(), n);
    }

    // Two digits from the top (radix sort) leave little to do for an insertion sort of the whole.
    void sort_words(int bits) {
        std::vector<uint64_t>&words = scratch_.words, &other = scratch_.other;
        const size_t n = words.size();
        const int digit = std::min(11, static_cast<int>(std::bit_width(n)));
        const int second = std::max(0, bits - 2 * digit), first = second + digit;
        const uint64_t mask = (uint64_t{1} << digit) - 1;
        scratch_.counts.assign(2 * (mask + 1), 0);
        uint32_t *const low = scratch_.counts.data(), *const high = low + mask + 1;
        for (const uint64_t w : words) {
            ++low[w >> second & mask];
            ++high[w >> first & mask];
        }
        uint32_t lower = 0, higher = 0;
        for (size_t d = 0; d <= mask; ++d) {
            lower += std::exchange(low[d], lower);
            higher += std::exchange(high[d], higher);
        }
        other.resize(n);
        for (const uint64_t w : words) other[low[w >> second & mask]++] = w;
        for (const uint64_t w : other) words[high[w >> first & mask]++] = w;
        size_t moves = 0;
        for (size_t i = 1; i < n && moves <= 8 * n; ++i) {
            const uint64_t w = words[i];
            size_t k = i;
            for (; k > 0 && words[k - 1] > w; --k) words[k] = words[k - 1];
            words[k] = w;
            moves += i - k;
        }
        if (moves > 8 * n) std::sort(words.begin(), words.end());
    }

    SortScratch& scratch_;
    Numbered& out_;
};

}  // namespace bough

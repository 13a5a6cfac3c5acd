// Moves a node's rows to its children, in place and in stable order, in the row list and in each sorted
// column.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "binning.hpp"

namespace bough {

// One bit for each row of the table: the child in the two-way split being made. Each thread has its own, so
// that no two write to the same word; 2 M rows take 256 KB, which stays in the second-level cache.
class Sides {
  public:
    explicit Sides(int64_t n_rows) : words_(static_cast<size_t>((n_rows + 63) / 64)) {}
    void set(uint32_t row, bool right) {
        uint64_t& word = words_[row >> 6];
        word = (word & ~(uint64_t{1} << (row & 63))) | uint64_t{right} << (row & 63);
    }
    int64_t operator[](uint32_t row) const {
        return static_cast<int64_t>(words_[row >> 6] >> (row & 63) & 1);
    }

    // Rows of sorted entries: `left` go left, `right` go right. Of many rows only the fewer ones are written
    // one by one, after all of the table: they lie anywhere in it.
    void set_all(std::span<const Entry> left, std::span<const Entry> right, uint32_t mask) {
        if ((left.size() + right.size()) * 16 < words_.size() * 64) {
            for (const Entry e : left) set(row_of(e) & mask, false);
            for (const Entry e : right) set(row_of(e) & mask, true);
            return;
        }
        const bool fewer_right = right.size() <= left.size();
        std::fill(words_.begin(), words_.end(), fewer_right ? 0 : ~uint64_t{0});
        for (const Entry e : fewer_right ? right : left) {
            const uint32_t row = row_of(e) & mask;
            words_[row >> 6] ^= uint64_t{1} << (row & 63);
        }
    }

  private:
    std::vector<uint64_t> words_;
};

// Items are rows, or entries whose lower bits under `mask` are the row; `sides` tells the child of a row.
// Two children, of which the first has `first` items. Branch-free: each item is written to both places, one
// of them counts. The fewer ones go to the spare room and back, so from the end if they are the first
// child's.
//     items:  a0 b1 c0 d0 e1   ->   a c d | b e
template <class Item, class Sides>
void partition_two(Item* items, int64_t n, int64_t first, const Sides& sides, uint32_t mask,
                   UnclearedVector<Item>& spare) {
    const auto fewer = static_cast<size_t>(std::min(first, n - first));
    if (spare.size() < fewer + 1) spare.resize(fewer + 1);  // one that counts for nothing
    Item* const other = spare.data();
    if (2 * first >= n) {
        int64_t left = 0, right = 0;
        for (int64_t i = 0; i < n; ++i) {
            const Item item = items[i];
            const int64_t s = sides[static_cast<uint32_t>(item) & mask];
            items[left] = item;
            other[right] = item;
            left += 1 - s;
            right += s;
        }
        std::copy_n(other, right, items + left);
    } else {
        int64_t left = first, right = n;
        for (int64_t i = n; i-- > 0;) {
            const Item item = items[i];
            const int64_t s = sides[static_cast<uint32_t>(item) & mask];
            items[right - 1] = item;
            other[left] = item;
            left -= 1 - s;
            right -= s;
        }
        std::copy_n(other + 1, first, items);
    }
}

// Only one child goes on growing: its items are moved to their place, the others are lost.
template <class Item, class Sides>
void keep_one_side(Item* items, int64_t n, const Sides& sides, uint32_t mask, int kept) {
    if (kept == 0) {
        for (int64_t i = 0, to = 0; i < n; ++i) {
            const Item item = items[i];
            items[to] = item;
            to += 1 - sides[static_cast<uint32_t>(item) & mask];
        }
    } else {
        for (int64_t i = n, to = n; i-- > 0;) {
            const Item item = items[i];
            items[to - 1] = item;
            to -= sides[static_cast<uint32_t>(item) & mask];
        }
    }
}

// Any number of children; `starts` holds the first place of each child.
template <class Item>
void partition_many(Item* items, int64_t n, const uint32_t* child, uint32_t mask,
                    std::span<const int64_t> starts, UnclearedVector<Item>& spare) {
    spare.assign(items, items + n);
    std::vector<int64_t> place(starts.begin(), starts.end());
    for (int64_t i = 0; i < n; ++i) {
        const Item item = spare[static_cast<size_t>(i)];
        items[place[child[static_cast<uint32_t>(item) & mask]]++] = item;
    }
}

}  // namespace bough

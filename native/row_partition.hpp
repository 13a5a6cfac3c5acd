// Moves a node's rows to its children, in place and in stable order, in the row list and in each sorted column.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "binning.hpp"

namespace bough {

inline uint32_t row_of(uint32_t row) { return row; }  // an item of the row list is the row itself

// Two children, `side[row]` is 0 or 1. Branch-free: each item is written to both places, one of them counts.
//     items:  a0 b1 c0 d0 e1   ->   a c d | b e
template <class Item>
void partition_two(Item* items, int64_t n, const uint8_t* side, std::vector<Item>& spare) {
    if (static_cast<int64_t>(spare.size()) < n) spare.resize(static_cast<size_t>(n));
    int64_t left = 0, right = 0;
    for (int64_t i = 0; i < n; ++i) {
        const Item item = items[i];
        const int64_t s = side[row_of(item)];
        items[left] = item;
        spare[static_cast<size_t>(right)] = item;
        left += 1 - s;
        right += s;
    }
    std::copy_n(spare.data(), right, items + left);
}

// Only one child goes on growing: its items are moved to their place, the others are lost.
template <class Item>
void keep_one_side(Item* items, int64_t n, const uint8_t* side, int kept) {
    if (kept == 0) {
        for (int64_t i = 0, to = 0; i < n; ++i) {
            const Item item = items[i];
            items[to] = item;
            to += side[row_of(item)] == 0;
        }
    } else {
        for (int64_t i = n, to = n; i-- > 0;) {
            const Item item = items[i];
            items[to - 1] = item;
            to -= side[row_of(item)] != 0;
        }
    }
}

// Any number of children; `starts` holds the first place of each child.
template <class Item>
void partition_many(Item* items, int64_t n, const uint32_t* child, std::span<const int64_t> starts,
                    std::vector<Item>& spare) {
    spare.assign(items, items + n);
    std::vector<int64_t> place(starts.begin(), starts.end());
    for (int64_t i = 0; i < n; ++i) {
        const Item item = spare[static_cast<size_t>(i)];
        items[place[child[row_of(item)]]++] = item;
    }
}

}  // namespace bough

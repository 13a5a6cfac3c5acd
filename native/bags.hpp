// What each tree of a forest is grown on: how often it sees each row, and which columns it may ask. All of it
// follows from the seed and the number of the tree.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "random.hpp"

namespace bough {

struct Bags {
    uint64_t seed = 0;
    int64_t n_rows = 0;
    std::vector<uint32_t> tickets;  // what is drawn from: rows, one that counts twice is there twice
    int64_t draws = 0;              // tickets drawn for a tree
    bool replace = true;            // a ticket may be drawn more than once
    std::vector<int32_t> group;     // of each row; not empty: every group gives its own number of draws
    std::vector<int64_t> quota;     // draws of each group
    int64_t n_columns = 0;
    int64_t columns_drawn = 0;  // columns that a tree may ask; 0: all
    bool balanced = false;      // the classes of a bag get the same weight

    uint64_t seed_of(int64_t tree) const { return mix(mix(seed) + static_cast<uint64_t>(tree)); }

    // Throws unless everything that is drawn is there.
    void validate() const {
        for (const uint32_t row : tickets) wrong(row >= static_cast<uint64_t>(n_rows));
        wrong(!group.empty() && group.size() != static_cast<size_t>(n_rows));
        for (const int32_t g : group) wrong(g < 0 || static_cast<size_t>(g) >= quota.size());
        wrong(tickets.empty());
    }

    // How often the tree sees each row.
    std::vector<uint32_t> counts(int64_t tree) const {
        std::vector<uint32_t> times(static_cast<size_t>(n_rows), 0);
        NodeRandom random(seed_of(tree), kRows);
        if (!group.empty()) {
            draw_from_groups(random, times);
        } else if (replace) {
            for (int64_t i = 0; i < draws; ++i) ++times[tickets[random.below(tickets.size())]];
        } else if (static_cast<size_t>(draws) >= tickets.size()) {
            for (const uint32_t row : tickets) ++times[row];
        } else {
            std::vector<uint32_t> left = tickets;
            for (size_t i = 0; i < static_cast<size_t>(draws); ++i) {
                std::swap(left[i], left[i + random.below(left.size() - i)]);
                ++times[left[i]];
            }
        }
        return times;
    }

    // Of each column, whether the tree may not ask it.
    std::vector<uint8_t> forbidden(int64_t tree) const {
        std::vector<uint8_t> no(static_cast<size_t>(n_columns), columns_drawn > 0);
        std::vector<int32_t> columns(no.size());
        std::iota(columns.begin(), columns.end(), 0);
        NodeRandom random(seed_of(tree), kColumns);
        for (size_t i = 0; i < static_cast<size_t>(std::min(columns_drawn, n_columns)); ++i) {
            std::swap(columns[i], columns[i + random.below(columns.size() - i)]);
            no[static_cast<size_t>(columns[i])] = 0;
        }
        return no;
    }

  private:
    static constexpr uint64_t kRows = 0x726f7773, kColumns = 0x636f6c73;  // apart from what nodes draw

    static void wrong(bool is) {
        if (is) throw std::invalid_argument("the bags are of other data");
    }

    void draw_from_groups(NodeRandom& random, std::vector<uint32_t>& times) const {
        std::vector<std::vector<uint32_t>> members(quota.size());
        for (const uint32_t row : tickets) members[static_cast<size_t>(group[row])].push_back(row);
        for (size_t g = 0; g < quota.size(); ++g)
            for (int64_t i = 0; i < quota[g] && !members[g].empty(); ++i)
                ++times[members[g][random.below(members[g].size())]];
    }
};

}  // namespace bough

// The rows of all nodes: one row list and one entry list for each sorted column, in which every node owns the same
// segment; and the moving of a node's rows to its children.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "binning.hpp"
#include "parallel.hpp"
#include "row_partition.hpp"

namespace bough {

struct Segment {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
};

class RowLists {
  public:
    // What a thread needs of its own to move rows.
    struct Spare {
        std::vector<uint32_t> rows;
        std::vector<Entry> entries;
    };

    RowLists(const BinnedMatrix& matrix, const std::vector<uint32_t>& rows, bool multiway, int threads)
        : rows_(rows), matrix_(matrix), sorted_(matrix.columns.size()), side_(static_cast<size_t>(matrix.n_rows)) {
        if (multiway) child_.resize(static_cast<size_t>(matrix.n_rows));
        parallel_for(static_cast<int64_t>(sorted_.size()), threads,
                     [&](int64_t j, int) { copy_sorted(static_cast<size_t>(j)); });
    }

    const std::vector<uint32_t>& rows() const { return rows_; }
    // The node's part of a sorted column; null for other columns.
    const Entry* entries(int32_t column, Segment segment) const {
        const std::vector<Entry>& list = sorted_[static_cast<size_t>(column)];
        return list.empty() ? nullptr : list.data() + segment.begin;
    }

    // Calls see(code, row) for each row of the node.
    template <class See>
    void for_each_code(Segment segment, int32_t column, const See& see) const {
        std::visit(
            [&](const auto& store) {
                for (int64_t i = segment.begin; i < segment.end; ++i) {
                    if constexpr (std::is_same_v<std::decay_t<decltype(store)>, Sorted>) {
                        const Entry e = sorted_[static_cast<size_t>(column)][static_cast<size_t>(i)];
                        see(code_of(e), row_of(e));
                    } else {
                        const uint32_t row = rows_[static_cast<size_t>(i)];
                        see(store[row], row);
                    }
                }
            },
            matrix_.columns[static_cast<size_t>(column)].store);
    }

    // Says which child a row goes to; of two, or of many.
    void send_two(uint32_t row, bool right) { side_[row] = right; }
    void send_many(uint32_t row, uint32_t child) { child_[row] = child; }

    // Moves the row list; `starts` holds the place of each child within the node.
    void move_rows(Segment segment, bool many, std::span<const int64_t> starts, Spare& spare) {
        move(rows_.data() + segment.begin, segment.size(), many, -1, starts, spare.rows);
    }
    // Moves the entries of a sorted column. `only` >= 0: that child alone is needed further down.
    void move_entries(int32_t column, Segment segment, bool many, int32_t only, std::span<const int64_t> starts,
                      Spare& spare) {
        std::vector<Entry>& list = sorted_[static_cast<size_t>(column)];
        if (!list.empty()) move(list.data() + segment.begin, segment.size(), many, only, starts, spare.entries);
    }

  private:
    template <class Item>
    void move(Item* items, int64_t n, bool many, int32_t only, std::span<const int64_t> starts, std::vector<Item>& spare) {
        if (many) {
            partition_many(items, n, child_.data(), starts, spare);
        } else if (only >= 0) {
            keep_one_side(items, n, side_.data(), only);
        } else {
            partition_two(items, n, side_.data(), spare);
        }
    }

    // Rows of weight zero are left out of the working copy.
    void copy_sorted(size_t j) {
        if (!matrix_.columns[j].sorted()) return;
        const Sorted& all = std::get<Sorted>(matrix_.columns[j].store);
        if (rows_.size() == all.size()) {
            sorted_[j] = all;
            return;
        }
        std::vector<bool> taken(all.size());
        for (const uint32_t r : rows_) taken[r] = true;
        sorted_[j].reserve(rows_.size());
        std::copy_if(all.begin(), all.end(), std::back_inserter(sorted_[j]), [&](Entry e) { return taken[row_of(e)]; });
    }

    std::vector<uint32_t> rows_;  // each node's part ascending
    const BinnedMatrix& matrix_;
    std::vector<std::vector<Entry>> sorted_;  // by column; empty where the column has codes by row
    std::vector<uint8_t> side_;               // by row: child in the two-way split being made
    std::vector<uint32_t> child_;             // by row: child in the multiway split being made
};

}  // namespace bough

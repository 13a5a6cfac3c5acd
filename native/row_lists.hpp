// The rows of all nodes: one row list and one entry list for each sorted column, in which every node owns the
// same segment; and the moving of a node's rows to its children.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "binning.hpp"
#include "parallel.hpp"
#include "row_partition.hpp"
#include "target.hpp"

namespace bough {

struct Segment {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
};

class RowLists {
  public:
    // What a thread needs of its own to move rows.
    struct Spare {
        UnclearedVector<uint32_t> rows;
        UnclearedVector<Entry> entries;
    };

    RowLists(BinnedMatrix& matrix, const Target& target, bool wide, int threads)
        : rows_(target.n_rows()), matrix_(matrix), target_(target), sorted_(matrix.columns.size()) {
        std::iota(rows_.begin(), rows_.end(), uint32_t{0});
        if (wide) child_.resize(static_cast<size_t>(matrix.n_rows));
        std::vector<uint64_t> second;
        if (target.n_classes == 2 && target.packed()) second = second_class();
        parallel_for(static_cast<int64_t>(sorted_.size()), threads, [&](int64_t j, int) {
            take_sorted(matrix.columns[static_cast<size_t>(j)], second, sorted_[static_cast<size_t>(j)]);
        });
    }

    const UnclearedVector<uint32_t>& rows() const { return rows_; }
    // The node's part of a sorted column; null for other columns.
    const Entry* entries(int32_t column, Segment segment) const {
        const Sorted& list = sorted_[static_cast<size_t>(column)];
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
                        see(code_of(e), row_of(e) & target_.row_mask);
                    } else {
                        const uint32_t row = rows_[static_cast<size_t>(i)];
                        if constexpr (std::is_same_v<std::decay_t<decltype(store)>, InRecord>) {
                            see(matrix_.code(row, store.offset), row);
                        } else {
                            see(store[row], row);
                        }
                    }
                }
            },
            matrix_.columns[static_cast<size_t>(column)].store);
    }

    // The child that a row goes to where there are more than two ways.
    void send(uint32_t row, uint32_t child) { child_[row] = child; }
    uint32_t child(uint32_t row) const { return child_[row]; }

    // A move to make: where the children begin within the node, and the sides of its rows if there are two.
    // `only` >= 0: that child alone is needed further down.
    struct Move {
        Segment segment;
        std::span<const int64_t> starts;
        const Sides* sides = nullptr;  // null: more than two ways
        int32_t only = -1;
    };
    void move_rows(const Move& move, Spare& spare) {
        move_items(rows_.data() + move.segment.begin, move, 0xffffffff, spare.rows);
    }
    void move_entries(int32_t column, const Move& move, Spare& spare) {
        Sorted& list = sorted_[static_cast<size_t>(column)];
        if (!list.empty())
            move_items(list.data() + move.segment.begin, move, target_.row_mask, spare.entries);
    }

    // No node asks for rows before this place any more: their entries make room for other arrays of the fit.
    void done_before(int64_t place) {
        if (place < next_done_) return;
        constexpr auto kEntries = static_cast<int64_t>(kLargePage / sizeof(Entry));  // of a page
        next_done_ = (place / kEntries + 1) * kEntries;
        for (Sorted& list : sorted_)
            if (!list.empty())
                list.get_allocator().give_front(list.data(), list.capacity(), static_cast<size_t>(place));
    }
    // None does.
    void clear() {
        sorted_.clear();
        UnclearedVector<uint32_t>().swap(rows_);
        HugeVector<uint32_t>().swap(child_);
    }

  private:
    template <class Item>
    void move_items(Item* items, const Move& move, uint32_t mask, UnclearedVector<Item>& spare) {
        const int64_t n = move.segment.size();
        if (!move.sides) {
            partition_many(items, n, child_.data(), mask, move.starts, spare);
        } else if (move.only >= 0) {
            keep_one_side(items, n, *move.sides, mask, move.only);
        } else {
            partition_two(items, n, move.starts[1], *move.sides, mask, spare);
        }
    }

    // Of two classes, one bit a row: they are asked for in the order of every column, and 4 M rows of bits
    // stay in the second-level cache.
    std::vector<uint64_t> second_class() const {
        std::vector<uint64_t> bits((target_.label.size() + 63) / 64);
        for (size_t r = 0; r < target_.label.size(); ++r)
            bits[r >> 6] |= uint64_t{target_.label[r]} << (r & 63);
        return bits;
    }

    // Takes the sorted entries over from the matrix.
    void take_sorted(BinnedColumn& column, const std::vector<uint64_t>& second, Sorted& mine) const {
        if (!column.sorted()) return;
        mine = std::move(std::get<Sorted>(column.store));
        if (!target_.packed()) return;
        if (!second.empty()) {
            for (Entry& e : mine) {
                const uint32_t row = row_of(e);
                e |= (second[row >> 6] >> (row & 63) & 1) << target_.label_shift;
            }
        } else {
            for (Entry& e : mine) e = make_entry(code_of(e), target_.item(row_of(e)));
        }
    }

    UnclearedVector<uint32_t> rows_;  // each node's part ascending
    const BinnedMatrix& matrix_;
    const Target& target_;
    std::vector<Sorted> sorted_;  // by column, items below the code; empty where codes are by row
    HugeVector<uint32_t> child_;  // by row: child in the split being made
    int64_t next_done_ = 0;       // before this place there is nothing more to be had
};

}  // namespace bough

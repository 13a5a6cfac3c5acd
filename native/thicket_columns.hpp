// The columns of a thicket (thicket.hpp): those that vary in its rows, copied from the table as small items,
// in order and by row.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "plot.hpp"
#include "thicket_scan.hpp"

namespace bough {

class ThicketColumns {
  public:
    // A column that may vary in a node; its items there.
    struct Active {
        uint32_t column;    // place among those of the thicket
        uint32_t begin, n;  // of two values: the rows of the rarer one
    };
    struct Column {
        int32_t number = 0;  // in the table
        bool two = false, rare_right = false;
    };

    // Copies the rows of a node; false if a value is missing. `active` gets the columns that vary.
    bool take(const Plot& plot, Segment segment, const std::vector<int32_t>& columns,
              std::vector<Active>& active) {
        plot_ = &plot;
        active_ = &active;
        active.clear();
        const auto n = static_cast<size_t>(segment.size());
        table_rows = {plot.lists.rows().data() + segment.begin, n};
        for (const int32_t j : columns)
            if (const Entry* const entries = plot.lists.entries(j, segment);
                entries && code_of(entries[0]) == 0)
                return false;
        const bool holes = std::find(columns.begin(), columns.end(), hole_) != columns.end();
        if (holes && (n < kFewRows || has_hole(hole_))) return false;
        place_.resize(std::max(place_.size(), static_cast<size_t>(plot.matrix.n_rows)));
        label.assign(n, 0);
        for (size_t i = 0; i < n; ++i) {
            place_[table_rows[i]] = static_cast<uint16_t>(i);
            if (!plot.target.regression()) label[i] = plot.target.label[table_rows[i]];
        }
        of.resize(columns.size());
        if (items.size() < n * columns.size()) items.resize(n * columns.size());
        if (by_row_.size() < n * columns.size()) by_row_.resize(n * columns.size());
        for (size_t c = 0; c < columns.size(); ++c) of[c] = {columns[c]};
        take_twos(n);
        for (size_t c = 0; c < columns.size(); ++c) {
            if (of[c].two) {
                note_two(c, n);
            } else if (const Entry* const entries = plot.lists.entries(columns[c], segment)) {
                take_sorted(c, entries, n);
            } else if (!take_record(c, n)) {
                hole_ = columns[c];
                return false;
            }
        }
        return true;
    }

    SmallItem item(uint32_t row, uint32_t column) const { return by_row_[row * of.size() + column]; }

    std::span<const uint32_t> table_rows;  // by row of the thicket: the row of the table
    std::vector<uint16_t> label;           // by row of the thicket
    std::vector<Column> of;
    std::vector<SmallItem> items;  // column after column

  private:
    static constexpr size_t kFewRows = 64;  // a copy of less does not pay if it may be given up

    // Where a byte of the record is a code.
    const InRecord* record_of(size_t c) const {
        return std::get_if<InRecord>(&plot_->matrix.columns[static_cast<size_t>(of[c].number)].store);
    }

    // Asked before anything is copied of the column that the last copy was given up for: with holes in one
    // column of bytes, a tree took 1.5 times as long as without thickets, because each node began a copy.
    bool has_hole(int32_t column) const {
        const auto* const record =
            std::get_if<InRecord>(&plot_->matrix.columns[static_cast<size_t>(column)].store);
        return record && std::any_of(table_rows.begin(), table_rows.end(), [&](uint32_t row) {
                   return plot_->matrix.code(row, record->offset) == 0;
               });
    }

    // Columns that have two values in the whole table: row after row, because their bytes stand together. The
    // rows of the second value are listed.
    void take_twos(size_t n) {
        twos_.clear();
        for (size_t c = 0; c < of.size(); ++c)
            if (const InRecord* const record = record_of(c); record && record->offset < plot_->matrix.twos) {
                of[c].two = true;
                twos_.push_back({static_cast<uint32_t>(c), record->offset, static_cast<uint32_t>(c * n)});
            }
        for (size_t i = 0; i < n && !twos_.empty(); ++i) {
            const uint8_t* const record = plot_->matrix.record(table_rows[i]);
            const SmallItem first = small_item(0, label[i], static_cast<uint32_t>(i));
            SmallItem* const by_row = by_row_.data() + i * of.size();
            for (Two& two : twos_) {
                const uint32_t code = record[two.offset] - 1u;
                const SmallItem item = first + static_cast<SmallItem>(code << kItemCode);
                by_row[two.column] = item;
                items[two.end] = item;
                two.end += code;
            }
        }
        ones_.resize(of.size());
        for (const Two& two : twos_) ones_[two.column] = two.end - static_cast<uint32_t>(two.column * n);
    }
    void note_two(size_t c, size_t n) {
        const uint32_t ones = ones_[c], begin = static_cast<uint32_t>(c * n);
        if (ones == 0 || ones == n) return;
        of[c].rare_right = 2 * ones <= n;
        uint32_t listed = ones;
        if (!of[c].rare_right) {
            listed = 0;
            for (uint32_t i = 0; i < n; ++i)
                if (const SmallItem one = item(i, static_cast<uint32_t>(c)); one >> kItemCode == 0)
                    items[begin + listed++] = one;
        }
        active_->push_back({static_cast<uint32_t>(c), begin, listed});
    }

    void take_sorted(size_t c, const Entry* entries, size_t n) {
        if (code_of(entries[0]) == code_of(entries[n - 1])) return;
        const uint32_t mask = plot_->target.row_mask;
        SmallItem* const own = items.data() + c * n;
        uint32_t code = 0, before = code_of(entries[0]), first = 0;
        for (size_t i = 0; i < n; ++i) {
            code += code_of(entries[i]) != before;
            before = code_of(entries[i]);
            first += code == 0;
            const uint32_t row = place_[row_of(entries[i]) & mask];
            own[i] = small_item(code, label[row], row);
            by_row_[row * of.size() + c] = own[i];
        }
        note(c, n, code, first);
    }

    // Codes of one byte are put in order by counting; false if one is missing.
    bool take_record(size_t c, size_t n) {
        const uint32_t offset = record_of(c)->offset;
        std::array<uint16_t, 257> start{};
        codes_.resize(n);
        for (size_t i = 0; i < n; ++i) {
            codes_[i] = plot_->matrix.code(table_rows[i], offset);
            ++start[codes_[i] + size_t{1}];
        }
        if (start[1] > 0) return false;
        std::array<uint16_t, 256> dense;
        uint32_t code = 0;
        for (size_t b = 1; b < 256; ++b) {
            dense[b] = static_cast<uint16_t>(code);
            code += start[b + 1] > 0;
            start[b + 1] = static_cast<uint16_t>(start[b + 1] + start[b]);
        }
        if (code == 1) return true;
        SmallItem* const own = items.data() + c * n;
        for (size_t i = 0; i < n; ++i) {
            const SmallItem item = small_item(dense[codes_[i]], label[i], static_cast<uint32_t>(i));
            own[start[codes_[i]]++] = item;
            by_row_[i * of.size() + c] = item;
        }
        uint32_t first = 0;
        while (same_code(own[0], own[first])) ++first;
        note(c, n, code - 1, first);
        return true;
    }

    // A column of codes up to `last`, of which the first has so many rows.
    void note(size_t c, size_t n, uint32_t last, uint32_t first) {
        const auto all = static_cast<uint32_t>(n), begin = static_cast<uint32_t>(c * n);
        of[c].two = last == 1;
        of[c].rare_right = of[c].two && 2 * first > all;
        Active active{static_cast<uint32_t>(c), begin, of[c].two ? first : all};
        if (of[c].rare_right) active = {active.column, begin + first, all - first};
        active_->push_back(active);
    }

    struct Two {
        uint32_t column, offset, end;  // in the record; of its items
    };

    const Plot* plot_ = nullptr;
    std::vector<Active>* active_ = nullptr;
    UnclearedVector<uint16_t> place_;  // by row of the table: the row of the thicket
    std::vector<SmallItem> by_row_;
    std::vector<Two> twos_;
    std::vector<uint32_t> ones_;  // by column of two values: rows of the second
    std::vector<uint8_t> codes_;
    int32_t hole_ = -1;  // the column of bytes that a value was last missing in
};

}  // namespace bough

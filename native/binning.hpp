// Columns become codes once: 0 is missing, 1 .. n_bins are the distinct values (or bins) in ascending order.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "huge_pages.hpp"
#include "tree_memory.hpp"
#include "vocabulary.hpp"

namespace bough {

// A column as the caller has it: float64 with NaN for missing, categories as their number.
struct ColumnView {
    const double* data = nullptr;
    int64_t stride = 1;  // in elements
    int64_t size = 0;
    ColumnKind kind = ColumnKind::ordered;
    int64_t n_categories = 0;

    double operator[](int64_t row) const { return data[row * stride]; }
};

// One value of a column in one row; sorting entries sorts by code, then by row.
using Entry = uint64_t;
inline Entry make_entry(uint32_t code, uint32_t row) { return uint64_t{code} << 32 | row; }
inline uint32_t code_of(Entry e) { return static_cast<uint32_t>(e >> 32); }
inline uint32_t row_of(Entry e) {
    return static_cast<uint32_t>(e);
}  // while its columns are sorted, see Target::item

using Codes8 = UnclearedVector<uint8_t>;
struct InRecord {
    uint32_t offset = 0;
};
using Codes16 = HugeVector<uint16_t>;
using Codes32 = HugeVector<uint32_t>;

// The list of a column: a large one has pages of its own, smaller ones stand together in blocks of 2 MB pages
// while binning has a scope for them. 40 lists of 800 KB each were 8,000 pages of 4 KB.
template <class T>
struct ListMemory : Uncleared<T> {
    ListMemory() = default;
    template <class U>
    ListMemory(const ListMemory<U>&) {}

    T* allocate(size_t n) { return is_small(n) ? Small().allocate(n) : Uncleared<T>::allocate(n); }
    void deallocate(T* p, size_t n) {
        is_small(n) ? Small().deallocate(p, n) : Uncleared<T>::deallocate(p, n);
    }

    static void give_front(T* p, size_t n, size_t done) {
        if (!is_small(n)) Uncleared<T>::give_front(p, n, done);
    }

  private:
    using Small = TreeMemory<T, Lasts::while_growing>;
    static bool is_small(size_t n) { return n <= (size_t{4} << 20) / sizeof(T); }
};
using Sorted = std::vector<Entry, ListMemory<Entry>>;

struct BinnedColumn {
    ColumnKind kind = ColumnKind::ordered;
    uint32_t n_bins = 0;
    // Smallest and largest value of bin b at b - 1. `high` empty: same as `low`. Both empty: one bin for each
    // value of `source`, which is sorted; two rows at a cut tell its values.
    std::vector<double> low, high;
    ColumnView source;
    const BinnedColumn* whole = nullptr;  // of a part of a table: the column that knows the values
    // Up to 255 bins: a byte in each row's record. Ordered values with more: entries in sorted order, which a
    // node keeps sorted for its rows, so that no node ever sorts again. Categories with more, and ordered
    // values where nodes look at few of the columns: a code for each row.
    std::variant<InRecord, Codes16, Codes32, Sorted> store;

    bool sorted() const { return std::holds_alternative<Sorted>(store); }
    // Whether a node looks at it as a list of entries.
    bool listed() const { return kind == ColumnKind::ordered && !std::holds_alternative<InRecord>(store); }
    // Whether a bin may have several values.
    bool packed() const { return !(whole ? whole : this)->high.empty(); }
    // The value of a row of the whole table.
    double value_of(uint32_t row) const { return (whole ? whole : this)->source[row] + 0.0; }
    // The smallest value of each bin; of a sorted column after keep_values.
    const std::vector<double>& values() const { return whole ? whole->values() : low; }
    uint32_t near_codes = 0;  // codes further apart have values further apart than the gap of keep_values
    void keep_values(double gap) {
        if (kind != ColumnKind::ordered || whole) return;
        if (listed() && low.empty()) {
            low.resize(n_bins);
            for_each_code([&](uint32_t code, uint32_t row) {
                if (code) low[code - 1] = source[row] + 0.0;
            });
        }
        for (uint32_t i = 0, j = 0; j < low.size(); ++j) {
            while (!(low[i] + gap >= low[j])) ++i;
            near_codes = std::max(near_codes, j - i);
        }
    }
    // Calls see(code, row) for all rows of a listed column.
    template <class See>
    void for_each_code(const See& see) const {
        if (sorted()) {
            for (const Entry e : std::get<Sorted>(store)) see(code_of(e), row_of(e));
        } else if (const auto* codes = std::get_if<Codes16>(&store)) {
            for (uint32_t r = 0; r < codes->size(); ++r) see((*codes)[r], r);
        } else if (const auto* wide = std::get_if<Codes32>(&store)) {
            for (uint32_t r = 0; r < wide->size(); ++r) see((*wide)[r], r);
        }
    }
    // Of a bin and a row of the whole table in it.
    double lowest(uint32_t code, uint32_t row) const {
        if (whole) return whole->lowest(code, row);
        return low.empty() ? source[row] + 0.0 : low[code - 1];
    }
    double highest(uint32_t code, uint32_t row) const {
        if (whole) return whole->highest(code, row);
        return high.empty() ? lowest(code, row) : high[code - 1];
    }
};

// Bytes from one record to the next: up to a fifth more than it has, if then none crosses a line of memory.
inline size_t record_stride(size_t bytes) {
    constexpr size_t kLine = 64;
    const size_t whole = bytes > kLine ? (bytes + kLine - 1) / kLine * kLine : std::bit_ceil(bytes);
    return 5 * (whole - bytes) <= bytes ? whole : bytes;
}

struct BinnedMatrix {
    int64_t n_rows = 0;
    std::vector<BinnedColumn> columns;
    UnclearedVector<uint8_t> records;  // one after the other, one every `stride` bytes
    size_t stride = 0;
    size_t twos = 0;    // of the first so many bytes of a record each is 1 or 2; 8 bytes more can be read
    bool used = false;  // its sorted columns are gone
    std::shared_ptr<KeptPages> room;      // memory that binning has left, for growth; or none
    std::shared_ptr<const void> sources;  // keeps the columns alive that it was made from
    std::vector<uint32_t> origin;         // of a part of a table: the row of the whole; empty: the same

    uint32_t origin_of(uint32_t row) const { return origin.empty() ? row : origin[row]; }

    const uint8_t* record(uint32_t row) const { return records.data() + row * stride; }
    uint8_t code(uint32_t row, uint32_t offset) const { return records[row * stride + offset]; }
};

// max_bins 0: one bin for each distinct value. Columns with at most record_bins bins (255 at most) go into
// the records; the tree does not depend on it (near-ties of docs/semantics.md apart). `poll` is called from
// the calling thread now and then and may throw to stop. `by_row`: ordered values keep their codes by row
// instead of sorted entries.
BinnedMatrix bin_columns(const std::vector<ColumnView>& columns, int64_t n_rows, int64_t max_bins,
                         uint32_t record_bins, bool by_row, int threads, const std::function<void()>& poll);

}  // namespace bough

// Adds the rows of a node up by code, a block of columns at a time.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "boost/records.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

// What is counted in one go: bytes of the records whose bins are few enough for the first cache, or one
// column that is in no record; `columns`: those of them that are asked.
struct Block {
    std::vector<int32_t> slots, columns;
};

// Where the bins of each column stand in a histogram: code 0 is missing.
struct Layout {
    std::vector<size_t> start;  // one more than columns
    explicit Layout(const BinnedMatrix& matrix) : start(1, 0) {
        for (const BinnedColumn& column : matrix.columns) start.push_back(start.back() + column.n_bins + 1);
    }
    size_t size() const { return start.back(); }
    size_t n_codes(int32_t column) const {
        const auto j = static_cast<size_t>(column);
        return start[j + 1] - start[j];
    }
};

inline constexpr int64_t kAhead = 16;      // rows that are fetched before they are needed
inline constexpr size_t kMostColumns = 7;  // whose sums of 16 bytes fit the first cache together

// W bytes of the records together: those of a row stand on one line of memory. `values` are in the order of
// `rows` (nullptr: the first n).
template <size_t W, class Sum>
void add_records(const uint8_t* records, size_t stride, const int32_t* slots, Sum* const* bins,
                 const uint32_t* rows, int64_t n, const Sum* values) {
    std::array<size_t, W> offset;
    std::array<Sum*, W> bin;
    for (size_t c = 0; c < W; ++c) {
        offset[c] = static_cast<size_t>(slots[c]);
        bin[c] = bins[c];
    }
    const auto add = [&](size_t row, const Sum value) {
        const uint8_t* const record = records + row * stride;
        for (size_t c = 0; c < W; ++c) bin[c][record[offset[c]]] += value;
    };
    if (!rows) {
        for (int64_t i = 0; i < n; ++i) add(static_cast<size_t>(i), values[i]);
        return;
    }
    int64_t i = 0;
    for (; i + kAhead < n; ++i) {
        __builtin_prefetch(records + size_t{rows[i + kAhead]} * stride + offset[0]);
        add(rows[i], values[i]);
    }
    for (; i < n; ++i) add(rows[i], values[i]);
}

template <class Sum, class Codes>
void add_codes(const Codes& codes, Sum* bins, const uint32_t* rows, int64_t n, const Sum* values) {
    for (int64_t i = 0; i < n; ++i) {
        if (rows && i + kAhead < n) __builtin_prefetch(codes.data() + rows[i + kAhead]);
        bins[codes[rows ? rows[i] : static_cast<size_t>(i)]] += values[i];
    }
}

// The bins of the columns that share a byte: of the usual code, what the others leave of the node.
template <class Sum>
void spread(const Slot& slot, const Sum* bytes, const Sum& whole, const Layout& layout, Sum* histogram) {
    for (const Member& m : slot.members) {
        Sum* const bins = histogram + layout.start[static_cast<size_t>(m.column)];
        Sum rest = whole;
        for (uint32_t code = 0; code < m.n_codes; ++code) {
            if (code == m.usual) continue;
            bins[code] = bytes[m.byte_of(code)];
            rest -= bins[code];
        }
        bins[m.usual] = rest;
    }
}

// Sets the bins of the block's columns to the sums over these rows (nullptr: the first n), `whole` in all.
template <class Sum>
void count_block(const BinnedMatrix& matrix, const Records& records, const Layout& layout, const Block& block,
                 const uint32_t* rows, int64_t n, const Sum* values, const Sum& whole, Sum* histogram) {
    const auto own_bins = [&](int32_t column) {
        Sum* const bins = histogram + layout.start[static_cast<size_t>(column)];
        std::fill_n(bins, layout.n_codes(column), Sum{});
        return bins;
    };
    if (block.slots.empty()) {
        const auto& store = matrix.columns[static_cast<size_t>(block.columns[0])].store;
        Sum* const bins = own_bins(block.columns[0]);
        if (const auto* narrow = std::get_if<Codes16>(&store))
            return add_codes(*narrow, bins, rows, n, values);
        return add_codes(std::get<Codes32>(store), bins, rows, n, values);
    }
    std::array<std::array<Sum, 256>, kMostColumns> shared;
    std::array<Sum*, kMostColumns> bins{};
    for (size_t c = 0; c < block.slots.size(); ++c) {
        const Slot& slot = records.slot(block.slots[c]);
        if (slot.shared()) shared[c].fill(Sum{});
        bins[c] = slot.shared() ? shared[c].data() : own_bins(slot.members[0].column);
    }
    const auto with_width = [&]<size_t... W>(std::index_sequence<W...>) {
        (void)((block.slots.size() == W + 1 &&
                (add_records<W + 1>(records.data(), records.stride(), block.slots.data(), bins.data(), rows,
                                    n, values),
                 true)) ||
               ...);
    };
    with_width(std::make_index_sequence<kMostColumns>{});
    for (size_t c = 0; c < block.slots.size(); ++c) {
        const Slot& slot = records.slot(block.slots[c]);
        if (slot.shared()) spread(slot, shared[c].data(), whole, layout, histogram);
    }
}

template <class Sum>
void subtract_block(const Layout& layout, const Block& block, const Sum* part, Sum* whole) {
    for (const int32_t column : block.columns) {
        const size_t first = layout.start[static_cast<size_t>(column)], n = layout.n_codes(column);
        for (size_t i = first; i < first + n; ++i) whole[i] -= part[i];
    }
}

}  // namespace bough::boost

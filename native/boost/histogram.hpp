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
#include "boost/sums.hpp"

namespace bough::boost {

// Columns whose bins lie in one run of the histogram; a block of records is small enough for the first cache.
struct Block {
    std::vector<int32_t> columns;
    bool in_records = true;
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

// W columns of the records together: a row's codes stand on one line of memory.
template <size_t W, class Sum>
void add_records(const BinnedMatrix& matrix, const uint32_t* offsets, Sum* const* bins, const uint32_t* rows,
                 int64_t n, const Sum* values) {
    std::array<uint32_t, W> offset;
    std::array<Sum*, W> bin;
    for (size_t c = 0; c < W; ++c) {
        offset[c] = offsets[c];
        bin[c] = bins[c];
    }
    const uint8_t* const records = matrix.records.data();
    const size_t stride = matrix.stride;
    const auto add = [&](size_t row) {
        const uint8_t* const record = records + row * stride;
        const Sum value = values[row];
        for (size_t c = 0; c < W; ++c) bin[c][record[offset[c]]] += value;
    };
    if (!rows) {
        for (size_t row = 0; row < static_cast<size_t>(n); ++row) add(row);
        return;
    }
    int64_t i = 0;
    for (; i + kAhead < n; ++i) {
        const size_t later = rows[i + kAhead];
        __builtin_prefetch(records + later * stride + offset[0]);
        __builtin_prefetch(values + later);
        add(rows[i]);
    }
    for (; i < n; ++i) add(rows[i]);
}

template <class Sum, class Codes>
void add_codes(const Codes& codes, Sum* bins, const uint32_t* rows, int64_t n, const Sum* values) {
    for (int64_t i = 0; i < n; ++i) {
        const size_t row = rows ? rows[i] : static_cast<size_t>(i);
        bins[codes[row]] += values[row];
    }
}

// Sets the bins of the block's columns to the sums over these rows (nullptr: the first n).
template <class Sum>
void count_block(const BinnedMatrix& matrix, const Layout& layout, const Block& block, const uint32_t* rows,
                 int64_t n, const Sum* values, Sum* histogram) {
    std::array<uint32_t, kMostColumns> offsets{};
    std::array<Sum*, kMostColumns> bins{};
    for (size_t c = 0; c < block.columns.size(); ++c) {
        const auto j = static_cast<size_t>(block.columns[c]);
        bins[c] = histogram + layout.start[j];
        std::fill_n(bins[c], layout.n_codes(block.columns[c]), Sum{});
        if (block.in_records) offsets[c] = std::get<InRecord>(matrix.columns[j].store).offset;
    }
    if (!block.in_records) {
        const auto& store = matrix.columns[static_cast<size_t>(block.columns[0])].store;
        if (const auto* narrow = std::get_if<Codes16>(&store))
            return add_codes(*narrow, bins[0], rows, n, values);
        return add_codes(std::get<Codes32>(store), bins[0], rows, n, values);
    }
    const auto with_width = [&]<size_t... W>(std::index_sequence<W...>) {
        (void)((block.columns.size() == W + 1 &&
                (add_records<W + 1>(matrix, offsets.data(), bins.data(), rows, n, values), true)) ||
               ...);
    };
    with_width(std::make_index_sequence<kMostColumns>{});
}

template <class Sum>
void subtract_block(const Layout& layout, const Block& block, const Sum* part, Sum* whole) {
    for (const int32_t column : block.columns) {
        const size_t first = layout.start[static_cast<size_t>(column)], n = layout.n_codes(column);
        for (size_t i = first; i < first + n; ++i) whole[i] -= part[i];
    }
}

}  // namespace bough::boost

// The numbers that a lean tree reads: one cell for each row and column, the cells of a row side by side, so
// that a node that looks at several columns of a row finds them in one or two cache lines.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "huge_pages.hpp"
#include "parallel.hpp"
#include "simd.hpp"

namespace bough::lean {

// The smallest and the largest of some codes.
template <std::unsigned_integral Code>
std::pair<Code, Code> ends_of(std::span<const Code> codes) {
    Code low = std::numeric_limits<Code>::max(), high = 0;
    in_lanes([&](auto) {
        Code least = low, most = high;
        for (const Code code : codes) {
            least = code < least ? code : least;
            most = code > most ? code : most;
        }
        low = least;
        high = most;
    });
    return {low, high};
}

// Memory of cells of any kind. A bag's is used again by the next tree of the thread: fresh memory for each
// tree is cleared by the system first, and given back.
using CellRoom = UnclearedVector<std::byte>;

template <class Cell>
class Cells {
  public:
    Cells() = default;
    // A view of another's cells.
    explicit Cells(const Cells* other)
        : data_(other->data_), by_row_(other->by_row_), by_column_(other->by_column_) {}

    void resize(size_t rows, size_t columns) { lay_out(own_, rows, columns); }
    void set(size_t row, size_t column, Cell cell) { data_[row * by_row_ + column * by_column_] = cell; }
    // The cells of these rows in some columns, column after column, `step` apart: each row's cache lines are
    // fetched once for all columns.
    void gather(std::span<const uint32_t> rows, std::span<const int32_t> columns, Cell* out,
                size_t step) const {
        constexpr size_t kTogether = 8;
        for (; columns.size() > kTogether; columns = columns.subspan(kTogether), out += kTogether * step)
            gather_some<kTogether>(rows, columns.data(), out, step);
        switch (columns.size()) {
            case 1:
                return gather_some<1>(rows, columns.data(), out, step);
            case 2:
                return gather_some<2>(rows, columns.data(), out, step);
            case 3:
                return gather_some<3>(rows, columns.data(), out, step);
            case 4:
                return gather_some<4>(rows, columns.data(), out, step);
            case 5:
                return gather_some<5>(rows, columns.data(), out, step);
            case 6:
                return gather_some<6>(rows, columns.data(), out, step);
            case 7:
                return gather_some<7>(rows, columns.data(), out, step);
            case 8:
                return gather_some<8>(rows, columns.data(), out, step);
            default:
                return;
        }
    }
    // These rows of another, in `room`, which must last.
    void copy(const Cells& from, std::span<const uint32_t> rows, size_t columns, CellRoom& room) {
        lay_out(room, rows.size(), columns);
        if (by_column_ == 1 && from.by_column_ == 1) {
            for (size_t i = 0; i < rows.size(); ++i)
                std::copy_n(from.data_ + rows[i] * columns, columns, data_ + i * columns);
        } else {
            for (size_t j = 0; j < columns; ++j)
                for (size_t i = 0; i < rows.size(); ++i)
                    set(i, j, from.data_[rows[i] * from.by_row_ + j * from.by_column_]);
        }
    }

    static constexpr size_t kWide = 128;

  private:
    static constexpr size_t kAhead = 16;  // rows to fetch before they are read
    static constexpr size_t kLine = 64 / sizeof(Cell);

    void lay_out(CellRoom& room, size_t rows, size_t columns) {
        // Rows of many columns are not read together: a node looks at few of them.
        const bool wide = columns > kWide;
        by_row_ = wide ? 1 : columns;
        by_column_ = wide ? rows : 1;
        const size_t bytes = rows * columns * sizeof(Cell);
        if (room.size() < bytes) {
            room = {};  // before there is another one; the next bag may have some more rows
            room.resize(bytes + bytes / 64);
        }
        data_ = reinterpret_cast<Cell*>(room.data());
    }

    // A number of columns that the compiler knows: their places stay in registers.
    template <size_t N>
    void gather_some(std::span<const uint32_t> rows, const int32_t* columns, Cell* out, size_t step) const {
        const Cell *const data = data_, *from[N];
        for (size_t k = 0; k < N; ++k) from[k] = data + static_cast<size_t>(columns[k]) * by_column_;
        const uint32_t* const at = rows.data();
        const size_t n = rows.size(), ahead = n > kAhead ? n - kAhead : 0, by_row = by_row_;
        const bool two_lines = by_row > kLine;
        size_t i = 0;
        for (; i < ahead; ++i) {
            const Cell* const next = data + at[i + kAhead] * by_row;
            __builtin_prefetch(next);
            if (two_lines) __builtin_prefetch(next + kLine);
            const size_t row = at[i] * by_row;
            for (size_t k = 0; k < N; ++k) out[k * step + i] = from[k][row];
        }
        for (; i < n; ++i) {
            const size_t row = at[i] * by_row;
            for (size_t k = 0; k < N; ++k) out[k * step + i] = from[k][row];
        }
    }

    CellRoom own_;
    Cell* data_ = nullptr;
    size_t by_row_ = 1, by_column_ = 1;
};

// Fills all columns, `fill_column` some rows of one; false, and not all filled, if it says so of one.
// Rows go in blocks, so that what is written stays in the cache.
template <class Cell, class Column>
bool fill(Cells<Cell>& cells, const BinnedMatrix& matrix, int threads, const Column& fill_column) {
    constexpr int64_t kBlock = 512;
    cells.resize(static_cast<size_t>(matrix.n_rows), matrix.columns.size());
    std::atomic<bool> complete{true};
    parallel_for((matrix.n_rows + kBlock - 1) / kBlock, threads, [&](int64_t block, int) {
        const int64_t first = block * kBlock, last = std::min(matrix.n_rows, first + kBlock);
        for (size_t j = 0; j < matrix.columns.size() && complete; ++j)
            if (!fill_column(matrix.columns[j], j, static_cast<size_t>(first), static_cast<size_t>(last)))
                complete = false;
    });
    return complete;
}

// The codes of all columns, none of which is kept sorted; false if a value is missing.
template <std::unsigned_integral Code>
bool fill(Cells<Code>& cells, const BinnedMatrix& matrix, int threads) {
    return fill(cells, matrix, threads, [&](const BinnedColumn& column, size_t j, size_t first, size_t last) {
        bool complete = true;
        const auto set = [&](size_t r, uint32_t code) {
            complete &= code != 0;
            cells.set(r, j, static_cast<Code>(code));
        };
        std::visit(
            [&](const auto& store) {
                using Store = std::decay_t<decltype(store)>;
                for (size_t r = first; r < last; ++r) {
                    if constexpr (std::is_same_v<Store, InRecord>) {
                        set(r, matrix.code(static_cast<uint32_t>(r), store.offset));
                    } else if constexpr (!std::is_same_v<Store, Sorted>) {
                        set(r, store[r]);
                    }
                }
            },
            column.store);
        return complete;
    });
}

// The values of all columns, of categories their codes, NaN where one is missing; `holes` tells the columns
// that have such. False if one is another number in single precision.
template <class Value>
bool fill_values(Cells<Value>& cells, const BinnedMatrix& matrix, int threads, std::vector<uint8_t>& holes) {
    holes.assign(matrix.columns.size(), 0);
    return fill(cells, matrix, threads, [&](const BinnedColumn& column, size_t j, size_t first, size_t last) {
        bool same = true, complete = true;
        const auto set = [&](size_t r, double value) {
            const auto cell = static_cast<Value>(value);
            complete &= value == value;
            same &= value != value || static_cast<double>(cell) == value;
            cells.set(r, j, cell);
        };
        const bool nominal = column.kind == ColumnKind::nominal;
        const auto value_of = [&](uint32_t code) {
            if (code == 0) return std::numeric_limits<double>::quiet_NaN();
            return nominal ? static_cast<double>(code) : column.low[code - 1];
        };
        if (const auto* const place = std::get_if<InRecord>(&column.store)) {
            for (size_t r = first; r < last; ++r)
                set(r, value_of(matrix.code(static_cast<uint32_t>(r), place->offset)));
        } else if (!nominal) {
            for (size_t r = first; r < last; ++r) set(r, column.source[static_cast<int64_t>(r)] + 0.0);
        } else if (const auto* const codes = std::get_if<Codes16>(&column.store)) {
            for (size_t r = first; r < last; ++r) set(r, value_of((*codes)[r]));
        } else {
            for (size_t r = first; r < last; ++r) set(r, value_of(std::get<Codes32>(column.store)[r]));
        }
        if (!complete) std::atomic_ref(holes[j]).store(1, std::memory_order_relaxed);
        return same;
    });
}

}  // namespace bough::lean

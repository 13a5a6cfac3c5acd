// A plot: the table, or a part of it with weights of its own, and the lists of its rows in which nodes own
// segments. A tree grows on one plot; where rows are spread over several children, each child goes on in a
// plot of its own.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "binning.hpp"
#include "row_lists.hpp"
#include "target.hpp"

namespace bough {

struct Plot {
    // The whole table; the matrix must outlive the plot. `wide`: nodes may have more than two ways to go.
    Plot(BinnedMatrix& whole, const Target& t, bool wide, int threads)
        : matrix(whole), target(t), lists(matrix, target, wide, threads) {}

    // A part of it.
    Plot(std::unique_ptr<BinnedMatrix> part, Target&& t, bool wide)
        : own(std::move(part)), matrix(*own), target(std::move(t)), lists(matrix, target, wide, 1) {}

    // The value of a row, NaN where it is missing; of categories their number.
    double value(int32_t column, uint32_t row) const {
        const BinnedColumn& c = matrix.columns[static_cast<size_t>(column)];
        if (c.listed()) return c.value_of(matrix.origin_of(row));
        const uint32_t code = std::visit(
            [&](const auto& store) -> uint32_t {
                using Store = std::decay_t<decltype(store)>;
                if constexpr (std::is_same_v<Store, InRecord>) {
                    return matrix.code(row, store.offset);
                } else if constexpr (std::is_same_v<Store, Sorted>) {
                    return 0;
                } else {
                    return store[row];
                }
            },
            c.store);
        if (code == 0) return std::numeric_limits<double>::quiet_NaN();
        return c.kind == ColumnKind::nominal ? code - 1.0 : c.values()[code - 1];
    }

    std::unique_ptr<BinnedMatrix> own;
    BinnedMatrix& matrix;
    Target target;  // the plot's own: nodes may refine their moments
    RowLists lists;
};

// Makes parts of plots; keeps its working memory between calls.
class PlotMaker {
  public:
    // The part of these rows, all of them in the node `segment`, with these weights; only these columns will
    // be asked.
    std::shared_ptr<Plot> part(const Plot& whole, Segment segment, std::span<const int32_t> columns,
                               std::span<const uint32_t> rows, HugeVector<int64_t>&& weights, bool wide) {
        if (place_.size() < static_cast<size_t>(whole.matrix.n_rows))
            place_.resize(static_cast<size_t>(whole.matrix.n_rows), 0);
        for (size_t i = 0; i < rows.size(); ++i) place_[rows[i]] = static_cast<uint32_t>(i) + 1;
        auto matrix = std::make_unique<BinnedMatrix>();
        matrix->n_rows = static_cast<int64_t>(rows.size());
        matrix->stride = whole.matrix.stride;
        matrix->origin.reserve(rows.size());
        matrix->records.reserve(rows.size() * matrix->stride);
        for (const uint32_t r : rows) {
            matrix->origin.push_back(whole.matrix.origin_of(r));
            const uint8_t* const record = whole.matrix.record(r);
            matrix->records.insert(matrix->records.end(), record, record + matrix->stride);
        }
        matrix->columns.resize(whole.matrix.columns.size());
        for (const int32_t j : columns) copy_column(whole, segment, j, rows, *matrix);
        for (const uint32_t r : rows) place_[r] = 0;
        return std::make_shared<Plot>(std::move(matrix), part_of(whole.target, rows, std::move(weights)),
                                      wide);
    }

  private:
    void copy_column(const Plot& whole, Segment segment, int32_t j, std::span<const uint32_t> rows,
                     BinnedMatrix& part) const {
        const BinnedColumn& from = whole.matrix.columns[static_cast<size_t>(j)];
        BinnedColumn& to = part.columns[static_cast<size_t>(j)];
        to.kind = from.kind;
        to.n_bins = from.n_bins;
        to.whole = from.whole ? from.whole : &from;
        std::visit(
            [&](const auto& store) {
                using Store = std::decay_t<decltype(store)>;
                if constexpr (std::is_same_v<Store, InRecord>) {
                    to.store = store;
                } else if constexpr (std::is_same_v<Store, Sorted>) {
                    to.store = sorted_part(whole, segment, j, rows.size());
                } else {
                    Store codes;
                    codes.reserve(rows.size());
                    for (const uint32_t r : rows) codes.push_back(store[r]);
                    to.store = std::move(codes);
                }
            },
            from.store);
    }

    Sorted sorted_part(const Plot& whole, Segment segment, int32_t j, size_t n) const {
        Sorted out(n + 1);  // every entry is written, those of the part stay
        const Entry* const entries = whole.lists.entries(j, segment);
        size_t to = 0;
        for (int64_t i = 0; i < segment.size(); ++i) {
            const uint32_t p = place_[row_of(entries[i]) & whole.target.row_mask];
            out[to] = make_entry(code_of(entries[i]), p - 1);
            to += p != 0;
        }
        out.resize(n);
        return out;
    }

    std::vector<uint32_t> place_;  // by row of the whole: 1 + its place in the part, 0: not in it
};

}  // namespace bough

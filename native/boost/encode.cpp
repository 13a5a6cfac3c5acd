// Rows that no bin was made from, in the codes of those that were.
#include <algorithm>
#include <cmath>

#include "boost/node.hpp"
#include "parallel.hpp"

namespace bough::boost {
namespace {

// Calls put(row, code) for each row.
template <class Put>
void each_code(const BinnedColumn& known, const ColumnView& column, int64_t n_rows, const Put& put) {
    std::vector<double> upper;
    for (uint32_t code = 1; known.kind == ColumnKind::ordered && code < known.n_bins; ++code)
        upper.push_back(threshold_after(known, code));
    for (int64_t row = 0; row < n_rows; ++row) {
        const double x = column[row];
        uint32_t code = 0;
        if (known.kind == ColumnKind::nominal) {
            if (x >= 0 && x < static_cast<double>(known.n_bins)) code = static_cast<uint32_t>(x) + 1;
        } else if (!std::isnan(x) && known.n_bins > 0) {
            code = static_cast<uint32_t>(std::lower_bound(upper.begin(), upper.end(), x) - upper.begin()) + 1;
        }
        put(static_cast<size_t>(row), code);
    }
}

}  // namespace

BinnedMatrix encode(const BinnedMatrix& known, const std::vector<ColumnView>& columns, int64_t n_rows,
                    int threads) {
    BinnedMatrix out;
    out.n_rows = n_rows;
    out.stride = known.stride;
    const auto n = static_cast<size_t>(n_rows);
    out.records.resize(out.stride * n, 0);
    out.columns.resize(known.columns.size());
    parallel_for(static_cast<int64_t>(columns.size()), threads, [&](int64_t task, int) {
        const auto j = static_cast<size_t>(task);
        const BinnedColumn& from = known.columns[j];
        BinnedColumn& to = out.columns[j];
        to.kind = from.kind;
        to.n_bins = from.n_bins;
        if (const auto* in = std::get_if<InRecord>(&from.store)) {
            to.store = *in;
            each_code(from, columns[j], n_rows, [&](size_t row, uint32_t code) {
                out.records[row * out.stride + in->offset] = static_cast<uint8_t>(code);
            });
        } else if (std::holds_alternative<Codes16>(from.store)) {
            Codes16 codes(n);
            each_code(from, columns[j], n_rows,
                      [&](size_t row, uint32_t code) { codes[row] = static_cast<uint16_t>(code); });
            to.store = std::move(codes);
        } else {
            Codes32 codes(n);
            each_code(from, columns[j], n_rows, [&](size_t row, uint32_t code) { codes[row] = code; });
            to.store = std::move(codes);
        }
    });
    return out;
}

}  // namespace bough::boost

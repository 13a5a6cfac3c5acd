// Columns become codes once: sort by value (radix), number the distinct values, pack into bins if asked.
#include "binning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace bough {
namespace {

// Up to this many bins a node counts a histogram; above, its rows are kept sorted.
constexpr uint32_t kHistogramBins = 2048;

// Unsigned integers in the same order as the doubles; -0 becomes +0 first.
uint64_t sortable(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x + 0.0);
    return bits ^ ((bits >> 63) ? ~uint64_t{0} : uint64_t{1} << 63);
}

// Least-significant-digit radix sort on the upper 32 bits of the entries; stable.
void radix_sort_high(std::vector<Entry>& entries, std::vector<Entry>& spare) {
    constexpr int kBits = 11, kSize = 1 << kBits, kPasses = 3;
    std::vector<uint32_t> counts(size_t{kPasses} * kSize);
    for (const Entry e : entries)
        for (int p = 0; p < kPasses; ++p) ++counts[p * kSize + ((e >> (32 + p * kBits)) & (kSize - 1))];
    spare.resize(entries.size());
    for (int p = 0; p < kPasses; ++p) {
        uint32_t* const count = counts.data() + p * kSize;
        if (*std::max_element(count, count + kSize) == entries.size()) continue;  // all in one bucket
        uint32_t place = 0;
        for (int d = 0; d < kSize; ++d) place += std::exchange(count[d], place);
        for (const Entry e : entries) spare[count[(e >> (32 + p * kBits)) & (kSize - 1)]++] = e;
        entries.swap(spare);
    }
}

// Rows of the known values in ascending order of value, equal values in row order.
void sort_rows(const ColumnView& column, std::vector<Entry>& entries, std::vector<Entry>& spare) {
    const size_t n = entries.size();
    if (n < 64) {
        std::sort(entries.begin(), entries.end(), [&](Entry a, Entry b) {
            const uint64_t x = sortable(column[row_of(a)]), y = sortable(column[row_of(b)]);
            return x != y ? x < y : row_of(a) < row_of(b);
        });
        return;
    }
    // The upper half of the key sorts nearly everything; runs that agree in it are settled by the whole key.
    radix_sort_high(entries, spare);
    for (size_t i = 0; i < n;) {
        size_t j = i + 1;
        bool equal = true;
        const double first = column[row_of(entries[i])];
        for (; j < n && code_of(entries[j]) == code_of(entries[i]); ++j) equal &= column[row_of(entries[j])] == first;
        if (!equal)
            std::sort(entries.begin() + i, entries.begin() + j, [&](Entry a, Entry b) {
                const double x = column[row_of(a)], y = column[row_of(b)];
                return x != y ? x < y : row_of(a) < row_of(b);
            });
        i = j;
    }
}

// Packs distinct values with these row counts into at most max_bins bins of about equal numbers of rows.
std::vector<uint32_t> pack_bins(const std::vector<uint32_t>& counts, int64_t max_bins) {
    std::vector<uint32_t> bin_of(counts.size());
    int64_t rows_left = 0;
    for (const uint32_t c : counts) rows_left += c;
    uint32_t bin = 0;
    int64_t in_bin = 0, bins_left = max_bins;
    for (size_t v = 0; v < counts.size(); ++v) {
        // Close the bin before a value that would overshoot its fair share by more than it falls short now.
        const double share = static_cast<double>(rows_left + in_bin) / static_cast<double>(bins_left);
        if (in_bin > 0 && bins_left > 1 && in_bin + 0.5 * counts[v] > share) {
            ++bin;
            --bins_left;
            in_bin = 0;
        }
        bin_of[v] = bin;
        in_bin += counts[v];
        rows_left -= counts[v];
    }
    return bin_of;
}

template <class Codes>
Codes codes_from(const std::vector<Entry>& entries, int64_t n_rows) {
    Codes codes(static_cast<size_t>(n_rows), 0);
    for (const Entry e : entries) codes[row_of(e)] = static_cast<typename Codes::value_type>(code_of(e));
    return codes;
}

void store_codes(BinnedColumn& out, const std::vector<Entry>& entries, int64_t n_rows) {
    if (out.n_bins < 256) {
        out.store = codes_from<Codes8>(entries, n_rows);
    } else if (out.n_bins < 65536) {
        out.store = codes_from<Codes16>(entries, n_rows);
    } else {
        out.store = codes_from<Codes32>(entries, n_rows);
    }
}

// Replaces each entry's key by its code and fills low / high; returns nothing else to do but to store.
void number_values(const ColumnView& column, std::vector<Entry>& entries, int64_t max_bins, BinnedColumn& out) {
    std::vector<uint32_t> counts;
    double last = 0.0;
    for (Entry& e : entries) {
        const double value = column[row_of(e)] + 0.0;
        if (counts.empty() || value != last) {
            out.low.push_back(value);
            counts.push_back(0);
            last = value;
        }
        ++counts.back();
        e = make_entry(static_cast<uint32_t>(out.low.size()), row_of(e));
    }
    out.n_bins = static_cast<uint32_t>(out.low.size());
    if (max_bins == 0 || out.n_bins <= max_bins) return;
    const std::vector<uint32_t> bin_of = pack_bins(counts, max_bins);
    const std::vector<double> values = std::move(out.low);
    out.n_bins = bin_of.back() + 1;
    out.low.assign(out.n_bins, 0.0);
    out.high.assign(out.n_bins, 0.0);
    for (size_t v = values.size(); v-- > 0;) out.low[bin_of[v]] = values[v];
    for (size_t v = 0; v < values.size(); ++v) out.high[bin_of[v]] = values[v];
    for (Entry& e : entries) e = make_entry(bin_of[code_of(e) - 1] + 1, row_of(e));
}

BinnedColumn bin_ordered(const ColumnView& given, int64_t n_rows, int64_t max_bins) {
    BinnedColumn out;
    std::vector<Entry> entries, missing, spare;
    // A column of a row-major matrix is copied once: the sort visits its values in random order.
    std::vector<double> copy;
    ColumnView column = given;
    if (given.stride != 1) {
        copy.resize(static_cast<size_t>(n_rows));
        for (int64_t r = 0; r < n_rows; ++r) copy[static_cast<size_t>(r)] = given[r];
        column.data = copy.data();
        column.stride = 1;
    }
    entries.reserve(static_cast<size_t>(n_rows));
    for (int64_t r = 0; r < n_rows; ++r) {
        const double value = column[r];
        const auto row = static_cast<uint32_t>(r);
        if (std::isnan(value)) {
            missing.push_back(make_entry(0, row));
        } else {
            entries.push_back(make_entry(static_cast<uint32_t>(sortable(value) >> 32), row));
        }
    }
    sort_rows(column, entries, spare);
    number_values(column, entries, max_bins, out);
    if (out.n_bins <= kHistogramBins || max_bins > 0) {
        store_codes(out, entries, n_rows);
    } else {
        missing.insert(missing.end(), entries.begin(), entries.end());
        out.store = std::move(missing);
    }
    return out;
}

BinnedColumn bin_nominal(const ColumnView& column, int64_t n_rows) {
    BinnedColumn out;
    out.kind = ColumnKind::nominal;
    out.n_bins = static_cast<uint32_t>(column.n_categories);
    std::vector<Entry> entries;
    entries.reserve(static_cast<size_t>(n_rows));
    for (int64_t r = 0; r < n_rows; ++r) {
        const double value = column[r];
        if (std::isnan(value)) continue;
        if (!(value >= 0 && value < static_cast<double>(column.n_categories)))
            throw std::invalid_argument("a category number is outside its domain");
        entries.push_back(make_entry(static_cast<uint32_t>(value) + 1, static_cast<uint32_t>(r)));
    }
    store_codes(out, entries, n_rows);
    return out;
}

}  // namespace

BinnedMatrix bin_columns(const std::vector<ColumnView>& columns, int64_t n_rows, int64_t max_bins, int threads) {
    if (n_rows >= std::numeric_limits<uint32_t>::max())
        throw std::length_error("at most 4,294,967,294 rows are supported");
    BinnedMatrix matrix;
    matrix.n_rows = n_rows;
    matrix.columns.resize(columns.size());
    parallel_for(static_cast<int64_t>(columns.size()), threads, [&](int64_t j, int) {
        const ColumnView& column = columns[static_cast<size_t>(j)];
        matrix.columns[static_cast<size_t>(j)] = column.kind == ColumnKind::nominal
                                                     ? bin_nominal(column, n_rows)
                                                     : bin_ordered(column, n_rows, max_bins);
    });
    return matrix;
}

}  // namespace bough

// Columns become codes once: sort by value (radix), number the distinct values, pack into bins if asked.
#include "binning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "interrupt.hpp"
#include "parallel.hpp"

namespace bough {
namespace {

using Codes8 = HugeVector<uint8_t>;

// A column on its way: the codes of one with few bins are put into the records when all are known.
struct Binned {
    BinnedColumn column;
    Codes8 codes;
};

// Unsigned integers in the same order as the doubles; -0 becomes +0 first.
uint64_t sortable(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x + 0.0);
    return bits ^ ((bits >> 63) ? ~uint64_t{0} : uint64_t{1} << 63);
}

// Least-significant-digit radix sort on the upper 32 bits of the entries; stable.
void radix_sort_high(Sorted& entries, Sorted& spare, const std::function<void()>& check) {
    constexpr int kBits = 11, kSize = 1 << kBits, kPasses = 3;
    std::vector<uint32_t> counts(size_t{kPasses} * kSize);
    for (const Entry e : entries)
        for (int p = 0; p < kPasses; ++p) ++counts[p * kSize + ((e >> (32 + p * kBits)) & (kSize - 1))];
    spare.resize(entries.size());
    for (int p = 0; p < kPasses; ++p) {
        uint32_t* const count = counts.data() + p * kSize;
        if (*std::max_element(count, count + kSize) == entries.size()) continue;  // all in one bucket
        check();
        uint32_t place = 0;
        for (int d = 0; d < kSize; ++d) place += std::exchange(count[d], place);
        for (const Entry e : entries) spare[count[(e >> (32 + p * kBits)) & (kSize - 1)]++] = e;
        entries.swap(spare);
    }
}

// Working memory of one thread, kept from column to column.
struct Scratch {
    Sorted entries, missing, spare;
    HugeVector<double> copy, values;
    std::function<void()> check;  // throws if the work is to stop
};

// Puts values[first, last) in ascending order, and the entries with them; equal values stay in their order.
void sort_run(Scratch& scratch, size_t first, size_t last) {
    double* const values = scratch.values.data();
    Entry* const entries = scratch.entries.data();
    if (last - first <= 32) {
        for (size_t i = first + 1; i < last; ++i) {
            const double value = values[i];
            const Entry entry = entries[i];
            size_t k = i;
            for (; k > first && values[k - 1] > value; --k) {
                values[k] = values[k - 1];
                entries[k] = entries[k - 1];
            }
            values[k] = value;
            entries[k] = entry;
        }
        return;
    }
    std::vector<std::pair<double, Entry>> run;
    for (size_t i = first; i < last; ++i) run.emplace_back(values[i], entries[i]);
    std::sort(run.begin(), run.end());  // the keys of a run are equal, so entries compare by row
    for (size_t i = first; i < last; ++i) {
        values[i] = run[i - first].first;
        entries[i] = run[i - first].second;
    }
}

// Sorts the rows of the known values by value, equal values by row, and writes the values in that order.
void sort_rows(const double* column, Scratch& scratch) {
    Sorted& entries = scratch.entries;
    const size_t n = entries.size();
    // The upper half of the key sorts nearly everything; runs that agree in it are settled by the value.
    if (n < 256) {
        std::sort(entries.begin(), entries.end());
    } else {
        radix_sort_high(entries, scratch.spare, scratch.check);
    }
    scratch.check();
    scratch.values.resize(n);
    double* const values = scratch.values.data();
    for (size_t i = 0; i < n; ++i) values[i] = column[row_of(entries[i])] + 0.0;
    for (size_t i = 0; i < n;) {
        size_t j = i + 1;
        bool ascending = true;
        for (; j < n && code_of(entries[j]) == code_of(entries[i]); ++j)
            ascending &= values[j] >= values[j - 1];
        if (!ascending) sort_run(scratch, i, j);
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
Codes codes_from(const Sorted& entries, int64_t n_rows) {
    Codes codes(static_cast<size_t>(n_rows), 0);
    for (const Entry e : entries) codes[row_of(e)] = static_cast<typename Codes::value_type>(code_of(e));
    return codes;
}

void store_codes(Binned& out, const Sorted& entries, int64_t n_rows, uint32_t record_bins) {
    if (out.column.n_bins <= record_bins) {
        out.codes = codes_from<Codes8>(entries, n_rows);
    } else if (out.column.n_bins < 65536) {
        out.column.store = codes_from<Codes16>(entries, n_rows);
    } else {
        out.column.store = codes_from<Codes32>(entries, n_rows);
    }
}

// Replaces each entry's key by its code; fills low / high unless the column is to be kept sorted as it is.
void number_values(Scratch& scratch, int64_t max_bins, uint32_t record_bins, BinnedColumn& out) {
    Sorted& entries = scratch.entries;
    const HugeVector<double>& values = scratch.values;
    const auto starts = [&](size_t i) { return i == 0 || values[i] != values[i - 1]; };
    for (size_t i = 0; i < entries.size(); ++i) {
        out.n_bins += starts(i);
        entries[i] = make_entry(out.n_bins, row_of(entries[i]));
    }
    const bool packed = max_bins > 0 && out.n_bins > max_bins;
    if (!packed && out.n_bins > record_bins) return;
    std::vector<double> distinct;
    distinct.reserve(out.n_bins);
    for (size_t i = 0; i < entries.size(); ++i)
        if (starts(i)) distinct.push_back(values[i]);
    if (!packed) {
        out.low = std::move(distinct);
        return;
    }
    std::vector<uint32_t> counts(out.n_bins, 0);
    for (const Entry e : entries) ++counts[code_of(e) - 1];
    const std::vector<uint32_t> bin_of = pack_bins(counts, max_bins);
    out.n_bins = bin_of.back() + 1;
    out.low.assign(out.n_bins, 0.0);
    out.high.assign(out.n_bins, 0.0);
    for (size_t v = distinct.size(); v-- > 0;) out.low[bin_of[v]] = distinct[v];
    for (size_t v = 0; v < distinct.size(); ++v) out.high[bin_of[v]] = distinct[v];
    for (Entry& e : entries) e = make_entry(bin_of[code_of(e) - 1] + 1, row_of(e));
}

constexpr size_t kFew = 16;

// A column of a few values needs no sort: they are noted as they come. False, and nothing done, if they are
// many.
bool bin_few_values(const double* values, int64_t n_rows, Binned& out) {
    std::vector<double> seen;
    Codes8 place(static_cast<size_t>(n_rows), 0);  // 0: missing, otherwise 1 + position in `seen`
    for (int64_t r = 0; r < n_rows; ++r) {
        const double value = values[r] + 0.0;
        if (std::isnan(value)) continue;
        size_t k = 0;
        while (k < seen.size() && seen[k] != value) ++k;
        if (k == seen.size()) {
            if (k == kFew) return false;
            seen.push_back(value);
        }
        place[static_cast<size_t>(r)] = static_cast<uint8_t>(k + 1);
    }
    std::vector<double>& low = out.column.low;
    low = seen;
    std::sort(low.begin(), low.end());
    out.column.n_bins = static_cast<uint32_t>(seen.size());
    uint8_t code[kFew + 1] = {0};
    for (size_t k = 0; k < seen.size(); ++k)
        code[k + 1] =
            static_cast<uint8_t>(std::lower_bound(low.begin(), low.end(), seen[k]) - low.begin() + 1);
    for (uint8_t& p : place) p = code[p];
    out.codes = std::move(place);
    return true;
}

Binned bin_ordered(const ColumnView& column, int64_t n_rows, int64_t max_bins, uint32_t record_bins,
                   Scratch& scratch) {
    Binned out;
    // A column of a row-major matrix is copied once: the sort visits its values in random order.
    const double* values = column.data;
    if (column.stride != 1) {
        scratch.copy.resize(static_cast<size_t>(n_rows));
        for (int64_t r = 0; r < n_rows; ++r) scratch.copy[static_cast<size_t>(r)] = column[r];
        values = scratch.copy.data();
    }
    if (max_bins == 0 && record_bins >= kFew && bin_few_values(values, n_rows, out)) return out;
    scratch.entries.clear();
    scratch.missing.clear();
    for (int64_t r = 0; r < n_rows; ++r) {
        const auto row = static_cast<uint32_t>(r);
        if (std::isnan(values[r])) {
            scratch.missing.push_back(make_entry(0, row));
        } else {
            scratch.entries.push_back(make_entry(static_cast<uint32_t>(sortable(values[r]) >> 32), row));
        }
    }
    sort_rows(values, scratch);
    scratch.check();
    number_values(scratch, max_bins, record_bins, out.column);
    if (out.column.n_bins <= record_bins) {
        store_codes(out, scratch.entries, n_rows, record_bins);
    } else {
        Sorted all;
        all.reserve(static_cast<size_t>(n_rows));
        all.insert(all.end(), scratch.missing.begin(), scratch.missing.end());
        all.insert(all.end(), scratch.entries.begin(), scratch.entries.end());
        out.column.store = std::move(all);
        out.column.source = column;
    }
    return out;
}

Binned bin_nominal(const ColumnView& column, int64_t n_rows, uint32_t record_bins) {
    Binned out;
    out.column.kind = ColumnKind::nominal;
    out.column.n_bins = static_cast<uint32_t>(column.n_categories);
    Sorted entries;
    entries.reserve(static_cast<size_t>(n_rows));
    for (int64_t r = 0; r < n_rows; ++r) {
        const double value = column[r];
        if (std::isnan(value)) continue;
        if (!(value >= 0 && value < static_cast<double>(column.n_categories)))
            throw std::invalid_argument("a category number is outside its domain");
        entries.push_back(make_entry(static_cast<uint32_t>(value) + 1, static_cast<uint32_t>(r)));
    }
    store_codes(out, entries, n_rows, record_bins);
    return out;
}

BinnedMatrix assemble(std::vector<Binned>& binned, int64_t n_rows, int threads) {
    BinnedMatrix matrix;
    matrix.n_rows = n_rows;
    std::vector<const uint8_t*> codes;
    for (Binned& b : binned) {
        if (!b.codes.empty()) {
            b.column.store = InRecord{static_cast<uint32_t>(codes.size())};
            codes.push_back(b.codes.data());
        }
        matrix.columns.push_back(std::move(b.column));
    }
    matrix.stride = codes.size();
    matrix.records.resize(matrix.stride * static_cast<size_t>(n_rows));
    constexpr int64_t kBlock = 256;  // rows whose records stay in the cache while the columns are filled in
    parallel_for((n_rows + kBlock - 1) / kBlock, threads, [&](int64_t block, int) {
        const auto end = static_cast<size_t>(std::min(n_rows, (block + 1) * kBlock));
        for (size_t c = 0; c < codes.size(); ++c)
            for (auto r = static_cast<size_t>(block * kBlock); r < end; ++r)
                matrix.records[r * matrix.stride + c] = codes[c][r];
    });
    return matrix;
}

}  // namespace

BinnedMatrix bin_columns(const std::vector<ColumnView>& columns, int64_t n_rows, int64_t max_bins,
                         uint32_t record_bins, int threads, const std::function<void()>& poll) {
    if (record_bins > 255) throw std::invalid_argument("a code in a record is one byte");
    if (n_rows >= std::numeric_limits<uint32_t>::max())
        throw std::length_error("at most 4,294,967,294 rows are supported");
    std::vector<Binned> binned(columns.size());
    std::vector<Scratch> scratch(static_cast<size_t>(std::max(1, threads)));
    Interrupt interrupt(poll);
    const auto bin_column = [&](int64_t j, int worker) {
        const ColumnView& column = columns[static_cast<size_t>(j)];
        Scratch& own = scratch[static_cast<size_t>(worker)];
        own.check = [&interrupt, worker] { interrupt.check(worker == 0); };
        own.check();
        binned[static_cast<size_t>(j)] = column.kind == ColumnKind::nominal
                                             ? bin_nominal(column, n_rows, record_bins)
                                             : bin_ordered(column, n_rows, max_bins, record_bins, own);
    };
    interrupt.run([&] {
        parallel_for(static_cast<int64_t>(columns.size()), threads, bin_column, [&] { interrupt.ask(); });
    });
    return assemble(binned, n_rows, threads);
}

}  // namespace bough

// Columns become codes once: sort by value, number the distinct values, pack into bins if asked.
#include "binning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include "bin_slices.hpp"
#include "give_back.hpp"
#include "interrupt.hpp"
#include "parallel.hpp"
#include "profile.hpp"
#include "two_values.hpp"
#include "value_sort.hpp"

namespace bough {
namespace {

// A column on its way: the codes of one with few bins are put into the records when all are known.
struct Binned {
    BinnedColumn column;
    Codes8 codes;
    bool two_values = false;  // and no missing one
};

// The bins of the values 1, 2 ... with these row counts; 0 is missing.
std::vector<uint32_t> pack_bins(const std::vector<uint32_t>& counts, int64_t max_bins) {
    std::vector<uint32_t> bin_of(counts.size(), 0);
    int64_t rows = 0;
    for (size_t v = 1; v < counts.size(); ++v) rows += counts[v];
    Packing packing{rows, max_bins};
    for (size_t v = 1; v < counts.size(); ++v) bin_of[v] = packing.next(counts[v]);
    return bin_of;
}

// The codes by row, as narrow as the bins allow; fill(codes) writes all of them.
template <class Fill>
void store_codes(Binned& out, int64_t n_rows, uint32_t record_bins, const Fill& fill) {
    const auto with = [&](auto codes) {
        codes.resize(static_cast<size_t>(n_rows));
        fill(codes);
        return codes;
    };
    if (out.column.n_bins <= record_bins) {
        out.codes = with(Codes8{});
    } else if (out.column.n_bins < 65536) {
        out.column.store = with(Codes16{});
    } else {
        out.column.store = with(Codes32{});
    }
}

void store_codes(Binned& out, const Sorted& entries, int64_t n_rows, uint32_t record_bins) {
    store_codes(out, n_rows, record_bins, [&](auto& codes) {
        using Code = std::remove_reference_t<decltype(codes[0])>;
        if (entries.size() < static_cast<size_t>(n_rows)) std::ranges::fill(codes, Code{0});
        for (const Entry e : entries) codes[row_of(e)] = static_cast<Code>(code_of(e));
    });
}

// The bins of the numbered values: each value its own, or packed if they are more than wanted.
void make_bins(Numbered& numbered, int64_t max_bins, uint32_t record_bins, BinnedColumn& out) {
    const std::vector<double>& distinct = numbered.distinct;
    out.n_bins = numbered.n_bins;
    if (max_bins == 0 || out.n_bins <= max_bins) {
        if (out.n_bins <= record_bins) out.low = std::move(numbered.distinct);
        return;
    }
    std::vector<uint32_t> counts(out.n_bins + 1, 0);
    for (const Entry e : numbered.entries) ++counts[code_of(e)];
    std::vector<uint32_t> bin_of = pack_bins(counts, max_bins);
    out.n_bins = bin_of.back();
    out.low.assign(out.n_bins, 0.0);
    out.high.assign(out.n_bins, 0.0);
    for (size_t v = distinct.size(); v-- > 0;) out.low[bin_of[v + 1] - 1] = distinct[v];
    for (size_t v = 0; v < distinct.size(); ++v) out.high[bin_of[v + 1] - 1] = distinct[v];
    for (Entry& e : numbered.entries) e = make_entry(bin_of[code_of(e)], row_of(e));
}

constexpr size_t kFew = 16;

// A column of a few values needs no sort: they are noted as they come. False, and nothing done, if they are
// many.
template <class Value>
bool bin_few_values(const Value& value_of, size_t n_rows, Binned& out) {
    std::vector<double> seen;
    Codes8 place(n_rows, 0);  // 0: missing, otherwise 1 + position in `seen`
    double first = std::numeric_limits<double>::quiet_NaN(), second = first;
    for (size_t r = 0; r < n_rows; ++r) {
        const double value = value_of(r) + 0.0;
        const bool other = value != first;
        if (!other || value == second) [[likely]] {
            place[r] = static_cast<uint8_t>(1 + other);
            continue;
        }
        if (std::isnan(value)) continue;
        size_t k = 0;
        while (k < seen.size() && seen[k] != value) ++k;
        if (k == seen.size()) {
            if (k == kFew) return false;
            seen.push_back(value);
            if (k < 2) (k == 0 ? first : second) = value;
        }
        place[r] = static_cast<uint8_t>(k + 1);
    }
    std::vector<double>& low = out.column.low;
    low = seen;
    std::sort(low.begin(), low.end());
    out.column.n_bins = static_cast<uint32_t>(seen.size());
    uint8_t code[kFew + 1] = {0};
    for (size_t k = 0; k < seen.size(); ++k)
        code[k + 1] =
            static_cast<uint8_t>(std::lower_bound(low.begin(), low.end(), seen[k]) - low.begin() + 1);
    bool known = true;
    for (uint8_t& p : place) {
        p = code[p];
        known &= p != 0;
    }
    out.two_values = known && seen.size() == 2;
    out.codes = std::move(place);
    return true;
}

struct HowToBin {
    int64_t max_bins;
    uint32_t record_bins;
    bool by_row;
    // Whether columns of few values are looked for.
    bool notes_few() const { return max_bins == 0 && record_bins >= kFew; }
};

// The columns of one or two values among the next ones; others are left as they are.
template <class Check, class Ask>
void bin_two_values(const std::vector<ColumnView>& columns, size_t first, size_t last, int threads,
                    const Check& check, const Ask& ask, std::vector<Binned>& binned,
                    std::vector<uint8_t>& done) {
    std::vector<TwoValued> found =
        code_two_values(std::span(columns).subspan(first, last - first), threads, check, ask);
    for (size_t c = 0; c < found.size(); ++c) {
        if (found[c].values.empty()) continue;
        Binned& out = binned[first + c];
        out.column.low = std::move(found[c].values);
        out.column.n_bins = static_cast<uint32_t>(out.column.low.size());
        out.two_values = out.column.n_bins == 2;
        out.codes = std::move(found[c].codes);
        done[first + c] = 1;
    }
}

// Columns of many values that are needed by row alone: bins without a sort. They are counted together,
// because a line of a row-major matrix has values of several. Those that slices do not suit are left as they
// are.
void bin_by_slices(const std::vector<ColumnView>& columns, size_t first, size_t last, const HowToBin& how,
                   std::vector<SlicedBins>& slices, std::vector<Binned>& binned, std::vector<uint8_t>& done) {
    std::vector<size_t> suited;
    slices.resize(std::max(slices.size(), last - first));
    for (size_t j = first; j < last; ++j)
        if (columns[j].kind == ColumnKind::ordered && slices[j - first].begin(columns[j], how.max_bins))
            suited.push_back(j);
    if (suited.empty()) return;
    constexpr size_t kBlock = 256;
    const auto n = static_cast<size_t>(columns[first].size);
    for (size_t row = 0; row < n; row += kBlock)
        for (const size_t j : suited) slices[j - first].count(columns[j], row, std::min(n, row + kBlock));
    for (const size_t j : suited) {
        SlicedBins& bins = slices[j - first];
        if (!bins.pack(columns[j], how.max_bins)) continue;
        Binned& out = binned[j];
        out.column.source = columns[j];
        out.column.n_bins = static_cast<uint32_t>(bins.low.size());
        store_codes(out, columns[j].size, how.record_bins, [&](auto& codes) { bins.codes(codes.data()); });
        if (!bins.high.empty() || out.column.n_bins <= how.record_bins) out.column.low = std::move(bins.low);
        out.column.high = std::move(bins.high);
        done[j] = 1;
    }
}

// `room`: for the entries, or empty; the values may stand in it.
template <class Value>
Binned bin_values(const ColumnView& column, const Value& value, Sorted&& room, const HowToBin& how,
                  SortScratch& scratch) {
    Binned out;
    const auto n_rows = static_cast<size_t>(column.size);
    if (how.notes_few() && bin_few_values(value, n_rows, out)) return out;
    out.column.source = column;
    Range range[4];  // in turn, so that none waits for the one before
    size_t missing = 0;
    for (size_t r = 0; r < n_rows; ++r) {
        range[r % 4].add(value(r));
        missing += std::isnan(value(r));
    }
    for (const Range& part : range) range[0].add(part);
    Numbered numbered;
    numbered.keep = how.max_bins > 0 ? n_rows : how.record_bins;
    if (missing == 0) numbered.entries = std::move(room);
    numbered.entries.resize(n_rows);
    for (size_t r = 0; numbered.size < missing; ++r)
        if (std::isnan(value(r))) numbered.append_missing(static_cast<uint32_t>(r));
    Sorter(scratch, numbered).sort(value, n_rows, range[0]);
    scratch.check();
    make_bins(numbered, how.max_bins, how.record_bins, out.column);
    if (how.by_row || out.column.n_bins <= how.record_bins) {
        store_codes(out, numbered.entries, column.size, how.record_bins);
    } else {
        out.column.store = std::move(numbered.entries);
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

Binned bin_ordered(const ColumnView& column, Sorted& copy, const HowToBin& how, SortScratch& scratch) {
    if (copy.empty())
        return bin_values(column, [data = column.data](size_t r) { return data[r]; }, {}, how, scratch);
    const uint64_t* const bits = copy.data();
    return bin_values(
        column, [bits](size_t r) { return std::bit_cast<double>(bits[r]); }, std::move(copy), how, scratch);
}

// The columns of a row-major matrix are read several times: they are copied, some at once, because a line of
// memory has values of 8 of them. The copies later become the entries, or `spare` room for the next ones.
void copy_strided(const std::vector<ColumnView>& columns, std::vector<Sorted>& copies,
                  const std::vector<size_t>& group, std::vector<Sorted>& spare, int threads) {
    std::vector<size_t> strided;
    for (const size_t j : group)
        if (columns[j].stride != 1 && columns[j].kind == ColumnKind::ordered) strided.push_back(j);
    if (strided.empty()) return;
    for (const size_t j : strided) {
        if (!spare.empty()) {
            copies[j] = std::move(spare.back());
            spare.pop_back();
        }
        copies[j].resize(static_cast<size_t>(columns[j].size));
    }
    constexpr int64_t kBlock = 256;
    const int64_t n = columns[strided[0]].size;
    parallel_for((n + kBlock - 1) / kBlock, threads, [&](int64_t block, int) {
        const int64_t end = std::min(n, (block + 1) * kBlock);
        for (const size_t j : strided)
            for (int64_t r = block * kBlock; r < end; ++r)
                copies[j][static_cast<size_t>(r)] = std::bit_cast<uint64_t>(columns[j][r]);
    });
}

// Eight columns of some rows go to the records: 8 x 8 bytes change places within eight words.
void put_eight(const Codes8* columns, size_t first, size_t end, uint8_t* records, size_t stride) {
    size_t r = first;
    for (; std::endian::native == std::endian::little && r + 8 <= end; r += 8) {
        uint64_t w[8];
        for (size_t c = 0; c < 8; ++c) std::memcpy(&w[c], columns[c].data() + r, 8);
        const auto swap = [&](size_t apart, int shift, uint64_t mask) {
            for (size_t c = 0; c < 8; ++c) {
                if (c & apart) continue;
                const uint64_t differ = ((w[c] >> shift) ^ w[c + apart]) & mask;
                w[c + apart] ^= differ;
                w[c] ^= differ << shift;
            }
        };
        swap(1, 8, 0x00ff00ff00ff00ff);
        swap(2, 16, 0x0000ffff0000ffff);
        swap(4, 32, 0x00000000ffffffff);
        for (size_t k = 0; k < 8; ++k) std::memcpy(records + (r + k) * stride, &w[k], 8);
    }
    for (; r < end; ++r)
        for (size_t c = 0; c < 8; ++c) records[r * stride + c] = columns[c][r];
}

// The records take the place of the codes by column: of large tables, these go back to the system bit by bit.
BinnedMatrix assemble(std::vector<Binned>& binned, int64_t n_rows, int threads) {
    std::vector<Codes8> by_column;
    BinnedMatrix matrix;
    matrix.n_rows = n_rows;
    for (const bool twos : {true, false}) {
        for (Binned& b : binned)
            if (!b.codes.empty() && b.two_values == twos) {
                b.column.store = InRecord{static_cast<uint32_t>(by_column.size())};
                by_column.push_back(std::move(b.codes));
            }
        if (twos) matrix.twos = by_column.size();
    }
    for (Binned& b : binned) matrix.columns.push_back(std::move(b.column));
    matrix.stride = record_stride(by_column.size());
    const size_t stride = matrix.stride;
    matrix.records.resize(stride * static_cast<size_t>(n_rows) + 8);
    std::fill_n(matrix.records.end() - 8, 8, uint8_t{0});
    constexpr int64_t kBlock = 256;  // rows whose records stay in the cache while the columns are filled in
    const auto put = [&](int64_t block) {
        const auto first = static_cast<size_t>(block * kBlock);
        const auto end = static_cast<size_t>(std::min(n_rows, (block + 1) * kBlock));
        uint8_t* const records = matrix.records.data();
        std::fill(records + first * stride, records + end * stride, uint8_t{0});
        size_t c = 0;
        for (; c + 8 <= by_column.size(); c += 8) put_eight(&by_column[c], first, end, records + c, stride);
        for (; c < by_column.size(); ++c)
            for (size_t r = first; r < end; ++r) records[r * stride + c] = by_column[c][r];
    };
    constexpr size_t kLarge = size_t{8} << 20;  // bytes that are worth it
    const bool large = by_column.size() * static_cast<size_t>(n_rows) > kLarge;
    if (large) give_back_freed();
    const int64_t blocks = (n_rows + kBlock - 1) / kBlock;
    const int64_t part = std::max<int64_t>(large ? (blocks + 31) / 32 : blocks, 1);
    for (int64_t from = 0; from < blocks; from += part) {
        parallel_for(std::min(part, blocks - from), threads, [&](int64_t b, int) { put(from + b); });
        const auto first = static_cast<size_t>(from * kBlock);
        const auto end = static_cast<size_t>(std::min(n_rows, (from + part) * kBlock));
        for (Codes8& codes : by_column)
            if (large) give_back(codes.data(), first, end);
    }
    return matrix;
}

}  // namespace

BinnedMatrix bin_columns(const std::vector<ColumnView>& columns, int64_t n_rows, int64_t max_bins,
                         uint32_t record_bins, bool by_row, int threads, const std::function<void()>& poll) {
    if (record_bins > 255) throw std::invalid_argument("a code in a record is one byte");
    if (n_rows >= std::numeric_limits<uint32_t>::max())
        throw std::length_error("at most 4,294,967,294 rows are supported");
    const Timed here(Stage::binning);
    std::vector<Binned> binned(columns.size());
    std::vector<SortScratch> scratch(static_cast<size_t>(std::max(1, threads)));
    Interrupt interrupt(poll);
    const HowToBin how{max_bins, record_bins, by_row};
    std::vector<BlockFiller> blocks(scratch.size());
    const bool many = static_cast<size_t>(n_rows) * columns.size() * sizeof(Entry) >= TreeBlock::kFirst;
    std::vector<Sorted> copies(columns.size()), spare;
    std::vector<uint8_t> done(columns.size(), 0);
    const auto check = [&interrupt](int worker) { interrupt.check(worker == 0); };
    const auto bin_column = [&](size_t j, int worker) {
        SortScratch& own = scratch[static_cast<size_t>(worker)];
        std::optional<BlockFiller::Scope> here;
        if (many) here.emplace(blocks[static_cast<size_t>(worker)]);
        own.check = [&check, worker] { check(worker); };
        own.check();
        binned[j] = columns[j].kind == ColumnKind::nominal ? bin_nominal(columns[j], n_rows, record_bins)
                                                           : bin_ordered(columns[j], copies[j], how, own);
    };
    interrupt.run([&] {
        if (max_bins > 0 && (by_row || max_bins <= record_bins)) {
            // As many groups for each thread, of four columns or fewer.
            const auto n = static_cast<int64_t>(columns.size());
            const int64_t each = std::max(1, threads);
            const int64_t groups = (n + 4 * each - 1) / (4 * each) * each;
            std::vector<std::vector<SlicedBins>> slices(scratch.size());
            parallel_for(
                groups, threads,
                [&](int64_t g, int worker) {
                    check(worker);
                    bin_by_slices(columns, static_cast<size_t>(g * n / groups),
                                  static_cast<size_t>((g + 1) * n / groups), how,
                                  slices[static_cast<size_t>(worker)], binned, done);
                },
                [&] { interrupt.ask(); });
        }
        for (size_t first = 0; how.notes_few() && n_rows > 0 && first < columns.size(); first += 64)
            bin_two_values(
                columns, first, std::min(columns.size(), first + 64), threads, check,
                [&] { interrupt.ask(); }, binned, done);
        std::vector<size_t> rest;
        for (size_t j = 0; j < columns.size(); ++j)
            if (!done[j]) rest.push_back(j);
        // Copies that become the entries cost nothing; those of packed columns are the peak of memory.
        const auto together =
            static_cast<size_t>(max_bins > 0 ? std::max(4, 2 * threads) : 4 * std::max(2, threads));
        for (size_t first = 0; first < rest.size(); first += together) {
            const std::vector<size_t> group(
                rest.begin() + static_cast<std::ptrdiff_t>(first),
                rest.begin() + static_cast<std::ptrdiff_t>(std::min(rest.size(), first + together)));
            {
                std::optional<BlockFiller::Scope> here;
                if (many) here.emplace(blocks[0]);
                copy_strided(columns, copies, group, spare, threads);
            }
            parallel_for(
                static_cast<int64_t>(group.size()), threads,
                [&](int64_t i, int worker) { bin_column(group[static_cast<size_t>(i)], worker); },
                [&] { interrupt.ask(); });
            for (const size_t j : group)
                if (!copies[j].empty()) spare.push_back(std::move(copies[j]));
        }
    });
    spare.clear();
    return assemble(binned, n_rows, threads);
}

}  // namespace bough

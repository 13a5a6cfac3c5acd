// Adds the rows of a node up by code, a block of columns at a time.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "boost/records.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

// What is counted in one go: bytes of the records, in ascending order, whose bins are few enough for the
// first cache, or one column that is in no record; `columns`: those of them that are asked.
struct Block {
    std::vector<int32_t> slots, columns;
};

// The blocks of some columns.
struct Blocks {
    std::shared_ptr<const std::vector<int32_t>> columns;
    std::vector<Block> list;
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

inline constexpr int64_t kAhead = 32;       // rows that are fetched before they are needed
inline constexpr int64_t kChunk = 2047;     // rows whose lines of memory fit the second cache
inline constexpr size_t kApart = 256;       // bins of bytes that no code says more of
inline constexpr size_t kMostColumns = 14;  // whose sums of 8 bytes fit the first cache together

// W bytes of the records together: those of a row stand on one line of memory. `Next`: each slot follows the
// one before, `Even`: each bins stand kApart after those before, so that no register is needed for their
// places. `values` are in the order of `rows` (nullptr: the first n).
template <size_t W, bool Next, bool Even, class Sum>
void add_records(const uint8_t* records, size_t stride, const int32_t* slots, Sum* const* bins,
                 const uint32_t* rows, int64_t n, const Sum* values) {
    std::array<size_t, W> offset;
    std::array<Sum*, W> bin;
    for (size_t c = 0; c < W; ++c) {
        offset[c] = static_cast<size_t>(slots[c] - slots[0]);
        bin[c] = bins[c];
    }
    Sum* const even = bins[0];
    const uint8_t* const first = records + slots[0];
    const auto add = [&](size_t row, const Sum value) {
        const uint8_t* const record = first + row * stride;
        for (size_t c = 0; c < W; ++c)
            (Even ? even + kApart * c : bin[c])[record[Next ? c : offset[c]]] += value;
    };
    if (!rows) {
        for (int64_t i = 0; i < n; ++i) add(static_cast<size_t>(i), values[i]);
        return;
    }
    int64_t i = 0;
    for (; i + kAhead + 1 < n; i += 2) {
        __builtin_prefetch(first + size_t{rows[i + kAhead]} * stride);
        __builtin_prefetch(first + size_t{rows[i + kAhead + 1]} * stride);
        add(rows[i], values[i]);
        add(rows[i + 1], values[i + 1]);
    }
    for (; i < n; ++i) add(rows[i], values[i]);
}

// The bytes of one block; nullptr: n rows from `first` on.
template <class Sum>
void add_block(const Records& records, const Block& block, Sum* const* bins, const uint32_t* rows,
               int64_t first, int64_t n, const Sum* values) {
    const uint8_t* const from = records.data() + static_cast<size_t>(first) * records.stride();
    const bool next = block.slots.back() - block.slots.front() + 1 == std::ssize(block.slots);
    bool even = true;
    for (size_t c = 0; c < block.slots.size(); ++c) even &= bins[c] == bins[0] + kApart * c;
    const auto with_width = [&]<size_t W>() {
        const auto add = next && even ? add_records<W, true, true, Sum>
                         : next       ? add_records<W, true, false, Sum>
                                      : add_records<W, false, false, Sum>;
        add(from, records.stride(), block.slots.data(), bins, rows, n, values);
        return true;
    };
    [&]<size_t... W>(std::index_sequence<W...>) {
        (void)((block.slots.size() == W + 1 && with_width.template operator()<W + 1>()) || ...);
    }(std::make_index_sequence<kMostColumns>{});
}

template <class Sum, class Code>
void add_codes(const Code* codes, Sum* bins, const uint32_t* rows, int64_t n, const Sum* values) {
    for (int64_t i = 0; i < n; ++i) {
        if (rows && i + kAhead < n) __builtin_prefetch(codes + rows[i + kAhead]);
        bins[codes[rows ? rows[i] : static_cast<size_t>(i)]] += values[i];
    }
}

// The bins of the columns that share a byte. Unless it is a sum, of the usual code: what the others leave of
// the node.
template <class Sum>
void spread(const Slot& slot, const Sum* bytes, const Sum& whole, const Layout& layout, Sum* histogram) {
    for (const Member& m : slot.members) {
        Sum* const bins = histogram + layout.start[static_cast<size_t>(m.column)];
        if (slot.summed()) {
            std::fill_n(bins, m.n_codes, Sum{});
            m.each_byte([&](uint32_t byte, uint32_t code) { bins[code] += bytes[byte]; });
            continue;
        }
        Sum rest = whole;
        for (uint32_t code = 0; code < m.n_codes; ++code) {
            if (code == m.usual) continue;
            bins[code] = bytes[m.byte_of(code)];
            rest -= bins[code];
        }
        bins[m.usual] = rest;
    }
}

// The counting of one block in a node: bins at 0, rows added in any number of goes, and the end.
template <class Sum>
class BlockCount {
  public:
    BlockCount(const BinnedMatrix& matrix, const Records& records, const Layout& layout, const Block& block,
               Sum* histogram)
        : matrix_(matrix), records_(records), layout_(layout), block_(block), histogram_(histogram) {
        if (block.slots.empty()) bins_[0] = own_bins(block.columns[0]);
        size_t n_shared = 0;
        for (const int32_t s : block.slots) n_shared += records.slot(s).shared();
        shared_.assign(n_shared * 256, Sum{});
        for (size_t c = 0, at = 0; c < block.slots.size(); ++c) {
            const Slot& slot = records.slot(block.slots[c]);
            bins_[c] = slot.shared() ? shared_.data() + 256 * at++ : own_bins(slot.members[0].column);
        }
    }
    // `values` are in the order of `rows`; nullptr: n rows from `first` on.
    void add(const uint32_t* rows, int64_t first, int64_t n, const Sum* values) const {
        if (block_.slots.empty()) {
            const auto& store = matrix_.columns[static_cast<size_t>(block_.columns[0])].store;
            if (const auto* narrow = std::get_if<Codes16>(&store))
                return add_codes(narrow->data() + first, bins_[0], rows, n, values);
            return add_codes(std::get<Codes32>(store).data() + first, bins_[0], rows, n, values);
        }
        add_block(records_, block_, bins_.data(), rows, first, n, values);
    }
    // `whole` is the sum over all rows of the node.
    void finish(const Sum& whole) const {
        for (size_t c = 0; c < block_.slots.size(); ++c) {
            const Slot& slot = records_.slot(block_.slots[c]);
            if (slot.shared()) spread(slot, bins_[c], whole, layout_, histogram_);
        }
    }

    // Where the sums of the block's bytes, or of its one column, stand.
    const std::array<Sum*, kMostColumns>& bins() const { return bins_; }

  private:
    Sum* own_bins(int32_t column) const {
        Sum* const bins = histogram_ + layout_.start[static_cast<size_t>(column)];
        std::fill_n(bins, layout_.n_codes(column), Sum{});
        return bins;
    }

    const BinnedMatrix& matrix_;
    const Records& records_;
    const Layout& layout_;
    const Block& block_;
    Sum* const histogram_;
    std::array<Sum*, kMostColumns> bins_{};
    std::vector<Sum> shared_;  // bins of bytes that columns share
};

// Brings lines of memory to the second cache before they are counted, 64 bytes of each record at a time. Such
// fetches wait in a queue; those to the first cache, kAhead rows before a row is counted, are dropped where
// it is busy: with them alone a row took 22 to 25 ns to be counted in 28 columns, with lines at hand 11.
class Lines {
  public:
    Lines(const Records& records, std::span<const Block> blocks)
        : records_(records), end_(blocks.empty() || blocks.back().slots.empty() ? 0 : after(blocks.back())) {}

    // From the first of these blocks on.
    void start(std::span<const Block> blocks) {
        far_ = reached_ = 0;
        first_ = records_.data();
        for (const Block& block : blocks)
            if (reach(block)) return;
    }
    // False: the bytes of the block are there; otherwise they are what is fetched next.
    bool reach(const Block& block) {
        if (block.slots.empty() || after(block) <= reached_) return false;
        const size_t begin = std::max(static_cast<size_t>(block.slots.front()), reached_);
        reached_ = std::min(begin + kLine, end_);
        first_ = records_.data() + begin;
        const bool apart = records_.stride() % kLine == 0 || kLine % records_.stride() == 0;
        const bool one_line = apart && begin / kLine == (reached_ - 1) / kLine;
        const bool few = reached_ - begin <= kFewBytes && !records_.many();
        far_ = one_line || few ? 0 : reached_ - 1 - begin;
        return true;
    }
    void fetch(uint32_t row) const {
        const uint8_t* const line = first_ + row * records_.stride();
        __builtin_prefetch(line, 0, 2);
        if (far_) __builtin_prefetch(line + far_, 0, 2);
    }
    void fetch(const uint32_t* rows, int64_t n) const {
        for (int64_t i = 0; i < n; ++i) fetch(rows[i]);
    }

  private:
    // Few bytes are seldom on two lines, which is of no account while a cache has both: of 4,000,000 records
    // of 10 bytes, one of seven is, and without its second line ten rounds took 1.55 instead of 1.35 s.
    static constexpr size_t kLine = 64, kFewBytes = 16;
    static size_t after(const Block& block) { return static_cast<size_t>(block.slots.back()) + 1; }

    const Records& records_;
    const uint8_t* first_ = nullptr;  // of the first row
    size_t far_ = 0;                  // to the last byte, if it may be on the next line
    size_t reached_ = 0;              // bytes of a record that were fetched
    const size_t end_;
};

// Makes what some rows of a node add to a sum of the `values` of all rows, in the order of the node's list.
template <class Value, class Make, class Sum>
void in_order(const uint32_t* rows, int64_t n, const Lines& lines, const Value* values, const Make& make,
              Sum* out) {
    for (int64_t i = 0; i < n; ++i) {
        __builtin_prefetch(values + rows[std::min(i + kFarAhead, n - 1)]);
        lines.fetch(rows[i]);
        out[i] = make(values[rows[i]]);
    }
}

// Sets the bins of the blocks' columns to the sums over these rows (nullptr: n from `first` on), `whole` in
// all; make(values[row]) is what a row adds. Some rows go through all blocks before the next: their records
// are then in the second cache.
template <class Sum, class Value, class Make>
void count_blocks(const BinnedMatrix& matrix, const Records& records, const Layout& layout,
                  std::span<const Block> blocks, const uint32_t* rows, int64_t first, int64_t n,
                  const Value* values, const Make& make, const Sum& whole, Sum* histogram) {
    std::vector<BlockCount<Sum>> counts;
    counts.reserve(blocks.size());
    for (const Block& block : blocks) counts.emplace_back(matrix, records, layout, block, histogram);
    Lines lines(records, blocks);
    std::array<Sum, kChunk> ordered;
    for (int64_t begin = 0; begin < n; begin += kChunk) {
        const int64_t m = std::min(kChunk, n - begin), from = rows ? 0 : first + begin;
        const uint32_t* const own = rows ? rows + begin : nullptr;
        if (own) {
            lines.start(blocks);
            in_order(own, m, lines, values, make, ordered.data());
        } else {
            std::transform(values + from, values + from + m, ordered.begin(), make);
        }
        for (size_t k = 0; k < counts.size(); ++k) {
            if (own && lines.reach(blocks[k])) lines.fetch(own, m);
            counts[k].add(own, from, m, ordered.data());
        }
    }
    for (const BlockCount<Sum>& count : counts) count.finish(whole);
}

// Calls change(bin of `whole`, the same bin of `part`) for the bins of the block's columns.
template <class Sum, class Change>
void each_bin(const Layout& layout, const Block& block, const Sum* part, Sum* whole, const Change& change) {
    for (const int32_t column : block.columns) {
        const size_t first = layout.start[static_cast<size_t>(column)], n = layout.n_codes(column);
        for (size_t i = first; i < first + n; ++i) change(whole[i], part[i]);
    }
}

}  // namespace bough::boost

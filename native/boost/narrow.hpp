// Sums of gradient, hessian and rows in one word of 8 bytes, for so many rows as fit; then they are added to
// the bins of 16 bytes.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "boost/histogram.hpp"
#include "boost/rounding.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

inline int64_t word_of(Narrow value) {
    const int64_t gradient = value >> (kHessianBits + 1), hessian = value & ((1 << (kHessianBits + 1)) - 1);
    return gradient * (int64_t{1} << (kRowBits + kHessianField)) + (hessian << kRowBits) + 1;
}
inline PairSum wide_of(int64_t word, int count_bits) {
    const int64_t hessian = (word >> kRowBits) & ((int64_t{1} << kHessianField) - 1);
    return {Wholes{word >> (kRowBits + kHessianField), (hessian << count_bits) + (word & kWordRows)}};
}

// The narrow bins of one block above its wide ones.
class NarrowBlock {
  public:
    NarrowBlock(const BlockCount<PairSum>& wide, const BinnedMatrix& matrix, const Records& records,
                const Layout& layout, const Block& block)
        : wide_(wide), matrix_(matrix), records_(records), block_(block) {
        for (const int32_t s : block.slots) {
            const Slot& slot = records.slot(s);
            n_codes_.push_back(slot.shared() ? 256 : layout.n_codes(slot.members[0].column));
        }
        bins_.assign(kApart * n_codes_.size(), 0);
        for (size_t c = 0; c < n_codes_.size(); ++c) at_[c] = bins_.data() + kApart * c;
    }
    void add(const uint32_t* rows, int64_t first, int64_t n, const int64_t* words, int count_bits) const {
        if (!block_.slots.empty()) return add_block(records_, block_, at_.data(), rows, first, n, words);
        PairSum* const bins = wide_.bins()[0];
        const auto with = [&](const auto& codes) {
            for (int64_t i = 0; i < n; ++i)
                bins[codes[rows ? rows[i] : static_cast<size_t>(first + i)]] += wide_of(words[i], count_bits);
        };
        const auto& store = matrix_.columns[static_cast<size_t>(block_.columns[0])].store;
        if (const auto* codes = std::get_if<Codes16>(&store)) return with(*codes);
        with(std::get<Codes32>(store));
    }
    // To the wide bins; `more`: other rows follow.
    void flush(int count_bits, bool more) {
        for (size_t c = 0; c < n_codes_.size(); ++c) {
            PairSum* const wide = wide_.bins()[c];
            for (size_t code = 0; code < n_codes_[c]; ++code) wide[code] += wide_of(at_[c][code], count_bits);
        }
        if (more) std::fill(bins_.begin(), bins_.end(), 0);
    }

  private:
    const BlockCount<PairSum>& wide_;
    const BinnedMatrix& matrix_;
    const Records& records_;
    const Block& block_;
    std::vector<size_t> n_codes_;  // of each byte
    std::vector<int64_t> bins_;
    std::array<int64_t*, kMostColumns> at_{};
};

// The same as count_blocks, from the narrow values of all rows.
inline void count_narrow(const BinnedMatrix& matrix, const Records& records, const Layout& layout,
                         std::span<const Block> blocks, const uint32_t* rows, int64_t first, int64_t n,
                         const Narrow* values, int count_bits, const PairSum& whole, PairSum* histogram) {
    constexpr int64_t turns = kWordRows / kChunk;  // until the words are full
    std::vector<BlockCount<PairSum>> wide;
    std::vector<NarrowBlock> narrow;
    wide.reserve(blocks.size());
    narrow.reserve(blocks.size());
    for (const Block& block : blocks) {
        wide.emplace_back(matrix, records, layout, block, histogram);
        narrow.emplace_back(wide.back(), matrix, records, layout, block);
    }
    Lines lines(records, blocks);
    std::array<int64_t, kChunk> words;
    for (int64_t begin = 0; begin < n; begin += kChunk) {
        const int64_t m = std::min(kChunk, n - begin), from = rows ? 0 : first + begin;
        const uint32_t* const own = rows ? rows + begin : nullptr;
        if (own) {
            lines.start(blocks);
            in_order(own, m, lines, values, word_of, words.data());
        } else {
            std::transform(values + from, values + from + m, words.begin(), word_of);
        }
        const bool last = begin + m == n;
        for (size_t k = 0; k < narrow.size(); ++k) {
            if (own && lines.reach(blocks[k])) lines.fetch(own, m);
            narrow[k].add(own, from, m, words.data(), count_bits);
            if (last || (begin / kChunk) % turns == turns - 1) narrow[k].flush(count_bits, !last);
        }
    }
    for (const BlockCount<PairSum>& block : wide) block.finish(whole);
}

}  // namespace bough::boost

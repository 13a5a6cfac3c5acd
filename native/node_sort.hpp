// Sorts the entries of one node by code: what a column that is not kept sorted needs before it is scanned.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "target.hpp"

namespace bough {

// Entries come in the order of their rows and keep it within a code. Keeps its working memory.
class NodeSort {
  public:
    void sort(Sorted& entries) {
        const size_t n = entries.size();
        if (n <= kInsertion) return insert(entries);
        uint32_t low = code_of(entries[0]), high = low;
        for (const Entry e : entries) {
            low = std::min(low, code_of(e));
            high = std::max(high, code_of(e));
        }
        const int bits = std::bit_width(high - low);
        if (bits == 0) return;
        // A pass costs its counters as well as its entries.
        int passes = 1;
        while ((bits + passes - 1) / passes > kDigit || (size_t{1} << ((bits + passes - 1) / passes)) > 4 * n)
            ++passes;
        const int digit = (bits + passes - 1) / passes;
        spare_.resize(n);
        for (int p = 0; p < passes; ++p) {
            place(entries, low, p * digit, (uint32_t{1} << digit) - 1);
            entries.swap(spare_);
        }
    }

    // The rows of a column with codes by row, as entries in the order of a sorted column.
    const Entry* entries(const BinnedColumn& c, const Target& target, std::span<const uint32_t> rows) {
        entries_.resize(rows.size());
        const auto fill = [&](const auto& codes) {
            for (size_t i = 0; i < rows.size(); ++i)
                entries_[i] = make_entry(codes[rows[i]], target.item(rows[i]));
        };
        if (const auto* codes = std::get_if<Codes16>(&c.store)) {
            fill(*codes);
        } else {
            fill(std::get<Codes32>(c.store));
        }
        sort(entries_);
        return entries_.data();
    }

  private:
    static constexpr size_t kInsertion = 24;
    static constexpr int kDigit = 11;

    static void insert(Sorted& entries) {
        for (size_t i = 1; i < entries.size(); ++i) {
            const Entry e = entries[i];
            size_t k = i;
            for (; k > 0 && code_of(entries[k - 1]) > code_of(e); --k) entries[k] = entries[k - 1];
            entries[k] = e;
        }
    }

    void place(const Sorted& entries, uint32_t low, int shift, uint32_t mask) {
        counts_.assign(mask + size_t{1}, 0);
        for (const Entry e : entries) ++counts_[(code_of(e) - low) >> shift & mask];
        uint32_t before = 0;
        for (uint32_t& c : counts_) {
            const uint32_t own = c;
            c = before;
            before += own;
        }
        for (const Entry e : entries) spare_[counts_[(code_of(e) - low) >> shift & mask]++] = e;
    }

    std::vector<uint32_t> counts_;
    Sorted entries_, spare_;
};

}  // namespace bough

// Sorts the entries of one node by code: what a column that is not kept sorted needs before it is scanned.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "binning.hpp"

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
    Sorted spare_;
};

}  // namespace bough

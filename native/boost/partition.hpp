// Moves the rows of a node to its two children, in stable order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

// side[code]: 1 goes right. The code of any row in one column, whatever it is stored as.
template <class Use>
auto with_codes(const BinnedMatrix& matrix, int32_t column, const Use& use) {
    const auto& store = matrix.columns[static_cast<size_t>(column)].store;
    if (const auto* in = std::get_if<InRecord>(&store)) {
        const uint8_t* const first = matrix.records.data() + in->offset;
        return use([first, stride = matrix.stride](size_t row) { return uint32_t{first[row * stride]}; },
                   first, matrix.stride);
    }
    if (const auto* narrow = std::get_if<Codes16>(&store))
        return use([codes = narrow->data()](size_t row) { return uint32_t{codes[row]}; },
                   reinterpret_cast<const uint8_t*>(narrow->data()), sizeof(uint16_t));
    const auto& wide = std::get<Codes32>(store);
    return use([codes = wide.data()](size_t row) { return codes[row]; },
               reinterpret_cast<const uint8_t*>(wide.data()), sizeof(uint32_t));
}

class Partition {
  public:
    // Rows [begin, end) of the list; returns where the right side begins.
    int64_t move(const BinnedMatrix& matrix, int32_t column, const std::vector<uint8_t>& side,
                 std::vector<uint32_t>& rows, int64_t begin, int64_t end, int threads) {
        if (left_.size() < rows.size()) {
            left_.resize(rows.size());
            right_.resize(rows.size());
        }
        const int64_t blocks = row_blocks(end - begin);
        counts_.assign(static_cast<size_t>(blocks), 0);
        with_codes(matrix, column, [&](const auto& code, const uint8_t* first, size_t stride) {
            parallel_for(blocks, threads, [&](int64_t b, int) {
                const int64_t from = begin + b * kRowBlock, to = std::min(end, from + kRowBlock);
                int64_t l = from, r = from;
                for (int64_t i = from; i < to; ++i) {
                    if (i + kFetch < to)
                        __builtin_prefetch(first + rows[static_cast<size_t>(i + kFetch)] * stride);
                    const uint32_t row = rows[static_cast<size_t>(i)];
                    const bool goes_right = side[code(row)];
                    left_[static_cast<size_t>(l)] = row;
                    right_[static_cast<size_t>(r)] = row;
                    l += !goes_right;
                    r += goes_right;
                }
                counts_[static_cast<size_t>(b)] = l - from;
            });
        });
        int64_t n_left = 0;
        for (const int64_t c : counts_) n_left += c;
        int64_t l = begin, r = begin + n_left;
        for (int64_t b = 0; b < blocks; ++b) {
            const int64_t from = begin + b * kRowBlock, to = std::min(end, from + kRowBlock);
            const int64_t taken = counts_[static_cast<size_t>(b)];
            std::copy_n(left_.begin() + from, taken, rows.begin() + l);
            std::copy_n(right_.begin() + from, to - from - taken, rows.begin() + r);
            l += taken;
            r += to - from - taken;
        }
        return begin + n_left;
    }

  private:
    static constexpr int64_t kFetch = 16;
    std::vector<uint32_t> left_, right_;
    std::vector<int64_t> counts_;
};

}  // namespace bough::boost

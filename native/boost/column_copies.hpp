// Codes once more, column by column, of the columns that most rows are moved by: one line of memory has the
// codes of 64 rows, and such a column fits the second cache.
#pragma once
#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "mapped.hpp"
#include "parallel.hpp"

namespace bough::boost {

// A copy is made when its column moves half as many rows as the table has on average in a round, where rounds
// of long ago count little, and given up when they have become half of that. Columns that are asked now and
// then, or in small nodes, are read in the records.
class ColumnCopies {
  public:
    ColumnCopies(size_t n_bytes, int64_t n_rows) : n_rows_(n_rows), copies_(n_bytes), moved_(n_bytes, 0.0) {}

    // nullptr: there is none.
    const uint8_t* of(size_t byte) const { return copies_[byte].empty() ? nullptr : copies_[byte].data(); }

    void moved(size_t byte, int64_t rows) { moved_[byte] += static_cast<double>(rows); }
    // After a round.
    void make(const uint8_t* records, size_t stride, int threads) {
        std::vector<size_t> wanted;
        rounds_ = kKept * rounds_ + 1.0;
        const double tables = static_cast<double>(n_rows_) * rounds_;
        for (size_t s = 0; s < copies_.size(); ++s) {
            if (copies_[s].empty() && moved_[s] >= 0.5 * tables) wanted.push_back(s);
            if (moved_[s] < 0.25 * tables) copies_[s] = {};
            moved_[s] *= kKept;
        }
        if (wanted.empty()) return;
        std::vector<MappedVector<uint8_t>> made(wanted.size());
        try {
            for (auto& codes : made) codes.resize(static_cast<size_t>(n_rows_));
        } catch (const std::bad_alloc&) {
            return;  // they only save time
        }
        constexpr int64_t kBlock = 256;  // rows whose records stay in the first cache
        parallel_for((n_rows_ + kBlock - 1) / kBlock, threads, [&](int64_t block, int) {
            const auto end = static_cast<size_t>(std::min(n_rows_, (block + 1) * kBlock));
            for (size_t i = 0; i < wanted.size(); ++i)
                for (auto row = static_cast<size_t>(block * kBlock); row < end; ++row)
                    made[i][row] = records[row * stride + wanted[i]];
        });
        for (size_t i = 0; i < wanted.size(); ++i) copies_[wanted[i]] = std::move(made[i]);
    }

  private:
    static constexpr double kKept = 0.9;  // of what a round counts, from round to round

    int64_t n_rows_;
    std::vector<MappedVector<uint8_t>> copies_;
    std::vector<double> moved_;  // rows, by byte
    double rounds_ = 0.0;        // as much as they count
};

}  // namespace bough::boost

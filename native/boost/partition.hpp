// Moves the rows of a node to its two children, in stable order.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "boost/records.hpp"
#include "boost/send.hpp"
#include "mapped.hpp"
#include "parallel.hpp"

namespace bough::boost {

// The code of a row in one column, whatever it is stored as.
inline uint32_t code_at(const BinnedMatrix& matrix, int32_t column, size_t row) {
    const auto& store = matrix.columns[static_cast<size_t>(column)].store;
    if (const auto* in = std::get_if<InRecord>(&store))
        return matrix.records[row * matrix.stride + in->offset];
    if (const auto* narrow = std::get_if<Codes16>(&store)) return (*narrow)[row];
    return std::get<Codes32>(store)[row];
}

class Partition {
  public:
    // Rows [begin, end) of the list; returns where the right side begins. side[code]: 1 goes right;
    // `fewer_left`: than right, as far as is known.
    int64_t move(const BinnedMatrix& matrix, const Records& records, int32_t column,
                 const std::vector<uint8_t>& side, std::vector<uint32_t>& rows, int64_t begin, int64_t end,
                 bool fewer_left, int threads) {
        const auto n = static_cast<size_t>(end - begin);
        if (room_.size() < n) room_.resize(n);
        const auto with = [&](const auto* codes, size_t stride, const uint8_t* sides) {
            const Ways ways{codes, stride, sides};
            return threads > 1 ? in_blocks(ways, rows.data(), begin, end, threads)
                               : at_once(ways, rows.data() + begin, end - begin, fewer_left) + begin;
        };
        if (const int32_t slot = records.slot_of(column); slot >= 0) {
            const std::array<uint8_t, 256> sides = records.by_byte(column, side);
            const Records::Bytes bytes = records.bytes(slot);
            return with(bytes.data, bytes.step, sides.data());
        }
        const auto& store = matrix.columns[static_cast<size_t>(column)].store;
        if (const auto* narrow = std::get_if<Codes16>(&store)) return with(narrow->data(), 1, side.data());
        return with(std::get<Codes32>(store).data(), 1, side.data());
    }

  private:
    static constexpr int64_t kBlock = 4096;  // rows of one task

    // The fewer rows take room for a while: those on the left backwards, from the last on.
    template <class Code>
    int64_t at_once(const Ways<Code>& ways, uint32_t* rows, int64_t n, bool fewer_left) {
        uint32_t* const room = room_.data();
        if (fewer_left) {
            uint32_t* const last = rows + n - 1;
            const int64_t n_left = send<-1, -1>(ways, last, n, room, last);
            std::reverse_copy(room, room + n_left, rows);
            return n_left;
        }
        const int64_t n_left = send<1, 1>(ways, rows, n, rows, room);
        std::copy_n(room, n - n_left, rows + n_left);
        return n_left;
    }

    template <class Code>
    int64_t in_blocks(const Ways<Code>& ways, uint32_t* rows, int64_t begin, int64_t end, int threads) {
        const int64_t blocks = (end - begin + kBlock - 1) / kBlock;
        lefts_.assign(static_cast<size_t>(blocks) + 1, 0);  // that blocks before have
        parallel_for(blocks, threads, [&](int64_t b, int) {
            const int64_t from = begin + b * kBlock, n = std::min(end - from, kBlock);
            lefts_[static_cast<size_t>(b) + 1] = send<1, -1>(ways, rows + from, n, room_.data() + b * kBlock,
                                                             room_.data() + b * kBlock + n - 1);
        });
        for (size_t b = 0; b < static_cast<size_t>(blocks); ++b) lefts_[b + 1] += lefts_[b];
        const int64_t middle = begin + lefts_.back();
        parallel_for(blocks, threads, [&](int64_t b, int) {
            const int64_t from = begin + b * kBlock, n = std::min(end - from, kBlock);
            const int64_t before = lefts_[static_cast<size_t>(b)];
            const int64_t here = lefts_[static_cast<size_t>(b) + 1] - before;
            const uint32_t* const room = room_.data() + b * kBlock;
            std::copy_n(room, here, rows + begin + before);
            std::reverse_copy(room + here, room + n, rows + middle + b * kBlock - before);
        });
        return middle;
    }

    MappedVector<uint32_t> room_;
    std::vector<int64_t> lefts_;
};

}  // namespace bough::boost

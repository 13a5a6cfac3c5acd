// The bytes that rows are counted by: a column's code, or one byte for several columns. These are columns of
// which no row has more than one away from its usual code, as the indicators of one category are, or columns
// of so few codes that one byte tells them all.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "boost/column_copies.hpp"
#include "give_back.hpp"
#include "parallel.hpp"

namespace bough::boost {

inline constexpr int64_t kFarAhead =
    48;  // rows that are fetched before they are needed, where little is done

// A column in a byte. One that shares it: 0 is the usual code of all, and its other codes stand in their
// order from `first` on. Or the byte is a sum over the columns, of the code times `unit`.
struct Member {
    int32_t column = 0;
    uint32_t n_codes = 0, usual = 0, first = 0, unit = 0;

    uint32_t byte_of(uint32_t code) const { return code == usual ? 0 : first + code - (code > usual); }
    // Calls see(byte, code) for the bytes of a sum.
    template <class See>
    void each_byte(const See& see) const {
        for (uint32_t byte = 0; byte < 256;)
            for (uint32_t code = 0; code < n_codes; ++code)
                for (uint32_t k = 0; k < unit && byte < 256; ++k) see(byte++, code);
    }
};

struct Slot {
    std::vector<Member> members;
    bool shared() const { return members.size() > 1; }
    bool summed() const { return members[0].unit > 0; }
};

class Records {
  public:
    // `share` false: every column has a byte of its own. Where bytes are shared, the records of the matrix
    // are no longer needed, and go.
    Records(BinnedMatrix& matrix, bool share, int threads)
        : data_(matrix.records.data()), slot_of_(matrix.columns.size(), -1) {
        std::vector<Slot> together;
        std::vector<uint8_t> placed(matrix.columns.size(), 0);
        const auto mark = [&] {
            for (const Slot& s : together)
                for (const Member& m : s.members) placed[static_cast<size_t>(m.column)] = 1;
        };
        if (share && matrix.n_rows > 0) {
            for (Shared& s : shared(matrix, threads)) together.push_back({std::move(s.members)});
            mark();
            for (Slot& s : summed(matrix, placed)) together.push_back(std::move(s));
            mark();
        }
        for (size_t j = 0; j < matrix.columns.size(); ++j)
            if (!placed[j] && std::holds_alternative<InRecord>(matrix.columns[j].store))
                slots_.push_back({{{static_cast<int32_t>(j), matrix.columns[j].n_bins + 1}}});
        // As they stand in the matrix, where columns of two values come first.
        const auto place = [&](const Slot& s) {
            return std::get<InRecord>(matrix.columns[static_cast<size_t>(s.members[0].column)].store).offset;
        };
        std::sort(slots_.begin(), slots_.end(),
                  [&](const Slot& a, const Slot& b) { return place(a) < place(b); });
        const bool anew = !together.empty();
        for (Slot& s : together) slots_.push_back(std::move(s));
        for (size_t s = 0; s < slots_.size(); ++s)
            for (const Member& m : slots_[s].members)
                slot_of_[static_cast<size_t>(m.column)] = static_cast<int32_t>(s);
        stride_ = anew ? new_stride(slots_.size(), matrix.stride) : matrix.stride;
        if (anew) fill(matrix, threads);  // otherwise the matrix has them as they are
        many_ = stride_ * static_cast<size_t>(matrix.n_rows) > kMany;
        if (stride_ * static_cast<size_t>(matrix.n_rows) > kLarge)
            copies_.emplace(slots_.size(), matrix.n_rows);
    }
    Records(const Records&) = delete;
    Records& operator=(const Records&) = delete;

    const uint8_t* data() const { return data_; }
    size_t stride() const { return stride_; }
    // More than the third cache has room for beside others.
    bool many() const { return many_; }
    const Slot& slot(int32_t s) const { return slots_[static_cast<size_t>(s)]; }
    // Also its place in a row; -1: the column is in no record.
    int32_t slot_of(int32_t column) const { return slot_of_[static_cast<size_t>(column)]; }

    // One byte of all rows, a row every `step` bytes.
    struct Bytes {
        const uint8_t* data;
        size_t step;
    };
    Bytes bytes(int32_t slot) const {
        const auto s = static_cast<size_t>(slot);
        const uint8_t* const copy = copies_ ? copies_->of(s) : nullptr;
        return copy ? Bytes{copy, 1} : Bytes{data_ + s, stride_};
    }
    // After a round: how many rows were moved by each column.
    void moved(std::span<const int64_t> by_column, int threads) {
        if (!copies_) return;
        for (size_t j = 0; j < by_column.size(); ++j)
            if (slot_of_[j] >= 0) copies_->moved(static_cast<size_t>(slot_of_[j]), by_column[j]);
        copies_->make(data_, stride_, threads);
    }

    // What is known of the column's codes, by the byte.
    std::array<uint8_t, 256> by_byte(int32_t column, const std::vector<uint8_t>& by_code) const {
        std::array<uint8_t, 256> out{};
        const Slot& s = slot(slot_of(column));
        if (!s.shared()) {
            std::copy(by_code.begin(), by_code.end(), out.begin());
            return out;
        }
        const auto m = std::find_if(s.members.begin(), s.members.end(),
                                    [&](const Member& member) { return member.column == column; });
        if (s.summed()) {
            m->each_byte([&](uint32_t byte, uint32_t code) { out[byte] = by_code[code]; });
            return out;
        }
        out.fill(by_code[m->usual]);
        for (uint32_t code = 0; code < m->n_codes; ++code) out[m->byte_of(code)] = by_code[code];
        return out;
    }

  private:
    using Bits = std::vector<uint64_t>;
    struct Shared {
        std::vector<Member> members;
        Bits away;  // by row: whether one of them is not at its usual code
        int64_t n_away = 0;
        uint32_t n_codes = 1;

        bool takes(const Shared& one, int64_t n_rows) const {
            if (n_codes + one.members[0].n_codes - 1 > 256 || n_away + one.n_away > n_rows) return false;
            for (size_t w = 0; w < away.size(); ++w)
                if (away[w] & one.away[w]) return false;
            return true;
        }
        void take(Shared& one) {
            members.push_back(one.members[0]);
            members.back().first = n_codes;
            n_codes += one.members[0].n_codes - 1;
            n_away += one.n_away;
            for (size_t w = 0; w < away.size(); ++w) away[w] |= one.away[w];
            one = {};
        }
    };
    static constexpr int64_t kSample = 1024;           // rows that tell the usual code
    static constexpr int64_t kManyRows = 32'768;       // below, nodes have too few rows for bins of 256
    static constexpr uint32_t kFewCodes = 16;          // two such columns are a byte
    static constexpr size_t kMostTried = 64;           // bytes that a column is tried in
    static constexpr size_t kLarge = size_t{2} << 20;  // bytes that the second cache does not hold
    static constexpr size_t kMany = size_t{16} << 20;

    // A column whose usual code at least half of the rows have; otherwise no members.
    static Shared candidate(const BinnedMatrix& matrix, int32_t column) {
        const BinnedColumn& c = matrix.columns[static_cast<size_t>(column)];
        if (!std::holds_alternative<InRecord>(c.store)) return {};
        const uint8_t* const first = matrix.records.data() + std::get<InRecord>(c.store).offset;
        const auto code = [&](int64_t row) { return first[static_cast<size_t>(row) * matrix.stride]; };
        std::array<int64_t, 256> count{};
        const int64_t n = matrix.n_rows, step = std::max<int64_t>(1, n / kSample);
        for (int64_t row = 0; row < n; row += step) ++count[code(row)];
        const auto most = std::max_element(count.begin(), count.end());
        if (2 * *most < (n + step - 1) / step) return {};
        Shared one;
        one.members.push_back({column, c.n_bins + 1, static_cast<uint32_t>(most - count.begin()), 1});
        one.away.assign(static_cast<size_t>(n + 63) / 64, 0);
        for (int64_t row = 0; row < n; ++row)
            one.away[static_cast<size_t>(row / 64)] |= uint64_t{code(row) != one.members[0].usual}
                                                       << (row % 64);
        for (const uint64_t word : one.away) one.n_away += std::popcount(word);
        return one;
    }

    // Each column to the first byte that has room, those with the most rows first.
    static std::vector<Shared> shared(const BinnedMatrix& matrix, int threads) {
        std::vector<Shared> found(matrix.columns.size());
        parallel_for(static_cast<int64_t>(found.size()), threads, [&](int64_t j, int) {
            found[static_cast<size_t>(j)] = candidate(matrix, static_cast<int32_t>(j));
        });
        std::erase_if(found, [](const Shared& s) { return s.members.empty(); });
        std::stable_sort(found.begin(), found.end(),
                         [](const Shared& a, const Shared& b) { return a.n_away > b.n_away; });
        std::vector<Shared> bytes;
        for (Shared& one : found) {
            const auto end = bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), kMostTried));
            const auto room = std::find_if(bytes.begin(), end,
                                           [&](const Shared& s) { return s.takes(one, matrix.n_rows); });
            if (room != end) {
                room->take(one);
            } else {
                one.n_codes = one.members[0].n_codes;
                bytes.push_back(std::move(one));
            }
        }
        std::erase_if(bytes, [](const Shared& s) { return s.members.size() == 1; });
        return bytes;
    }

    // Long records are apart from each other's lines of memory where that takes no more than before: 25 bytes
    // at a distance of 32 took 0.96 of the time of 25, 12 at one of 16 no less.
    static size_t new_stride(size_t bytes, size_t before) {
        const size_t apart = std::bit_ceil(bytes);
        return bytes > 16 && bytes <= 64 && apart <= before ? apart : record_stride(bytes);
    }

    // Columns of few codes, those of the fewest first, as many to a byte as it can tell apart. Four columns
    // of three values, of 28: a twelfth less to count.
    static std::vector<Slot> summed(const BinnedMatrix& matrix, const std::vector<uint8_t>& placed) {
        if (matrix.n_rows < kManyRows) return {};
        std::vector<Member> few;
        for (size_t j = 0; j < matrix.columns.size(); ++j) {
            const uint32_t n_codes = matrix.columns[j].n_bins + 1;
            if (!placed[j] && n_codes <= kFewCodes &&
                std::holds_alternative<InRecord>(matrix.columns[j].store))
                few.push_back({.column = static_cast<int32_t>(j), .n_codes = n_codes});
        }
        std::stable_sort(few.begin(), few.end(),
                         [](const Member& a, const Member& b) { return a.n_codes < b.n_codes; });
        std::vector<Slot> slots;
        uint32_t n_bytes = 257;  // of the last slot
        for (Member& m : few) {
            if (n_bytes * m.n_codes > 256) {
                slots.push_back({});
                n_bytes = 1;
            }
            m.unit = n_bytes;
            n_bytes *= m.n_codes;
            slots.back().members.push_back(m);
        }
        std::erase_if(slots, [](const Slot& s) { return !s.shared(); });
        return slots;
    }

    void fill(BinnedMatrix& matrix, int threads) {
        own_.resize(stride_ * static_cast<size_t>(matrix.n_rows));
        data_ = own_.data();
        constexpr int64_t kBlock = 256;  // rows that stay in the cache while the bytes are filled in
        const int64_t blocks = (matrix.n_rows + kBlock - 1) / kBlock, part = blocks / 8 + 1;
        for (int64_t from = 0; from < blocks; from += part) {
            const int64_t n = std::min(part, blocks - from);
            parallel_for(n, threads, [&](int64_t b, int) {
                const int64_t first = (from + b) * kBlock;
                fill(matrix, static_cast<size_t>(first),
                     static_cast<size_t>(std::min(matrix.n_rows, first + kBlock)));
            });
            const auto done = static_cast<size_t>(kBlock) * matrix.stride;
            give_back(matrix.records.data(), static_cast<size_t>(from) * done,
                      static_cast<size_t>(from + n) * done - (from + n == blocks ? done : 0));
        }
        matrix.records = {};
    }
    // Of the rows [begin, end).
    void fill(const BinnedMatrix& matrix, size_t begin, size_t end) {
        for (size_t s = 0; s < slots_.size(); ++s)
            for (const Member& m : slots_[s].members) {
                const BinnedColumn& column = matrix.columns[static_cast<size_t>(m.column)];
                const uint8_t* const from = matrix.records.data() + std::get<InRecord>(column.store).offset;
                const auto each = [&](const auto& put) {
                    for (size_t row = begin; row < end; ++row)
                        put(own_[row * stride_ + s], from[row * matrix.stride]);
                };
                if (slots_[s].summed())
                    each([&](uint8_t& byte, uint8_t code) { byte += static_cast<uint8_t>(code * m.unit); });
                else if (slots_[s].shared())
                    each([&](uint8_t& byte, uint8_t code) { byte |= static_cast<uint8_t>(m.byte_of(code)); });
                else
                    each([](uint8_t& byte, uint8_t code) { byte = code; });
            }
    }

    const uint8_t* data_;
    size_t stride_ = 0;
    bool many_ = false;
    std::vector<Slot> slots_;
    std::vector<int32_t> slot_of_;
    HugeVector<uint8_t> own_;
    std::optional<ColumnCopies> copies_;  // not where the records are few
};

}  // namespace bough::boost

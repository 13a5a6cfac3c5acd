// Finds the best cut of one column in one node. The rows are counted by ranges of codes; only ranges in which
// a cut could gain as much as the best cut between ranges are sorted. Binned columns have a range for each
// code, so nothing is sorted.
//     codes of a node, 4 to a range:  |1 1 3|4 6 7|9 9 9|12 14|     counted, the cuts at | are tried
//     one range may hold a better:          |4 6 7|                 sorted, its inner cuts are tried
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "candidates/best.hpp"
#include "lean/cells.hpp"
#include "lean/edges.hpp"
#include "lean/order.hpp"
#include "lean/side_by_side.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

// Sums: of rows, for a criterion (two_sums.hpp, several_sums.hpp, number_sums.hpp).
template <class Sums, class Cell>
class Cuts {
  public:
    using Sum = typename Sums::Sum;

    // `n_codes`: of the column that has most.
    Cuts(const Target& target, uint32_t n_codes) : sums(target) {
        for (const int64_t w : target.weight) heaviest_ = std::max(heaviest_, w);
        if (!has_avx2() || n_codes >= SideBySide::kMostCodes) return;
        if constexpr (kSideBySide) tags_ = Sums::kTags && has_avx512() && heaviest_ <= Tag::kHeaviest;
        const size_t of_bytes = tags_ ? kMostTaggedBytes : kMostOfBytes;
        most_side_by_side_ = sizeof(Cell) == 1 ? of_bytes : SideBySide::kMost;
    }

    struct Cut {
        double gain = -std::numeric_limits<double>::infinity();
        uint32_t last = 0;  // no code on the left is larger, no code on the right smaller or equal
        Sum left{};
        bool varies = true;  // the column has more than one code
        Edge edge{};         // if it is known
        bool found() const { return gain > -std::numeric_limits<double>::infinity(); }
    };

    // The rows of a node, described by `stat`.
    void enter(typename Sums::Sweep& sweep, const int64_t* stat, const Target& target,
               std::span<const uint32_t> rows) {
        if constexpr (kSideBySide) {
            tagged_ = tags_ && rows.size() <= most_side_by_side_ && rows.size() > SideBySide::kFew;
            sums.enter(sweep, stat, target, rows, tagged_);
        } else {
            sums.enter(sweep, stat, target, rows);
        }
    }

    // The best cut of the rows that were entered; none that gains no more than `above` is needed.
    Cut best(std::span<const Cell> cells, const Limits& limits, double above) {
        cells_ = cells;
        limits_ = &limits;
        ends_allowed_ = limits.min_rows <= 1;
        candidates_.clear();
        slack_ = 3 * limits.tolerance + kRounding * static_cast<double>(sums.node_weight());
        enough_ = std::max(above, 0.0) - slack_;
        if constexpr (kSideBySide)
            if (cells.size() <= most_side_by_side_ && sums.side_by_side()) return best_side_by_side(above);
        const auto [low, high] = ends_of(cells);
        if (low == high) return constant();
        if (cells.size() <= kHandful) {
            try_handful();
        } else {
            try_ranges(low, high);
        }
        return choose(above);
    }

    Sums sums;

  private:
    using Bin = typename Sums::Bin;
    struct Candidate {
        Sum left;
        uint32_t last;
        double gain;
    };
    struct Open {
        Sum before;
        Bin bin;
        uint32_t range;
    };
    static constexpr bool kSideBySide = requires(Sums& s) { s.side_by_side(); };
    struct Nothing {};
    // Rows side by side: few codes are counted faster than many rows are sorted.
    static constexpr size_t kMostOfBytes = 64, kMostTaggedBytes = 256;
    static constexpr size_t kHandful = 20;
    static constexpr int kMostBits =
        Sums::kMostBits;  // of the number of a range, so that they stay in the cache
    static constexpr int kFiner = 2;
    static constexpr double kRounding = Sums::kRounding;

    // Notes the cut if it may be the best.
    [[gnu::always_inline]] void offer(const Sum& left, uint32_t last) {
        if (sums.reaches(left, enough_)) note(left, last);
    }
    // Apart, and given a copy: most cuts are not noted, and their sums stay in registers.
    [[gnu::noinline]] void note(Sum left, uint32_t last) {
        if (!is_allowed(left, last)) return;
        const double gain = sums.gain(left);
        enough_ = std::max(enough_, gain - slack_);
        candidates_.push_back({left, last, gain});
    }
    bool is_allowed(const Sum& left, uint32_t last) const {
        const int64_t weight = sums.weight(left), least = limits_->min_rows;
        if (weight < least || sums.node_weight() - weight < least) return false;
        // So many rows have this weight at least, whichever they are.
        if (least <= 1 || std::min(weight, sums.node_weight() - weight) / heaviest_ >= least) return true;
        int64_t rows = 0;
        for (const Cell cell : cells_) rows += cell <= last;
        return rows >= least && static_cast<int64_t>(cells_.size()) - rows >= least;
    }

    static Cut constant() {
        Cut none;
        none.varies = false;
        return none;
    }

    Cut best_side_by_side(double above) {
        const auto least = static_cast<size_t>(std::max<int64_t>(limits_->min_rows, 1));
        if (!side_by_side_.sort(sums, cells_, least, tagged_ ? sums.tags() : nullptr)) return constant();
        const std::span<const uint32_t> near = side_by_side_.near_best(sums.share(), enough_, slack_);
        for (const uint32_t place : near) offer(sums.after(place), side_by_side_.code(place));
        Cut cut = choose(above);
        if (!cut.found()) return cut;
        const uint32_t i = *std::find_if(near.begin(), near.end(),
                                         [&](uint32_t p) { return side_by_side_.code(p) == cut.last; });
        cut.edge = {cut.last, side_by_side_.code(i + 1)};
        if (tagged_) {
            sums.count_classes(cut.left, side_by_side_.keys(), i);
        } else {
            sums.count_classes(cut.left, cells_, cut.last);
            cut.edge.low_place = side_by_side_.place(i);
            cut.edge.high_place = side_by_side_.place(i + 1);
        }
        return cut;
    }

    void try_handful() {
        uint32_t codes[kHandful], places[kHandful];
        for (uint32_t i = 0; i < cells_.size(); ++i) {
            codes[i] = cells_[i];
            places[i] = i;
        }
        const std::span<const Entry> entries = order_.sorted({codes, cells_.size()}, places);
        Sum left = sums.zero();
        for (size_t i = 0; i + 1 < entries.size(); ++i) {
            sums.move_row(left, row_of(entries[i]));
            if (code_of(entries[i]) != code_of(entries[i + 1])) offer(left, code_of(entries[i]));
        }
    }

    void try_ranges(uint32_t low, uint32_t high) {
        const size_t n = cells_.size();
        // About one range for two rows; a range for each code if that is not many times more.
        const int bits = std::bit_width(high - low), wanted = static_cast<int>(std::bit_width(n)) - 1;
        const int most = std::min(kMostBits, bits <= std::max(8, wanted + kFiner) ? bits : wanted);
        shift_ = std::max(0, bits - most);
        low_ = low;
        const size_t ranges = range_of(high) + 1;
        sums.make_room(ranges);
        open_.clear();
        Sum left = sums.zero();
        if (n >= ranges) {
            for (size_t i = 0; i < n; ++i) sums.add_to(range_of(cells_[i]), i);
            for (size_t r = 0; r < ranges; ++r) try_range(left, r);
        } else {
            // Only the ranges that have rows are visited.
            seen_.assign((ranges + 63) / 64, 0);
            for (size_t i = 0; i < n; ++i) {
                const size_t r = range_of(cells_[i]);
                seen_[r / 64] |= uint64_t{1} << (r % 64);
                sums.add_to(r, i);
            }
            for (size_t w = 0; w < seen_.size(); ++w)
                for (uint64_t set = seen_[w]; set; set &= set - 1)
                    try_range(left, w * 64 + static_cast<size_t>(std::countr_zero(set)));
        }
        if (!open_.empty()) try_within(ranges);
    }
    size_t range_of(uint32_t code) const { return (code - low_) >> shift_; }

    // Moves a range to the left, and tries the cut after it.
    [[gnu::always_inline]] void try_range(Sum& left, size_t r) {
        const Bin bin = sums.take(r);
        const Sum before = left;
        sums.move_bin(left, bin);
        if (shift_ > 0) {
            if (!sums.may_reach(before, bin, left, enough_)) return;
            open(before, bin, r);
        }
        offer(left, low_ + static_cast<uint32_t>(((r + 1) << shift_) - 1));
    }

    [[gnu::noinline]] void open(Sum before, Bin bin, size_t r) {
        // Rows of one class gain most where none or all have moved.
        if (ends_allowed_ ? !sums.is_pure(bin) : bin != Bin{})
            open_.push_back({before, bin, static_cast<uint32_t>(r)});
    }

    // The cuts within the ranges that are still open.
    void try_within(size_t ranges) {
        std::erase_if(open_, [&](const Open& o) {
            Sum after = o.before;
            sums.move_bin(after, o.bin);
            return !sums.may_reach(o.before, o.bin, after, enough_);
        });
        if (open_.empty()) return;
        if (is_open_.size() < ranges) is_open_.resize(ranges, 0);
        for (const Open& o : open_) is_open_[o.range] = 1;
        const size_t n = cells_.size();
        if (codes_.size() < n) codes_.resize(n);
        if (places_.size() < n) places_.resize(n);
        size_t found = 0;
        for (size_t i = 0; i < n; ++i) {
            codes_[found] = cells_[i];
            places_[found] = static_cast<uint32_t>(i);
            found += is_open_[range_of(cells_[i])];
        }
        for (const Open& o : open_) is_open_[o.range] = 0;
        const std::span<const Entry> entries = order_.sorted({codes_.data(), found}, places_.data());
        auto open = open_.begin();
        Sum left = open->before;
        for (size_t i = 0; i + 1 < entries.size(); ++i) {
            const uint32_t code = code_of(entries[i]), next = code_of(entries[i + 1]);
            sums.move_row(left, row_of(entries[i]));
            if (range_of(code) != range_of(next)) {
                left = (++open)->before;
            } else if (code != next) {
                offer(left, code);
            }
        }
    }

    // Among the noted ones by their exact gains, as best.hpp has it.
    Cut choose(double above) {
        if (candidates_.size() > 1)
            std::sort(candidates_.begin(), candidates_.end(),
                      [](const Candidate& a, const Candidate& b) { return a.last < b.last; });
        Cut cut;
        double top = above, own = cut.gain;
        for (const Candidate& c : candidates_) {
            if (!sums.reaches(c.left, enough_)) continue;
            if (!(c.gain > top)) continue;
            if (c.gain > own + limits_->tolerance) {
                own = c.gain;
                cut.last = c.last;
                cut.left = c.left;
            }
            cut.gain = top = c.gain;
        }
        return cut;
    }

    int64_t heaviest_ = 1;                // weight of a row
    size_t most_side_by_side_ = 0;        // rows of a node
    bool tags_ = false, tagged_ = false;  // rows may have tags; those of this node do
    std::span<const Cell> cells_;
    const Limits* limits_ = nullptr;
    bool ends_allowed_ = false;
    double slack_ = 0.0, enough_ = 0.0;
    uint32_t low_ = 0;  // the first code of the first range
    int shift_ = 0;     // a range has 2^shift codes
    std::vector<Candidate> candidates_;
    std::vector<Open> open_;
    std::vector<uint64_t> seen_;    // a bit for each range
    std::vector<uint8_t> is_open_;  // by range; all zero between calls
    GrowthArray<uint32_t> codes_, places_;
    Order order_;
    [[no_unique_address]] std::conditional_t<kSideBySide, SideBySide, Nothing> side_by_side_;
};

}  // namespace bough::lean

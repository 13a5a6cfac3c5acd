// Extremely randomised trees: one cut of ordered values at a random place, or one random subset of
// categories.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "candidates/best.hpp"
#include "candidates/groups.hpp"
#include "candidates/ordered.hpp"
#include "midpoint.hpp"
#include "random.hpp"
#include "target.hpp"

namespace bough {

// The known rows on the left of a random threshold.
struct RandomCut {
    double threshold = 0.0;
    uint32_t low = 0, high = 0;  // the last code on the left, the first on the right; 0: there is none
    int64_t left_rows = 0;
    std::vector<int64_t> left_stat;

    bool found() const { return high != 0; }
};

// Counts the rows on the left of a cut of a column with codes by row. What the rows of a node count is put
// together once for all columns.
class SideOfRows {
  public:
    // The next node begins.
    void forget() { known_ = false; }

    // Takes the node's codes; returns the smallest and sets the largest, 0 where all are missing.
    uint32_t gather(const BinnedColumn& c, const Target& target, const uint32_t* rows, int64_t n,
                    uint32_t& last) {
        if (!known_) gather_target(target, rows, n);
        if (cells_.size() < static_cast<size_t>(n)) cells_.resize(static_cast<size_t>(n));
        n_ = n;
        uint32_t low = kMissing, high = 0;
        missing_ = 0;
        const auto fill = [&](const auto& codes) {
            uint32_t* const cells = cells_.data();
            for (int64_t i = 0; i < n; ++i) {
                // One less, so that missing is the largest of all.
                const uint32_t cell = uint32_t{codes[rows[i]]} - 1;
                cells[i] = cell;
                low = std::min(low, cell);
                high = std::max(high, cell + 1);
                missing_ += cell == kMissing;
            }
        };
        if (const auto* codes = std::get_if<Codes16>(&c.store)) {
            fill(*codes);
        } else {
            fill(std::get<Codes32>(c.store));
        }
        last = high;
        return low + 1;
    }
    int64_t missing() const { return missing_; }
    // The last code of the node up to the threshold.
    uint32_t last_up_to(const BinnedColumn& c, double threshold) const {
        const double* const values = c.values().data();
        uint32_t last = 0;
        for (int64_t i = 0; i < n_; ++i) {
            const uint32_t cell = cells_[static_cast<size_t>(i)];
            if (cell != kMissing && values[cell] <= threshold) last = std::max(last, cell + 1);
        }
        return last;
    }
    template <class See>
    void for_each_missing(const See& see) const {
        for (int64_t i = 0; i < n_; ++i)
            if (cells_[static_cast<size_t>(i)] == kMissing) see(i);
    }

    void count(const Target& target, const uint32_t* rows, int64_t n, RandomCut& cut) const {
        int64_t* const stat = cut.left_stat.data();
        const uint32_t* const cells = cells_.data();
        const uint32_t end = cut.low;  // cells are one less than codes
        int64_t left = 0, first = 0, second = 0;
        if (!target.square.empty()) {
            for (int64_t i = 0; i < n; ++i)
                if (cells[i] < end) {
                    ++left;
                    target.add_row(stat, rows[i]);
                }
        } else if (target.regression() || (target.n_classes == 2 && !target.weight.empty())) {
            const int64_t* const weight = weight_.data();
            const int64_t* const moment = moment_.data();
            for (int64_t i = 0; i < n; ++i) {
                const int64_t mask = -static_cast<int64_t>(cells[i] < end);
                left -= mask;
                first += mask & weight[i];
                second += mask & moment[i];
            }
            stat[0] = target.regression() ? first : first - second;
            stat[1] = second;
        } else if (target.n_classes == 2) {
            const uint32_t* const label = label_.data();
            uint32_t all = 0, ones = 0;  // there are fewer than 2^32 rows
            for (int64_t i = 0; i < n; ++i) {
                const uint32_t is = cells[i] < end;
                all += is;
                ones += is & label[i];
            }
            left = all;
            stat[0] = int64_t{all} - ones;
            stat[1] = ones;
        } else {
            for (int64_t i = 0; i < n; ++i) {
                const bool is = cells[i] < end;
                left += is;
                stat[label_[static_cast<size_t>(i)]] += is ? target.weight_of(rows[i]) : 0;
            }
        }
        cut.left_rows = left;
    }

  private:
    static constexpr uint32_t kMissing = 0xffffffff;

    // The moment of a row of two classes is its weight if it is of the second.
    void gather_target(const Target& target, const uint32_t* rows, int64_t n) {
        known_ = true;
        const auto size = static_cast<size_t>(n);
        const bool sums = target.regression() || !target.weight.empty();
        if (sums && weight_.size() < size) {
            weight_.resize(size);
            moment_.resize(size);
        }
        if (!target.regression() && label_.size() < size) label_.resize(size);
        for (size_t i = 0; i < size; ++i) {
            if (!target.regression()) label_[i] = target.label[rows[i]];
            if (!sums) continue;
            weight_[i] = target.weight_of(rows[i]);
            moment_[i] = target.regression() ? target.moment[rows[i]] : label_[i] == 1 ? weight_[i] : 0;
        }
    }

    bool known_ = false;
    int64_t n_ = 0, missing_ = 0;
    std::vector<uint32_t> cells_, label_;
    std::vector<int64_t> weight_, moment_;
};

// A number in [low, high), evenly.
inline double between(NodeRandom& random, double low, double high) {
    const double share = static_cast<double>(random.below(uint64_t{1} << 53)) * 0x1p-53;
    const double drawn = low * (1 - share) + high * share;
    return drawn >= low && drawn < high ? drawn : low;
}

// The last code up to the threshold, of those between these two; it need not be in the node.
inline uint32_t last_up_to(const BinnedColumn& c, uint32_t first, uint32_t last, double threshold) {
    const std::vector<double>& low = c.values();
    return static_cast<uint32_t>(std::upper_bound(low.begin() + first, low.begin() + last - 1, threshold) -
                                 low.begin());
}

// From the groups of a column: `low_of`, `high_of` tell the smallest and largest value of a code. A bin that
// the threshold falls into goes left, and the threshold to the gap above it.
template <class Low, class High>
void cut_groups(const Groups& groups, NodeRandom& random, const Low& low_of, const High& high_of,
                RandomCut& cut) {
    cut.left_stat.assign(static_cast<size_t>(groups.width()), 0);
    cut.left_rows = 0;
    cut.low = cut.high = 0;
    if (groups.size() < 2) return;
    cut.threshold = between(random, low_of(groups.code[0]), low_of(groups.code[groups.size() - 1]));
    size_t g = 0;
    do {
        for (size_t k = 0; k < cut.left_stat.size(); ++k) cut.left_stat[k] += groups.stat(g)[k];
        cut.left_rows += groups.rows[g++];
    } while (g + 1 < groups.size() && low_of(groups.code[g]) <= cut.threshold);
    cut.low = groups.code[g - 1];
    cut.high = groups.code[g];
    if (cut.threshold < high_of(cut.low)) cut.threshold = midpoint(high_of(cut.low), low_of(cut.high));
}

// A sweep that is asked for many gains at once is asked for one.
template <class Sweep>
double gain_of(Sweep& sweep, const typename Sweep::State& state) {
    if constexpr (Batched<Sweep>) {
        sweep.note(state);
        return sweep.noted_gains()[0];
    } else {
        return sweep.gain(state);
    }
}

// The one candidate, with missing rows that take part tried on either side.
template <class Sweep>
Best try_division(Sweep& sweep, const int64_t* left_stat, int64_t left_rows, const Groups& groups,
                  int64_t n_node, const Limits& limits) {
    Best best;
    for (int side = groups.missing_rows > 0 ? 0 : 1; side < 2; ++side) {
        typename Sweep::State state = sweep.start();
        int64_t left = left_rows;
        if (side == 0) {
            sweep.move_group(state, groups.missing_stat.data());
            left += groups.missing_rows;
        }
        sweep.move_group(state, left_stat);
        if (left < limits.min_rows || n_node - left < limits.min_rows || !limits.weight_ok(sweep, state) ||
            !limits.fits(sweep, state))
            continue;
        Best candidate;
        candidate.gain = candidate.own = gain_of(sweep, state);
        candidate.left = sweep.left_weight(state);
        candidate.missing_left = side == 0;
        best.offer(candidate, limits.tolerance);
    }
    return best;
}

// Whether a category goes left: a coin for each, but never all on one side.
inline std::vector<uint8_t> random_sides(const Groups& groups, uint64_t salt) {
    std::vector<uint8_t> right(groups.size());
    size_t n = 0;
    for (size_t g = 0; g < groups.size(); ++g) n += right[g] = mix(salt ^ groups.code[g]) & 1;
    if (!right.empty() && (n == 0 || n == right.size())) right[mix(salt) % right.size()] ^= 1;
    return right;
}

template <class Sweep>
Best try_random_subset(Sweep& sweep, const Groups& groups, uint64_t salt, int64_t n_node,
                       const Limits& limits) {
    if (groups.size() < 2) return {};
    const std::vector<uint8_t> right = random_sides(groups, salt);
    std::vector<int64_t> left_stat(static_cast<size_t>(groups.width()), 0);
    int64_t left_rows = 0;
    for (size_t g = 0; g < groups.size(); ++g) {
        if (right[g]) continue;
        left_rows += groups.rows[g];
        for (size_t k = 0; k < left_stat.size(); ++k) left_stat[k] += groups.stat(g)[k];
    }
    Best best = try_division(sweep, left_stat.data(), left_rows, groups, n_node, limits);
    best.salt = salt;
    return best;
}

// The random cuts of a node, one column after the other.
class RandomCuts {
  public:
    void enter_node(uint64_t salt) {
        node_salt_ = salt;
        sides_.forget();
    }
    void enter_column(int32_t column) { salt_ = mix(node_salt_ + static_cast<uint64_t>(column)) | 1; }
    uint64_t salt() const { return salt_; }
    bool found() const { return cut_.found(); }
    uint32_t last_code() const { return last_; }

    // Draws the cut of a listed column and counts its sides; missing rows go into the groups. False: all rows
    // have the same value.
    bool draw(const BinnedColumn& c, const Entry* entries, const Target& target,
              std::span<const uint32_t> rows, Groups& groups) {
        const auto n = static_cast<int64_t>(rows.size());
        const auto row = [&](int64_t i) { return row_of(entries[i]) & target.row_mask; };
        int64_t& missing = groups.missing_rows;
        uint32_t first = 0;
        if (c.sorted()) {
            for (; missing < n && code_of(entries[missing]) == 0; ++missing)
                target.add_row(groups.missing_stat.data(), row(missing));
            first = missing < n ? code_of(entries[missing]) : 0;
            last_ = code_of(entries[n - 1]);
        } else {
            first = sides_.gather(c, target, rows.data(), n, last_);
            missing = sides_.missing();
            if (missing > 0)
                sides_.for_each_missing([&](int64_t i) {
                    target.add_row(groups.missing_stat.data(), rows[static_cast<size_t>(i)]);
                });
        }
        cut_.left_stat.assign(static_cast<size_t>(groups.width()), 0);
        cut_.left_rows = 0;
        cut_.low = cut_.high = 0;
        if (first == last_) return missing > 0 && missing < n;
        NodeRandom random(0, salt_);
        cut_.threshold = between(random, c.values()[first - 1], c.values()[last_ - 1]);
        cut_.low = c.sorted() || n > kFew ? last_up_to(c, first, last_, cut_.threshold)
                                          : sides_.last_up_to(c, cut_.threshold);
        cut_.high = cut_.low + 1;
        // A packed bin goes left where its smallest value does.
        if (c.packed() && cut_.threshold < c.highest(cut_.low, 0))
            cut_.threshold = midpoint(c.highest(cut_.low, 0), c.lowest(cut_.high, 0));
        if (!c.sorted()) {
            sides_.count(target, rows.data(), n, cut_);
            return true;
        }
        for (int64_t i = missing; i < n && code_of(entries[i]) <= cut_.low; ++i) {
            ++cut_.left_rows;
            target.add_row(cut_.left_stat.data(), row(i));
        }
        return true;
    }

    // The same for a column whose rows are put together by code.
    void draw(const BinnedColumn& c, const Groups& groups) {
        NodeRandom random(0, salt_);
        cut_groups(
            groups, random, [&](uint32_t code) { return c.lowest(code, 0); },
            [&](uint32_t code) { return c.highest(code, 0); }, cut_);
    }

    // What was drawn, as a candidate.
    template <class Sweep>
    Best best(Sweep& sweep, const Groups& groups, int64_t n_node, const Limits& limits) const {
        if (!cut_.found()) return {};
        Best best = try_division(sweep, cut_.left_stat.data(), cut_.left_rows, groups, n_node, limits);
        best.low = cut_.low;
        best.high = cut_.high;
        best.threshold = cut_.threshold;
        best.salt = salt_;
        return best;
    }

  private:
    static constexpr int64_t kFew = 32;  // rows whose values are looked up: a search is slower

    uint64_t node_salt_ = 0, salt_ = 0;
    RandomCut cut_;
    SideOfRows sides_;
    uint32_t last_ = 0;
};

}  // namespace bough

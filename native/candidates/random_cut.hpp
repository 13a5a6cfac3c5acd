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
#include "candidates/node_values.hpp"
#include "candidates/ordered.hpp"
#include "midpoint.hpp"
#include "random.hpp"
#include "target.hpp"

namespace bough {

// The known rows on the left of a random threshold.
struct RandomCut {
    bool found = false;
    double threshold = 0.0;
    uint32_t low = 0, high = 0;  // of bins of several values: the codes of the node next to the threshold
    int64_t left_rows = 0;
    std::vector<int64_t> left_stat;
};

// A number in [low, high), evenly.
inline double between(NodeRandom& random, double low, double high) {
    const double share = static_cast<double>(random.below(uint64_t{1} << 53)) * 0x1p-53;
    const double drawn = low * (1 - share) + high * share;
    return drawn >= low && drawn < high ? drawn : low;
}

// From the groups of a column: `low_of`, `high_of` tell the smallest and largest value of a code. A bin that
// the threshold falls into goes left, and the threshold to the gap above it.
template <class Low, class High>
void cut_groups(const Groups& groups, NodeRandom& random, const Low& low_of, const High& high_of,
                RandomCut& cut) {
    cut.left_stat.assign(static_cast<size_t>(groups.width()), 0);
    cut.left_rows = 0;
    cut.found = groups.size() > 1;
    if (!cut.found) return;
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
        values_.forget();
    }
    void enter_column(int32_t column) { salt_ = mix(node_salt_ + static_cast<uint64_t>(column)) | 1; }
    uint64_t salt() const { return salt_; }
    bool found() const { return cut_.found; }

    // Draws the cut of a listed column and counts its sides; missing rows go into the groups. False: all
    // rows have the same value.
    bool draw(const BinnedMatrix& matrix, const BinnedColumn& c, const Target& target,
              std::span<const uint32_t> rows, Groups& groups) {
        values_.gather(matrix, c, target, rows);
        groups.missing_rows = values_.missing();
        if (values_.missing() > 0) values_.add_missing(target, rows, groups.missing_stat.data());
        cut_.left_stat.assign(static_cast<size_t>(groups.width()), 0);
        cut_.left_rows = 0;
        cut_.found = values_.low() < values_.high();
        if (!cut_.found)
            return values_.missing() > 0 && values_.missing() < static_cast<int64_t>(rows.size());
        NodeRandom random(0, salt_);
        cut_.threshold = between(random, values_.low(), values_.high());
        cut_.left_rows = values_.count(target, rows, cut_.threshold, cut_.left_stat.data());
        if (c.packed()) set_between_bins(c);
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
        if (!cut_.found) return {};
        Best best = try_division(sweep, cut_.left_stat.data(), cut_.left_rows, groups, n_node, limits);
        best.low = cut_.low;
        best.high = cut_.high;
        best.threshold = cut_.threshold;
        best.salt = salt_;
        return best;
    }

  private:
    // A bin that the threshold falls into goes left, and the threshold to the gap above it.
    void set_between_bins(const BinnedColumn& c) {
        const auto [below, above] = values_.next_to(cut_.threshold);
        cut_.low = code_of_bin(c, below);
        cut_.high = code_of_bin(c, above);
        if (cut_.threshold < c.highest(cut_.low, 0)) cut_.threshold = midpoint(c.highest(cut_.low, 0), above);
    }

    uint64_t node_salt_ = 0, salt_ = 0;
    RandomCut cut_;
    NodeValues values_;
};

}  // namespace bough

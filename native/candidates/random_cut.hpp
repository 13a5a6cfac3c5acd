// Extremely randomised trees: one cut of ordered values at a random place, or one random subset of
// categories.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "candidates/best.hpp"
#include "candidates/groups.hpp"
#include "candidates/ordered.hpp"
#include "midpoint.hpp"
#include "random.hpp"

namespace bough {

// The known rows on the left of a random threshold.
struct RandomCut {
    double threshold = 0.0;
    uint32_t low = 0, high = 0;  // the last code on the left, the first on the right; 0: there is none
    int64_t left_rows = 0;
    std::vector<int64_t> left_stat;

    bool found() const { return high != 0; }
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

}  // namespace bough

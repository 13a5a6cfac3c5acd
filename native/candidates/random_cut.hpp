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

// Counts the rows on the left of a cut. What the rows of a node count is put together once for all columns.
class SideOfRows {
  public:
    // The next node begins.
    void forget() { known_ = false; }

    // `cells`: the values of the rows.
    void count(const Target& target, const uint32_t* rows, const std::vector<double>& cells, RandomCut& cut) {
        const size_t n = cells.size();
        if (!known_) gather(target, rows, n);
        int64_t* const stat = cut.left_stat.data();
        int64_t left = 0, first = 0, second = 0;
        if (!target.square.empty()) {
            for (size_t i = 0; i < n; ++i)
                if (cells[i] <= cut.threshold) {
                    ++left;
                    target.add_row(stat, rows[i]);
                }
        } else if (target.regression()) {
            for (size_t i = 0; i < n; ++i) {
                const bool is = cells[i] <= cut.threshold;
                left += is;
                first += is ? weight_[i] : 0;
                second += is ? moment_[i] : 0;
            }
            stat[0] = first;
            stat[1] = second;
        } else if (target.n_classes == 2) {
            for (size_t i = 0; i < n; ++i) {
                const bool is = cells[i] <= cut.threshold;
                left += is;
                first += is ? weight_[i] : 0;
                second += is ? moment_[i] : 0;
            }
            stat[0] = first - second;
            stat[1] = second;
        } else {
            for (size_t i = 0; i < n; ++i) {
                const bool is = cells[i] <= cut.threshold;
                left += is;
                stat[label_[i]] += is ? weight_[i] : 0;
            }
        }
        cut.left_rows = left;
    }

  private:
    // The moment of a row of two classes is its weight if it is of the second.
    void gather(const Target& target, const uint32_t* rows, size_t n) {
        known_ = true;
        weight_.resize(n);
        moment_.resize(n);
        label_.resize(n);
        for (size_t i = 0; i < n; ++i) {
            weight_[i] = target.weight_of(rows[i]);
            if (target.regression()) {
                moment_[i] = target.moment[rows[i]];
            } else {
                label_[i] = target.label[rows[i]];
                moment_[i] = label_[i] == 1 ? weight_[i] : 0;
            }
        }
    }

    bool known_ = false;
    std::vector<int64_t> weight_, moment_;
    std::vector<uint16_t> label_;
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

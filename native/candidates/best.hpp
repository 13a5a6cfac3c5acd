// The best candidate of one column so far, and the rule for near-equal gains: the earlier one stays.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "monotone.hpp"

namespace bough {

// What a branch must have.
struct Limits {
    int64_t min_rows = 1;
    int64_t min_weight = 0;
    double tolerance = 0.0;       // gains closer than this are equal
    bool small_branches = false;  // of many branches, only two need the minimum
    const MonotoneCheck* monotone = nullptr;
    const double* values = nullptr;  // of the codes of a column whose cuts need a gap
    double gap = 0.0;
    uint32_t near_codes = 0;  // codes further apart have values further apart than the gap

    // Whether the values of two codes are far enough apart to be cut.
    bool apart(uint32_t low, uint32_t high) const {
        // Looking values up misses the cache in small nodes: a tree of 100k x 20 took 1.5 times as long.
        return low != high && (high - low > near_codes || values[low - 1] + gap < values[high - 1]);
    }

    // A least weight of each branch, given as a real number; a little less passes, for sums of shares.
    void set_weight(double least, double unit, bool unit_weights) {
        constexpr double kSlack = 1e-6;  // of a weight
        const auto steps = static_cast<int64_t>(std::ceil((least - kSlack) / unit));
        if (unit_weights) {
            min_rows = std::max(min_rows, steps);
        } else {
            min_weight = std::max(min_weight, steps);
        }
    }
    bool both_ok(int64_t left_rows, int64_t right_rows, int64_t left, int64_t right) const {
        return left_rows >= min_rows && right_rows >= min_rows && left >= min_weight && right >= min_weight;
    }
    // Whether the answers on both sides keep the order that they must have.
    template <class Sweep>
    bool fits(const Sweep& sweep, const typename Sweep::State& s) const {
        if (!monotone) return true;
        const int32_t width = monotone->scale.n_classes ? monotone->scale.n_classes : 2;
        std::vector<int64_t> left(static_cast<size_t>(width));
        sweep.left_stat(s, left.data());
        return monotone->allows(left.data(), width);
    }
    template <class Sweep>
    bool weight_ok(const Sweep& sweep, const typename Sweep::State& s) const {
        return min_weight == 0 || (sweep.left_weight(s) >= min_weight && sweep.right_weight(s) >= min_weight);
    }
};

inline constexpr double kNotTested = 1.0;  // no logarithm of a probability

struct Best {
    double gain = -std::numeric_limits<double>::infinity();  // the largest of the tied candidates
    double own = gain;                                       // that of the candidate itself
    int64_t place = 0;                                       // position in the column's order of candidates
    int64_t left = 0;                                        // weight of the first of two branches
    uint32_t low = 0;         // ordered: last code on the left; subset: number of groups on the left
    uint32_t high = 0;        // ordered: first code on the right, 0 if only missing rows are there
    int32_t arrangement = 0;  // subset: class that orders the groups, the subset's number, or how many groups
    bool missing_left = false;
    bool known_only = false;     // the rows missing in the column had no part in the choice within it
    bool missing_apart = false;  // they have a branch of their own, beside the others
    bool cut = false;            // of an ordered column
    double penalty = 0.0;        // taken off the gain where columns are compared
    double log_p = kNotTested;   // of the test that decides between columns
    double split_info = 0.0;     // bits that name a row's branch, per unit of weight
    uint64_t salt = 0;           // of a random subset; not 0: the split is a random one
    double threshold = 0.0;      // of a random cut

    bool found() const { return gain > -std::numeric_limits<double>::infinity(); }

    // After a search above some gain: not found if there was nothing.
    const Best& checked() {
        if (own == -std::numeric_limits<double>::infinity()) gain = own;
        return *this;
    }

    // Takes the candidate if it is better than a tie; a tie keeps the earlier one and the larger gain. Its
    // own gain is what counts, so that many small steps do not add up to a tie.
    void offer(const Best& candidate, double tolerance) {
        if (candidate.gain <= gain) return;
        if (candidate.gain > own + tolerance) {
            *this = candidate;
        } else {
            gain = candidate.gain;
        }
    }

    // The better of two independent scans; on a tie the one with the earlier place, `*this` on equal places.
    void merge(const Best& other, double tolerance) {
        if (!other.found() || gain > other.gain + tolerance) return;
        if (other.gain > gain + tolerance || other.place < place) {
            const double top = gain > other.gain ? gain : other.gain;
            *this = other;
            gain = top;
        } else if (other.gain > gain) {
            gain = other.gain;
        }
    }
};

}  // namespace bough

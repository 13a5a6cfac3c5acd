// Candidates of categories as one against all others, missing rows on either side.
#pragma once
#include "candidates/best.hpp"
#include "candidates/groups.hpp"

namespace bough {

// `merit(candidate)` is what is to be largest: the gain itself, or its ratio to the information of the split;
// less than `margin` apart is equal, and the earlier one stays.
template <class Sweep, class MeritOf>
Best scan_one_vs_rest(Sweep& sweep, const Groups& groups, int64_t n_node, const Limits& limits,
                      const MeritOf& merit, double margin) {
    Best best;
    double top = 0.0;
    if (groups.size() < 2) return best;
    for (size_t g = 0; g < groups.size(); ++g) {
        for (int side = groups.missing_rows > 0 ? 0 : 1; side < 2; ++side) {
            typename Sweep::State state = sweep.start();
            sweep.move_group(state, groups.stat(g));
            if (side == 0) sweep.move_group(state, groups.missing_stat.data());
            const int64_t left = groups.rows[g] + (side == 0 ? groups.missing_rows : 0);
            if (left < limits.min_rows || n_node - left < limits.min_rows ||
                !limits.weight_ok(sweep, state) || !limits.fits(sweep, state))
                continue;
            Best candidate;
            candidate.gain = candidate.own = sweep.gain(state);
            candidate.left = sweep.left_weight(state);
            candidate.place = static_cast<int64_t>(g);
            candidate.arrangement = static_cast<int32_t>(groups.code[g]);
            candidate.missing_left = side == 0;
            const double reached = merit(candidate);
            if (best.found() && reached <= top + margin) continue;
            best = candidate;
            top = reached;
        }
    }
    return best;
}

}  // namespace bough

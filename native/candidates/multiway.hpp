// The candidates of categories as one branch each: missing rows go with each present category in turn.
#pragma once
#include <vector>

#include "candidates/best.hpp"
#include "candidates/groups.hpp"

namespace bough {

template <class Sweep>
Best scan_multiway(Sweep& sweep, const Groups& groups, const Limits& limits) {
    Best best;
    if (groups.size() < 2) return best;
    std::vector<double> term(groups.size());
    double sum = 0.0;
    int64_t short_groups = 0;  // branches that are too small without the missing rows
    const auto small = [&](size_t g) {
        if (groups.rows[g] < limits.min_rows) return true;
        if (limits.min_weight == 0) return false;
        return sweep.group_weight(groups.stat(g)) < limits.min_weight;
    };
    for (size_t g = 0; g < groups.size(); ++g) {
        term[g] = sweep.group_term(groups.stat(g));
        sum += term[g];
        short_groups += small(g);
    }
    Best candidate;
    if (groups.missing_rows == 0) {
        if (short_groups > 0) return best;
        candidate.gain = candidate.own = sweep.node_term() - sum;
        best.offer(candidate, limits.tolerance);
        return best;
    }
    std::vector<int64_t> joined(static_cast<size_t>(groups.width()));
    for (size_t g = 0; g < groups.size(); ++g) {
        for (size_t k = 0; k < joined.size(); ++k) joined[k] = groups.stat(g)[k] + groups.missing_stat[k];
        const bool joined_small =
            groups.rows[g] + groups.missing_rows < limits.min_rows ||
            (limits.min_weight > 0 && sweep.group_weight(joined.data()) < limits.min_weight);
        if (short_groups - small(g) + joined_small > 0) continue;
        candidate.gain = candidate.own =
            sweep.node_term() - (sum - term[g] + sweep.group_term(joined.data()));
        candidate.place = static_cast<int64_t>(g);
        candidate.low = groups.code[g];  // the category that takes the missing rows
        best.offer(candidate, limits.tolerance);
    }
    return best;
}

}  // namespace bough

// The candidates of categories as one branch each: missing rows go with each present category in turn, or
// take no part, or have a branch of their own.
#pragma once
#include <vector>

#include "candidates/best.hpp"
#include "candidates/groups.hpp"

namespace bough {

// Whether as many branches reach the minimum as must; a branch without rows is none.
template <class Sweep>
class BranchCheck {
  public:
    BranchCheck(const Sweep& sweep, const Limits& limits) : sweep_(sweep), limits_(limits) {}
    bool small(const int64_t* stat, int64_t rows) const {
        return rows < limits_.min_rows || (limits_.monotone && !limits_.monotone->within(stat)) ||
               (limits_.min_weight > 0 && sweep_.group_weight(stat) < limits_.min_weight);
    }
    bool enough(int64_t branches, int64_t short_ones) const {
        return limits_.small_branches && !limits_.monotone ? branches - short_ones >= 2 : short_ones == 0;
    }

  private:
    const Sweep& sweep_;
    const Limits& limits_;
};

// Only the known rows: one candidate. `least` known categories must be there.
template <class Sweep>
Best scan_known_multiway(Sweep& sweep, const Groups& groups, const Limits& limits, size_t least) {
    Best best;
    if (groups.size() < least) return best;
    const BranchCheck<Sweep> check(sweep, limits);
    double sum = 0.0;
    int64_t short_groups = 0;
    for (size_t g = 0; g < groups.size(); ++g) {
        sum += sweep.group_term(groups.stat(g));
        short_groups += check.small(groups.stat(g), groups.rows[g]);
    }
    if (!check.enough(static_cast<int64_t>(groups.size()), short_groups)) return best;
    best.gain = best.own = sweep.node_term() - sum;
    return best;
}

template <class Sweep>
Best scan_multiway(Sweep& sweep, const Groups& groups, const Limits& limits) {
    if (groups.missing_rows == 0) return scan_known_multiway(sweep, groups, limits, 2);
    Best best;
    if (groups.size() < 2) return best;
    const BranchCheck<Sweep> check(sweep, limits);
    std::vector<double> term(groups.size());
    double sum = 0.0;
    int64_t short_groups = 0;  // branches that are too small without the missing rows
    for (size_t g = 0; g < groups.size(); ++g) {
        term[g] = sweep.group_term(groups.stat(g));
        sum += term[g];
        short_groups += check.small(groups.stat(g), groups.rows[g]);
    }
    std::vector<int64_t> joined(static_cast<size_t>(groups.width()));
    for (size_t g = 0; g < groups.size(); ++g) {
        for (size_t k = 0; k < joined.size(); ++k) joined[k] = groups.stat(g)[k] + groups.missing_stat[k];
        const int64_t short_ones = short_groups - check.small(groups.stat(g), groups.rows[g]) +
                                   check.small(joined.data(), groups.rows[g] + groups.missing_rows);
        if (!check.enough(static_cast<int64_t>(groups.size()), short_ones)) continue;
        Best candidate;
        candidate.gain = candidate.own =
            sweep.node_term() - (sum - term[g] + sweep.group_term(joined.data()));
        candidate.place = static_cast<int64_t>(g);
        candidate.low = groups.code[g];  // the category that takes the missing rows
        best.offer(candidate, limits.tolerance);
    }
    return best;
}

}  // namespace bough

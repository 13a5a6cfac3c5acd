// What makes the best splits of different columns comparable: the information of a split, and the number of
// cuts that were there to choose from.
#pragma once
#include <cmath>
#include <cstdint>

#include "binning.hpp"
#include "candidates/best.hpp"
#include "candidates/groups.hpp"
#include "logarithm.hpp"
#include "target.hpp"

namespace bough {

// Bits that name the branch of a row, per unit of weight: add the weight of each branch.
class SplitInformation {
  public:
    explicit SplitInformation(int64_t total) : total_(static_cast<double>(total)) {}
    void add(int64_t branch) {
        if (branch <= 0) return;
        const double b = static_cast<double>(branch);
        bits_ += b * log2_portable(total_ / b);
    }
    double bits() const { return bits_ / total_; }

  private:
    double total_, bits_ = 0.0;
};

// Bits that name one of all partings of so many categories in two, beyond those that name a cut between as
// many ordered values.
inline double subset_bits(size_t categories) {
    if (categories <= 2) return 0.0;
    const auto cuts = static_cast<double>(categories - 1);
    return cuts + log2_portable(1.0 - std::ldexp(1.0, -static_cast<int>(cuts))) - log2_portable(cuts);
}

// Cuts between the entries, all of them known, that leave enough on both sides.
inline int64_t count_cuts(const Entry* entries, int64_t n, int64_t weight, const Target& target,
                          const Limits& limits) {
    int64_t cuts = 0, left = 0;
    for (int64_t i = 0; i + 1 < n; ++i) {
        left += target.weight_of(row_of(entries[i]) & target.row_mask);
        cuts += limits.apart(code_of(entries[i]), code_of(entries[i + 1])) &&
                limits.both_ok(i + 1, n - i - 1, left, weight - left);
    }
    return cuts;
}

template <class Sweep>
int64_t count_cuts(const Sweep& sweep, const Groups& groups, int64_t n, int64_t weight,
                   const Limits& limits) {
    int64_t cuts = 0, left = 0, rows = 0;
    for (size_t g = 0; g + 1 < groups.size(); ++g) {
        left += sweep.group_weight(groups.stat(g));
        rows += groups.rows[g];
        cuts += limits.apart(groups.code[g], groups.code[g + 1]) &&
                limits.both_ok(rows, n - rows, left, weight - left);
    }
    return cuts;
}

}  // namespace bough

// Candidates of categories as two subsets: by the mean where that is optimal, all subsets where they are few,
// otherwise ordered by the share of each class in turn.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "candidates/ordered.hpp"

namespace bough {

inline constexpr size_t kAllSubsets = 8;  // up to this many categories, with three classes or more

// The groups by the share of class `k` (regression: by the mean), ascending; equal ones stay in category
// order.
inline void order_by_share(const Groups& groups, int32_t n_classes, int32_t k, std::vector<uint32_t>& order) {
    __extension__ using int128 = __int128;
    const auto part = [&](uint32_t g) { return groups.stat(g)[n_classes == 0 ? 1 : k]; };
    std::vector<int64_t> whole(groups.size());
    bool weighted = false;
    for (size_t g = 0; g < groups.size(); ++g) {
        whole[g] = n_classes == 0 ? groups.stat(g)[0]
                                  : std::accumulate(groups.stat(g), groups.stat(g) + n_classes, int64_t{0});
        weighted |= whole[g] != groups.rows[g];
    }
    order.resize(groups.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return static_cast<int128>(part(a)) * whole[b] < static_cast<int128>(part(b)) * whole[a];
    });
    if (n_classes > 0 || !weighted) return;
    // A weight times a value is rounded, so groups of one and the same value may have means that differ in
    // their last digits. Means that rounding cannot tell apart are equal.
    for (size_t first = 0, next = 0; first < order.size(); first = next) {
        double most = std::numeric_limits<double>::infinity();
        for (; next < order.size(); ++next) {
            const uint32_t g = order[next];
            const double w = static_cast<double>(whole[g]), mean = static_cast<double>(part(g)) / w;
            const double off = 0.5 * static_cast<double>(groups.rows[g]) / w + std::fabs(mean) * 0x1p-50;
            if (mean - off > most) break;
            most = std::min(most, mean + off);
        }
        std::sort(order.begin() + static_cast<ptrdiff_t>(first),
                  order.begin() + static_cast<ptrdiff_t>(next));
    }
}

// Is the i-th group on the left in subset number b? The first always is.
inline bool in_subset(size_t i, int32_t b) { return i == 0 || ((b >> (i - 1)) & 1); }

template <class Sweep>
Best scan_all_subsets(Sweep& sweep, const Groups& groups, int64_t n_node, const Limits& limits) {
    Best best;
    const int32_t last = (1 << (groups.size() - 1)) - 2;
    for (int32_t b = 0; b <= last; ++b) {
        for (int side = groups.missing_rows > 0 ? 0 : 1; side < 2; ++side) {
            typename Sweep::State state = sweep.start();
            int64_t left = 0;
            if (side == 0) {
                sweep.move_group(state, groups.missing_stat.data());
                left = groups.missing_rows;
            }
            for (size_t i = 0; i < groups.size(); ++i) {
                if (!in_subset(i, b)) continue;
                sweep.move_group(state, groups.stat(i));
                left += groups.rows[i];
            }
            if (left < limits.min_rows || n_node - left < limits.min_rows ||
                !limits.weight_ok(sweep, state) || !limits.fits(sweep, state))
                continue;
            Best candidate;
            candidate.gain = candidate.own = sweep.gain(state);
            candidate.arrangement = b;
            candidate.left = sweep.left_weight(state);
            candidate.missing_left = side == 0;
            best.offer(candidate, limits.tolerance);
        }
    }
    return best;
}

inline bool all_subsets_are_tried(const Groups& groups, int32_t n_classes) {
    return n_classes > 2 && groups.size() <= kAllSubsets;
}

template <class Sweep>
Best scan_subsets(Sweep& sweep, const Groups& groups, const int64_t* node_stat, int32_t n_classes,
                  int64_t n_node, const Limits& limits, std::vector<uint32_t>& order) {
    Best best;
    if (groups.size() > 1 && all_subsets_are_tried(groups, n_classes)) {
        best = scan_all_subsets(sweep, groups, n_node, limits);
    } else if (groups.size() > 1) {
        const int32_t first = n_classes == 2 ? 1 : 0, last = n_classes == 0 ? 1 : n_classes;
        for (int32_t k = first; k < last; ++k) {
            if (n_classes > 2 && node_stat[k] == 0) continue;  // no row of this class: nothing to order by
            order_by_share(groups, n_classes, k, order);
            Best found = scan_both_sides(sweep, groups.missing_stat.data(), groups.missing_rows, limits,
                                         [&](const typename Sweep::State& state, int64_t left_before) {
                                             return scan_groups(sweep, state, groups, order.data(),
                                                                left_before, n_node, limits);
                                         });
            found.arrangement = k;
            best.offer(found, limits.tolerance);
        }
    }
    offer_known_or_missing(sweep, node_stat, groups.missing_stat.data(), groups.width(), groups.missing_rows,
                           n_node, static_cast<uint32_t>(groups.size()), limits, best);
    return best;
}

// The chosen subset again as numbers: child 0 or 1 for each group.
inline std::vector<uint32_t> subset_children(const Groups& groups, int32_t n_classes, const Best& best,
                                             std::vector<uint32_t>& order) {
    std::vector<uint32_t> child(groups.size(), 1);
    if (best.high == 0 && best.low == groups.size()) {  // known | missing
        child.assign(groups.size(), 0);
    } else if (all_subsets_are_tried(groups, n_classes)) {
        for (size_t i = 0; i < groups.size(); ++i) child[i] = in_subset(i, best.arrangement) ? 0 : 1;
    } else {
        order_by_share(groups, n_classes, best.arrangement, order);
        for (size_t i = 0; i < best.low; ++i) child[order[i]] = 0;
    }
    return child;
}

}  // namespace bough

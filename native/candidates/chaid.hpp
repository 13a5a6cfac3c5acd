// The candidate of categories by CHAID (Kass 1980): categories that do not differ in their classes are
// merged, and what is left is one branch each. Merged groups are not taken apart again.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "candidates/groups.hpp"
#include "independence.hpp"
#include "statistics.hpp"

namespace bough {

struct ChaidSettings {
    double alpha = 0.05;   // groups that differ less significantly than this are merged
    bool ordered = false;  // only neighbours are merged
    bool missing = false;  // missing rows are a category of their own, the last, which may join any group
    int64_t min_rows = 1;
    int64_t min_weight = 0;
};

struct ChaidSplit {
    std::vector<uint32_t> group;  // of each category, numbered by their first one; missing rows last
    uint32_t n_groups = 0;
    Association test;             // Pearson's, of groups x classes
    double log_p_adjusted = 0.0;  // for the number of ways to merge
};

// log(e^a + e^b)
inline double log_sum(double a, double b) {
    const double high = std::max(a, b), low = std::min(a, b);
    return low < high - 40.0 ? high : high + log1p_portable(exp_portable(low - high));
}

// log of the number of ways to pick k of n.
inline double log_choose(size_t n, size_t k) {
    if (k > n) return -std::numeric_limits<double>::infinity();
    double sum = 0.0;
    for (size_t i = 0; i < std::min(k, n - k); ++i)
        sum += log_portable(static_cast<double>(n - i) / static_cast<double>(i + 1));
    return sum;
}

// log of the number of ways to put c categories into r groups, a Stirling number of the second kind. Its
// alternating sum cancels badly; S(n, k) = k S(n - 1, k) + S(n - 1, k - 1) does not.
inline double log_ways(size_t c, size_t r) {
    const double none = -std::numeric_limits<double>::infinity();
    std::vector<double> ways(r + 1, none);
    ways[0] = 0.0;
    for (size_t n = 1; n <= c; ++n) {
        // Of the later rows only what still leads to r groups is needed.
        const size_t least = n + r > c ? n + r - c : 1;
        for (size_t k = std::min(n, r); k >= std::max<size_t>(1, least); --k)
            ways[k] =
                k == n ? ways[k - 1] : log_sum(log_portable(static_cast<double>(k)) + ways[k], ways[k - 1]);
        ways[0] = none;
    }
    return ways[r];
}

inline double log_multiplier(size_t c, size_t r, bool ordered, bool missing) {
    if (r <= 1) return 0.0;
    if (!ordered) return log_ways(c, r);
    if (!missing) return log_choose(c - 1, r - 1);
    return log_sum(log_choose(c - 2, r - 2), log_portable(static_cast<double>(r)) + log_choose(c - 2, r - 1));
}

class ChaidMerger {
  public:
    ChaidMerger(const Groups& groups, int32_t n_classes, double weight_unit, const ChaidSettings& settings)
        : settings_(settings), unit_(weight_unit), width_(static_cast<size_t>(n_classes)) {
        floating_ = settings.missing && groups.missing_rows > 0;
        for (size_t g = 0; g < groups.size(); ++g) add(groups.stat(g), groups.rows[g]);
        if (floating_) add(groups.missing_stat.data(), groups.missing_rows);
        group_.resize(alive_.size());
        std::iota(group_.begin(), group_.end(), 0u);
    }

    ChaidSplit merge() {
        const double limit = log_portable(settings_.alpha);
        partner_.resize(group_.size());
        for (size_t p = 0; p < alive_.size(); ++p) find_partner(p);
        while (alive_.size() > 2) {
            const size_t p = most_alike();
            if (!(partner_[alive_[p]].likeness.log_p() > limit)) break;
            join(p, place_of(partner_[alive_[p]].group));
        }
        for (size_t p = too_small(); p < alive_.size() && alive_.size() > 1; p = too_small()) {
            const size_t q = likest(p);
            join(std::min(p, q), std::max(p, q));
        }
        return result();
    }

  private:
    // How alike two groups are: the p-value of two groups x classes. It falls with the statistic and rises
    // with the degrees of freedom, which mostly decides a comparison at less cost (1,000 categories of 5
    // classes take 0.24 s instead of 1.35).
    struct Likeness {
        double statistic = 0.0, df = 0.0;
        mutable double known_log_p = 1.0;  // 1: not computed yet

        double log_p() const {
            if (known_log_p > 0.0) known_log_p = chi_square_log_survival(statistic, df);
            return known_log_p;
        }
        bool above(const Likeness& other) const {  // by more than rounding
            constexpr double kTie = 1e-12;
            if (other.statistic <= 0.0) return false;  // its p is 1
            if (df == other.df) return statistic < other.statistic * (1 - kTie);
            if (df > other.df && statistic <= other.statistic) return true;
            if (df < other.df && statistic >= other.statistic) return false;
            return log_p() > other.log_p() * (1 - kTie);
        }
    };
    struct Partner {
        Likeness likeness;
        uint32_t group = kNone;
    };
    static constexpr uint32_t kNone = 0xffffffff;

    void add(const int64_t* stat, int64_t n_rows) {
        alive_.push_back(static_cast<uint32_t>(alive_.size()));
        stats_.insert(stats_.end(), stat, stat + width_);
        rows_.push_back(n_rows);
        weight_.push_back(std::accumulate(stat, stat + width_, int64_t{0}));
    }
    const int64_t* stat(uint32_t g) const { return stats_.data() + g * width_; }

    // A group is known by its first category; `alive_` holds them in order. Missing rows alone are last.
    bool may_join(size_t p, size_t q) const {
        const bool alone = floating_ && alive_[q] + size_t{1} == group_.size();
        return !settings_.ordered || q == p + 1 || alone;
    }
    size_t place_of(uint32_t g) const {
        return static_cast<size_t>(std::lower_bound(alive_.begin(), alive_.end(), g) - alive_.begin());
    }

    Likeness compare(uint32_t a, uint32_t b) const {
        __extension__ using int128 = __int128;
        Likeness likeness;
        double classes = 0.0;
        const auto whole = static_cast<double>(weight_[a]) * static_cast<double>(weight_[b]);
        for (size_t k = 0; k < width_; ++k) {
            const int64_t both = stat(a)[k] + stat(b)[k];
            if (both == 0) continue;
            classes += 1.0;
            const auto d = static_cast<double>(static_cast<int128>(stat(a)[k]) * weight_[b] -
                                               static_cast<int128>(stat(b)[k]) * weight_[a]);
            likeness.statistic += d / static_cast<double>(both) * (d / whole) * unit_;
        }
        likeness.df = classes - 1;
        return likeness;
    }

    // The likest of the later groups that this one may join.
    void find_partner(size_t p) {
        Partner best;
        for (size_t q = p + 1; q < alive_.size(); ++q) {
            if (!may_join(p, q)) continue;
            const Likeness likeness = compare(alive_[p], alive_[q]);
            if (best.group == kNone || likeness.above(best.likeness)) best = {likeness, alive_[q]};
        }
        partner_[alive_[p]] = best;
    }

    size_t most_alike() const {
        size_t best = 0;
        for (size_t p = 1; p < alive_.size(); ++p) {
            const Partner& partner = partner_[alive_[p]];
            if (partner.group != kNone && partner.likeness.above(partner_[alive_[best]].likeness)) best = p;
        }
        return best;
    }

    // The group at q becomes part of that at p, p < q.
    void join(size_t p, size_t q) {
        const uint32_t a = alive_[p], b = alive_[q];
        for (size_t k = 0; k < width_; ++k) stats_[a * width_ + k] += stats_[b * width_ + k];
        rows_[a] += rows_[b];
        weight_[a] += weight_[b];
        for (uint32_t& g : group_)
            if (g == b) g = a;
        alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(q));
        for (size_t i = 0; i < alive_.size(); ++i) {
            Partner& partner = partner_[alive_[i]];
            if (i == p || partner.group == a || partner.group == b) {
                find_partner(i);
            } else if (i < p && may_join(i, p)) {
                const Likeness likeness = compare(alive_[i], a);
                if (likeness.above(partner.likeness) ||
                    (a < partner.group && !partner.likeness.above(likeness)))
                    partner = {likeness, a};
            }
        }
    }

    // The place of the smallest group that is too small; the number of groups if there is none.
    size_t too_small() const {
        size_t found = alive_.size();
        for (size_t p = 0; p < alive_.size(); ++p) {
            const uint32_t g = alive_[p];
            if (rows_[g] >= settings_.min_rows && weight_[g] >= settings_.min_weight) continue;
            if (found == alive_.size() || rows_[g] < rows_[alive_[found]]) found = p;
        }
        return found;
    }

    // The place of the group, on either side, that is likest to the one at p.
    size_t likest(size_t p) const {
        size_t best = p;
        Likeness top;
        for (size_t q = 0; q < alive_.size(); ++q) {
            if (q == p || !may_join(std::min(p, q), std::max(p, q))) continue;
            const Likeness likeness = compare(alive_[p], alive_[q]);
            if (best == p || likeness.above(top)) {
                best = q;
                top = likeness;
            }
        }
        return best;
    }

    ChaidSplit result() const {
        ChaidSplit split;
        split.n_groups = static_cast<uint32_t>(alive_.size());
        for (const uint32_t g : group_) split.group.push_back(static_cast<uint32_t>(place_of(g)));
        std::vector<int64_t> table;
        for (const uint32_t g : alive_) table.insert(table.end(), stat(g), stat(g) + width_);
        split.test = pearson(table.data(), alive_.size(), static_cast<int32_t>(width_), unit_);
        const double ways = log_multiplier(group_.size(), alive_.size(), settings_.ordered, floating_);
        split.log_p_adjusted = std::min(0.0, split.test.log_p + ways);
        return split;
    }

    ChaidSettings settings_;
    double unit_;
    size_t width_;
    bool floating_ = false;
    std::vector<int64_t> stats_, rows_, weight_;  // by first category of a group
    std::vector<uint32_t> alive_, group_;
    std::vector<Partner> partner_;
};

inline ChaidSplit merge_categories(const Groups& groups, int32_t n_classes, double weight_unit,
                                   const ChaidSettings& settings) {
    return ChaidMerger(groups, n_classes, weight_unit, settings).merge();
}

}  // namespace bough

// What makes the best splits of different columns of a node comparable: how little a side of a cut may have,
// the correction for many cuts, and the information of the split.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "binning.hpp"
#include "candidates/best.hpp"
#include "candidates/groups.hpp"
#include "logarithm.hpp"
#include "merit.hpp"
#include "settings.hpp"
#include "statistics.hpp"
#include "target.hpp"

namespace bough {

// The node and the column that are looked at; ColumnSearch sets them.
template <class Sweep>
class ColumnMerit {
  public:
    ColumnMerit(const Target& target, const Settings& settings) : sweep(target), settings_(settings) {}

    Sweep sweep;

  protected:
    // C4.5: each side of a cut has at least a tenth of the average class, 25 at most.
    Limits limits_of_cut(const BinnedColumn& c, const int64_t* stat, Limits limits) const {
        if (settings_.value_gap > 0) {
            limits.values = c.values().data();
            limits.gap = settings_.value_gap;
            limits.near_codes = (c.whole ? c.whole : &c)->near_codes;
        }
        if (!settings_.c45_cuts) return limits;
        const double unit = target_->weight_unit;
        const double tenth =
            0.1 * static_cast<double>(sweep.group_weight(stat)) * unit / std::max(1, target_->n_classes);
        const double least =
            tenth <= settings_.min_weight_leaf ? settings_.min_weight_leaf : std::min(tenth, 25.0);
        limits.set_weight(least, unit, target_->weight.empty());
        return limits;
    }

    // What is compared between columns: the correction for many cuts, and the information of the split.
    // `known`: of a sorted column, the entries that have a value.
    void finish(const BinnedColumn& c, Best& best, const Entry* known, int64_t n_known, const Limits& given) {
        if (!best.found()) return;
        best.cut = c.kind == ColumnKind::ordered;
        const int64_t known_weight = sweep.group_weight(stat_.data()) - missing_weight_;
        if (settings_.mdl_correction && !settings_.random_cuts && c.kind == ColumnKind::ordered) {
            const Limits limits = limits_of_cut(c, best.known_only ? known_.data() : stat_.data(), given);
            const int64_t cuts = c.listed() ? count_cuts(known, n_known, known_weight, *target_, limits)
                                            : count_cuts(sweep, groups_, n_known, known_weight, limits);
            best.penalty = log2_portable(static_cast<double>(std::max<int64_t>(1, cuts))) / sweep.unit();
        }
        const bool is_merged = settings_.categories == Categories::merge && c.kind == ColumnKind::nominal &&
                               !settings_.one_each(c.n_bins);
        if (settings_.choice == Merit::gain_ratio && !is_merged) best.split_info = information(c, best);
        if (settings_.categories == Categories::chaid && !settings_.random_cuts &&
            c.kind == ColumnKind::ordered) {
            // The best of so many cuts.
            const Limits limits = limits_of_cut(c, best.known_only ? known_.data() : stat_.data(), given);
            const int64_t cuts = c.listed() ? count_cuts(known, n_known, known_weight, *target_, limits)
                                            : count_cuts(sweep, groups_, n_known, known_weight, limits);
            best.log_p = std::min(0.0, chi_square_log_survival(best.gain * sweep.unit(),
                                                               std::max(1.0, classes_present() - 1.0)) +
                                           log_portable(static_cast<double>(std::max<int64_t>(1, cuts))));
        }
    }

    double classes_present() const {
        return static_cast<double>(
            std::count_if(stat_.begin(), stat_.end(), [](int64_t w) { return w > 0; }));
    }

    // Rows that had no part in the gain, or a branch of their own, count as a branch.
    double information(const BinnedColumn& c, const Best& best) const {
        const int64_t total = sweep.group_weight(stat_.data());
        SplitInformation sum(total);
        const int64_t apart = best.known_only ? missing_weight_ : 0;
        sum.add(apart);
        if (c.kind == ColumnKind::ordered || !settings_.one_each(c.n_bins)) {
            sum.add(best.left);
            sum.add(total - apart - best.left);
            return sum.bits();
        }
        for (size_t g = 0; g < groups_.size(); ++g)
            sum.add(sweep.group_weight(groups_.stat(g)) +
                    (groups_.code[g] == best.low && !best.known_only ? missing_weight_ : 0));
        return sum.bits();
    }

    const Target* target_ = nullptr;
    const Settings& settings_;
    std::vector<int64_t> stat_, known_;  // of the node, and without the rows missing in the column
    int64_t missing_weight_ = 0;
    Groups groups_;
};

}  // namespace bough

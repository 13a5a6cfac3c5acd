// Finds the best split of each column in one node: takes its rows by code and lets the candidates be tried.
#pragma once
#include <algorithm>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "candidates/chaid.hpp"
#include "candidates/merge.hpp"
#include "candidates/multiway.hpp"
#include "candidates/one_vs_rest.hpp"
#include "candidates/ordered.hpp"
#include "candidates/random_cut.hpp"
#include "candidates/subset.hpp"
#include "column_merit.hpp"
#include "node_rows.hpp"
#include "resampling.hpp"
#include "row_lists.hpp"
#include "settings.hpp"
#include "target.hpp"

namespace bough {

template <class Sweep>
class ColumnSearch : public ColumnMerit<Sweep> {
  public:
    ColumnSearch(const BinnedMatrix& matrix, const Target& target, const Settings& settings)
        : ColumnMerit<Sweep>(target, settings),
          only_gain_(settings.choice == Merit::gain && settings.categories != Categories::chaid &&
                     settings.required.empty() && !settings.mdl_correction && !settings.c45_cuts &&
                     !(settings.value_gap > 0)),
          test_(target) {
        bind(matrix, target);
    }

    // From now on nodes consist of rows of this matrix.
    void bind(const BinnedMatrix& matrix, const Target& target) {
        matrix_ = &matrix;
        target_ = &target;
        rows_.bind(matrix, target);
        sweep.bind(target);
    }

    // Enters a node.
    void begin(const int64_t* stat, const uint32_t* rows, Segment segment) {
        stat_.assign(stat, stat + width());
        rows_.begin(rows + segment.begin, segment.size());
        n_ = segment.size();
        top_ = -std::numeric_limits<double>::infinity();
        sweep.enter(stat_.data());
    }
    void reached(double top) { top_ = top; }  // by the columns before
    // What random cuts in this node follow from.
    void salt(uint64_t of_node) { random_.enter_node(of_node); }
    double loss() const { return sweep.loss(rows_.data(), n_); }
    const int64_t* node_stat() const { return stat_.data(); }
    // Counts those of the columns that are in the records; best_of then finds them counted.
    void count(std::span<const int32_t> columns) { rows_.count(columns); }

    // The best split of a column; the columns come in the order in which they were counted. `entries`: the
    // node's part of a sorted column, not used for others. `varies` is set to whether the column has more
    // than one value here (missing is one; where columns are drawn, only if it can be told from the others):
    // if not, it never will further down.
    Best best_of(int32_t column, const Entry* entries, const Limits& limits, uint8_t& varies) {
        const BinnedColumn& c = matrix_->columns[static_cast<size_t>(column)];
        if (settings_.random_cuts) random_.enter_column(column);
        if (at_random(c)) {
            groups_.clear(width(), 0);
            varies = random_.draw(*matrix_, c, *target_, rows_.all(), groups_);
            if (!varies) return {};
        } else if (c.listed()) {
            if (!c.sorted()) entries = rows_.sorted(c);
            varies = code_of(entries[0]) != code_of(entries[n_ - 1]);
            if (!varies) return {};
            // Most nodes have a few rows: what no missing value and no correction needs is left out.
            if (only_gain_ && code_of(entries[0]) != 0)
                return noted(scan_entries(sweep, sweep.start(), entries, n_, 0, n_, limits, above(limits)));
            rows_.collect_missing(entries, groups_);
        } else {
            collect(column);
            varies = groups_.size() + (groups_.missing_rows > 0) > 1;
            if (!varies) return {};
            if (only_gain_ && c.kind == ColumnKind::ordered && groups_.missing_rows == 0 &&
                !settings_.random_cuts)
                return noted(
                    scan_groups(sweep, sweep.start(), groups_, nullptr, 0, n_, limits, above(limits)));
        }
        const Missing rule = settings_.missing[static_cast<size_t>(column)];
        // Among branches of one category each, learned missing rows go to one. Where all columns are looked
        // at, missing is always a value.
        const bool learned =
            rule == Missing::learn && (c.kind == ColumnKind::ordered || !settings_.one_each(c.n_bins));
        const bool apart = settings_.max_features == 0 || rule == Missing::branch || learned;
        varies = groups_.missing_rows == 0 || apart || known_vary(c, entries);
        if (!varies) return {};
        missing_weight_ = sweep.group_weight(groups_.missing_stat.data());
        // Missing rows that may go either way, and categories of which "missing" is one more.
        const bool takes_part = rule == Missing::learn ||
                                (rule == Missing::branch && c.kind == ColumnKind::nominal &&
                                 !settings_.one_each(c.n_bins) && settings_.categories != Categories::merge);
        if (takes_part || groups_.missing_rows == 0) {
            const int64_t missing = groups_.missing_rows;
            Best best = best_split(c, entries, stat_.data(), n_, limits);
            finish(c, best, after(entries, missing), n_ - missing, limits);
            return best;
        }
        return best_among_known(c, entries, rule, limits);
    }

    // Categories of the column looked at last that the node has.
    size_t n_groups() const { return groups_.size(); }
    // The groups of a column that is not sorted; one in the records must have been counted.
    const Groups& collect(int32_t column) {
        rows_.collect(matrix_->columns[static_cast<size_t>(column)], groups_);
        return groups_;
    }

    // The child of each group of categories; one against the rest needs no groups.
    std::vector<uint32_t> children_of_groups(const Best& best, const Limits& limits, uint32_t n_categories) {
        if (settings_.categories == Categories::chaid) return chaid(limits, !best.known_only).group;
        if (settings_.categories == Categories::merge) return merged(n_categories).branch;
        if (best.salt) {
            const std::vector<uint8_t> right = random_sides(groups_, best.salt);
            return {right.begin(), right.end()};
        }
        return subset_children(groups_, target_->n_classes, best, order_);
    }

    // The test of a column that was just looked at against the target, over its known rows. `poll` is called
    // now and then.
    template <class Value, class Poll>
    Association test_of(int32_t column, uint64_t node, const Value& value, const Poll& poll) {
        test_.bind(*target_);
        const std::span<const uint32_t> rows = rows_.all();
        const bool nominal = matrix_->columns[static_cast<size_t>(column)].kind == ColumnKind::nominal;
        Association found = nominal ? test_.categories(groups_, value, rows) : test_.numbers(value, rows);
        if (settings_.resamples == 0 || !found.tested()) return found;
        const NodeRandom random(settings_.seed, mix(node ^ mix(static_cast<uint64_t>(column))));
        found.log_p = Resampling(*target_, nominal, value, rows).log_p(settings_.resamples, random, poll);
        return found;
    }

    using ColumnMerit<Sweep>::sweep;

  private:
    using State = typename Sweep::State;
    using Merits = ColumnMerit<Sweep>;
    using Merits::target_, Merits::settings_, Merits::stat_, Merits::known_, Merits::missing_weight_,
        Merits::groups_, Merits::limits_of_cut, Merits::finish, Merits::information;

    int32_t width() const { return target_->width(); }
    // Whether its values are looked at row by row.
    bool at_random(const BinnedColumn& c) const { return settings_.random_cuts && c.listed(); }

    // Less than the columns so far have, and no tie with them: a column that has no more is not chosen. With
    // a margin, cuts that tie come in chains, and which of them wins depends on all that were tried.
    double above(const Limits& limits) const {
        if (settings_.tie_margin > 0) return -std::numeric_limits<double>::infinity();
        const double less = top_ - 2 * limits.tolerance;
        return less < top_ ? less : -std::numeric_limits<double>::infinity();
    }

    // A cut that is compared by its gain alone.
    Best noted(Best best) {
        best.cut = true;
        top_ = std::max(top_, best.gain);
        return best;
    }

    // Whether the known rows of a column that was put together have more than one value.
    bool known_vary(const BinnedColumn& c, const Entry* entries) const {
        if (at_random(c)) return random_.found();
        if (!c.listed()) return groups_.size() > 1;
        const int64_t first = groups_.missing_rows;
        return first < n_ && code_of(entries[first]) != code_of(entries[n_ - 1]);
    }

    static const Entry* after(const Entry* entries, int64_t n) { return entries ? entries + n : nullptr; }

    // The one random cut of a column.
    Best best_at_random(const BinnedColumn& c, const int64_t* stat, int64_t n, const Limits& limits) {
        if (!c.listed()) random_.draw(c, groups_);
        Best best = random_.best(sweep, groups_, n, limits);
        if (!random_.found())
            offer_known_or_missing(sweep, stat, groups_.missing_stat.data(), width(), groups_.missing_rows, n,
                                   c.n_bins, limits, best);
        return best;
    }

    // The best split of `n` rows, described by `stat`, whose missing ones are in the groups.
    Best best_split(const BinnedColumn& c, const Entry* entries, const int64_t* stat, int64_t n,
                    const Limits& given) {
        if (c.kind == ColumnKind::ordered) {
            const Limits limits = limits_of_cut(c, stat, given);
            if (settings_.random_cuts) return best_at_random(c, stat, n, limits);
            return c.listed() ? best_of_sorted(entries, stat, n, limits)
                              : best_of_ordered_groups(stat, n, limits);
        }
        if (settings_.one_each(c.n_bins)) return scan_multiway(sweep, groups_, given);
        switch (settings_.categories) {
            case Categories::merge:
                return best_of_merged(sweep, groups_, merged(c.n_bins), stat_.data(), missing_weight_);
            case Categories::one_vs_rest:
                return scan_one_vs_rest(
                    sweep, groups_, n, given,
                    [&](Best b) {
                        b.known_only = stat != stat_.data();
                        // Per unit of weight, as the margin is.
                        const auto weight = static_cast<double>(sweep.group_weight(stat_.data()));
                        return settings_.choice == Merit::gain ? b.gain : b.gain / weight / information(c, b);
                    },
                    settings_.choice == Merit::gain ? given.tolerance : settings_.tie_margin);
            case Categories::chaid:
                return scan_chaid(given);
            case Categories::multiway:
            case Categories::subset:
                break;
        }
        if (settings_.random_cuts) {
            Best best = try_random_subset(sweep, groups_, random_.salt(), n, given);
            if (groups_.size() == 1)
                offer_known_or_missing(sweep, stat, groups_.missing_stat.data(), width(),
                                       groups_.missing_rows, n, 1, given, best);
            return best;
        }
        return scan_subsets(sweep, groups_, stat, target_->n_classes, n, given, order_);
    }

    // Rows missing in the column are taken out of the node for a while.
    Best best_among_known(const BinnedColumn& c, const Entry* entries, Missing rule, const Limits& limits) {
        const int64_t missing = std::exchange(groups_.missing_rows, 0);
        if (missing == n_) return {};
        known_.resize(stat_.size());
        for (size_t k = 0; k < stat_.size(); ++k) known_[k] = stat_[k] - groups_.missing_stat[k];
        const double apart = sweep.node_term() - sweep.group_term(known_.data()) -
                             sweep.group_term(groups_.missing_stat.data());
        sweep.enter(known_.data());
        const bool many = c.kind == ColumnKind::nominal && settings_.one_each(c.n_bins);
        const int64_t n = n_ - missing;
        Best best = many && rule == Missing::branch
                        ? scan_known_multiway(sweep, groups_, limits, 1)
                        : best_split(c, after(entries, missing), known_.data(), n, limits);
        best.known_only = true;
        finish(c, best, after(entries, missing), n, limits);
        sweep.enter(stat_.data());
        groups_.missing_rows = missing;
        if (rule != Missing::branch) return best;
        if (best.found()) {
            best.missing_apart = true;
            best.gain += apart;
            best.own += apart;
        } else if (c.kind == ColumnKind::ordered) {
            best.known_only = false;
            offer_known_or_missing(sweep, stat_.data(), groups_.missing_stat.data(), width(), missing, n_,
                                   last_code(c, entries), limits, best);
            finish(c, best, after(entries, missing), n, limits);
        }
        return best;
    }

    Best best_of_sorted(const Entry* entries, const int64_t* stat, int64_t n, const Limits& limits) {
        const int64_t missing = groups_.missing_rows;
        Best best = scan_both_sides(sweep, groups_.missing_stat.data(), missing, limits,
                                    [&](const State& state, int64_t left_before) {
                                        return scan_entries(sweep, state, entries + missing, n - missing,
                                                            left_before, n, limits);
                                    });
        offer_known_or_missing(sweep, stat, groups_.missing_stat.data(), width(), missing, n,
                               code_of(entries[n - 1]), limits, best);
        return best;
    }

    Best best_of_ordered_groups(const int64_t* stat, int64_t n, const Limits& limits) {
        Best best =
            scan_both_sides(sweep, groups_.missing_stat.data(), groups_.missing_rows, limits,
                            [&](const State& state, int64_t left_before) {
                                return scan_groups(sweep, state, groups_, nullptr, left_before, n, limits);
                            });
        offer_known_or_missing(sweep, stat, groups_.missing_stat.data(), width(), groups_.missing_rows, n,
                               groups_.size() ? groups_.code[groups_.size() - 1] : 0, limits, best);
        return best;
    }

    uint32_t last_code(const BinnedColumn& c, const Entry* entries) const {
        if (at_random(c)) return c.n_bins;
        if (c.listed()) return code_of(entries[n_ - 1]);
        return groups_.size() ? groups_.code[groups_.size() - 1] : 0;
    }

    // Categories merged by CHAID; the groups' own test decides between columns.
    Best scan_chaid(const Limits& limits) {
        Best best;
        if (groups_.size() + (groups_.missing_rows > 0) < 2) return best;
        const ChaidSplit split = chaid(limits, true);
        if (split.n_groups < 2) return best;
        std::vector<int64_t> table(split.n_groups * stat_.size(), 0);
        const auto add = [&](size_t i, const int64_t* stat) {
            for (size_t k = 0; k < stat_.size(); ++k) table[split.group[i] * stat_.size() + k] += stat[k];
        };
        for (size_t g = 0; g < groups_.size(); ++g) add(g, groups_.stat(g));
        if (groups_.missing_rows > 0) add(groups_.size(), groups_.missing_stat.data());
        double sum = 0.0;
        for (size_t b = 0; b < split.n_groups; ++b) sum += sweep.group_term(table.data() + b * stat_.size());
        best.gain = best.own = sweep.node_term() - sum;
        best.arrangement = static_cast<int32_t>(split.n_groups);
        best.log_p = split.log_p_adjusted;
        best.low = split.group.back() + 1;  // the missing rows' group, if they take part
        return best;
    }

    MergedSplit merged(uint32_t n_categories) const {
        MergeSettings settings;
        settings.n_categories = static_cast<int32_t>(n_categories);
        settings.weight_unit = target_->weight_unit;
        settings.node_weight = sweep.group_weight(stat_.data());
        settings.minimum =
            std::max(settings_.min_weight_leaf,
                     target_->weight.empty() ? static_cast<double>(settings_.min_samples_leaf) : 0.0);
        settings.by_ratio = settings_.choice == Merit::gain_ratio;
        return merge_by_gain(groups_, settings);
    }

    // `missing`: whether rows without a value take part, as a category of their own.
    ChaidSplit chaid(const Limits& limits, bool missing) const {
        ChaidSettings settings;
        settings.alpha = settings_.merge_level;
        settings.missing = missing && groups_.missing_rows > 0;
        settings.min_rows = limits.min_rows;
        settings.min_weight = limits.min_weight;
        return merge_categories(groups_, target_->n_classes, target_->weight_unit, settings);
    }

    const BinnedMatrix* matrix_ = nullptr;
    const bool only_gain_;  // of a cut of complete values: it may be any, and is compared by its gain alone
    double top_ = 0.0;      // the largest gain in the node so far, of such cuts
    NodeRows rows_;
    int64_t n_ = 0;  // of them
    std::vector<uint32_t> order_;
    IndependenceTest test_;
    RandomCuts random_;
};

}  // namespace bough

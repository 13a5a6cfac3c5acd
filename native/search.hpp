// Finds the best split of each column in one node: collects the rows by code (histogram, sort, or sorted all
// along), then lets the candidates be tried.
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
#include "histogram.hpp"
#include "merit.hpp"
#include "node_sort.hpp"
#include "resampling.hpp"
#include "row_lists.hpp"
#include "settings.hpp"
#include "target.hpp"

namespace bough {

template <class Sweep>
class ColumnSearch {
  public:
    ColumnSearch(const BinnedMatrix& matrix, const Target& target, const Settings& settings)
        : sweep(target), settings_(settings), test_(target) {
        bind(matrix, target);
    }

    // From now on nodes consist of rows of this matrix.
    void bind(const BinnedMatrix& matrix, const Target& target) {
        matrix_ = &matrix;
        target_ = &target;
        sweep.bind(target);
    }

    // Enters a node.
    void begin(const int64_t* stat, const uint32_t* rows, Segment segment) {
        stat_.assign(stat, stat + width());
        rows_ = rows + segment.begin;
        n_ = segment.size();
        sweep.enter(stat_.data());
    }
    // What random cuts in this node follow from.
    void salt(uint64_t of_node) { random_.enter_node(of_node); }
    double loss() const { return sweep.loss(rows_, n_); }
    const int64_t* node_stat() const { return stat_.data(); }

    // Counts those of the columns that are in the records; best_of then finds them counted.
    void count(std::span<const int32_t> columns) {
        in_records_.clear();
        for (const int32_t j : columns)
            if (std::holds_alternative<InRecord>(matrix_->columns[static_cast<size_t>(j)].store))
                in_records_.push_back(j);
        next_ = 0;
        if (!in_records_.empty()) histogram_.count(*matrix_, in_records_, rows_, n_, *target_);
    }

    // The best split of a column; the columns come in the order in which they were counted. `entries`: the
    // node's part of a sorted column, not used for others. `varies` is set to whether the column has more
    // than one value here (missing counts as one): if not, it never will further down.
    Best best_of(int32_t column, const Entry* entries, const Limits& limits, uint8_t& varies) {
        const BinnedColumn& c = matrix_->columns[static_cast<size_t>(column)];
        if (settings_.random_cuts) random_.enter_column(column);
        if (at_random(c)) {
            groups_.clear(width(), 0);
            varies = random_.draw(*matrix_, c, *target_, std::span(rows_, static_cast<size_t>(n_)), groups_);
            if (!varies) return {};
        } else if (c.listed()) {
            if (!c.sorted())
                entries = node_sort_.entries(c, *target_, std::span(rows_, static_cast<size_t>(n_)));
            varies = code_of(entries[0]) != code_of(entries[n_ - 1]);
            if (!varies) return {};
            collect_missing(entries);
        } else {
            collect(column);
            varies = groups_.size() + (groups_.missing_rows > 0) > 1;
            if (!varies) return {};
        }
        missing_weight_ = sweep.group_weight(groups_.missing_stat.data());
        const Missing rule = settings_.missing[static_cast<size_t>(column)];
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
        const BinnedColumn& c = matrix_->columns[static_cast<size_t>(column)];
        groups_.clear(width(), static_cast<size_t>(std::min<int64_t>(n_, c.n_bins)));
        std::visit(
            [&](const auto& store) {
                using Store = std::decay_t<decltype(store)>;
                if constexpr (std::is_same_v<Store, InRecord>) {
                    histogram_.take(*matrix_, next_++, groups_);
                } else if constexpr (!std::is_same_v<Store, Sorted>) {
                    // A histogram of many categories costs its own size, a sort n log n.
                    if ((int64_t{c.n_bins} + 1) * width() <= 8 * n_) {
                        count_codes(store, c.n_bins);
                    } else {
                        sort_codes(store);
                    }
                }
            },
            c.store);
        return groups_;
    }

    // The child of each group of categories.
    std::vector<uint32_t> children_of_groups(const Best& best, const Limits& limits, uint32_t n_categories) {
        if (settings_.categories == Categories::chaid) return chaid(limits, !best.known_only).group;
        if (settings_.categories == Categories::merge) return merged(n_categories).branch;
        if (settings_.categories == Categories::one_vs_rest) {
            std::vector<uint32_t> child(groups_.size(), 1);
            for (size_t g = 0; g < groups_.size(); ++g)
                if (groups_.code[g] == static_cast<uint32_t>(best.arrangement)) child[g] = 0;
            return child;
        }
        if (best.salt) {
            const std::vector<uint8_t> right = random_sides(groups_, best.salt);
            return {right.begin(), right.end()};
        }
        return subset_children(groups_, target_->n_classes, best, order_);
    }

    // The test of a column that was just looked at against the target, over its known rows.
    template <class Value>
    Association test_of(int32_t column, uint64_t node, const Value& value) {
        test_.bind(*target_);
        const std::span<const uint32_t> rows(rows_, static_cast<size_t>(n_));
        const bool nominal = matrix_->columns[static_cast<size_t>(column)].kind == ColumnKind::nominal;
        Association found = nominal ? test_.categories(groups_, value, rows) : test_.numbers(value, rows);
        if (settings_.resamples == 0 || !found.tested()) return found;
        const NodeRandom random(settings_.seed, mix(node ^ mix(static_cast<uint64_t>(column))));
        found.log_p = Resampling(*target_, nominal, value, rows).log_p(settings_.resamples, random);
        return found;
    }

    Sweep sweep;

  private:
    using State = typename Sweep::State;

    int32_t width() const { return target_->width(); }
    // Whether its values are looked at row by row.
    bool at_random(const BinnedColumn& c) const { return settings_.random_cuts && c.listed(); }

    static const Entry* after(const Entry* entries, int64_t n) { return entries ? entries + n : nullptr; }

    // The rows of a sorted column without a value stand first.
    void collect_missing(const Entry* entries) {
        groups_.clear(width(), 0);
        int64_t& missing = groups_.missing_rows;
        for (; missing < n_ && code_of(entries[missing]) == 0; ++missing)
            target_->add_row(groups_.missing_stat.data(), row_of(entries[missing]) & target_->row_mask);
    }

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
                return scan_merged(c.n_bins);
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

    // `missing`: whether rows without a value take part, as a category of their own.
    // Categories merged by C4.5; missing rows that take part go with the branch where they cost least.
    Best scan_merged(uint32_t n_categories) {
        Best best;
        const MergedSplit split = merged(n_categories);
        if (split.n_branches < 2) return best;
        best.gain = best.own = split.gain;
        best.arrangement = static_cast<int32_t>(split.n_branches);
        best.split_info = split.split_info;
        if (groups_.missing_rows == 0) return best;
        const size_t width = stat_.size();
        std::vector<int64_t> table(split.n_branches * width, 0), with(width);
        for (size_t g = 0; g < groups_.size(); ++g)
            for (size_t k = 0; k < width; ++k) table[split.branch[g] * width + k] += groups_.stat(g)[k];
        double sum = 0.0, least = std::numeric_limits<double>::infinity();
        for (size_t b = 0; b < split.n_branches; ++b) {
            const int64_t* const own = table.data() + b * width;
            for (size_t k = 0; k < width; ++k) with[k] = own[k] + groups_.missing_stat[k];
            const double term = sweep.group_term(own), cost = sweep.group_term(with.data()) - term;
            sum += term;
            if (cost >= least) continue;
            least = cost;
            best.low = static_cast<uint32_t>(b) + 1;
        }
        best.gain = best.own = sweep.node_term() - sum - least;
        SplitInformation information(sweep.group_weight(stat_.data()));
        for (size_t b = 0; b < split.n_branches; ++b)
            information.add(sweep.group_weight(table.data() + b * width) +
                            (b + 1 == best.low ? missing_weight_ : 0));
        best.split_info = information.bits();
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

    ChaidSplit chaid(const Limits& limits, bool missing) const {
        ChaidSettings settings;
        settings.alpha = settings_.merge_level;
        settings.missing = missing && groups_.missing_rows > 0;
        settings.min_rows = limits.min_rows;
        settings.min_weight = limits.min_weight;
        return merge_categories(groups_, target_->n_classes, target_->weight_unit, settings);
    }

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

    template <class Codes>
    void count_codes(const Codes& codes, uint32_t n_bins) {
        const auto w = static_cast<size_t>(width());
        bin_rows_.assign(n_bins + size_t{1}, 0);
        bin_stats_.assign((n_bins + size_t{1}) * w, 0);
        for (int64_t i = 0; i < n_; ++i) {
            const size_t code = codes[rows_[i]];
            ++bin_rows_[code];
            target_->add_row(bin_stats_.data() + code * w, rows_[i]);
        }
        groups_.missing_rows = bin_rows_[0];
        std::copy_n(bin_stats_.data(), w, groups_.missing_stat.data());
        for (uint32_t b = 1; b <= n_bins; ++b)
            if (bin_rows_[b] > 0) std::copy_n(bin_stats_.data() + b * w, w, groups_.append(b, bin_rows_[b]));
    }

    template <class Codes>
    void sort_codes(const Codes& codes) {
        entries_.clear();
        for (int64_t i = 0; i < n_; ++i) {
            const uint32_t code = codes[rows_[i]];
            if (code != 0) {
                entries_.push_back(make_entry(code, rows_[i]));
            } else {
                ++groups_.missing_rows;
                target_->add_row(groups_.missing_stat.data(), rows_[i]);
            }
        }
        std::sort(entries_.begin(), entries_.end());
        int64_t* stat = nullptr;
        for (const Entry e : entries_) {
            if (groups_.size() == 0 || groups_.code[groups_.size() - 1] != code_of(e)) {
                stat = groups_.append(code_of(e), 0);
                std::fill_n(stat, width(), int64_t{0});
            }
            ++groups_.rows[groups_.size() - 1];
            target_->add_row(stat, row_of(e));
        }
    }

    const BinnedMatrix* matrix_ = nullptr;
    const Target* target_ = nullptr;
    const Settings& settings_;
    std::vector<int64_t> stat_, known_;  // of the node, and without the rows missing in the column
    int64_t missing_weight_ = 0;
    const uint32_t* rows_ = nullptr;
    int64_t n_ = 0;
    Groups groups_;
    std::vector<uint32_t> order_;
    IndependenceTest test_;
    RecordHistogram histogram_;
    std::vector<int32_t> in_records_;
    size_t next_ = 0;  // of the counted columns, the one to be looked at
    std::vector<int64_t> bin_rows_, bin_stats_;
    Sorted entries_;
    NodeSort node_sort_;
    RandomCuts random_;
};

}  // namespace bough

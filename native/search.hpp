// Finds the best split of one column in one node: collects the rows by code (histogram or sorted), then lets the
// candidates be tried.
#pragma once
#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "candidates/multiway.hpp"
#include "candidates/ordered.hpp"
#include "candidates/subset.hpp"
#include "histogram.hpp"
#include "row_lists.hpp"
#include "settings.hpp"
#include "target.hpp"

namespace bough {

template <class Sweep>
class ColumnSearch {
  public:
    ColumnSearch(const BinnedMatrix& matrix, const Target& target, const Settings& settings)
        : sweep(target), matrix_(matrix), target_(target), settings_(settings), stat_(width()) {}

    // Enters a node; returns its loss.
    double begin(const int64_t* stat, const uint32_t* rows, Segment segment) {
        stat_.assign(stat, stat + width());
        rows_ = rows + segment.begin;
        n_ = segment.size();
        return sweep.begin(stat_.data(), rows_, n_);
    }

    // `entries`: the node's part of a sorted column, not used for other columns. `varies` is set to whether the
    // column has more than one value here (missing counts as one): if not, it never will further down.
    Best best_of(size_t column, const Entry* entries, const Limits& limits, uint8_t& varies) {
        const BinnedColumn& c = matrix_.columns[column];
        if (c.sorted()) {
            varies = code_of(entries[0]) != code_of(entries[n_ - 1]);
            return varies ? best_of_sorted(entries, limits) : Best{};
        }
        collect(c);
        varies = groups_.size() + (groups_.missing_rows > 0) > 1;
        if (!varies) return {};
        if (c.kind == ColumnKind::ordered) return best_of_ordered_groups(limits);
        if (settings_.categories == Categories::multiway) return scan_multiway(sweep, groups_, limits);
        return scan_subsets(sweep, groups_, stat_.data(), target_.n_classes, n_, limits, order_);
    }

    // The groups of a column that is not sorted.
    const Groups& collect(const BinnedColumn& column) {
        groups_.clear(width(), static_cast<size_t>(std::min<int64_t>(n_, column.n_bins)));
        std::visit(
            [&](const auto& codes) {
                using Store = std::decay_t<decltype(codes)>;
                if constexpr (!std::is_same_v<Store, Sorted>) {
                    // A large histogram costs its own size, a sort n log n: the larger node counts, the smaller sorts.
                    if (column.n_bins < 256 || (int64_t{column.n_bins} + 1) * width() <= 8 * n_) {
                        histogram_.count(codes.data(), column.n_bins, rows_, n_, target_, groups_);
                    } else {
                        sort_codes(codes);
                    }
                }
            },
            column.store);
        return groups_;
    }

    std::vector<uint32_t> children_of_groups(const Best& best) {
        return subset_children(groups_, target_.n_classes, best, order_);
    }

    Sweep sweep;

  private:
    using State = typename Sweep::State;

    int32_t width() const { return target_.width(); }

    Best best_of_sorted(const Entry* entries, const Limits& limits) {
        int64_t missing = 0;
        groups_.clear(width(), 0);
        for (; missing < n_ && code_of(entries[missing]) == 0; ++missing)
            target_.add_row(groups_.missing_stat.data(), row_of(entries[missing]) & target_.row_mask);
        Best best = scan_both_sides(sweep, groups_.missing_stat.data(), missing, limits, [&](const State& state, int64_t left_before) {
            return scan_entries(sweep, state, entries + missing, n_ - missing, left_before, n_, limits);
        });
        offer_known_or_missing(sweep, stat_.data(), groups_.missing_stat.data(), width(), missing, n_,
                               code_of(entries[n_ - 1]), limits, best);
        return best;
    }

    Best best_of_ordered_groups(const Limits& limits) {
        Best best = scan_both_sides(
            sweep, groups_.missing_stat.data(), groups_.missing_rows, limits,
            [&](const State& state, int64_t left_before) { return scan_groups(sweep, state, groups_, nullptr, left_before, n_, limits); });
        offer_known_or_missing(sweep, stat_.data(), groups_.missing_stat.data(), width(), groups_.missing_rows, n_,
                               groups_.size() ? groups_.code[groups_.size() - 1] : 0, limits, best);
        return best;
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
                target_.add_row(groups_.missing_stat.data(), rows_[i]);
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
            target_.add_row(stat, row_of(e));
        }
    }

    const BinnedMatrix& matrix_;
    const Target& target_;
    const Settings& settings_;
    std::vector<int64_t> stat_;
    const uint32_t* rows_ = nullptr;
    int64_t n_ = 0;
    Groups groups_;
    std::vector<uint32_t> order_;
    Histogram histogram_;
    Sorted entries_;
};

}  // namespace bough

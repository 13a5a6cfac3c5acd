// Finds the best split of each column in one node: collects the rows by code (histogram, sort, or sorted all
// along), then lets the candidates be tried.
#pragma once
#include <algorithm>
#include <span>
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

    // Counts those of the columns that are in the records; best_of then finds them counted.
    void count(std::span<const int32_t> columns) {
        in_records_.clear();
        for (const int32_t j : columns)
            if (std::holds_alternative<InRecord>(matrix_.columns[static_cast<size_t>(j)].store))
                in_records_.push_back(j);
        next_ = 0;
        if (!in_records_.empty()) histogram_.count(matrix_, in_records_, rows_, n_, target_);
    }

    // The best split of a column; the columns come in the order in which they were counted. `entries`: the
    // node's part of a sorted column, not used for others. `varies` is set to whether the column has more
    // than one value here (missing counts as one): if not, it never will further down.
    Best best_of(int32_t column, const Entry* entries, const Limits& limits, uint8_t& varies) {
        const BinnedColumn& c = matrix_.columns[static_cast<size_t>(column)];
        if (c.sorted()) {
            varies = code_of(entries[0]) != code_of(entries[n_ - 1]);
            return varies ? best_of_sorted(entries, limits) : Best{};
        }
        collect(column);
        varies = groups_.size() + (groups_.missing_rows > 0) > 1;
        if (!varies) return {};
        if (c.kind == ColumnKind::ordered) return best_of_ordered_groups(limits);
        if (settings_.categories == Categories::multiway) return scan_multiway(sweep, groups_, limits);
        return scan_subsets(sweep, groups_, stat_.data(), target_.n_classes, n_, limits, order_);
    }

    // The groups of a column that is not sorted; one in the records must have been counted.
    const Groups& collect(int32_t column) {
        const BinnedColumn& c = matrix_.columns[static_cast<size_t>(column)];
        groups_.clear(width(), static_cast<size_t>(std::min<int64_t>(n_, c.n_bins)));
        std::visit(
            [&](const auto& store) {
                using Store = std::decay_t<decltype(store)>;
                if constexpr (std::is_same_v<Store, InRecord>) {
                    histogram_.take(matrix_, next_++, groups_);
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
        Best best = scan_both_sides(sweep, groups_.missing_stat.data(), missing, limits,
                                    [&](const State& state, int64_t left_before) {
                                        return scan_entries(sweep, state, entries + missing, n_ - missing,
                                                            left_before, n_, limits);
                                    });
        offer_known_or_missing(sweep, stat_.data(), groups_.missing_stat.data(), width(), missing, n_,
                               code_of(entries[n_ - 1]), limits, best);
        return best;
    }

    Best best_of_ordered_groups(const Limits& limits) {
        Best best =
            scan_both_sides(sweep, groups_.missing_stat.data(), groups_.missing_rows, limits,
                            [&](const State& state, int64_t left_before) {
                                return scan_groups(sweep, state, groups_, nullptr, left_before, n_, limits);
                            });
        offer_known_or_missing(sweep, stat_.data(), groups_.missing_stat.data(), width(),
                               groups_.missing_rows, n_,
                               groups_.size() ? groups_.code[groups_.size() - 1] : 0, limits, best);
        return best;
    }

    template <class Codes>
    void count_codes(const Codes& codes, uint32_t n_bins) {
        const auto w = static_cast<size_t>(width());
        bin_rows_.assign(n_bins + size_t{1}, 0);
        bin_stats_.assign((n_bins + size_t{1}) * w, 0);
        for (int64_t i = 0; i < n_; ++i) {
            const size_t code = codes[rows_[i]];
            ++bin_rows_[code];
            target_.add_row(bin_stats_.data() + code * w, rows_[i]);
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
    RecordHistogram histogram_;
    std::vector<int32_t> in_records_;
    size_t next_ = 0;  // of the counted columns, the one to be looked at
    std::vector<int64_t> bin_rows_, bin_stats_;
    Sorted entries_;
};

}  // namespace bough

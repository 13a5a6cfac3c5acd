// The split of a node of few rows, in two steps: the largest gain of each column, without noting where; then
// the cut of the column that is chosen. Most nodes of a deep tree are such, and what a column costs beside
// its rows is most of their time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "choose.hpp"
#include "node.hpp"
#include "row_lists.hpp"
#include "search.hpp"
#include "settings.hpp"

namespace bough {

// Whether a tree is chosen by gain alone, the first column where gains are equal: then no more than the
// largest gains of its columns decide.
inline bool chosen_by_gain(const Settings& settings) {
    return settings.choice == Merit::gain && settings.categories != Categories::chaid &&
           settings.ties == Ties::column && settings.tie_margin <= 0 && settings.value_gap <= 0 &&
           !settings.mdl_correction && !settings.c45_cuts && !settings.random_cuts &&
           !settings.constrained() && !settings.any(Missing::surrogate) && settings.max_features == 0 &&
           settings.required.empty() && settings.interactions.empty() &&
           std::is_sorted(settings.column_rank.begin(), settings.column_rank.end());
}

template <class Sweep>
class FewRows {
  public:
    static constexpr int64_t kMost = kFewEntries;

    // Among cuts of sorted columns this choice is that of ColumnChoice.
    static bool suits(const BinnedMatrix& matrix, const Settings& settings) {
        if constexpr (Batched<Sweep>) return false;
        return chosen_by_gain(settings) && std::all_of(matrix.columns.begin(), matrix.columns.end(),
                                                       [](const BinnedColumn& c) { return c.sorted(); });
    }

    // None: a value is missing, or weights are limited, and the node is to be searched as others are. The
    // search has entered the node, which keeps the columns that have more than one value.
    std::optional<Choice> choose(ColumnSearch<Sweep>& search, const RowLists& lists, Node& node,
                                 const std::vector<int32_t>& columns, const Limits& limits) {
        if (limits.min_weight > 0) return std::nullopt;
        const Segment segment = node.segment;
        const int64_t n = segment.size();
        prepare(search.sweep, n);
        const double most = largest_possible(search.sweep);
        varying_.clear();
        gains_.clear();
        double top = -std::numeric_limits<double>::infinity();
        for (const int32_t column : columns) {
            const Entry* const entries = lists.entries(column, segment);
            if (code_of(entries[0]) == 0) return std::nullopt;
            if (code_of(entries[0]) == code_of(entries[n - 1])) continue;
            varying_.push_back(column);
            gains_.push_back(largest(search.sweep, entries, n, limits));
            top = std::max(top, gains_.back());
            // The others could tie at best, and nothing grows below. Two numbers are as far from their mean
            // in every column, to the last bit where halves are exact.
            if (top >= most || (by_moment_ && n == 2 && top > 0 && top < 0x1p100)) break;
        }
        Choice choice;
        choice.gain = top;
        if (top == -std::numeric_limits<double>::infinity()) return choice;
        size_t first = 0;
        double before = -std::numeric_limits<double>::infinity();
        for (; !(gains_[first] >= top - limits.tolerance); ++first) before = std::max(before, gains_[first]);
        choice.column = varying_[first];
        search.reached(before);
        uint8_t varies = 0;
        choice.best = search.best_of(choice.column, lists.entries(choice.column, segment), limits, varies);
        if (varying_.size() < columns.size()) node.columns = std::make_shared<std::vector<int32_t>>(varying_);
        return choice;
    }

  private:
    static constexpr bool kNumbers = requires(const Sweep& s) { s.factor(1); };

    // What the gains of numbers have in common for all columns: only the moments differ.
    void prepare(const Sweep& sweep, int64_t n) {
        if constexpr (kNumbers) {
            by_moment_ = sweep.unit_weights();
            for (int64_t left = 1; by_moment_ && left < n; ++left) factor_[left] = sweep.factor(left);
        }
    }

    static double largest_possible(const Sweep& sweep) {
        if constexpr (requires { sweep.most(); }) return sweep.most();
        return std::numeric_limits<double>::infinity();
    }

    double largest(Sweep& sweep, const Entry* entries, int64_t n, const Limits& limits) const {
        const int64_t first = std::max<int64_t>(1, limits.min_rows), last = n - first;  // rows on the left
        double top = -std::numeric_limits<double>::infinity();
        typename Sweep::State state = sweep.start();
        if constexpr (Striding<Sweep>) {
            if (sweep.strides()) {
                for (int64_t i = 0; i < std::min(first - 1, last); ++i)
                    sweep.move_item(state, row_of(entries[i]));
                const PackedEntries all = sweep.packed(entries);
                for (int64_t i = first - 1; (i = sweep.stride_to(state, all, i, last, top)) < last; ++i)
                    top = std::max(top, sweep.gain(state));
                return top;
            }
        }
        for (int64_t left = 1; left <= last; ++left) {
            sweep.move_item(state, row_of(entries[left - 1]));
            if (left < first || code_of(entries[left - 1]) == code_of(entries[left])) continue;
            double gain;
            if constexpr (kNumbers) {
                gain = by_moment_ ? sweep.gain(state, factor_[left]) : sweep.gain(state);
            } else {
                gain = sweep.gain(state);
            }
            top = gain > top ? gain : top;
        }
        return top;
    }

    bool by_moment_ = false;
    double factor_[kMost + 1] = {};
    std::vector<int32_t> varying_;  // columns
    std::vector<double> gains_;     // of them
};

}  // namespace bough

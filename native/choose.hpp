// The choice among columns: the largest gain or gain ratio, and the named rule where they are equal.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "binning.hpp"
#include "candidates/best.hpp"
#include "random.hpp"
#include "settings.hpp"
#include "statistics.hpp"

namespace bough {

struct Choice {
    int32_t column = -1;
    Best best;
    double gain = 0.0;
};

// C4.5: categories of many values do not raise the average gain, unless all columns are such or they are
// merged.
inline std::vector<uint8_t> in_average(const BinnedMatrix& matrix, const Settings& settings) {
    std::vector<uint8_t> in;
    for (const BinnedColumn& c : matrix.columns)
        in.push_back(c.kind == ColumnKind::ordered || settings.categories == Categories::merge ||
                     static_cast<double>(c.n_bins) < 0.3 * static_cast<double>(matrix.n_rows));
    if (std::find(in.begin(), in.end(), uint8_t{1}) == in.end()) std::fill(in.begin(), in.end(), 1);
    return in;
}

class ColumnChoice {
  public:
    // `in_average[j]`: whether the gain of column j counts in the average that a gain ratio needs.
    ColumnChoice(const Settings& settings, std::vector<uint8_t> in_average)
        : settings_(settings), in_average_(std::move(in_average)) {}

    // `found[j]` is the best of column j, not found for columns without a candidate. `whole`: what a gain is
    // taken as a share of for a ratio, in the unit of the gains: the weight of the node, or its loss.
    // `rounded(j)` is what columns that tie are compared by under Ties::single.
    template <class Rounded>
    Choice choose(const std::vector<Best>& found, double tolerance, double whole, uint64_t node,
                  const Rounded& rounded) const {
        if (settings_.choice == Merit::gain)
            return first_of(
                found, [](const Best& b) { return b.gain - b.penalty; }, tolerance, tolerance, node, rounded);
        if (settings_.choice == Merit::significance) return most_significant(found, tolerance, node);
        const double enough = average(found, tolerance) - kSlack * whole;
        const auto ratio = [&](const Best& b) {
            const double gain = b.gain - b.penalty;
            if (gain < enough || b.split_info <= 0.0) return -std::numeric_limits<double>::infinity();
            return gain / whole / b.split_info;
        };
        Choice choice = first_of(found, ratio, kTie + settings_.tie_margin, tolerance, node, rounded);
        if (choice.column < 0) return choice;
        const bool nothing = ratio(choice.best) <= kTie + settings_.tie_margin;
        if (nothing && !settings_.zero_gain_splits) return {};
        return choice;
    }

  private:
    static constexpr double kSlack = 1e-3;  // C4.5's: bits per row below the average that still pass
    static constexpr double kTie = 1e-12;

    // C4.5: a cut counts only if it gains something beyond the correction. For the gain ratio that matters
    // without a correction, too: what does not count does not lower the average.
    bool counts(const Best& b, double margin) const {
        const bool must_gain = settings_.mdl_correction ||
                               (settings_.choice == Merit::gain_ratio && !settings_.zero_gain_splits);
        return b.found() && (!must_gain || !b.cut || b.gain - b.penalty > margin);
    }

    // C4.5: a gain ratio counts among splits of at least average gain.
    double average(const std::vector<Best>& found, double margin) const {
        double sum = 0.0;
        int64_t n = 0;
        for (size_t j = 0; j < found.size(); ++j) {
            if (!counts(found[j], margin) || !in_average_[j]) continue;
            sum += found[j].gain - found[j].penalty;
            ++n;
        }
        return n ? sum / static_cast<double>(n) : std::numeric_limits<double>::infinity();
    }

    // Conditional inference: the column with the smallest p-value, adjusted for the number of columns tested.
    // One that has no cut that gains anything is passed over for the next, once. CHAID's tests are adjusted
    // already.
    Choice most_significant(const std::vector<Best>& found, double tolerance, uint64_t node) const {
        std::vector<double> log_p;
        double tests = 0.0;
        for (const Best& b : found) {
            log_p.push_back(b.log_p);
            tests += b.log_p <= 0.0;
        }
        const double level = log_portable(settings_.significance_level);
        for (int tries = 0; tries < 2 && !log_p.empty(); ++tries) {
            const double top = *std::min_element(log_p.begin(), log_p.end());
            if (top == kNotTested) break;
            const double p = settings_.categories == Categories::chaid ? top : adjusted_log_p(top, tests);
            if (!(p < level || settings_.significance_level >= 1.0)) break;
            const double limit = top * (1 - kTie);  // both are negative
            const int32_t column = pick(
                found.size(), node, [&](size_t j) { return log_p[j] <= limit; }, [](int32_t) { return 0.0; });
            const Best& best = found[static_cast<size_t>(column)];
            if (best.found() && (settings_.zero_gain_splits || best.gain > tolerance))
                return {column, best, best.gain};
            log_p[static_cast<size_t>(column)] = kNotTested;
        }
        return {};
    }

    template <class MeritOf, class Rounded>
    Choice first_of(const std::vector<Best>& found, const MeritOf& merit, double tolerance, double margin,
                    uint64_t node, const Rounded& rounded) const {
        double top = -std::numeric_limits<double>::infinity();
        for (const Best& b : found)
            if (counts(b, margin)) top = std::max(top, merit(b));
        Choice choice;
        const auto ties = [&](size_t j) {
            if (!counts(found[j], margin)) return false;
            const double m = merit(found[j]);
            return m >= top - tolerance && m != -std::numeric_limits<double>::infinity();
        };
        choice.column = pick(found.size(), node, ties, rounded);
        if (choice.column >= 0) {
            choice.best = found[static_cast<size_t>(choice.column)];
            choice.gain = settings_.choice == Merit::gain ? top + choice.best.penalty : choice.best.gain;
        }
        return choice;
    }

    // Of the columns that tie, the one that the named rule takes; -1: there are none.
    template <class Tied, class Rounded>
    int32_t pick(size_t n_columns, uint64_t node, const Tied& ties, const Rounded& rounded) const {
        int32_t picked = -1;
        double top = -std::numeric_limits<double>::infinity();
        uint64_t tied = 0;
        NodeRandom random(settings_.seed, node ^ 0x7469657321);  // apart from the draw of columns
        const auto rank = [&](int32_t column) { return settings_.column_rank[static_cast<size_t>(column)]; };
        for (size_t j = 0; j < n_columns; ++j) {
            if (!ties(j)) continue;
            ++tied;
            const auto column = static_cast<int32_t>(j);
            if (settings_.ties == Ties::single) {
                const double merit = rounded(column);
                if (picked < 0 || merit > top) {
                    picked = column;
                    top = merit;
                }
                continue;
            }
            const bool takes = picked < 0 || (settings_.ties == Ties::random ? random.below(tied) == 0
                                                                             : rank(column) < rank(picked));
            if (takes) picked = column;
        }
        return picked;
    }

    const Settings& settings_;
    std::vector<uint8_t> in_average_;
};

}  // namespace bough

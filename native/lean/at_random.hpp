// The one candidate of a column in one node where it is drawn: a cut or a subset of categories, with missing
// rows on either side, as candidates/random_cut.hpp has it.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "binning.hpp"
#include "candidates/best.hpp"
#include "lean/random_side.hpp"
#include "lean/random_subset.hpp"

namespace bough::lean {

template <class Value>
class AtRandom {
  public:
    // `holes`: of each column, whether values are missing.
    AtRandom(const BinnedMatrix& matrix, std::span<const uint8_t> holes, int32_t width)
        : matrix_(matrix), holes_(holes), left_(static_cast<size_t>(width)), missing_stat_(left_.size()) {}

    void enter(const Target& target, std::span<const uint32_t> rows, uint64_t salt) {
        salt_ = salt;
        side_.enter(target, rows);
    }

    // False: the column has no candidate. Codes of categories get signs, see random_subset.hpp.
    template <class Sweep>
    bool look(Sweep& sweep, int32_t column, std::span<Value> cells, const Limits& limits) {
        const uint64_t salt = mix(salt_ + static_cast<uint64_t>(column)) | 1;
        const auto n = static_cast<int64_t>(cells.size());
        side_.enter_column(cells.data());
        const bool nominal = is_nominal(column);
        const bool divides = nominal ? subset_.draw(cells, categories(column), salt) : side_.draw(salt);
        missing = holes_[static_cast<size_t>(column)] ? side_.count_missing(missing_stat_.data()) : 0;
        // One known value, or category, can be told from the missing ones only.
        varies = divides || (missing > 0 && missing < n);
        if (!varies) return false;
        threshold = nominal ? 0.0 : divides ? side_.threshold() : std::numeric_limits<double>::infinity();
        const int64_t rows = side_.count(threshold, left_.data());
        gain = -std::numeric_limits<double>::infinity();
        missing_left = false;
        if (missing > 0 && divides) try_side(sweep, rows + missing, n, limits, true);
        try_side(sweep, rows, n, limits, false);
        return gain > -std::numeric_limits<double>::infinity();
    }

    // The sums of the rows on the left.
    void add_left(std::vector<int64_t>& stats) const {
        for (size_t k = 0; k < left_.size(); ++k)
            stats.push_back(left_[k] + (missing_left ? missing_stat_[k] : 0));
    }

    bool is_nominal(int32_t column) const {
        return matrix_.columns[static_cast<size_t>(column)].kind == ColumnKind::nominal;
    }
    // Of a column that was looked at, see random_subset.hpp.
    std::span<const uint32_t> present(int32_t column, std::span<const Value> cells) {
        return subset_.present(cells, categories(column));
    }

    double gain = 0.0, threshold = 0.0;
    int64_t missing = 0;  // rows
    bool missing_left = false;
    bool varies = false;  // it has more than one value, missing being one

  private:
    uint32_t categories(int32_t column) const { return matrix_.columns[static_cast<size_t>(column)].n_bins; }

    // The larger gain of the two; missing rows go right only if that is better than a tie.
    template <class Sweep>
    void try_side(Sweep& sweep, int64_t left, int64_t n, const Limits& limits, bool with_missing) {
        if (left < limits.min_rows || n - left < limits.min_rows) return;
        auto state = sweep.start();
        if (with_missing) sweep.move_group(state, missing_stat_.data());
        sweep.move_group(state, left_.data());
        const double found = sweep.gain(state);
        if (with_missing || found > gain + limits.tolerance) missing_left = with_missing;
        gain = std::max(gain, found);
    }

    const BinnedMatrix& matrix_;
    std::span<const uint8_t> holes_;
    uint64_t salt_ = 0;
    std::vector<int64_t> left_, missing_stat_;
    RandomSide<Value> side_;
    RandomSubset<Value> subset_;
};

}  // namespace bough::lean

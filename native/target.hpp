// What is predicted, as exact integers: class numbers with whole weights, or fixed-point moments.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "huge_pages.hpp"
#include "shared_array.hpp"

namespace bough {

// The losses of n leaves, from the sums of each, `width` numbers.
using LossFunction = std::function<void(const double* sums, int64_t n, int64_t width, double* losses)>;

// What a moment means: weight times (value - centre), in steps of `unit`.
struct MomentScale {
    double unit = 1.0, centre = 0.0;
};

struct Target {
    int32_t n_classes = 0;        // 0: regression
    SharedArray<uint16_t> label;  // class of each row
    SharedArray<double> value;    // regression: the target of each row as given
    HugeVector<int64_t> weight;   // fixed point, by row; empty: every weight is 1
    HugeVector<int64_t> square;   // regression with a loss of the user's: weight times (value - centre)^2
    double square_unit = 1.0;     // one step of it
    std::shared_ptr<const LossFunction> loss;  // the user's, if it decides
    HugeVector<int64_t> moment;  // regression: weight times (value - centre), fixed point, by row
    // The centre is zero, so a sum of moments is a weighted sum of values, and parts keep the unit of the
    // whole.
    bool from_zero = false;
    bool shares = false;       // weights are kept to as many digits as fit, see class_target
    double weight_unit = 1.0;  // one step of `weight`
    MomentScale scale;         // of `moment` at the root
    int64_t total_weight = 0;
    int label_shift = 32;  // of an item, below
    uint32_t row_mask = 0xffffffff;

    bool regression() const { return n_classes == 0; }
    size_t n_rows() const { return regression() ? value.size() : label.size(); }
    int64_t weight_of(uint32_t row) const { return weight.empty() ? 1 : weight[row]; }
    // Whole weights of small sum behave like counts: squares and logarithm tables stay exact.
    bool counting() const { return weight_unit == 1.0 && total_weight < (int64_t{1} << 31); }
    // Numbers that describe a node or a group of rows: class weights, or weight and moment.
    int32_t width() const { return regression() ? (square.empty() ? 2 : 3) : n_classes; }

    // The lower half of an entry of a sorted column: the row, and its class above it where both fit into 32
    // bits, so that a scan need not look the class up.
    uint32_t item(uint32_t row) const { return packed() ? row | uint32_t{label[row]} << label_shift : row; }
    bool packed() const { return label_shift < 32; }

    void add_row(int64_t* stat, uint32_t row) const {
        if (regression()) {
            stat[0] += weight_of(row);
            stat[1] += moment[row];
            if (!square.empty()) stat[2] += square[row];
        } else {
            stat[label[row]] += weight_of(row);
        }
    }
};

// Regression: sets the moments of these rows anew, on the finest scale that fits them, and returns the new
// scale.
MomentScale set_moments(Target& target, std::span<const uint32_t> rows);
MomentScale set_moments(Target& target);  // of all rows

// Below this loss the values of so many rows spread over fewer steps than ties are told apart by, and a scale
// for these rows alone would have 2^10 times as many at least.
inline double coarse_loss(const Target& target, int64_t rows, double weight) {
    constexpr double kCoarse = 0x1p40;  // steps that the values of a node should spread over
    const double step = std::min(kCoarse, 0x1p48 / static_cast<double>(rows)) * target.weight_unit;
    return step * step * weight;
}

// `shares`: rows may be divided further down, so weights are kept to as many digits as fit.
Target class_target(std::span<const int32_t> labels, int32_t n_classes, std::span<const double> weights,
                    bool shares);
Target number_target(std::span<const double> values, std::span<const double> weights, bool shares,
                     bool from_zero = false);

// Regression: sums of squares are kept from now on.
void keep_squares(Target& target);

// These rows with other weights, in the same unit; none: they count once.
Target part_of(const Target& whole, std::span<const uint32_t> rows, HugeVector<int64_t>&& weights);

// The mean of the given rows' values from a sum of 125 bits: independent of the order of the rows.
double exact_mean(const Target& target, std::span<const uint32_t> rows);

__extension__ using int128 = __int128;
// sum / weight * 2^-exponent, rounded once.
double rounded_mean(int128 sum, int64_t weight, int exponent);

}  // namespace bough

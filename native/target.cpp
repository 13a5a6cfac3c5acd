// What is predicted, as exact integers: scaling of weights and targets to fixed point.
#include "target.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <utility>

namespace bough {
namespace {

// value * 2^exponent without its fraction; there must be room for it.
int128 whole_part(double value, int exponent) {
    const auto bits = std::bit_cast<uint64_t>(value);
    const auto stored = static_cast<int>(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    const auto digits = static_cast<int128>(stored ? fraction | uint64_t{1} << 52 : fraction);
    const int shift = std::max(stored, 1) - 1075 + exponent;
    const int128 size = shift >= 0 ? digits << shift : shift > -64 ? digits >> -shift : 0;
    return value < 0 ? -size : size;
}

// The power of two that brings n numbers of at most this magnitude to sums of at most `bits` bits.
int scale_exponent(double magnitude, size_t n, int bits) {
    if (magnitude == 0.0) return 0;
    return bits - 1 - std::ilogb(magnitude) - std::ilogb(static_cast<double>(n) + 1.0) - 1;
}

double largest(std::span<const double> xs) {
    double top = 0.0;
    for (const double x : xs) top = std::max(top, std::fabs(x));
    return top;
}

int64_t fixed(double x, int exponent) { return std::llround(std::ldexp(x, exponent)); }

void set_weights(Target& target, std::span<const double> given, size_t n, bool shares) {
    const std::vector<double> ones(shares && given.empty() ? n : 0, 1.0);
    const std::span<const double> weights = shares && given.empty() ? std::span(ones) : given;
    for (const double w : weights)
        if (!(w > 0.0)) throw std::invalid_argument("a weight is not positive");
    target.total_weight = static_cast<int64_t>(n);
    target.shares = shares;
    if (weights.empty()) return;
    double sum = 0.0;
    bool whole = true;
    for (const double w : weights) {
        sum += w;
        whole &= w == std::floor(w);
    }
    const int exponent = whole && sum < 0x1p53 && !shares ? 0 : scale_exponent(largest(weights), n, 62);
    target.weight_unit = std::ldexp(1.0, -exponent);
    target.weight.resize(n);
    target.total_weight = 0;
    for (size_t i = 0; i < n; ++i) {
        // A weight too small for the scale still counts as the smallest there is.
        target.weight[i] = std::max<int64_t>(1, fixed(weights[i], exponent));
        target.total_weight += target.weight[i];
    }
}

// Rows and classes share 32 bits where they fit.
void pack_labels(Target& target) {
    const int row_bits = static_cast<int>(std::bit_width(target.label.size()));
    if (row_bits + static_cast<int>(std::bit_width(static_cast<unsigned>(target.n_classes))) > 32) return;
    target.label_shift = row_bits;
    target.row_mask = (uint32_t{1} << row_bits) - 1;
}

auto all_rows(const Target& target) {
    return std::views::iota(uint32_t{0}, static_cast<uint32_t>(target.n_rows()));
}

template <class Rows>
void fix_moments(Target& target, const Rows& rows, double centre, int exponent) {
    for (const uint32_t i : rows) {
        const double w = static_cast<double>(target.weight_of(i)) * target.weight_unit;
        target.moment[i] = std::llround(w * std::ldexp(target.value[i] - centre, exponent));
    }
}

template <class Rows>
MomentScale moments_of(Target& target, const Rows& rows) {
    // Around the middle of the range: a large common offset costs no precision.
    double low = std::numeric_limits<double>::infinity(), high = -low, top_weight = 0.0;
    for (const uint32_t i : rows) {
        low = std::min(low, target.value[i]);
        high = std::max(high, target.value[i]);
        top_weight = std::max(top_weight, static_cast<double>(target.weight_of(i)) * target.weight_unit);
    }
    const double centre = target.from_zero ? 0.0 : low / 2 + high / 2;
    const double reach =
        std::max(high / 2 - centre / 2, centre / 2 - low / 2);  // half of it: cannot overflow
    const int exponent = scale_exponent(reach, rows.size(), 60 - std::ilogb(top_weight) - 1);
    fix_moments(target, rows, centre, exponent);
    if (!target.square.empty()) {
        const int squared = scale_exponent(4 * reach * reach, rows.size(), 60 - std::ilogb(top_weight) - 1);
        for (const uint32_t i : rows) {
            const double w = static_cast<double>(target.weight_of(i)) * target.weight_unit;
            const double off = target.value[i] - centre;
            target.square[i] = std::llround(w * std::ldexp(off * off, squared));
        }
        target.square_unit = std::ldexp(1.0, -squared);
    }
    return {std::ldexp(1.0, -exponent), centre};
}

}  // namespace

Target class_target(std::span<const int32_t> labels, int32_t n_classes, std::span<const double> weights,
                    bool shares) {
    if (n_classes < 1 || n_classes > std::numeric_limits<uint16_t>::max())
        throw std::length_error("at most 65,535 classes are supported");
    Target target;
    target.n_classes = n_classes;
    HugeVector<uint16_t> label;
    label.reserve(labels.size());
    for (const int32_t y : labels) {
        if (y < 0 || y >= n_classes) throw std::invalid_argument("a class number is outside its range");
        label.push_back(static_cast<uint16_t>(y));
    }
    target.label = std::move(label);
    set_weights(target, weights, labels.size(), shares);
    pack_labels(target);
    return target;
}

Target number_target(std::span<const double> values, std::span<const double> weights, bool shares,
                     bool from_zero) {
    Target target;
    target.from_zero = from_zero;
    target.value = HugeVector<double>(values.begin(), values.end());
    set_weights(target, weights, values.size(), shares);
    target.moment.resize(values.size());
    target.scale = set_moments(target);
    return target;
}

void keep_squares(Target& target) {
    target.square.resize(target.value.size());
    target.scale = set_moments(target);
}

Target part_of(const Target& whole, std::span<const uint32_t> rows, HugeVector<int64_t>&& weights) {
    Target part;
    part.n_classes = whole.n_classes;
    part.weight_unit = whole.weight_unit;
    part.from_zero = whole.from_zero;
    part.loss = whole.loss;
    part.weight = std::move(weights);
    part.total_weight = std::accumulate(part.weight.begin(), part.weight.end(),
                                        static_cast<int64_t>(part.weight.empty() ? rows.size() : 0));
    if (whole.regression()) {
        HugeVector<double> value;
        for (const uint32_t r : rows) value.push_back(whole.value[r]);
        part.value = std::move(value);
        part.moment.resize(rows.size());
        if (!whole.square.empty()) part.square.resize(rows.size());
        part.scale = whole.scale;
        if (part.from_zero) {
            fix_moments(part, all_rows(part), 0.0, -std::ilogb(part.scale.unit));
        } else {
            part.scale = set_moments(part);
        }
    } else {
        HugeVector<uint16_t> label(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) label[i] = whole.label[rows[i]];
        part.label = std::move(label);
        pack_labels(part);
    }
    return part;
}

MomentScale set_moments(Target& target, std::span<const uint32_t> rows) { return moments_of(target, rows); }
MomentScale set_moments(Target& target) { return moments_of(target, all_rows(target)); }

double rounded_mean(int128 sum, int64_t weight, int exponent) {
    __extension__ using Wide = unsigned __int128;
    const bool negative = sum < 0;
    const Wide size = negative ? -static_cast<Wide>(sum) : static_cast<Wide>(sum),
               by = static_cast<Wide>(weight);
    Wide quotient = size / by, rest = size - quotient * by;
    if (quotient >> 54 == 0) {  // 64 bits more, so that what is left only says on which side of a half it is
        const Wide more = (rest << 64) / by;
        quotient = quotient << 64 | more;
        rest = (rest << 64) - more * by;
        exponent += 64;
    }
    quotient |= rest != 0;
    const double mean = std::ldexp(static_cast<double>(quotient), -exponent);
    return negative ? -mean : mean;
}

double exact_mean(const Target& target, std::span<const uint32_t> rows) {
    double top = 0.0;
    bool equal = true;
    for (const uint32_t i : rows) {
        top = std::max(top, std::fabs(target.value[i]));
        equal &= target.value[i] == target.value[rows[0]];
    }
    if (equal) return target.value[rows[0]];
    const bool whole = target.weight_unit == 1.0;
    // Whole weights stay whole; others enter as a share of at most one.
    int64_t top_weight = 1, total = 0;
    for (const uint32_t i : rows) {
        top_weight = std::max(top_weight, target.weight_of(i));
        total += target.weight_of(i);
    }
    const double size = whole ? static_cast<double>(total) : static_cast<double>(rows.size());
    const int exponent = 125 - 1 - std::ilogb(top) - std::ilogb(size + 1.0) - 1;
    int128 sum = 0;
    for (const uint32_t i : rows) {
        if (whole) {
            sum += whole_part(target.value[i], exponent) * target.weight_of(i);
        } else {
            const double y = std::ldexp(target.value[i], exponent);
            sum += static_cast<int128>(
                y * (static_cast<double>(target.weight[i]) / static_cast<double>(top_weight)));
        }
    }
    if (whole) return rounded_mean(sum, total, exponent);
    const double share = static_cast<double>(total) / static_cast<double>(top_weight);
    return std::ldexp(static_cast<double>(sum) / share, -exponent);
}

}  // namespace bough

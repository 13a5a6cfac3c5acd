// First and second derivatives of the log losses, row by row.
#pragma once
#include <cstdint>
#include <span>

namespace bough::boost {

// Of two classes: y is 0 or 1 (or a share), raw the log odds.
void logistic_derivatives(std::span<const double> y, std::span<const double> raw, std::span<double> gradient,
                          std::span<double> hessian, int threads);

// Shares of several classes from their sums of trees, class after class.
void softmax_shares(std::span<const double> raw, size_t classes, std::span<double> shares, int threads);

// Of several classes: y is the class number; the others have one row of numbers after the other for each
// class.
void softmax_derivatives(std::span<const int64_t> y, std::span<const double> raw, std::span<double> gradient,
                         std::span<double> hessian, int threads);

}  // namespace bough::boost

// Probabilities for tests of significance: the tail of chi-square and its logarithm, with the same bits on
// every machine.
#pragma once
#include <cmath>
#include <limits>

#include "logarithm.hpp"

namespace bough {

// A C library's own log, exp and lgamma may differ in the last bit between versions, so none is used here.

// Of a positive normal number.
inline double log_portable(double x) { return log2_portable(x) * 0.6931471805599453; }

// log(1 + x) for x > -1. The rounding of 1 + x cancels in the quotient.
inline double log1p_portable(double x) {
    const double one = 1.0 + x;
    return one == 1.0 ? x : log_portable(one) * (x / (one - 1.0));
}

// e^x - 1 for |x| < 0.35, by its series.
inline double expm1_small(double x) {
    double series = 0.0;
    for (double k = 14.0; k > 1.0; k -= 1.0) series = (series + 1.0) * (x / k);
    return x + x * series;
}

inline double exp_portable(double x) {
    if (!(x > -746.0)) return 0.0;
    if (x > 709.7) return std::numeric_limits<double>::infinity();
    const double k = std::floor(x * 1.4426950408889634 + 0.5);
    // log 2 in two parts; the first has so few bits that its product with k is exact.
    const double rest = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    return std::ldexp(1.0 + expm1_small(rest), static_cast<int>(k));
}

// x log(x / mean) + mean - x for x >= 0, mean > 0 and difference = x - mean, without cancellation where the
// two are close: with v = difference / (x + mean), log(x / mean) = 2 (v + v^3 / 3 + v^5 / 5 + ...).
inline double deviance(double x, double mean, double difference) {
    if (x <= 0.0) return mean;
    const double v = difference / (x + mean);
    if (std::fabs(v) > 0.1) return x * log_portable(x / mean) - difference;
    const double z = v * v;
    double series = 0.0;
    for (double k = 19.0; k > 1.0; k -= 2.0) series = (series + 1.0 / k) * z;
    return difference * v + 2.0 * x * v * series;
}

// log Gamma(a + 1) less Stirling's formula for it, a > 0.
inline double stirling_rest(double a) {
    double rest = 0.0;
    for (; a < 16.0; a += 1.0) rest += (a + 0.5) * log1p_portable(1.0 / a) - 1.0;
    const double z = 1.0 / (a * a);
    return rest + (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) / a;
}

// log of the probability that chi-square is at least `statistic`; finite where the probability itself is too
// small for a double. With a = df / 2 and x = statistic / 2: below the mean by the series of the lower tail,
// above it by the continued fraction of the upper one (Abramowitz & Stegun 6.5.29, 6.5.31).
inline double chi_square_log_survival(double statistic, double df) {
    const double a = df / 2, x = statistic / 2;
    if (!(df > 0.0) || !(x >= std::numeric_limits<double>::min())) return 0.0;
    if (x == std::numeric_limits<double>::infinity()) return -x;
    // x^a e^-x / Gamma(a + 1), in a form that loses nothing where a and x are large
    const double log_density =
        -deviance(a, x, a - x) - stirling_rest(a) - 0.5 * log_portable(6.283185307179586 * a);
    constexpr double kRounding = 0x1p-53;
    if (x < a + 1.0) {
        double term = 1.0, sum = 1.0;
        for (double n = 1.0; term > sum * kRounding; n += 1.0) {
            term *= x / (a + n);
            sum += term;
        }
        return log1p_portable(-exp_portable(log_density) * sum);
    }
    // Lentz's way from the front: numerators n (a - n), denominators x + 1 - a + 2 n.
    double b = x + 1.0 - a, c = std::numeric_limits<double>::infinity(), d = 1.0 / b, fraction = d;
    for (double n = 1.0; n < 1e6; n += 1.0) {
        b += 2.0;
        d = 1.0 / (n * (a - n) * d + b);
        c = b + n * (a - n) / c;
        fraction *= c * d;
        if (std::fabs(c * d - 1.0) <= 2 * kRounding) break;
    }
    return log_density + log_portable(a * fraction);
}

inline double chi_square_survival(double statistic, double df) {
    return exp_portable(chi_square_log_survival(statistic, df));
}

// log(1 - e^t) for t < 0.
inline double log_of_rest(double t) {
    return t > -0.3 ? log_portable(-expm1_small(t)) : log1p_portable(-exp_portable(t));
}

// log(1 - (1 - p)^m): the probability that at least one of m independent tests reaches p by chance.
inline double adjusted_log_p(double log_p, double m) {
    if (!(log_p <= -std::numeric_limits<double>::min())) return 0.0;
    if (log_p < -600.0) return log_p + log_portable(m);
    return log_of_rest(m * log_of_rest(log_p));
}

}  // namespace bough

// Where a threshold lies between two neighbouring values.
#pragma once
#include <cmath>

namespace bough {

// What rounds onto the upper one or overflows is moved back.
inline double midpoint(double a, double b) {
    double m = (a + b) / 2;
    if (!std::isfinite(m)) m = a / 2 + b / 2;
    return (a <= m && m < b ? m : a) + 0.0;
}

}  // namespace bough

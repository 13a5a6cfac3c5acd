// What a lean tree grows on: cells and targets of the rows of its bag.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "lean/cells.hpp"
#include "target.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

// Regression: the targets as whole numbers, so that a mean is one exact sum and one division.
struct ExactValues {
    GrowthArray<int128> value;  // by row, times its weight
    int exponent = 0;           // of one step

    // False: one scale does not hold all of them.
    bool set(const Target& target) {
        double top = 0.0;
        for (const double v : target.value) top = std::max(top, std::fabs(v));
        if (top == 0.0) return false;
        // As exact_mean of target.hpp has it for all rows together.
        exponent = 125 - 1 - std::ilogb(top) - std::ilogb(static_cast<double>(target.total_weight) + 1.0) - 1;
        value.resize(target.value.size());
        for (uint32_t r = 0; r < value.size(); ++r) {
            const double y = std::ldexp(target.value[r], exponent);
            if (y != std::trunc(y) || std::ldexp(y, -exponent) != target.value[r] ||
                (y == 0.0 && std::signbit(y)))
                return false;
            value[r] = static_cast<int128>(y) * target.weight_of(r);
        }
        return true;
    }
    double mean(int128 sum, int64_t weight) const { return rounded_mean(sum, weight, exponent); }
};

template <class Cell>
struct Bag {
    Cells<Cell> cells{};
    Target& target;
    ExactValues exact{};               // regression
    std::span<const uint32_t> origin;  // of each row, the row of the whole table
    GrowthArray<uint32_t> rows{};      // each node owns a segment, in stable order
    std::span<const uint8_t> holes;    // random cuts: of each column, whether cells are missing
};

}  // namespace bough::lean

// The rows of a subtree, copied together: its nodes, most of them small, then read from a piece of memory
// that stays in the nearest cache.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "lean/cells.hpp"
#include "target.hpp"

namespace bough::lean {

__extension__ using int128 = __int128;

// Regression: the targets as whole numbers, so that a mean is one exact sum and one division.
struct ExactValues {
    std::vector<int128> value;  // by row, times its weight
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
            if (y != std::trunc(y) || (y == 0.0 && std::signbit(y))) return false;
            value[r] = static_cast<int128>(y) * target.weight_of(r);
        }
        return true;
    }
    double mean(int128 sum, int64_t weight) const {
        return std::ldexp(static_cast<double>(sum / weight) +
                              static_cast<double>(sum % weight) / static_cast<double>(weight),
                          -exponent);
    }
};

template <class Cell>
struct Block {
    Cells<Cell> cells;
    Target target;
    ExactValues exact;
    std::vector<uint32_t> origin;  // the row of the whole table
    std::vector<uint32_t> rows;    // each node owns a segment, in stable order

    void list_rows() {
        rows.resize(origin.size());
        std::iota(rows.begin(), rows.end(), 0u);
    }

    // These rows of another block, in their order.
    void copy(const Block& from, std::span<const uint32_t> of, size_t columns) {
        cells.copy(from.cells, of, columns);
        const auto take = [&](auto& to, const auto& all) {
            if (all.empty()) return to.clear();
            to.resize(of.size());
            for (size_t i = 0; i < of.size(); ++i) to[i] = all[of[i]];
        };
        target.n_classes = from.target.n_classes;
        target.weight_unit = from.target.weight_unit;
        target.label_shift = from.target.label_shift;
        target.row_mask = from.target.row_mask;
        take(target.label, from.target.label);
        take(target.weight, from.target.weight);
        take(target.value, from.target.value);
        take(target.moment, from.target.moment);
        take(exact.value, from.exact.value);
        exact.exponent = from.exact.exponent;
        take(origin, from.origin);
        list_rows();
    }
};

}  // namespace bough::lean

// The rows of a node by the branches of a split that is not made yet: what tests and rounded merits ask.
#pragma once
#include <cstdint>
#include <vector>

#include "choose.hpp"
#include "node.hpp"
#include "plot.hpp"
#include "routing.hpp"

namespace bough {

struct BranchTable {
    size_t branches = 0;
    std::vector<int64_t> stats;     // class weights; of numbers, weight and moment
    std::vector<uint32_t> counted;  // of numbers: the rows
    int64_t left_out = 0;           // weight of the rows without a branch
};

// `child_of`: the branch of each code; empty: the column is cut. `missing`: the branch of missing rows, where
// they have one in the gain.
inline BranchTable branch_table(const Plot& plot, Segment segment, const Choice& choice, size_t branches,
                                size_t missing, const std::vector<uint32_t>& child_of) {
    const bool numbers = plot.target.regression();
    const auto width = numbers ? size_t{2} : static_cast<size_t>(plot.target.n_classes);
    BranchTable table{branches, {}, {}, 0};
    table.stats.assign(branches * width, 0);
    const bool ordered = child_of.empty();
    const bool values =
        ordered && cuts_values(plot.matrix.columns[static_cast<size_t>(choice.column)], choice.best);
    plot.lists.for_each_code(segment, choice.column, [&](uint32_t code, uint32_t row) {
        if (code == 0 && choice.best.known_only && !choice.best.missing_apart) {
            table.left_out += plot.target.weight_of(row);
            return;
        }
        const size_t branch = code == 0 ? missing
                              : values  ? plot.value(choice.column, row) > choice.best.threshold
                              : ordered ? code > choice.best.low
                                        : child_of[code];
        int64_t* const at = table.stats.data() + branch * width;
        if (numbers) {
            at[0] += plot.target.weight_of(row);
            at[1] += plot.target.moment[row];
            table.counted.push_back(row);
        } else {
            at[plot.target.label[row]] += plot.target.weight_of(row);
        }
    });
    return table;
}

}  // namespace bough

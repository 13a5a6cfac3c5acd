// Grows many trees from one binned matrix, each on a bag of its rows, several at a time.
#pragma once
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "bags.hpp"
#include "binning.hpp"
#include "lean/lean.hpp"
#include "packed_tree.hpp"
#include "settings.hpp"
#include "target.hpp"

namespace bough {

struct GrownForest {
    std::vector<std::optional<FinishedTree>> trees;  // empty: not finished when the growth was stopped
    std::exception_ptr stopped;                      // what the poll threw
    bool late = false;                               // the time was up
};

// The trees number first, first + 1 ... . After `seconds` (0: no limit) trees that are not finished are given
// up; if there is none at all, `must_have_one`, the first that comes to an end stays. `poll` is called from
// the calling thread and may throw to stop.
struct ForestRun {
    int64_t first = 0, count = 0;
    double seconds = 0.0;
    bool must_have_one = false;
    bool pack = false;  // trees that packed_tree.hpp can hold
    int threads = 1;
};
// Some of the rows, ascending, for a tree of their own; the columns of the whole must stay where they are.
BinnedMatrix bag_matrix(const BinnedMatrix& whole, const std::vector<uint32_t>& rows);

GrownForest grow_forest(const BinnedMatrix& matrix, const Target& target, const Settings& settings,
                        const Bags& bags, const lean::LeanForest& lean, const ForestRun& run,
                        const std::function<void()>& poll);

}  // namespace bough

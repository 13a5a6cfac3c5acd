// Grows one tree: frontier -> best split of every column -> choice -> rows to the children, until all are
// leaves.
#pragma once
#include <functional>

#include "binning.hpp"
#include "settings.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bough {

// The matrix is used up: its sorted columns become the nodes' lists. `poll` is called from the calling thread
// every few milliseconds and may throw to stop.
GrownTree grow_tree(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads,
                    const std::function<void()>& poll);

}  // namespace bough

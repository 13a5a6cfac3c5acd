// Every decision about the growth of one boosted tree.
#pragma once
#include <cstdint>
#include <vector>

namespace bough::boost {

struct BoostSettings {
    int64_t max_leaves = 31;  // 0: no limit, and the tree grows level by level
    int64_t max_depth = 0;    // 0: no limit
    bool symmetric = false;   // one question for a level, max_depth levels; max_leaves does not count
    int64_t min_rows = 20;    // of a leaf
    double min_hessian = 1e-3;
    double l1 = 0.0, l2 = 0.0;
    double category_smoothing = 100.0;  // rows of the node's average that many categories are mixed with
    int64_t min_category_rows = 3;      // categories with fewer in the node count as one
    int64_t level_columns = 0, node_columns = 0;  // drawn for each level and node; 0: all
    bool share_bytes = true;  // columns that exclude each other are counted together; the tree is the same
    int64_t narrow_from = 1 << 15;  // rows of a tree whose derivatives may be rounded to 8 bytes a sum
    std::vector<int32_t> monotone;  // 1, -1 or 0 for each column
    std::vector<std::vector<int32_t>> interactions;  // groups of columns that may meet; empty: all may
};

}  // namespace bough::boost

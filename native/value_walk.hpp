// Walks rows down one tree after the other by comparing values: the plain way, for few trees, and for more
// thresholds than a rank can number.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "predict.hpp"

namespace bough {

class ValueWalk {
  public:
    ValueWalk(const std::vector<TreeView>& trees, const std::vector<uint8_t>& left_out) {
        for (size_t t = 0; t < trees.size(); ++t) {
            root_.push_back(nodes_.size());
            if (!left_out[t]) pack(trees[t]);
        }
    }

    // The node at which each of the rows `chosen` ends; `cells` is a matrix of p columns. All rows go down a
    // level, then those that have not arrived the next: no row waits for the memory of another, and none
    // walks further than it must.
    void walk(size_t tree, const double* cells, size_t p, const std::vector<uint32_t>& chosen,
              std::vector<uint32_t>& walking, uint32_t* end) const {
        const Packed* const nodes = nodes_.data() + root_[tree];
        size_t n = chosen.size();
        walking.resize(n);
        std::iota(walking.begin(), walking.end(), 0u);
        std::fill_n(end, n, 0u);
        while (n > 0) {
            size_t left = 0;
            for (size_t i = 0; i < n; ++i) {
                const uint32_t k = walking[i], at = end[k];
                const Packed node = nodes[at];
                const double x = cells[chosen[k] * p + (node.feature >> 1)];
                const bool unknown = x != x;
                const uint32_t to = node.child + ((x > node.threshold) | (unknown & (node.feature & 1)));
                __builtin_prefetch(nodes + to);
                end[k] = to;
                walking[left] = k;
                left += to != at;
            }
            n = left;
        }
    }

  private:
    // 16 bytes: four to a cache line. A leaf leads to itself, so rows that have arrived may walk on.
    struct Packed {
        double threshold;
        uint32_t child;    // the first of two, counted from the tree's root
        uint32_t feature;  // twice the column, plus 1 where missing values go right
    };

    void pack(const TreeView& tree) {
        for (size_t i = 0; i < tree.feature.size(); ++i) {
            if (tree.feature[i] < 0) {
                nodes_.push_back({std::numeric_limits<double>::infinity(), static_cast<uint32_t>(i), 0});
            } else {
                nodes_.push_back({tree.threshold[i], static_cast<uint32_t>(tree.first_child[i]),
                                  2 * static_cast<uint32_t>(tree.feature[i]) + (tree.missing_child[i] == 1)});
            }
        }
    }

    std::vector<Packed> nodes_;
    std::vector<size_t> root_;  // of each tree in `nodes_`
};

}  // namespace bough

// The columns that a lean tree looks at in a node, in a random order. Columns that were found constant in a
// node are not drawn below it: the columns that are left stand in lists, one for each depth at most, because
// a tree that grows depth-first has one open path.
//     list 0: 0 1 2 3 4 5      the root finds that 3 is constant
//     list 1: 0 1 2 4 5        for its children, and for theirs if they find no more
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "random.hpp"

namespace bough::lean {

class DrawnColumns {
  public:
    DrawnColumns(size_t n_columns, const std::vector<uint8_t>& forbidden)
        : constant_(n_columns, 0), lists_(1) {
        for (size_t j = 0; j < n_columns; ++j)
            if (!forbidden[j]) lists_[0].push_back(static_cast<int32_t>(j));
    }

    // A node whose columns are in this list.
    void enter(int32_t list) {
        list_ = list;
        swapped_.clear();
        any_constant_ = false;
    }
    std::span<const int32_t> all() const { return columns(); }
    // So many that were not drawn yet, or all that are left.
    std::span<const int32_t> draw(size_t wanted, NodeRandom& random) {
        std::vector<int32_t>& from = columns();
        const size_t n = from.size(), first = swapped_.size(), last = first + std::min(wanted, n - first);
        for (size_t i = first; i < last; ++i) {
            swapped_.push_back(i + random.below(n - i));
            std::swap(from[i], from[swapped_[i]]);
        }
        return std::span<const int32_t>(from).subspan(first, last - first);
    }
    void note_constant(int32_t column) {
        constant_[static_cast<size_t>(column)] = 1;
        any_constant_ = true;
    }
    // The list of the node's children. `depth`: of the node.
    int32_t leave(int64_t depth) {
        std::vector<int32_t>& from = columns();
        for (size_t i = swapped_.size(); i-- > 0;) std::swap(from[i], from[swapped_[i]]);
        if (!any_constant_) return list_;
        const auto below = static_cast<size_t>(depth) + 1;
        if (lists_.size() <= below) lists_.resize(below + 1);
        std::vector<int32_t>& to = lists_[below];
        to.clear();
        for (const int32_t j : columns())
            if (!std::exchange(constant_[static_cast<size_t>(j)], uint8_t{0})) to.push_back(j);
        return static_cast<int32_t>(below);
    }

  private:
    const std::vector<int32_t>& columns() const { return lists_[static_cast<size_t>(list_)]; }
    std::vector<int32_t>& columns() { return lists_[static_cast<size_t>(list_)]; }

    std::vector<uint8_t> constant_;  // by column, of those that the node has found; all zero between nodes
    std::vector<std::vector<int32_t>> lists_;
    std::vector<size_t> swapped_;  // with which place each of the first was swapped
    int32_t list_ = 0;
    bool any_constant_ = false;
};

}  // namespace bough::lean

// Where the nodes of a tree stand: those that rows mostly pass one after the other share a line of the cache.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "predict.hpp"

namespace bough {

// Of a tree whose inner nodes have two children each. Both children of a node stand side by side; a line has
// room for four such pairs. The first pair of a line is followed by those of its heaviest nodes:
//
//        line:   | children of a | of a's left | of a's right | of a's left's left |      2.3 levels of the
//        way
//
// A row that goes 19 levels down a full tree touches 7 lines; in the order of levels 18. Small groups share a
// line, so that hardly any room is left empty (1.0002 times the nodes).
class NodeOrder {
  public:
    static constexpr size_t kLine = 8;  // nodes

    NodeOrder(const TreeView& tree, bool left_out) : tree_(tree) {
        if (left_out || tree.feature[0] < 0) return;
        place_.resize(tree.feature.size());
        std::vector<size_t> open = {0};  // nodes whose children have no place yet
        while (!open.empty()) {
            const size_t first = open.back();
            open.pop_back();
            settle(first, open);
        }
    }
    size_t size() const { return size_; }  // with what is empty: whole lines
    // Of any node but the root.
    size_t operator[](size_t node) const { return place_[node]; }

  private:
    static constexpr size_t kPairs = kLine / 2;

    void settle(size_t first, std::vector<size_t>& open) {
        std::array<size_t, kPairs> chosen{};
        std::array<size_t, kPairs + 1> next{};  // inner nodes of the line
        size_t n_chosen = 0, n_next = 1;
        next[0] = first;
        while (n_chosen < kPairs && n_next > 0) {
            size_t heaviest = 0;
            for (size_t k = 1; k < n_next; ++k)
                if (tree_.weight[next[k]] > tree_.weight[next[heaviest]]) heaviest = k;
            const size_t node = next[heaviest];
            next[heaviest] = next[--n_next];
            chosen[n_chosen++] = node;
            for (size_t c = 0; c < 2; ++c) {
                const size_t child = static_cast<size_t>(tree_.first_child[node]) + c;
                if (tree_.feature[child] >= 0) next[n_next++] = child;
            }
        }
        size_t at = room_for(n_chosen);
        for (size_t k = 0; k < n_chosen; ++k, at += 2) {
            const auto child = static_cast<size_t>(tree_.first_child[chosen[k]]);
            place_[child] = static_cast<uint32_t>(at);
            place_[child + 1] = static_cast<uint32_t>(at + 1);
        }
        open.insert(open.end(), next.begin(), next.begin() + static_cast<std::ptrdiff_t>(n_next));
    }
    // For so many pairs, in the fullest line that has it.
    size_t room_for(size_t pairs) {
        size_t at = size_, left = kPairs;
        for (size_t k = pairs; k < kPairs; ++k)
            if (!free_[k].empty()) {
                at = free_[k].back();
                free_[k].pop_back();
                left = k;
                break;
            }
        if (left == kPairs) size_ += kLine;
        if (left > pairs) free_[left - pairs].push_back(static_cast<uint32_t>(at + 2 * pairs));
        return at;
    }

    const TreeView& tree_;
    std::vector<uint32_t> place_;
    size_t size_ = 0;
    std::array<std::vector<uint32_t>, kPairs> free_;  // by how many pairs find room: where
};

}  // namespace bough

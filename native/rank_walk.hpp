// Walks rows down many trees by comparing ranks: nodes of 8 bytes, leaves of equal value shared.
#pragma once
#include <cstdint>
#include <vector>

#include "category_bits.hpp"
#include "huge_pages.hpp"
#include "predict.hpp"
#include "ranks.hpp"

namespace bough {

struct Part;
class NodeOrder;
class Terminals;

class RankWalk {
  public:
    static constexpr uint32_t kMostThresholds = 65534;  // in one column

    // Trees that suit `CategoryBits`, but for those left out. `ranks` must outlive it.
    RankWalk(const Ranks& ranks, const std::vector<TreeView>& trees, const std::vector<Part>& parts,
             const std::vector<uint8_t>& left_out, size_t width);

    // Numbers of a row: two for each column, which differ in where a missing value stands, above or below
    // all; of a column of categories, the code.
    size_t stride() const { return 2 * ranks_.size(); }
    // Rows first ... first + n - 1 of the columns.
    void encode(const std::vector<ColumnView>& columns, int64_t first, int64_t n, uint16_t* cells) const;

    // The terminal at which each of the rows `chosen` ends. `walking` is memory to work in.
    void walk(size_t tree, const uint16_t* cells, const std::vector<uint32_t>& chosen,
              std::vector<uint32_t>& walking, uint32_t* end) const {
        groups_.empty() ? walk_all<false>(tree, cells, chosen, walking, end)
                        : walk_all<true>(tree, cells, chosen, walking, end);
    }
    // What its leaves say: `width` numbers, weighted.
    const double* value(uint32_t terminal) const { return values_.data() + (terminal - n_nodes_) * width_; }
    // Adds all trees' values for one row, in their order: many trees at a time are on their way.
    void add_row(const uint16_t* row, const std::vector<Part>& parts, double* out) const;

  private:
    // Right when rank < the row's number, or as the node's group says. Terminals, which follow the last node,
    // lead to themselves.
    struct Node {
        uint16_t place, rank;  // place within the row's numbers
        uint32_t child;        // the first of two
    };

    void take(size_t number, const TreeView& tree, const NodeOrder& order, const Part& part,
              Terminals& terminals);
    template <size_t G, int Levels, bool Grouped>
    void descend(const uint16_t* const* rows, uint32_t* at) const;
    template <bool Grouped>
    size_t walk_block(bool deep, const uint16_t* cells, const uint32_t* chosen, size_t n, uint32_t* walking,
                      uint32_t* end) const;

    template <bool Grouped>
    void walk_all(size_t tree, const uint16_t* cells, const std::vector<uint32_t>& chosen,
                  std::vector<uint32_t>& walking, uint32_t* end) const;
    // The terminals of trees first ... first + n - 1 for one row.
    template <bool Grouped>
    void find_ends(size_t first, size_t n, const uint16_t* row, uint32_t* end) const;
    template <size_t Width>
    void add_values(const uint32_t* end, size_t n, double* out) const;

    const Ranks& ranks_;
    CategoryBits groups_;
    std::vector<uint32_t> group_;  // of each node, where there are any
    HugeVector<Node> nodes_;
    std::vector<size_t> start_;   // of each tree's nodes but for the root, which is node t; and the end
    std::vector<double> values_;  // of the terminals
    uint32_t n_nodes_ = 0;        // without terminals
    size_t width_;
    bool one_output_ = true;  // all trees add to the same numbers
};

}  // namespace bough

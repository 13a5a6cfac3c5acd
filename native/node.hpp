// Nodes while a tree grows: plain records in the order of their making, in branches that threads own alone.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "monotone.hpp"
#include "row_lists.hpp"
#include "surrogates.hpp"
#include "vocabulary.hpp"

namespace bough {

struct Node {
    Segment segment;
    int64_t depth = 0;
    uint64_t key = 0;     // of its place in the tree, for random choices
    double loss = 0.0;    // regression: in squares of `step`, per unit of weight
    double step = 1.0;    // regression: one step of its rows' moments
    double centre = 0.0;  // and where they are counted from
    double weight = 0.0;
    double mean = 0.0;  // regression
    bool terminal = false;
    std::shared_ptr<const std::vector<int32_t>> columns;  // those that still vary; null: all
    std::shared_ptr<const std::vector<int32_t>> asked;    // on the way here, where that matters
    std::shared_ptr<const Bounds> bounds;                 // of the answers below; null: none
    int32_t subtree = -1;                                 // number of the branch that goes on from here
    // set when the node is split
    SplitKind kind = SplitKind::leaf;
    int32_t feature = -1;
    double threshold = 0.0;
    double below = 0.0, above = 0.0;  // the values of the node next to the threshold
    double gain = 0.0;
    int64_t n_missing = 0;
    int32_t first_child = -1, n_children = 0, missing_child = -1;
    std::vector<std::pair<int32_t, int32_t>> categories;  // category number, child
    std::shared_ptr<const std::vector<Surrogate>> surrogates;
};

// Nodes in blocks, so that they never move: half a million take some 120 MB.
class NodeBlocks {
  public:
    Node& operator[](size_t i) { return blocks_[i / kBlock][i % kBlock]; }
    const Node& operator[](size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
    Node& add() {
        if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<Node[]>(kBlock));
        return (*this)[size_++];
    }
    size_t size() const { return size_; }

  private:
    static constexpr size_t kBlock = 64;
    std::vector<std::unique_ptr<Node[]>> blocks_;
    size_t size_ = 0;
};

struct Branch {
    explicit Branch(int32_t w) : width(static_cast<size_t>(w)) {}

    int32_t add_node(Segment segment, int64_t depth, uint64_t key) {
        Node& node = nodes.add();
        node.segment = segment;
        node.depth = depth;
        node.key = key;
        stats.resize(stats.size() + width, 0);
        return static_cast<int32_t>(nodes.size()) - 1;
    }
    int64_t* stat(int32_t id) { return stats.data() + static_cast<size_t>(id) * width; }

    // Begins with a copy of a node of another branch.
    void adopt(Branch& from, int32_t id) {
        nodes.add() = from.nodes[static_cast<size_t>(id)];
        nodes[0].subtree = -1;
        stats.assign(from.stat(id), from.stat(id) + width);
    }
    void clear() {
        nodes = NodeBlocks();
        stats = {};
    }

    size_t width;
    NodeBlocks nodes;
    std::vector<int64_t> stats;
};

}  // namespace bough

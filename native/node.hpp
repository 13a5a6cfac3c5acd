// Nodes while a tree grows: plain records in the order of their making, in branches that threads own alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "huge_pages.hpp"
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

// Nodes in blocks, so that they never move: half a million take some 120 MB. The blocks stand in slabs, each
// as large as all before up to two pages of 2 MB: by pages of 4 KB, 200,000 nodes were 12,000 calls of the
// system.
//     slabs:   | 64 nodes | 64 | 64 64 | 64 64 64 64 | …
class NodeBlocks {
  public:
    NodeBlocks() = default;
    NodeBlocks(const NodeBlocks&) = delete;
    NodeBlocks& operator=(const NodeBlocks&) = delete;
    ~NodeBlocks() { clear(); }

    Node& operator[](size_t i) { return *std::launder(reinterpret_cast<Node*>(place(i))); }
    const Node& operator[](size_t i) const { return *std::launder(reinterpret_cast<const Node*>(place(i))); }
    Node& add() {
        if (size_ == kBlock * blocks_.size()) add_slab();
        Node* const node = new (place(size_)) Node;
        ++size_;
        return *node;
    }
    size_t size() const { return size_; }
    void clear() {
        for (size_t i = 0; i < size_; ++i) (*this)[i].~Node();
        size_ = 0;
        blocks_ = {};
        slabs_ = {};
    }

  private:
    struct alignas(Node) Room {
        std::byte bytes[sizeof(Node)];
    };
    static constexpr size_t kBlock = 64, kMostBlocks = (size_t{4} << 20) / (kBlock * sizeof(Node));

    Room* place(size_t i) const { return blocks_[i / kBlock] + i % kBlock; }
    void add_slab() {
        const size_t blocks = std::clamp(blocks_.size(), size_t{1}, kMostBlocks);
        Room* const first = slabs_.emplace_back(blocks * kBlock).data();
        for (size_t b = 0; b < blocks; ++b) blocks_.push_back(first + b * kBlock);
    }

    std::vector<UnclearedVector<Room>> slabs_;
    std::vector<Room*> blocks_;
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
        nodes.clear();
        stats = {};
    }

    size_t width;
    NodeBlocks nodes;
    HugeVector<int64_t> stats;
};

}  // namespace bough

// The nodes of a lean tree while it grows, and the arrays that they become.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "packed_tree.hpp"
#include "target.hpp"
#include "tree.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

struct Node {
    int64_t rows = 0, weight = 0;
    double loss = 0.0, step = 1.0, mean = 0.0;
    int32_t feature = -1, first_child = -1;  // none: a leaf
    double threshold = 0.0, below = 0.0, above = 0.0, gain = 0.0;
    int64_t missing = 0;  // rows without a value of the feature
    bool missing_left = false;
    uint32_t n_categories = 0;  // in the list, from there; none: a cut
    size_t first_category = 0;
};

struct Nodes {
    explicit Nodes(int32_t w) : width(static_cast<size_t>(w)) {}

    int32_t add(int64_t rows, const int64_t* stat) {
        nodes.emplace_back().rows = rows;
        stats.insert(stats.end(), stat, stat + width);
        return static_cast<int32_t>(nodes.size()) - 1;
    }
    Node& operator[](int32_t id) { return nodes[static_cast<size_t>(id)]; }
    int64_t* stat(int32_t id) { return stats.data() + static_cast<size_t>(id) * width; }

    size_t width;
    GrowthArray<Node> nodes;
    GrowthArray<int64_t> stats;
    std::vector<uint32_t> categories;  // as random_subset.hpp tells them
};

// Breadth-first, as flatten.hpp does it for any tree.
inline GrownTree flatten(const Nodes& grown, const Target& target, double loss_unit) {
    const size_t n = grown.nodes.size();
    GrowthArray<int32_t> order{0};
    order.reserve(n);
    GrownTree tree;
    tree.value_width = target.regression() ? 1 : target.n_classes;
    const auto width = static_cast<size_t>(tree.value_width);
    tree.feature.resize(n);
    tree.kind.resize(n);
    tree.threshold.resize(n);
    tree.below.resize(n);
    tree.above.resize(n);
    tree.first_child.resize(n);
    tree.n_children.resize(n);
    tree.missing_child.resize(n);
    tree.n_rows.resize(n);
    tree.n_missing.resize(n);
    tree.weight.resize(n);
    tree.impurity.resize(n);
    tree.gain.resize(n);
    tree.value.resize(n * width);
    tree.category_start.resize(n + 1);
    tree.category.reserve(grown.categories.size());
    tree.category_child.reserve(grown.categories.size());
    for (size_t i = 0; i < n; ++i) {
        const auto id = static_cast<size_t>(order[i]);
        const Node& node = grown.nodes[id];
        const bool splits = node.first_child >= 0;
        const double weight = static_cast<double>(node.weight) * target.weight_unit;
        tree.feature[i] = node.feature;
        tree.kind[i] = static_cast<uint8_t>(!splits             ? SplitKind::leaf
                                            : node.n_categories ? SplitKind::subset
                                                                : SplitKind::threshold);
        tree.threshold[i] = node.threshold;
        tree.below[i] = node.below;
        tree.above[i] = node.above;
        tree.first_child[i] = splits ? static_cast<int64_t>(order.size()) : -1;
        tree.n_children[i] = splits ? 2 : 0;
        tree.missing_child[i] = -1;
        tree.n_rows[i] = node.rows;
        tree.n_missing[i] = node.missing;
        tree.weight[i] = weight;
        tree.impurity[i] = node.loss * loss_unit / weight * node.step * node.step;
        if (splits) {
            const auto left = static_cast<size_t>(node.first_child);
            tree.gain[i] = node.gain * loss_unit / weight * node.step * node.step;
            tree.missing_child[i] =
                node.missing ? !node.missing_left : grown.nodes[left + 1].weight > grown.nodes[left].weight;
            order.push_back(node.first_child);
            order.push_back(node.first_child + 1);
        }
        for (uint32_t c = 0; c < node.n_categories; ++c) {
            const uint32_t category = grown.categories[node.first_category + c];
            tree.category.push_back(static_cast<int32_t>(category / 2) - 1);
            tree.category_child.push_back(static_cast<int32_t>(category % 2));
        }
        tree.category_start[i + 1] = static_cast<int64_t>(tree.category.size());
        if (target.regression()) {
            tree.value[i] = node.mean;
        } else {
            for (size_t k = 0; k < width; ++k)
                tree.value[i * width + k] =
                    static_cast<double>(grown.stats[id * width + k]) * target.weight_unit;
        }
    }
    tree.surrogate_start.resize(n + 1);
    tree.surrogate_category_start.resize(1);
    return tree;
}

// Whether packed_tree.hpp holds all of it.
inline bool packs(const Nodes& grown) {
    return grown.categories.empty() && std::none_of(grown.nodes.begin(), grown.nodes.end(),
                                                    [](const Node& node) { return node.missing > 0; });
}

// The same without what follows from the rest. Targets count whole weights below 2^31, see target.hpp.
inline PackedTree pack(const Nodes& grown, const Target& target, double loss_unit) {
    const size_t n = grown.nodes.size();
    const bool numbers = target.regression();
    GrowthArray<int32_t> order{0};
    order.reserve(n);
    PackedTree tree;
    tree.resize(n, numbers ? 0 : static_cast<uint32_t>(target.n_classes),
                static_cast<size_t>(std::count_if(grown.nodes.begin(), grown.nodes.end(),
                                                  [](const Node& node) { return node.loss != 0.0; })));
    auto count = [&, to = tree.counts.data()](size_t id) mutable {
        const Node& node = grown.nodes[id];
        *to++ = static_cast<uint32_t>(node.rows);
        if (numbers) *to++ = static_cast<uint32_t>(node.weight);
        const int64_t* const stat = grown.stats.data() + id * grown.width;
        for (uint32_t c = 0; c < tree.n_classes; ++c) *to++ = static_cast<uint32_t>(stat[c]);
    };
    count(0);
    for (size_t i = 0, asked = 0, mixed = 0; i < n; ++i) {
        const Node& node = grown.nodes[static_cast<size_t>(order[i])];
        const auto weight = static_cast<double>(node.weight);
        if (numbers) tree.mean[i] = node.mean;
        if (node.loss != 0.0) {
            put(tree.mixed, i);
            tree.impurity[mixed++] = node.loss * loss_unit / weight * node.step * node.step;
        }
        if (node.first_child < 0) continue;
        put(tree.asks, i);
        tree.feature[asked] = node.feature;
        tree.threshold[asked] = node.threshold;
        tree.gain[asked++] = node.gain * loss_unit / weight * node.step * node.step;
        order.push_back(node.first_child);
        order.push_back(node.first_child + 1);
        count(static_cast<size_t>(node.first_child));
    }
    return tree;
}

}  // namespace bough::lean

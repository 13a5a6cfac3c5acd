// Branches of nodes become one tree in parallel arrays, numbered breadth-first.
#pragma once
#include <deque>
#include <vector>

#include "node.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bough {

inline void add_surrogates(GrownTree& tree, const Node& node) {
    if (node.surrogates) {
        for (const Surrogate& s : *node.surrogates) {
            tree.surrogate_feature.push_back(s.feature);
            tree.surrogate_kind.push_back(static_cast<uint8_t>(s.kind));
            tree.surrogate_threshold.push_back(s.threshold);
            tree.surrogate_first.push_back(s.first);
            tree.surrogate_agree.push_back(s.agree);
            tree.surrogate_adjusted.push_back(s.adjusted);
            for (const auto& [category, child] : s.categories) {
                tree.surrogate_category.push_back(category);
                tree.surrogate_category_child.push_back(child);
            }
            tree.surrogate_category_start.push_back(static_cast<int64_t>(tree.surrogate_category.size()));
        }
    }
    tree.surrogate_start.push_back(static_cast<int64_t>(tree.surrogate_feature.size()));
}

inline GrownTree flatten(std::deque<Branch>& branches, const Target& target, double loss_unit) {
    struct Place {
        int32_t branch, id;
    };
    size_t most = 0;
    for (const Branch& branch : branches) most += branch.nodes.size();
    std::vector<Place> order{{0, 0}};
    std::vector<int64_t> parent{-1};
    order.reserve(most);
    parent.reserve(most);
    const auto resolve = [&](Place p) {
        const int32_t subtree =
            branches[static_cast<size_t>(p.branch)].nodes[static_cast<size_t>(p.id)].subtree;
        return subtree < 0 ? p : Place{subtree, 0};
    };
    GrownTree tree;
    tree.value_width = target.regression() ? 1 : target.n_classes;
    const auto reserve = [&](auto&... lists) { (lists.reserve(most + 1), ...); };
    reserve(tree.feature, tree.kind, tree.threshold, tree.below, tree.above, tree.first_child,
            tree.n_children, tree.missing_child, tree.n_rows, tree.n_missing, tree.weight, tree.impurity,
            tree.gain, tree.category_start, tree.surrogate_start);
    tree.category_start.push_back(0);
    tree.surrogate_start.push_back(0);
    tree.surrogate_category_start.push_back(0);
    for (size_t i = 0; i < order.size(); ++i) {
        const Place p = order[i] = resolve(order[i]);
        const Node& node = branches[static_cast<size_t>(p.branch)].nodes[static_cast<size_t>(p.id)];
        const double weight = node.weight * target.weight_unit;
        tree.feature.push_back(node.feature);
        tree.kind.push_back(static_cast<uint8_t>(node.kind));
        tree.threshold.push_back(node.threshold);
        tree.below.push_back(node.below);
        tree.above.push_back(node.above);
        tree.first_child.push_back(node.n_children ? static_cast<int64_t>(order.size()) : -1);
        tree.n_children.push_back(node.n_children);
        tree.missing_child.push_back(node.missing_child);
        tree.n_rows.push_back(node.segment.size());
        tree.n_missing.push_back(node.n_missing);
        tree.weight.push_back(weight);
        tree.impurity.push_back(weight > 0 ? node.loss * loss_unit / weight * node.step * node.step : 0.0);
        tree.gain.push_back(
            weight > 0 && node.n_children ? node.gain * loss_unit / weight * node.step * node.step : 0.0);
        for (const auto& [category, child] : node.categories) {
            tree.category.push_back(category);
            tree.category_child.push_back(child);
        }
        tree.category_start.push_back(static_cast<int64_t>(tree.category.size()));
        add_surrogates(tree, node);
        for (int32_t c = 0; c < node.n_children; ++c) {
            order.push_back({p.branch, node.first_child + c});
            parent.push_back(static_cast<int64_t>(i));
        }
    }
    const auto width = static_cast<size_t>(tree.value_width);
    tree.value.resize(order.size() * width);
    for (size_t i = 0; i < order.size(); ++i) {
        Branch& branch = branches[static_cast<size_t>(order[i].branch)];
        if (target.regression()) {
            // A branch without rows answers as its parent does; parents come first.
            tree.value[i] = tree.n_rows[i] > 0 ? branch.nodes[static_cast<size_t>(order[i].id)].mean
                                               : tree.value[static_cast<size_t>(parent[i])];
            continue;
        }
        for (size_t k = 0; k < width; ++k)
            tree.value[i * width + k] = static_cast<double>(branch.stat(order[i].id)[k]) * target.weight_unit;
    }
    return tree;
}

}  // namespace bough

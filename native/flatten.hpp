// Branches of nodes become one tree in parallel arrays, numbered breadth-first.
#pragma once
#include <deque>
#include <span>
#include <vector>

#include "node.hpp"
#include "parallel.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bough {

inline GrownTree flatten(std::deque<Branch>& branches, const Target& target, std::span<const uint32_t> rows,
                         double loss_unit, int threads) {
    struct Place {
        int32_t branch, id;
    };
    std::vector<Place> order{{0, 0}};
    std::vector<int64_t> parent{-1};
    const auto resolve = [&](Place p) {
        const int32_t subtree =
            branches[static_cast<size_t>(p.branch)].nodes[static_cast<size_t>(p.id)].subtree;
        return subtree < 0 ? p : Place{subtree, 0};
    };
    GrownTree tree;
    tree.value_width = target.regression() ? 1 : target.n_classes;
    tree.category_start.push_back(0);
    for (size_t i = 0; i < order.size(); ++i) {
        const Place p = order[i] = resolve(order[i]);
        const Node& node = branches[static_cast<size_t>(p.branch)].nodes[static_cast<size_t>(p.id)];
        const double weight = node.weight * target.weight_unit;
        tree.feature.push_back(node.feature);
        tree.kind.push_back(static_cast<uint8_t>(node.kind));
        tree.threshold.push_back(node.threshold);
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
        for (int32_t c = 0; c < node.n_children; ++c) {
            order.push_back({p.branch, node.first_child + c});
            parent.push_back(static_cast<int64_t>(i));
        }
    }
    const auto width = static_cast<size_t>(tree.value_width);
    tree.value.resize(order.size() * width);
    parallel_for(static_cast<int64_t>((order.size() + 255) / 256), threads, [&](int64_t block, int) {
        const size_t end = std::min(order.size(), static_cast<size_t>(block + 1) * 256);
        for (size_t i = static_cast<size_t>(block) * 256; i < end; ++i) {
            Branch& branch = branches[static_cast<size_t>(order[i].branch)];
            const Segment s = branch.nodes[static_cast<size_t>(order[i].id)].segment;
            if (target.regression()) {
                if (s.size() > 0)
                    tree.value[i] = exact_mean(
                        target, rows.subspan(static_cast<size_t>(s.begin), static_cast<size_t>(s.size())));
                continue;
            }
            for (size_t k = 0; k < width; ++k)
                tree.value[i * width + k] =
                    static_cast<double>(branch.stat(order[i].id)[k]) * target.weight_unit;
        }
    });
    // A branch without rows answers as its parent does; parents come first.
    for (size_t i = 0; i < order.size(); ++i)
        if (target.regression() && tree.n_rows[i] == 0)
            tree.value[i] = tree.value[static_cast<size_t>(parent[i])];
    return tree;
}

}  // namespace bough

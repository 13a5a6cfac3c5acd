// Branches of nodes become one tree in parallel arrays, numbered breadth-first.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "node.hpp"
#include "parallel.hpp"
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

// The steps of it. Only the numbering follows the tree from node to node; all else is shared out by node.
class Flattening {
  public:
    Flattening(std::deque<Branch>& branches, const Target& target, double loss_unit, int threads)
        : target_(target), loss_unit_(loss_unit), threads_(threads) {
        for (Branch& branch : branches) branches_.push_back(&branch);
    }

    GrownTree tree() {
        tree_.value_width = target_.regression() ? 1 : target_.n_classes;
        size_t most = 0;
        for (const Branch* const branch : branches_) most += branch->nodes.size();
        if (most < kMany) threads_ = 1;
        if (most >= kMany && !BlockFiller::current) {
            BlockFiller blocks;
            const BlockFiller::Scope here(blocks);
            make_room(most, &blocks);
        } else {
            make_room(most, nullptr);
        }
        const auto n = static_cast<int64_t>(order_.size());
        parallel_for((n + kBlock - 1) / kBlock, threads_, [&](int64_t block, int) {
            const int64_t end = std::min(n, (block + 1) * kBlock);
            for (int64_t i = block * kBlock; i < end; ++i) fill(static_cast<size_t>(i));
        });
        if (any_empty_) answer_as_parents();
        if (any_lists_) add_lists();
        // Nodes are many small pieces of memory; those of one branch are left to its destructor.
        if (threads_ > 1)
            parallel_for(static_cast<int64_t>(branches_.size()), threads_,
                         [&](int64_t b, int) { branches_[static_cast<size_t>(b)]->clear(); });
        return std::move(tree_);
    }

  private:
    static constexpr size_t kMany = 8192;
    static constexpr int64_t kBlock = 1024;
    struct Place {
        int32_t branch, id;
    };

    const Node& node_at(Place p) const {
        return branches_[static_cast<size_t>(p.branch)]->nodes[static_cast<size_t>(p.id)];
    }

    // Breadth-first: the children of a node come after all that wait already.
    void number(size_t most) {
        order_.reserve(most);
        tree_.first_child.reserve(most);
        order_.push_back({0, 0});
        for (size_t i = 0; i < order_.size(); ++i) {
            Place p = order_[i];
            if (const int32_t subtree = node_at(p).subtree; subtree >= 0) p = order_[i] = {subtree, 0};
            const Node& node = node_at(p);
            tree_.first_child.push_back(node.n_children ? static_cast<int64_t>(order_.size()) : -1);
            for (int32_t c = 0; c < node.n_children; ++c) order_.push_back({p.branch, node.first_child + c});
            any_empty_ |= node.segment.size() == 0;
            any_lists_ |= !node.categories.empty() || node.surrogates;
        }
        any_empty_ &= target_.regression();
    }

    // Fresh memory is touched by all threads; the blocks that it may be in are the calling one's.
    void make_room(size_t most, BlockFiller* blocks) {
        const auto size_of = [&](const auto& list) {
            const bool values = static_cast<const void*>(&list) == &tree_.value;
            return values ? most * static_cast<size_t>(tree_.value_width) : most + 1;
        };
        const auto reserve = [&](auto&... lists) {
            const size_t bytes[] = {
                std::decay_t<decltype(lists)>::allocator_type::bytes_of(size_of(lists))...};
            size_t next = 0;
            const auto one = [&](auto& list) {
                if (blocks) blocks->expect(std::span(bytes).subspan(next++), Lasts::with_tree);
                list.reserve(size_of(list));
            };
            (one(lists), ...);
        };
        const auto resize = [&](auto&... lists) {
            const size_t n = order_.size();
            const std::function<void()> each[] = {[&lists, n] { lists.resize(n); }...};
            parallel_for(sizeof...(lists), threads_, [&](int64_t i, int) { each[i](); });
        };
        reserve(tree_.first_child, tree_.feature, tree_.kind, tree_.threshold, tree_.n_children,
                tree_.missing_child, tree_.n_rows, tree_.n_missing, tree_.weight, tree_.impurity, tree_.gain,
                tree_.category_start, tree_.surrogate_start, tree_.value);
        number(most);
        resize(tree_.feature, tree_.kind, tree_.threshold, tree_.n_children, tree_.missing_child,
               tree_.n_rows, tree_.n_missing, tree_.weight, tree_.impurity, tree_.gain, tree_.category_start,
               tree_.surrogate_start);
        tree_.category_start.push_back(0);
        tree_.surrogate_start.push_back(0);
        tree_.surrogate_category_start.push_back(0);
        tree_.value.resize(order_.size() * static_cast<size_t>(tree_.value_width));
        reserve(tree_.below, tree_.above);  // these two go soon
        resize(tree_.below, tree_.above);
    }

    void fill(size_t i) {
        const Node& node = node_at(order_[i]);
        const double weight = node.weight * target_.weight_unit;
        tree_.feature[i] = node.feature;
        tree_.kind[i] = static_cast<uint8_t>(node.kind);
        tree_.threshold[i] = node.threshold;
        tree_.below[i] = node.below;
        tree_.above[i] = node.above;
        tree_.n_children[i] = node.n_children;
        tree_.missing_child[i] = node.missing_child;
        tree_.n_rows[i] = node.segment.size();
        tree_.n_missing[i] = node.n_missing;
        tree_.weight[i] = weight;
        if (weight > 0) tree_.impurity[i] = node.loss * loss_unit_ / weight * node.step * node.step;
        if (weight > 0 && node.n_children)
            tree_.gain[i] = node.gain * loss_unit_ / weight * node.step * node.step;
        if (target_.regression()) {
            tree_.value[i] = node.mean;
            return;
        }
        const int64_t* const stat = branches_[static_cast<size_t>(order_[i].branch)]->stat(order_[i].id);
        const auto width = static_cast<size_t>(tree_.value_width);
        for (size_t k = 0; k < width; ++k)
            tree_.value[i * width + k] = static_cast<double>(stat[k]) * target_.weight_unit;
    }

    // A branch without rows answers as its parent does; parents come first.
    void answer_as_parents() {
        for (size_t i = 0; i < order_.size(); ++i)
            for (int32_t c = 0; c < tree_.n_children[i]; ++c) {
                const auto child = static_cast<size_t>(tree_.first_child[i] + c);
                if (tree_.n_rows[child] == 0) tree_.value[child] = tree_.value[i];
            }
    }

    void add_lists() {
        tree_.surrogate_start.assign(1, 0);
        for (size_t i = 0; i < order_.size(); ++i) {
            const Node& node = node_at(order_[i]);
            for (const auto& [category, child] : node.categories) {
                tree_.category.push_back(category);
                tree_.category_child.push_back(child);
            }
            tree_.category_start[i + 1] = static_cast<int64_t>(tree_.category.size());
            add_surrogates(tree_, node);
        }
    }

    std::vector<Branch*> branches_;
    const Target& target_;
    const double loss_unit_;
    int threads_;
    GrownTree tree_;
    UnclearedVector<Place> order_;
    bool any_empty_ = false, any_lists_ = false;
};

// Uses the branches up.
inline GrownTree flatten(std::deque<Branch>& branches, const Target& target, double loss_unit, int threads) {
    return Flattening(branches, target, loss_unit, threads).tree();
}

}  // namespace bough

// The nodes that wait to be split while several threads grow one tree: whoever is free takes the largest.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "node.hpp"
#include "plot.hpp"

namespace bough {

struct OpenNode {
    Branch* branch;
    int32_t id;  // in the branch
    std::shared_ptr<Plot> plot;

    int64_t rows() const { return branch->nodes[static_cast<size_t>(id)].segment.size(); }
};

class OpenNodes {
  public:
    void add(OpenNode&& node) {
        const std::lock_guard lock(mutex_);
        rows_ += node.rows();
        heap_.push_back(std::move(node));
        std::push_heap(heap_.begin(), heap_.end(), fewer_rows);
    }

    // The largest. None: there is none, or a thread that found none has left, and all are to come back.
    std::optional<OpenNode> take() {
        const std::lock_guard lock(mutex_);
        called_back_ |= heap_.empty();
        if (called_back_) return std::nullopt;
        std::pop_heap(heap_.begin(), heap_.end(), fewer_rows);
        OpenNode node = std::move(heap_.back());
        heap_.pop_back();
        rows_ -= node.rows();
        return node;
    }

    // Calls all threads back.
    void call_back() {
        const std::lock_guard lock(mutex_);
        called_back_ = true;
    }

    // The rest is for one thread at a time.
    void begin_pass() { called_back_ = false; }
    bool empty() const { return heap_.empty(); }
    int64_t largest() const { return heap_.front().rows(); }
    // Whether so many threads find enough to do: while one splits the largest node, the others grow the rest,
    // and what is below a node takes some times as long as its split.
    bool enough_for(int threads) const {
        constexpr int64_t kBelow = 8;
        return heap_.size() >= static_cast<size_t>(threads) &&
               (rows_ - largest()) * kBelow >= largest() * (threads - 1);
    }

  private:
    static bool fewer_rows(const OpenNode& a, const OpenNode& b) { return a.rows() < b.rows(); }

    std::mutex mutex_;
    std::vector<OpenNode> heap_;
    int64_t rows_ = 0;  // of all
    bool called_back_ = false;
};

}  // namespace bough

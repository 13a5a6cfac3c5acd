// Memory for the arrays of finished trees, and for those that a tree needs while it grows. Forests and large
// trees put them into blocks of 2 MB pages: each fresh page of 4 KB would be a call of the system, a thousand
// and more for a tree of 30,000 nodes.
//     block:   | head | array | head | array | …        head: the block, which goes when its last array does
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "huge_pages.hpp"

namespace bough {

// Arrays stand one after the other; it counts them, and its filler.
class TreeBlock {
  public:
    static constexpr size_t kFirst = size_t{4} << 20;  // bytes

    static TreeBlock* make(size_t bytes) { return new TreeBlock(bytes); }
    // None: it is full. Called by its filler; without arrays it is filled from the beginning again.
    void* take(size_t bytes) {
        if (held_.load(std::memory_order_acquire) == 1) used_ = 0;
        if (bytes > memory_.size() - used_) return nullptr;
        held_.fetch_add(1, std::memory_order_relaxed);
        void* const at = memory_.data() + used_;
        used_ += bytes;
        return at;
    }
    size_t left() const { return memory_.size() - used_; }
    void let_go() {
        if (held_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

  private:
    explicit TreeBlock(size_t bytes) { memory_.resize(bytes); }

    UnclearedVector<std::byte> memory_;
    size_t used_ = 0;
    std::atomic<size_t> held_{1};
};

// What lasts as long as its tree, and what only while it grows.
enum class Lasts : uint8_t { with_tree, while_growing };

// Bytes of the largest block. A tree that is kept alone keeps its block. What is needed while one tree grows
// mostly fits into one, which is filled again by the next tree: then no memory is fresh.
constexpr size_t largest_block(Lasts lasts) { return size_t{lasts == Lasts::with_tree ? 16u : 64u} << 20; }

// The blocks that a thread fills; begins another one, twice as large, when one is full.
class BlockFiller {
  public:
    BlockFiller() = default;
    BlockFiller(const BlockFiller&) = delete;
    BlockFiller& operator=(const BlockFiller&) = delete;
    ~BlockFiller() {
        for (TreeBlock* const block : blocks_)
            if (block) block->let_go();
    }

    // None: the system has no block to give.
    void* take(size_t bytes, Lasts lasts, TreeBlock*& of) {
        TreeBlock*& block = blocks_[static_cast<size_t>(lasts)];
        size_t& next = next_[static_cast<size_t>(lasts)];
        void* at = block ? block->take(bytes) : nullptr;
        if (!at) {
            TreeBlock* fresh = nullptr;
            try {
                fresh = TreeBlock::make(std::max(next, bytes));
            } catch (const std::bad_alloc&) {
                return nullptr;
            }
            next = std::min(2 * next, largest_block(lasts));
            if (block) block->let_go();
            block = fresh;
            at = block->take(bytes);
        }
        of = block;
        return at;
    }

    // Arrays of so many bytes are to come, the first one now. If there is no room for it, a block begins that
    // suits those that go into one.
    void expect(std::span<const size_t> bytes, Lasts lasts) {
        if (bytes[0] == 0 || has_room(bytes[0], lasts)) return;
        size_t all = bytes[0];
        for (size_t i = 1; i < bytes.size() && all + bytes[i] <= largest_block(lasts); ++i) all += bytes[i];
        TreeBlock*& block = blocks_[static_cast<size_t>(lasts)];
        if (block) block->let_go();
        block = nullptr;
        block = TreeBlock::make(std::max(all, TreeBlock::kFirst));
    }
    bool has_room(size_t bytes, Lasts lasts) const {
        const TreeBlock* const block = blocks_[static_cast<size_t>(lasts)];
        return block && bytes <= block->left();
    }

    // Arrays that this thread makes are in blocks, until the end of the scope.
    class Scope {
      public:
        explicit Scope(BlockFiller& filler) : before_(current) { current = &filler; }
        ~Scope() { current = before_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        BlockFiller* before_;
    };
    static inline thread_local BlockFiller* current = nullptr;

  private:
    std::array<TreeBlock*, 2> blocks_{};
    std::array<size_t, 2> next_{TreeBlock::kFirst, TreeBlock::kFirst};  // bytes of the next ones
};

template <class T, Lasts lasts>
struct TreeMemory {
    using value_type = T;
    TreeMemory() = default;
    template <class U>
    TreeMemory(const TreeMemory<U, lasts>&) {}
    template <class U>
    struct rebind {
        using other = TreeMemory<U, lasts>;
    };

    T* allocate(size_t n) {
        if (n > (static_cast<size_t>(-1) - kHead) / sizeof(T) - kHead) throw std::bad_alloc();
        const size_t bytes = (n * sizeof(T) + 2 * kHead - 1) / kHead * kHead;
        if (n * sizeof(T) < kLarge) return static_cast<T*>(::operator new(n * sizeof(T)));
        TreeBlock* block = nullptr;
        BlockFiller* filler = BlockFiller::current;
        if (filler && bytes > kMost && (kGuarded || !filler->has_room(bytes, lasts))) filler = nullptr;
        void* at = filler ? filler->take(bytes, lasts, block) : nullptr;
        if (!at) at = ::operator new(bytes);
        *static_cast<TreeBlock**>(at) = block;
        return reinterpret_cast<T*>(static_cast<std::byte*>(at) + kHead);
    }
    void deallocate(T* p, size_t n) {
        if (n * sizeof(T) < kLarge) return ::operator delete(p);
        void* const at = reinterpret_cast<std::byte*>(p) - kHead;
        TreeBlock* const block = *static_cast<TreeBlock**>(at);
        if (block) return block->let_go();
        ::operator delete(at);
    }
    bool operator==(const TreeMemory&) const = default;

    // Of an array of n in a block, at most.
    static constexpr size_t bytes_of(size_t n) { return n * sizeof(T) + 2 * kHead; }

  private:
    static constexpr size_t kHead = 64, kLarge = size_t{16} << 10;
    // Of one array: one that grows leaves its smaller ones behind until the block is empty.
    static constexpr size_t kMost = kGuarded ? 0 : size_t{8} << 20;
};

template <class T>
using TreeArray = std::vector<T, TreeMemory<T, Lasts::with_tree>>;
template <class T>
using GrowthArray = std::vector<T, TreeMemory<T, Lasts::while_growing>>;

}  // namespace bough

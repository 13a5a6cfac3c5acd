// Memory for the large arrays: asks the system for 2 MB pages, which random access needs fewer look-ups for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "kept_pages.hpp"

namespace bough {

// A sanitizer sees the ends of an array only where the C library has made it.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kGuarded = true;
#else
inline constexpr bool kGuarded = false;
#endif

template <class T>
struct HugePages {
    using value_type = T;
    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U>&) {}

    T* allocate(size_t n) {
        if (n > static_cast<size_t>(-1) / sizeof(T) - 2 * kPage) throw std::bad_alloc();
        return static_cast<T*>(is_large(n) ? map(n * sizeof(T)) : ::operator new(n * sizeof(T), kLine));
    }
    void deallocate(T* p, size_t n) {
        if (!is_large(n)) return ::operator delete(p, kLine);
#ifdef __linux__
        if (!kGuarded) {
            const size_t size = rounded(n * sizeof(T));
            if (KeptPages* const pages = KeptPages::current) return pages->keep(p, size);
            munmap(p, size);
            return;
        }
#endif
        std::free(p);
    }
    // The first so many items of an array of n are not asked for any more: where pages are kept, it gives
    // those up that have no others.
    static void give_front(T* p, size_t n, size_t done) {
        KeptPages* const pages = KeptPages::current;
        if (pages && !kGuarded && is_large(n))
            pages->keep_front(p, rounded(n * sizeof(T)), done * sizeof(T) / kPage * kPage);
    }
    bool operator==(const HugePages&) const = default;

  private:
    static constexpr size_t kPage = kLargePage, kLarge = 2 * kPage - kPage / 4;
    static constexpr std::align_val_t kLine{64};  // of the cache

    static bool is_large(size_t n) { return n * sizeof(T) >= kLarge; }
    static size_t rounded(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

    // Pages of its own, which go back to the system when it goes: the C library's heap was left with holes
    // between arrays that begin at a large page, and twelve fits in turn took three times the memory of one.
    static void* map(size_t bytes) {
#ifdef __linux__
        if (!kGuarded) {
            const size_t size = rounded(bytes);
            if (KeptPages* const pages = KeptPages::current)
                if (void* const kept = pages->take(size)) return advised(kept, bytes);
            // Newer systems begin at a large page by themselves, and arrays stand without gaps.
            void* p = fresh(size);
            if (reinterpret_cast<uintptr_t>(p) % kPage == 0) return advised(p, bytes);
            munmap(p, size);
            p = fresh(size + kPage);
            auto* const at = static_cast<std::byte*>(p);
            const size_t before = (kPage - reinterpret_cast<uintptr_t>(p) % kPage) % kPage;
            if (before > 0) munmap(at, before);
            munmap(at + before + size, kPage - before);
            return advised(at + before, bytes);
        }
#endif
        void* const p = std::aligned_alloc(kPage, rounded(bytes));
        if (!p) throw std::bad_alloc();
        return p;
    }
#ifdef __linux__
    // If the system has no more, it gets the pages back that were kept in pieces too small.
    static void* fresh(size_t size) {
        const auto ask = [&] {
            return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        };
        void* p = ask();
        if (p == MAP_FAILED && KeptPages::current) {
            KeptPages::current->keep_at_most(0);
            p = ask();
        }
        if (p == MAP_FAILED) throw std::bad_alloc();
        return p;
    }
    // Advice only: nothing depends on its success. An end that fills less than three quarters of a large page
    // takes small ones.
    static void* advised(void* at, size_t bytes) {
        madvise(at, (bytes + kPage / 4) / kPage * kPage, MADV_HUGEPAGE);
        return at;
    }
#endif
};

// The same for arrays whose numbers are all written before they are read: resize() leaves them as they are,
// so that fresh memory is touched once, by the thread that writes it.
template <class T>
struct Uncleared : HugePages<T> {
    Uncleared() = default;
    template <class U>
    Uncleared(const Uncleared<U>&) {}
    template <class U, class... Values>
    void construct(U* at, Values&&... values) {
        if constexpr (sizeof...(Values) == 0) {
            ::new (static_cast<void*>(at)) U;
        } else {
            ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
        }
    }
};

template <class T>
using UnclearedVector = std::vector<T, Uncleared<T>>;
template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace bough

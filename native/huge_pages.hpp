// Memory for the large arrays: asks the system for 2 MB pages, which random access needs fewer look-ups for.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

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
        if (n > static_cast<size_t>(-1) / sizeof(T) - kPage) throw std::bad_alloc();
        const size_t bytes = n * sizeof(T);
        if (bytes < kLarge) return static_cast<T*>(::operator new(bytes));
        const size_t rounded = (bytes + kPage - 1) / kPage * kPage;
        void* const p = std::aligned_alloc(kPage, rounded);
        if (!p) throw std::bad_alloc();
#ifdef __linux__
        // Advice only: nothing depends on its success. The end that fills no such page takes small ones.
        madvise(p, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(p);
    }
    void deallocate(T* p, size_t n) {
        if (n * sizeof(T) < kLarge) {
            ::operator delete(p);
        } else {
            std::free(p);
        }
    }
    bool operator==(const HugePages&) const = default;

  private:
    static constexpr size_t kPage = size_t{2} << 20, kLarge = size_t{4} << 20;
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

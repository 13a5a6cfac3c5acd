// Memory for the large arrays: asks the system for 2 MB pages, which random access needs fewer look-ups for.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bough {

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
        madvise(p, rounded, MADV_HUGEPAGE);  // advice only: nothing depends on its success
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

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace bough

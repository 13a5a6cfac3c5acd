// Memory for large arrays that live long: each has pages of its own, and gives them back when it goes. The C
// library's heap may stand on 2 MB pages (NumPy asks for them), of which every hole costs a whole one.
#pragma once
#include <cstddef>
#include <new>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "huge_pages.hpp"

namespace bough {

// Numbers are all written before they are read: resize() leaves them as they are.
template <class T>
struct Mapped : Uncleared<T> {
    Mapped() = default;
    template <class U>
    Mapped(const Mapped<U>&) {}

    T* allocate(size_t n) {
#ifdef __linux__
        if (is_own(n)) {
            void* const p =
                mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (p == MAP_FAILED) throw std::bad_alloc();
            return static_cast<T*>(p);
        }
#endif
        return Uncleared<T>::allocate(n);
    }
    void deallocate(T* p, size_t n) {
#ifdef __linux__
        if (is_own(n)) {
            munmap(p, n * sizeof(T));
            return;
        }
#endif
        Uncleared<T>::deallocate(p, n);
    }

  private:
    // From 4 MB on 2 MB pages pay.
    static bool is_own(size_t n) {
        return !kGuarded && n >= (size_t{1} << 16) / sizeof(T) && n < (size_t{1} << 22) / sizeof(T);
    }
};

template <class T>
using MappedVector = std::vector<T, Mapped<T>>;

}  // namespace bough

// Memory that is no longer needed goes back to the system while its owner still has it, or after it was
// freed.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace bough {

// The bytes [from, end) at this place, where those before `from` went back already: whole pages of them.
// Nobody reads them before somebody writes them.
inline void give_back(void* begin, size_t from, size_t end) {
#ifdef __linux__
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), at = reinterpret_cast<uintptr_t>(begin);
    const uintptr_t first = (at + from) / page * page, last = (at + end) / page * page;
    const uintptr_t whole = (std::max(first, at) + page - 1) / page * page;
    if (whole < last) madvise(reinterpret_cast<void*>(whole), last - whole, MADV_DONTNEED);
#else
    (void)begin;
    (void)from;
    (void)end;
#endif
}

// What was freed: the C library keeps it for those who ask next.
inline void give_back_freed() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace bough

// Which instructions beyond the baseline this machine has. BOUGH_SIMD=off leaves them unused, for tests.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace bough {

inline bool simd_allowed() {
    const char* const asked = std::getenv("BOUGH_SIMD");
    return asked == nullptr || std::string_view(asked) != "off";
}

// A kernel is written once with vectors of any width (GCC's vector extension), and compiled once for the
// baseline and once more in a function with the attribute below; has_avx2() says which one to call.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BOUGH_AVX2 __attribute__((target("avx2")))
inline bool has_avx2() {
    static const bool has = simd_allowed() && __builtin_cpu_supports("avx2");
    return has;
}
#else
#define BOUGH_AVX2
inline bool has_avx2() { return false; }
#endif

// Numbers that go through the same steps side by side. (GCC 12 forgets the attribute of a `using` whose size
// depends on a template.)
template <size_t N>
struct Lanes {
    typedef double Reals __attribute__((vector_size(8 * N)));
    typedef int64_t Wholes __attribute__((vector_size(8 * N)));
};

template <class Loop>
BOUGH_AVX2 __attribute__((flatten)) void four_at_once(const Loop& loop) {
    loop(std::integral_constant<size_t, 4>{});
}

// Calls loop(lanes): how many numbers of 8 bytes a vector of this machine has. A number's own steps are the
// same in either, and so are its bits.
template <class Loop>
void in_lanes(const Loop& loop) {
    if (has_avx2()) return four_at_once(loop);
    loop(std::integral_constant<size_t, 2>{});
}

}  // namespace bough

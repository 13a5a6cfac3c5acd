// Which instructions beyond the baseline this machine has. BOUGH_SIMD=off leaves them unused, for tests.
#pragma once
#include <cstdlib>
#include <string_view>

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

}  // namespace bough

// Which instructions beyond the baseline this machine has. For tests BOUGH_SIMD=off leaves them unused, and
// BOUGH_SIMD=avx2 those beyond AVX2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace bough {

inline bool simd_asked(std::string_view level) {
    const char* const asked = std::getenv("BOUGH_SIMD");
    return asked != nullptr && asked == level;
}
inline bool simd_allowed() { return !simd_asked("off"); }

// A kernel is written once with vectors of any width (GCC's vector extension), and compiled once for the
// baseline and once more in a function with the attribute below; has_avx2() says which one to call.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BOUGH_AVX2 __attribute__((target("avx2")))
inline bool has_avx2() {
    static const bool has = simd_allowed() && __builtin_cpu_supports("avx2");
    return has;
}
#define BOUGH_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")))
inline bool has_avx512() {
    static const bool has = has_avx2() && !simd_asked("avx2") && __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512vl");
    return has;
}
// Fused multiplications where std::fma is asked for; nothing else is fused.
#define BOUGH_FMA __attribute__((target("avx2,fma")))
inline bool has_fma() {
    static const bool has = has_avx2() && __builtin_cpu_supports("fma");
    return has;
}
#else
#define BOUGH_AVX2
#define BOUGH_FMA
#define BOUGH_AVX512
inline bool has_avx2() { return false; }
inline bool has_avx512() { return false; }
inline bool has_fma() { return false; }
#endif

// Numbers that go through the same steps side by side. (GCC 12 forgets the attribute of a `using` whose size
// depends on a template.)
template <size_t N>
struct Lanes {
    typedef double Reals __attribute__((vector_size(8 * N)));
    typedef int64_t Wholes __attribute__((vector_size(8 * N)));
    typedef uint64_t Words __attribute__((vector_size(8 * N)));
    typedef int32_t Halves __attribute__((vector_size(4 * N)));
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

template <class Loop>
BOUGH_AVX512 __attribute__((flatten)) void eight_at_once(const Loop& loop) {
    loop(std::integral_constant<size_t, 8>{});
}

// The same with up to eight, for loops that gain by it.
template <class Loop>
void in_most_lanes(const Loop& loop) {
    if (has_avx512()) return eight_at_once(loop);
    in_lanes(loop);
}

}  // namespace bough

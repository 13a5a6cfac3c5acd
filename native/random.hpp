// Random numbers that depend on the seed and a node's place in the tree only, not on threads or order.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace bough {

inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

class NodeRandom {
  public:
    NodeRandom(uint64_t seed, uint64_t node) : state_(mix(seed) ^ node) {}
    // Uniform in [0, n); the bias of n / 2^64 is of no account here.
    uint64_t below(uint64_t n) { return mix(++state_) % n; }
    void shuffle(std::vector<int32_t>& xs) {
        for (size_t i = xs.size(); i > 1; --i) std::swap(xs[i - 1], xs[below(i)]);
    }

  private:
    uint64_t state_;
};

}  // namespace bough

// The values of leaves, each different one once.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bough {

// Finds equal values: full trees of two classes have only two different leaves, which then stay in the cache.
class Terminals {
  public:
    Terminals(size_t most, size_t width, std::vector<double>& values)
        : slots_(std::bit_ceil(2 * most + 1), kFree), width_(width), values_(values) {}

    uint32_t of(const double* value, double weight) {
        const size_t n = values_.size();
        uint64_t hash = 0;
        for (size_t c = 0; c < width_; ++c) {
            values_.push_back(weight * value[c]);
            hash = (hash ^ std::bit_cast<uint64_t>(values_.back())) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        for (size_t s = hash & (slots_.size() - 1);; s = (s + 1) & (slots_.size() - 1)) {
            if (slots_[s] == kFree) return slots_[s] = static_cast<uint32_t>(n / width_);
            if (std::memcmp(&values_[slots_[s] * width_], &values_[n], width_ * sizeof(double)) == 0) {
                values_.resize(n);
                return slots_[s];
            }
        }
    }

  private:
    static constexpr uint32_t kFree = 0xFFFFFFFF;
    std::vector<uint32_t> slots_;
    size_t width_;
    std::vector<double>& values_;
};

}  // namespace bough

// One random subset of the categories of a column in one node: a coin for each category, as in
// candidates/random_cut.hpp. The codes of those that go left become negative, so that the subset is what a
// cut at 0 has on its left.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "random.hpp"

namespace bough::lean {

template <class Value>
class RandomSubset {
  public:
    // Signs the codes, of which NaN are missing; false if there is one category at most: it goes left.
    bool draw(std::span<Value> codes, uint32_t n_categories, uint64_t salt) {
        constexpr Value kSign[2] = {-1, 1};  // no branch: half of them would be guessed wrong
        Value low = 0, high = 0;
        for (Value& v : codes) {
            const auto code = v == v ? static_cast<uint32_t>(static_cast<int32_t>(v)) : 0;
            v *= kSign[mix(salt ^ code) & 1];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (low < 0 && high > 0) return true;
        // All on one side: one of them changes it.
        const std::span<const uint32_t> here = present(codes, n_categories);
        const uint32_t one = here.size() > 1 ? here[mix(salt) % here.size()] / 2 : 0;
        for (Value& v : codes) {
            const Value code = std::fabs(v);
            v = here.size() < 2 ? -code : code == static_cast<Value>(one) ? -v : v;
        }
        return here.size() > 1;
    }

    // The categories that signed codes have, ascending: twice the code, and 1 more where it goes right.
    std::span<const uint32_t> present(std::span<const Value> codes, uint32_t n_categories) {
        found_.clear();
        const size_t words = (size_t{2} * n_categories + 1) / 64 + 1;
        if (words > kFew * codes.size()) {
            for (const Value v : codes)
                if (v == v) found_.push_back(key_of(v));
            std::sort(found_.begin(), found_.end());
            found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
            return found_;
        }
        seen_.assign(words, 0);
        for (const Value v : codes)
            if (v == v) seen_[key_of(v) / 64] |= uint64_t{1} << (key_of(v) % 64);
        for (size_t w = 0; w < words; ++w)
            for (uint64_t set = seen_[w]; set; set &= set - 1)
                found_.push_back(static_cast<uint32_t>(w * 64) +
                                 static_cast<uint32_t>(std::countr_zero(set)));
        return found_;
    }

  private:
    static constexpr size_t kFew = 4;  // words of bits that are looked through as fast as a row is sorted

    static uint32_t key_of(Value v) { return 2 * static_cast<uint32_t>(std::fabs(v)) + (v > 0); }

    std::vector<uint32_t> found_;
    std::vector<uint64_t> seen_;
};

}  // namespace bough::lean

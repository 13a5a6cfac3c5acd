// An order of rows that their content alone decides, so that what is drawn from it does not depend on how the
// table happened to be arranged.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "binning.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace bough {

// Rows by a hash of their values and target; equal rows stay in their order.
inline std::vector<uint32_t> order_by_content(const std::vector<ColumnView>& columns,
                                              std::span<const double> target, int threads) {
    const auto n = static_cast<int64_t>(target.size());
    std::vector<std::pair<uint64_t, uint32_t>> keys(target.size());
    const auto add = [](uint64_t hash, double x) {
        return mix(hash ^ (std::isnan(x) ? ~uint64_t{0} : std::bit_cast<uint64_t>(x + 0.0)));
    };
    constexpr int64_t kBlock = 1024;
    parallel_for((n + kBlock - 1) / kBlock, threads, [&](int64_t block, int) {
        const int64_t end = std::min(n, (block + 1) * kBlock);
        for (int64_t r = block * kBlock; r < end; ++r)
            keys[static_cast<size_t>(r)] = {add(0, target[static_cast<size_t>(r)]), static_cast<uint32_t>(r)};
        for (const ColumnView& column : columns)
            for (int64_t r = block * kBlock; r < end; ++r) {
                uint64_t& hash = keys[static_cast<size_t>(r)].first;
                hash = add(hash, column[r]);
            }
    });
    std::sort(keys.begin(), keys.end());
    std::vector<uint32_t> order;
    order.reserve(keys.size());
    for (const auto& [hash, row] : keys) order.push_back(row);
    return order;
}

}  // namespace bough

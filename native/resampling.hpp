// The permutation test by drawing permutations: how often the target in another order depends on a column as
// much as it does.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "random.hpp"
#include "statistics.hpp"
#include "target.hpp"

namespace bough {

// One of the two: a group for each row, or a number around 0, all in one group.
struct Side {
    std::vector<uint32_t> group;
    std::vector<double> value;
    std::vector<double> size;  // of each group; 1 for numbers

    void add_group(uint32_t g) {
        if (g >= size.size()) size.resize(g + size_t{1}, 0.0);
        size[g] += 1.0;
        group.push_back(g);
        value.push_back(1.0);
    }
    void add_number(double x) {
        size.assign(1, 1.0);
        group.push_back(0);
        value.push_back(x);
    }
    void centre_numbers() {
        const auto [low, high] = std::minmax_element(value.begin(), value.end());
        const double scale = std::max({std::fabs(*low), std::fabs(*high), 1e-300});
        for (double& v : value) v /= scale;  // squares stay in range
        const double mean =
            std::accumulate(value.begin(), value.end(), 0.0) / static_cast<double>(value.size());
        for (double& v : value) v -= mean;
    }
};

class Resampling {
  public:
    // value(row) is NaN where it is missing; categories are whole numbers.
    template <class Value>
    Resampling(const Target& target, bool categories, const Value& value, std::span<const uint32_t> rows) {
        for (const uint32_t row : rows) {
            const double x = value(row);
            if (std::isnan(x)) continue;
            categories ? x_.add_group(static_cast<uint32_t>(x)) : x_.add_number(x);
            target.regression() ? y_.add_number(target.value[row]) : y_.add_group(target.label[row]);
        }
        if (!categories) x_.centre_numbers();
        if (target.regression()) y_.centre_numbers();
    }

    // The order as it is counts as one of those drawn, so that no p-value is 0.
    template <class Poll>
    double log_p(int64_t times, NodeRandom random, const Poll& poll) {
        constexpr int64_t kPollRows = 1 << 20;
        constexpr double kRounding = 1e-10;
        std::vector<int32_t> order(x_.value.size());
        std::iota(order.begin(), order.end(), 0);
        const double least = statistic(order) * (1.0 - kRounding);
        int64_t as_much = 1;
        int64_t rows = 0;
        for (int64_t t = 0; t < times; ++t) {
            rows += static_cast<int64_t>(order.size());
            if (rows > kPollRows) {
                poll();
                rows = 0;
            }
            random.shuffle(order);
            as_much += statistic(order) >= least;
        }
        return log_portable(static_cast<double>(as_much) / static_cast<double>(times + 1));
    }

  private:
    // Rises with the statistic of `independence.hpp`, since sizes and squares stay what they are.
    double statistic(const std::vector<int32_t>& order) {
        const size_t width = y_.size.size();
        cells_.assign(x_.size.size() * width, 0.0);
        for (size_t i = 0; i < order.size(); ++i) {
            const auto j = static_cast<size_t>(order[i]);
            cells_[x_.group[i] * width + y_.group[j]] += x_.value[i] * y_.value[j];
        }
        double sum = 0.0;
        for (size_t g = 0; g < x_.size.size(); ++g)
            for (size_t k = 0; k < width; ++k)
                if (const double size = x_.size[g] * y_.size[k]; size > 0.0)
                    sum += cells_[g * width + k] * (cells_[g * width + k] / size);
        return sum;
    }

    Side x_, y_;
    std::vector<double> cells_;
};

}  // namespace bough

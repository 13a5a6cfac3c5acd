// LambdaMART's gradients: what each pair of a query's rows gains by changing places.
#include "boost/lambdas.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "exponential.hpp"
#include "logarithm.hpp"
#include "parallel.hpp"

namespace bough::boost {

void lambda_gradients(std::span<const double> gain, std::span<const double> raw,
                      std::span<const int64_t> start, std::span<const double> most, int64_t top, int threads,
                      std::span<double> gradient, std::span<double> hessian) {
    const size_t n = raw.size();
    if (gain.size() != n || gradient.size() != n || hessian.size() != n || start.size() != most.size() + 1 ||
        start.front() != 0 || start.back() != static_cast<int64_t>(n) ||
        !std::is_sorted(start.begin(), start.end()))
        throw std::invalid_argument("rows and queries do not fit together");
    parallel_for(static_cast<int64_t>(most.size()), threads, [&](int64_t q, int) {
        const auto first = static_cast<size_t>(start[static_cast<size_t>(q)]);
        const auto size = static_cast<size_t>(start[static_cast<size_t>(q) + 1]) - first;
        std::fill_n(gradient.begin() + static_cast<int64_t>(first), size, 0.0);
        std::fill_n(hessian.begin() + static_cast<int64_t>(first), size, 0.0);
        const double best = most[static_cast<size_t>(q)];
        if (!(best > 0.0)) return;
        std::vector<size_t> order(size);
        std::iota(order.begin(), order.end(), first);
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return raw[a] > raw[b]; });
        std::vector<double> discount(size);
        for (size_t i = 0; i < size; ++i) discount[i] = 1.0 / log2_portable(static_cast<double>(i) + 2.0);
        std::vector<double> odds(size);
        for (size_t i = 0; i < std::min(size, static_cast<size_t>(top)); ++i) {
            const auto ahead_of = [&](size_t j) { return gain[order[i]] > gain[order[j]]; };
            for (size_t j = i + 1; j < size; ++j) {
                const double difference = raw[order[i]] - raw[order[j]];
                odds[j] = ahead_of(j) ? difference : -difference;
            }
            exp_portable(odds.data() + i + 1, odds.data() + i + 1, size - i - 1);
            for (size_t j = i + 1; j < size; ++j) {
                const bool ahead = ahead_of(j);
                if (gain[order[i]] == gain[order[j]]) continue;
                const size_t high = order[ahead ? i : j], low = order[ahead ? j : i];
                const double change = (gain[high] - gain[low]) * (discount[i] - discount[j]) / best;
                const double wrong = 1.0 / (1.0 + odds[j]);
                gradient[high] -= wrong * change;
                gradient[low] += wrong * change;
                hessian[high] += wrong * (1.0 - wrong) * change;
                hessian[low] += wrong * (1.0 - wrong) * change;
            }
        }
    });
}

}  // namespace bough::boost

// LambdaMART's gradients: what each pair of a query's rows gains by changing places.
#pragma once
#include <cstdint>
#include <span>

namespace bough::boost {

// Rows of query q are start[q] ... start[q + 1] - 1. `gain` is what a row is worth in place 1, `most` the
// best sum of discounted gains of each query (0: nothing to order). Pairs with a row in the first `top`
// places count.
void lambda_gradients(std::span<const double> gain, std::span<const double> raw,
                      std::span<const int64_t> start, std::span<const double> most, int64_t top, int threads,
                      std::span<double> gradient, std::span<double> hessian);

}  // namespace bough::boost

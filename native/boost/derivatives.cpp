// First and second derivatives of the log losses: each row is one thread's, so threads change nothing.
#include "boost/derivatives.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "exponential.hpp"
#include "parallel.hpp"
#include "profile.hpp"

namespace bough::boost {
namespace {

constexpr int64_t kBlock = 4096;  // rows of a task
constexpr size_t kRows = 256;     // rows that are in the first cache together, all classes of them

// Calls work(begin, end, lanes) for the rows of each block.
template <class Work>
void in_blocks(size_t rows, int threads, const Work& work) {
    const auto n = static_cast<int64_t>(rows);
    parallel_for((n + kBlock - 1) / kBlock, threads, [&](int64_t b, int) {
        const auto begin = static_cast<size_t>(b * kBlock);
        const auto end = static_cast<size_t>(std::min(n, (b + 1) * kBlock));
        in_lanes([&](auto lanes) { work(begin, end, lanes); });
    });
}

}  // namespace

void logistic_derivatives(std::span<const double> y, std::span<const double> raw, std::span<double> gradient,
                          std::span<double> hessian, int threads) {
    if (raw.size() != y.size() || gradient.size() != y.size() || hessian.size() != y.size())
        throw std::invalid_argument("rows and derivatives differ in number");
    const Timed here(Stage::gradients);
    in_blocks(y.size(), threads, [&](size_t begin, size_t end, auto lanes) {
        for (size_t i = begin; i < end; ++i) gradient[i] = -raw[i];
        exp_all<lanes>(&gradient[begin], &gradient[begin], end - begin);
        for (size_t i = begin; i < end; ++i) {
            const double share = 1.0 / (1.0 + gradient[i]);
            hessian[i] = share - share * share;
            gradient[i] = share - y[i];
        }
    });
}

void softmax_shares(std::span<const double> raw, size_t classes, std::span<double> shares, int threads) {
    if (classes == 0 || raw.size() % classes != 0 || shares.size() != raw.size())
        throw std::invalid_argument("rows and shares differ in number");
    const size_t n = raw.size() / classes;
    const Timed here(Stage::gradients);
    const auto strip = [&](size_t begin, size_t end, auto lanes) {
        std::array<double, kRows> top, sum{};
        std::copy(raw.begin() + static_cast<ptrdiff_t>(begin), raw.begin() + static_cast<ptrdiff_t>(end),
                  top.begin());
        for (size_t k = 1; k < classes; ++k)
            for (size_t i = begin; i < end; ++i) top[i - begin] = std::max(top[i - begin], raw[k * n + i]);
        for (size_t k = 0; k < classes; ++k) {
            double* const power = &shares[k * n + begin];
            for (size_t i = begin; i < end; ++i) power[i - begin] = raw[k * n + i] - top[i - begin];
            exp_all<lanes>(power, power, end - begin);
            for (size_t i = begin; i < end; ++i) sum[i - begin] += power[i - begin];
        }
        for (size_t k = 0; k < classes; ++k)
            for (size_t i = begin; i < end; ++i) shares[k * n + i] /= sum[i - begin];
    };
    in_blocks(n, threads, [&](size_t begin, size_t end, auto lanes) {
        for (size_t from = begin; from < end; from += kRows) strip(from, std::min(end, from + kRows), lanes);
    });
}

void softmax_derivatives(std::span<const int64_t> y, std::span<const double> raw, std::span<double> gradient,
                         std::span<double> hessian, int threads) {
    const size_t n = y.size();
    if (n == 0 || raw.size() % n != 0 || gradient.size() != raw.size() || hessian.size() != raw.size())
        throw std::invalid_argument("rows and derivatives differ in number");
    const size_t classes = raw.size() / n;
    for (const int64_t k : y)
        if (k < 0 || static_cast<size_t>(k) >= classes) throw std::invalid_argument("no such class");
    softmax_shares(raw, classes, gradient, threads);
    for (size_t i = 0; i < raw.size(); ++i) hessian[i] = gradient[i] - gradient[i] * gradient[i];
    for (size_t i = 0; i < n; ++i) gradient[static_cast<size_t>(y[i]) * n + i] -= 1.0;
}

}  // namespace bough::boost

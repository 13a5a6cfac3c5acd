// First and second derivatives of the log losses: each row is one thread's, so threads change nothing.
#include "boost/derivatives.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <type_traits>

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
        in_most_lanes([&](auto lanes) { work(begin, end, lanes); });
    });
}

// step(lanes, row) for N rows at a time, then for those that are left.
template <size_t N, class Step>
void for_rows(size_t begin, size_t end, const Step& step) {
    for (; begin + N <= end; begin += N) step(std::integral_constant<size_t, N>{}, begin);
    for (; begin < end; ++begin) step(std::integral_constant<size_t, 1>{}, begin);
}

template <class Vector>
void load(Vector& x, const double* from) {
    std::memcpy(&x, from, sizeof x);
}
template <class Vector>
void store(const Vector& x, double* to) {
    std::memcpy(to, &x, sizeof x);
}

}  // namespace

void logistic_derivatives(std::span<const double> y, std::span<const double> raw, std::span<double> gradient,
                          std::span<double> hessian, int threads) {
    if (raw.size() != y.size() || gradient.size() != y.size() || hessian.size() != y.size())
        throw std::invalid_argument("rows and derivatives differ in number");
    const Timed here(Stage::gradients);
    in_blocks(y.size(), threads, [&](size_t begin, size_t end, auto lanes) {
        for_rows<lanes>(begin, end, [&](auto n, size_t i) {
            typename Lanes<n>::Reals x, truth;
            load(x, &raw[i]);
            store(-x, &gradient[i]);
            exp_lanes<n>(&gradient[i], &gradient[i]);
            load(x, &gradient[i]);
            load(truth, &y[i]);
            const auto share = 1.0 / (1.0 + x);
            store(share - share * share, &hessian[i]);
            store(share - truth, &gradient[i]);
        });
    });
}

void softmax_shares(std::span<const double> raw, size_t classes, std::span<double> shares, int threads) {
    if (classes == 0 || raw.size() % classes != 0 || shares.size() != raw.size())
        throw std::invalid_argument("rows and shares differ in number");
    const size_t n = raw.size() / classes;
    const Timed here(Stage::gradients);
    const auto strip = [&](size_t begin, size_t end, auto lanes) {
        std::array<double, kRows> top, sum;
        for_rows<lanes>(begin, end, [&](auto width, size_t i) {
            using Reals = typename Lanes<width>::Reals;
            Reals most, x;
            load(most, &raw[i]);
            for (size_t k = 1; k < classes; ++k) {
                load(x, &raw[k * n + i]);
                most = most < x ? x : most;
            }
            store(most, &top[i - begin]);
            store(Reals{}, &sum[i - begin]);
        });
        for (size_t k = 0; k < classes; ++k)
            for_rows<lanes>(begin, end, [&](auto width, size_t i) {
                typename Lanes<width>::Reals x, most, all;
                double* const power = &shares[k * n + i];
                load(x, &raw[k * n + i]);
                load(most, &top[i - begin]);
                store(x - most, power);
                exp_lanes<width>(power, power);
                load(x, power);
                load(all, &sum[i - begin]);
                store(all + x, &sum[i - begin]);
            });
        for (size_t k = 0; k < classes; ++k)
            for_rows<lanes>(begin, end, [&](auto width, size_t i) {
                typename Lanes<width>::Reals x, all;
                load(x, &shares[k * n + i]);
                load(all, &sum[i - begin]);
                store(x / all, &shares[k * n + i]);
            });
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

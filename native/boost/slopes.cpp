// Derivatives of the log losses, made for some rows at a time.
#include "boost/slopes.hpp"

#include "exponential.hpp"

namespace bough::boost {

void Slopes::make(const double* first, const uint8_t* y, const double* weight, size_t n, Room& room) const {
    double *const gradient = room.gradient.data(), *const hessian = room.hessian.data();
    in_most_lanes([&](auto lanes) {
        if (kind_ == Kind::two_classes) {
            for (size_t i = 0; i < n; ++i) gradient[i] = -first[i];
            exp_all<lanes>(gradient, gradient, n);
            for (size_t i = 0; i < n; ++i) {
                const double share = 1.0 / (1.0 + gradient[i]);
                hessian[i] = share - share * share;
                gradient[i] = share - y[i];
            }
        } else {
            for (size_t i = 0; i < n; ++i) {
                hessian[i] = first[i] - first[i] * first[i];
                gradient[i] = y[i] == number_ ? first[i] - 1.0 : first[i];
            }
        }
        for (size_t i = 0; weight && i < n; ++i) {
            gradient[i] *= weight[i];
            hessian[i] *= weight[i];
        }
    });
}

void Slopes::gather(std::span<const uint32_t> rows, Room& room) const {
    const size_t n = rows.size();
    if (kind_ == Kind::given) {
        for (size_t i = 0; i < n; ++i) room.gradient[i] = first_[rows[i]];
        for (size_t i = 0; !hessian_.empty() && i < n; ++i) room.hessian[i] = hessian_[rows[i]];
        return;
    }
    std::array<double, kStrip> first, weight;
    std::array<uint8_t, kStrip> y;
    for (size_t i = 0; i < n; ++i) {
        first[i] = first_[rows[i]];
        y[i] = y_[rows[i]];
    }
    for (size_t i = 0; !weight_.empty() && i < n; ++i) weight[i] = weight_[rows[i]];
    make(first.data(), y.data(), weight_.empty() ? nullptr : weight.data(), n, room);
}

}  // namespace bough::boost

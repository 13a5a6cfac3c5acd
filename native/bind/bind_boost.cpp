// Python's way to boosting: one booster for all trees of a model.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>

#include "bind/bind.hpp"
#include "bind/signal_poll.hpp"
#include "boost/booster.hpp"
#include "boost/derivatives.hpp"
#include "boost/lambdas.hpp"
#include "exponential.hpp"
#include "give_back.hpp"

namespace nb = nanobind;

namespace bough {
namespace {

using boost::Booster;
using boost::BoostSettings;
using boost::Slopes;
using InOut = nb::ndarray<double, nb::ndim<1>, nb::device::cpu, nb::c_contig>;
using InOutRows = nb::ndarray<double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;
using InputRows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

std::span<const double> line(const InputRows& all, size_t k) {
    return all.size() ? std::span(all.data() + k * all.shape(1), all.shape(1)) : std::span<const double>{};
}

// A tree for each seed; slopes_of(k): what it grows from.
template <class SlopesOf>
nb::list grow_trees(Booster& booster, const SlopesOf& slopes_of, const Input<double>& weight,
                    const Input<uint32_t>& rows, const std::vector<int32_t>& columns,
                    const std::vector<uint64_t>& seeds, int threads) {
    std::vector<GrownTree> trees;
    {
        std::vector<boost::Round> rounds;
        for (size_t k = 0; k < seeds.size(); ++k)
            rounds.push_back({slopes_of(k), span_of(weight), columns, seeds[k]});
        const nb::gil_scoped_release release;
        trees = booster.grow(rounds, span_of(rows), threads, SignalPoll());
    }
    nb::list grown;
    for (GrownTree& tree : trees) grown.append(arrays_of(std::move(tree)));
    return grown;
}

constexpr size_t kLarge = size_t{8} << 20;  // bytes whose making leaves much that the system may have again

// One tree for each line of the derivatives.
nb::list grow_boosted(Booster& booster, const InputRows& gradient, const InputRows& hessian,
                      const Input<double>& weight, const Input<uint32_t>& rows,
                      const std::vector<int32_t>& columns, const std::vector<uint64_t>& seeds, int threads) {
    if (gradient.shape(0) != seeds.size() || (hessian.size() && hessian.shape(0) != seeds.size()))
        throw std::invalid_argument("trees and derivatives differ in number");
    return grow_trees(
        booster, [&](size_t k) { return Slopes::given(line(gradient, k), line(hessian, k)); }, weight, rows,
        columns, seeds, threads);
}

// The same from the log loss: `sums` of the trees for two classes, or the shares of several.
nb::list grow_log_loss(Booster& booster, const Input<uint8_t>& y, const InputRows& sums,
                       const Input<double>& weight, const Input<uint32_t>& rows,
                       const std::vector<int32_t>& columns, const std::vector<uint64_t>& seeds, int threads) {
    if (sums.shape(0) != seeds.size() || seeds.size() > 256)
        throw std::invalid_argument("trees and classes differ in number, or are too many");
    const auto slopes = [&](size_t k) {
        return seeds.size() == 1
                   ? Slopes::two_classes(line(sums, k), span_of(y), span_of(weight))
                   : Slopes::one_class(line(sums, k), span_of(y), span_of(weight), static_cast<uint8_t>(k));
    };
    return grow_trees(booster, slopes, weight, rows, columns, seeds, threads);
}

nb::tuple leaves_of(const Booster& booster) {
    std::vector<int64_t> nodes, starts;
    std::vector<uint32_t> rows;
    booster.leaves(nodes, starts, rows);
    return nb::make_tuple(to_numpy(std::move(nodes)), to_numpy(std::move(starts)), to_numpy(std::move(rows)));
}

boost::Values values_of(const std::vector<Input<double>>& given) {
    boost::Values values;
    for (const Input<double>& value : given) values.push_back(span_of(value));
    return values;
}

void add_values(const Booster& booster, const std::vector<Input<double>>& values, double rate,
                const InOutRows& raw, int threads) {
    const boost::Values given = values_of(values);
    const nb::gil_scoped_release release;
    booster.add(given, rate, {raw.data(), raw.size()}, threads);
}

void add_values_to(const Booster& booster, const BinnedMatrix& other,
                   const std::vector<Input<double>>& values, double rate, const InOutRows& raw, int threads) {
    const boost::Values given = values_of(values);
    const nb::gil_scoped_release release;
    booster.add_to(other, given, rate, {raw.data(), raw.size()}, threads);
}

BinnedMatrix encode_rows(const Booster& booster, const std::vector<InputColumn>& columns, int64_t n_rows,
                         int threads) {
    if (columns.size() != booster.matrix().columns.size())
        throw std::invalid_argument("the columns are not those of the booster");
    const auto views = column_views(columns, std::vector<int64_t>(columns.size(), 0), n_rows);
    const nb::gil_scoped_release release;
    return boost::encode(booster.matrix(), views, n_rows, threads);
}

void lambdas(const Input<double>& gain, const Input<double>& raw, const Input<int64_t>& start,
             const Input<double>& most, int64_t top, const InOut& gradient, const InOut& hessian,
             int threads) {
    const nb::gil_scoped_release release;
    boost::lambda_gradients(span_of(gain), span_of(raw), span_of(start), span_of(most), top, threads,
                            {gradient.data(), gradient.shape(0)}, {hessian.data(), hessian.shape(0)});
}

void exponential(const InOut& x) {
    const nb::gil_scoped_release release;
    exp_portable(x.data(), x.data(), x.shape(0));
}

void logistic(const Input<double>& y, const InOut& raw, const InOut& gradient, const InOut& hessian,
              int threads) {
    const nb::gil_scoped_release release;
    boost::logistic_derivatives(span_of(y), {raw.data(), raw.size()}, {gradient.data(), gradient.size()},
                                {hessian.data(), hessian.size()}, threads);
}

void softmax(const Input<int64_t>& y, const InOutRows& raw, const InOutRows& gradient,
             const InOutRows& hessian, int threads) {
    const nb::gil_scoped_release release;
    boost::softmax_derivatives(span_of(y), {raw.data(), raw.size()}, {gradient.data(), gradient.size()},
                               {hessian.data(), hessian.size()}, threads);
}

void shares(const InOutRows& raw, const InOutRows& out, int threads) {
    const nb::gil_scoped_release release;
    boost::softmax_shares({raw.data(), raw.size()}, raw.shape(0), {out.data(), out.size()}, threads);
}

}  // namespace

void bind_boost(nb::module_& m) {
    nb::class_<BoostSettings>(m, "BoostSettings")
        .def(nb::init<>())
        .def_rw("max_leaves", &BoostSettings::max_leaves)
        .def_rw("max_depth", &BoostSettings::max_depth)
        .def_rw("symmetric", &BoostSettings::symmetric)
        .def_rw("min_rows", &BoostSettings::min_rows)
        .def_rw("min_hessian", &BoostSettings::min_hessian)
        .def_rw("l1", &BoostSettings::l1)
        .def_rw("l2", &BoostSettings::l2)
        .def_rw("category_smoothing", &BoostSettings::category_smoothing)
        .def_rw("min_category_rows", &BoostSettings::min_category_rows)
        .def_rw("level_columns", &BoostSettings::level_columns)
        .def_rw("node_columns", &BoostSettings::node_columns)
        .def_rw("share_bytes", &BoostSettings::share_bytes)
        .def_rw("narrow_from", &BoostSettings::narrow_from)
        .def_rw("monotone", &BoostSettings::monotone)
        .def_rw("interactions", &BoostSettings::interactions);
    nb::class_<Booster>(m, "Booster")
        .def(
            "__init__",
            [](Booster* self, const std::vector<InputColumn>& columns,
               const std::vector<int64_t>& n_categories, int64_t n_rows, int64_t max_bins,
               const BoostSettings& settings, int threads) {
                if (max_bins < 2 || max_bins > 255) throw std::invalid_argument("2 to 255 bins are possible");
                const auto views = column_views(columns, n_categories, n_rows);
                const nb::gil_scoped_release release;
                BinnedMatrix matrix = bin_columns(views, n_rows, max_bins, 255, false, threads, SignalPoll());
                if (matrix.records.size() > kLarge) give_back_freed();
                new (self) Booster(std::move(matrix), settings, threads);
            },
            nb::arg("columns"), nb::arg("n_categories"), nb::arg("n_rows"), nb::arg("max_bins"),
            nb::arg("settings"), nb::arg("threads"))
        .def("grow", &grow_boosted, nb::arg("gradient"), nb::arg("hessian"), nb::arg("weight"),
             nb::arg("rows"), nb::arg("columns"), nb::arg("seeds"), nb::arg("threads"))
        .def("grow_log_loss", &grow_log_loss, nb::arg("y"), nb::arg("sums"), nb::arg("weight"),
             nb::arg("rows"), nb::arg("columns"), nb::arg("seeds"), nb::arg("threads"))
        .def("leaves", &leaves_of)
        .def("add", &add_values, nb::arg("values"), nb::arg("rate"), nb::arg("raw"), nb::arg("threads"))
        .def("add_to", &add_values_to, nb::arg("rows"), nb::arg("values"), nb::arg("rate"), nb::arg("raw"),
             nb::arg("threads"))
        .def("encode", &encode_rows, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"));
    m.def("exponential", &exponential, nb::arg("x"));
    m.def("logistic_derivatives", &logistic, nb::arg("y"), nb::arg("raw"), nb::arg("gradient"),
          nb::arg("hessian"), nb::arg("threads"));
    m.def("softmax_derivatives", &softmax, nb::arg("y"), nb::arg("raw"), nb::arg("gradient"),
          nb::arg("hessian"), nb::arg("threads"));
    m.def("softmax_shares", &shares, nb::arg("raw"), nb::arg("shares"), nb::arg("threads"));
    m.def("lambdas", &lambdas, nb::arg("gain"), nb::arg("raw"), nb::arg("start"), nb::arg("most"),
          nb::arg("top"), nb::arg("gradient"), nb::arg("hessian"), nb::arg("threads"));
}

}  // namespace bough

// Python's way to the data: binned columns and targets.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "bind/bind.hpp"
#include "bind/signal_poll.hpp"
#include "forest.hpp"
#include "parallel.hpp"
#include "profile.hpp"
#include "target.hpp"

namespace nb = nanobind;

namespace bough {

std::vector<ColumnView> column_views(const std::vector<InputColumn>& columns,
                                     const std::vector<int64_t>& n_categories, int64_t n_rows) {
    if (columns.size() != n_categories.size())
        throw std::invalid_argument("columns and categories differ in number");
    std::vector<ColumnView> views;
    for (size_t j = 0; j < columns.size(); ++j) {
        if (static_cast<int64_t>(columns[j].shape(0)) != n_rows)
            throw std::invalid_argument("columns differ in length");
        views.push_back({columns[j].data(), columns[j].stride(0), n_rows,
                         n_categories[j] > 0 ? ColumnKind::nominal : ColumnKind::ordered, n_categories[j]});
    }
    return views;
}

std::vector<ColumnView> finite_columns(const InputMatrix& matrix) {
    const MatrixView view{matrix.data(), static_cast<int64_t>(matrix.shape(0)),
                          static_cast<int64_t>(matrix.shape(1)), matrix.stride(0), matrix.stride(1)};
    return all_finite(view) ? columns_of(view) : std::vector<ColumnView>();
}

bool all_finite(const MatrixView& matrix) {
    // The nearer neighbours in the inner loop.
    const bool rows_outside = std::abs(matrix.by_column) <= std::abs(matrix.by_row);
    const int64_t outside = rows_outside ? matrix.n_rows : matrix.n_columns;
    const int64_t inside = rows_outside ? matrix.n_columns : matrix.n_rows;
    const int64_t far = rows_outside ? matrix.by_row : matrix.by_column;
    const int64_t near = rows_outside ? matrix.by_column : matrix.by_row;
    for (int64_t i = 0; i < outside; ++i) {
        const double* const line = matrix.first + i * far;
        bool infinite = false;
        for (int64_t k = 0; k < inside; ++k)
            infinite |= std::fabs(line[k * near]) > std::numeric_limits<double>::max();
        if (infinite) return false;
    }
    return true;
}

std::vector<ColumnView> columns_of(const MatrixView& matrix) {
    std::vector<ColumnView> views(static_cast<size_t>(matrix.n_columns));
    for (int64_t j = 0; j < matrix.n_columns; ++j)
        views[static_cast<size_t>(j)] = {matrix.first + j * matrix.by_column, matrix.by_row, matrix.n_rows,
                                         ColumnKind::ordered, 0};
    return views;
}

namespace {

// A loss written in Python: function(sums, losses), called with arrays for all cuts of a scan.
void set_loss(Target& target, const nb::callable& function) {
    if (target.regression()) keep_squares(target);
    const auto kept = std::shared_ptr<nb::callable>(new nb::callable(function), [](nb::callable* f) {
        const nb::gil_scoped_acquire acquire;
        delete f;
    });
    target.loss = std::make_shared<const LossFunction>(
        [kept](const double* sums, int64_t n, int64_t width, double* losses) {
            const nb::gil_scoped_acquire acquire;
            using Matrix = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;
            using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
            const auto rows = static_cast<size_t>(n), columns = static_cast<size_t>(width);
            (*kept)(Matrix(sums, {rows, columns}, nb::handle()).cast(nb::rv_policy::reference),
                    Vector(losses, {rows}, nb::handle()).cast(nb::rv_policy::reference));
        });
}

// The same compiled, by its address: double f(const double* sums, int64_t width).
void set_compiled_loss(Target& target, uintptr_t address) {
    if (target.regression()) keep_squares(target);
    const auto f = reinterpret_cast<double (*)(const double*, int64_t)>(address);
    target.loss = std::make_shared<const LossFunction>(
        [f](const double* sums, int64_t n, int64_t width, double* losses) {
            for (int64_t i = 0; i < n; ++i) losses[i] = f(sums + i * width, width);
        });
}

}  // namespace

// Bytes for each row that growth finds use for: its list, the larger part of a column's entries, and, with
// classes, a table of logarithms.
constexpr size_t kRoom = 16;

void bind_data(nb::module_& m) {
    nb::class_<BinnedMatrix>(m, "BinnedMatrix")
        .def(
            "__init__",
            [](BinnedMatrix* self, const std::vector<InputColumn>& columns,
               const std::vector<int64_t>& n_categories, int64_t n_rows, int64_t max_bins, int threads,
               uint32_t record_bins, bool by_row, bool grows_at_once) {
                const auto views = column_views(columns, n_categories, n_rows);
                const auto room = grows_at_once ? std::make_shared<KeptPages>() : nullptr;
                {
                    const nb::gil_scoped_release release;
                    const KeptPages::Scope here(room.get());
                    new (self) BinnedMatrix(
                        bin_columns(views, n_rows, max_bins, record_bins, by_row, threads, SignalPoll()));
                }
                if (room) room->keep_at_most(static_cast<size_t>(n_rows) * kRoom);
                self->room = room;
                self->sources = std::make_shared<std::vector<InputColumn>>(columns);
            },
            nb::arg("columns"), nb::arg("n_categories"), nb::arg("n_rows"), nb::arg("max_bins"),
            nb::arg("threads"), nb::arg("record_bins") = 255, nb::arg("by_row") = false,
            nb::arg("grows_at_once") = false)
        .def_ro("n_rows", &BinnedMatrix::n_rows)
        // For the next tree from the same columns: growing uses a matrix up.
        .def(
            "copy", [](const BinnedMatrix& b) { return BinnedMatrix(b); },
            nb::call_guard<nb::gil_scoped_release>())
        // The same of some of the rows, which ascend.
        .def(
            "part",
            [](const BinnedMatrix& b, const Input<uint32_t>& rows) {
                const std::span<const uint32_t> given = span_of(rows);
                for (size_t i = 0; i < given.size(); ++i)
                    if (given[i] >= b.n_rows || (i > 0 && given[i] <= given[i - 1]))
                        throw std::invalid_argument("rows do not ascend within the matrix");
                return bag_matrix(b, {given.begin(), given.end()});
            },
            nb::arg("rows"), nb::keep_alive<0, 1>())
        .def("n_bins", [](const BinnedMatrix& b) {
            std::vector<uint32_t> n;
            for (const BinnedColumn& c : b.columns) n.push_back(c.n_bins);
            return n;
        });

    nb::class_<Target>(m, "Target");
    m.def(
        "class_target",
        [](const Input<int32_t>& labels, int32_t n_classes, const Input<double>& weights, bool shares) {
            return class_target(span_of(labels), n_classes, span_of(weights), shares);
        },
        nb::arg("labels"), nb::arg("n_classes"), nb::arg("weights"), nb::arg("shares") = false);
    m.def(
        "number_target",
        [](const Input<double>& values, const Input<double>& weights, bool shares, bool from_zero) {
            return number_target(span_of(values), span_of(weights), shares, from_zero);
        },
        nb::arg("values"), nb::arg("weights"), nb::arg("shares") = false, nb::arg("from_zero") = false);
    m.def("set_loss", &set_loss, nb::arg("target"), nb::arg("function"));
    m.def("set_compiled_loss", &set_compiled_loss, nb::arg("target"), nb::arg("address"));
    m.def("available_cores", &available_cores);
    m.def("profile", [](bool on) { Profile::on = on; }, nb::arg("on"));
    m.def(
        "spend", [](double seconds) { Profile::add(Stage::ingest, static_cast<int64_t>(seconds * 1e9)); },
        nb::arg("seconds"));
    m.def("spent", [] {
        nb::dict seconds;
        for (size_t s = 0; s < kStageNames.size(); ++s)
            seconds[kStageNames[s]] = static_cast<double>(Profile::spent[s].exchange(0)) * 1e-9;
        return seconds;
    });
}

}  // namespace bough

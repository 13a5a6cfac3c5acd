// Python's way to the tests of significance: the tail of chi-square, a column against the target, CHAID's
// merging; and to C4.5's merging.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "bind/signal_poll.hpp"
#include "candidates/chaid.hpp"
#include "candidates/merge.hpp"
#include "independence.hpp"
#include "resampling.hpp"
#include "statistics.hpp"

namespace nb = nanobind;

namespace bough {
namespace {

using InputTable = nb::ndarray<const int64_t, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

std::vector<uint32_t> all_rows(const Target& target) {
    std::vector<uint32_t> rows(target.n_rows());
    std::iota(rows.begin(), rows.end(), uint32_t{0});
    return rows;
}

Groups group_rows(const ColumnView& column, const Target& target) {
    const auto n = static_cast<size_t>(column.n_categories), width = static_cast<size_t>(target.width());
    std::vector<int64_t> rows(n, 0), stats(n * width, 0);
    for (uint32_t row = 0; row < target.n_rows(); ++row) {
        if (std::isnan(column[row])) continue;
        if (!(column[row] >= 0 && column[row] < static_cast<double>(n)))
            throw std::invalid_argument("a category number is outside its domain");
        const auto category = static_cast<size_t>(column[row]);
        ++rows[category];
        target.add_row(stats.data() + category * width, row);
    }
    Groups groups;
    groups.clear(target.width(), n);
    for (size_t c = 0; c < n; ++c)
        if (rows[c] > 0)
            std::copy_n(stats.data() + c * width, width,
                        groups.append(static_cast<uint32_t>(c + 1), rows[c]));
    return groups;
}

std::tuple<double, double, double> association_of(const InputColumn& values, int64_t n_categories,
                                                  const Target& target) {
    const auto n_rows = static_cast<int64_t>(target.n_rows());
    const ColumnView column = column_views({values}, {n_categories}, n_rows)[0];
    IndependenceTest test(target);
    const std::vector<uint32_t> rows = all_rows(target);
    const auto value = [&](uint32_t row) { return column[row]; };
    const Association found = n_categories > 0 ? test.categories(group_rows(column, target), value, rows)
                                               : test.numbers(value, rows);
    return {found.statistic, found.df, found.log_p};
}

double resampled_log_p(const InputColumn& values, int64_t n_categories, const Target& target, int64_t times,
                       uint64_t seed) {
    const ColumnView column =
        column_views({values}, {n_categories}, static_cast<int64_t>(target.n_rows()))[0];
    const auto value = [&](uint32_t row) { return column[row]; };
    Resampling resampling(target, n_categories > 0, value, all_rows(target));
    const nb::gil_scoped_release release;
    SignalPoll poll;
    return resampling.log_p(times, NodeRandom(seed, 0), [&] { poll(); });
}

nb::object merge_table(const InputTable& table, const Input<int64_t>& rows, double alpha, bool ordered,
                       bool missing, int64_t min_rows) {
    const size_t n = table.shape(0), width = table.shape(1);
    if (n == 0 || width == 0 || rows.shape(0) != n)
        throw std::invalid_argument(
            "a table needs categories, classes and a number of rows for each category");
    Groups groups;
    groups.clear(static_cast<int32_t>(width), n);
    for (size_t c = 0; c < n; ++c) {
        const int64_t* const stat = table.data() + c * width;
        if (missing && c + 1 == n) {
            groups.missing_stat.assign(stat, stat + width);
            groups.missing_rows = rows.data()[c];
        } else {
            std::copy_n(stat, width, groups.append(static_cast<uint32_t>(c + 1), rows.data()[c]));
        }
    }
    ChaidSettings settings;
    settings.alpha = alpha;
    settings.ordered = ordered;
    settings.missing = missing;
    settings.min_rows = min_rows;
    ChaidSplit split = merge_categories(groups, static_cast<int32_t>(width), 1.0, settings);
    return nb::make_tuple(to_numpy(std::move(split.group)), split.test.statistic, split.test.df,
                          split.test.log_p, split.log_p_adjusted);
}

// `table`: class weights of all categories in steps of `unit`; those without weight are taken as not there.
nb::object merge_table_by_gain(const InputTable& table, int64_t missing, double unit, double minimum,
                               bool by_ratio) {
    const size_t n = table.shape(0), width = table.shape(1);
    Groups groups;
    groups.clear(static_cast<int32_t>(width), n);
    MergeSettings settings{static_cast<int32_t>(n), unit, missing, minimum, by_ratio};
    for (size_t c = 0; c < n; ++c) {
        const int64_t* const stat = table.data() + c * width;
        const int64_t weight = std::accumulate(stat, stat + width, int64_t{0});
        settings.node_weight += weight;
        if (weight > 0) std::copy_n(stat, width, groups.append(static_cast<uint32_t>(c + 1), 1));
    }
    MergedSplit split = merge_by_gain(groups, settings);
    return nb::make_tuple(to_numpy(std::move(split.branch)), split.n_branches, split.has_rest, split.gain,
                          split.split_info);
}

}  // namespace

void bind_statistics(nb::module_& m) {
    m.def("chi_square_survival", &chi_square_survival, nb::arg("statistic"), nb::arg("df"));
    m.def("chi_square_log_survival", &chi_square_log_survival, nb::arg("statistic"), nb::arg("df"));
    m.def("adjusted_log_p", &adjusted_log_p, nb::arg("log_p"), nb::arg("tests"));
    m.def("association", &association_of, nb::arg("values"), nb::arg("n_categories"), nb::arg("target"));
    m.def("resampled_log_p", &resampled_log_p, nb::arg("values"), nb::arg("n_categories"), nb::arg("target"),
          nb::arg("times"), nb::arg("seed"));
    m.def("chaid_merge", &merge_table, nb::arg("table"), nb::arg("rows"), nb::arg("alpha") = 0.05,
          nb::arg("ordered") = false, nb::arg("missing") = false, nb::arg("min_rows") = 1);
    m.def("c45_merge", &merge_table_by_gain, nb::arg("table"), nb::arg("missing") = 0, nb::arg("unit") = 1.0,
          nb::arg("minimum") = 2.0, nb::arg("by_ratio") = true);
    m.def("chaid_log_multiplier", &log_multiplier, nb::arg("categories"), nb::arg("groups"),
          nb::arg("ordered") = false, nb::arg("missing") = false);
}

}  // namespace bough

// Python's way to the tree: settings, growth, prediction.
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

#include "bind/bind.hpp"
#include "bind/signal_poll.hpp"
#include "grower.hpp"
#include "predict.hpp"

namespace nb = nanobind;

namespace bough {
namespace {

nb::dict arrays_of(GrownTree&& tree) {
    nb::dict d;
    const auto width = static_cast<size_t>(tree.value_width);
    d["feature"] = to_numpy(std::move(tree.feature));
    d["kind"] = to_numpy(std::move(tree.kind));
    d["threshold"] = to_numpy(std::move(tree.threshold));
    d["first_child"] = to_numpy(std::move(tree.first_child));
    d["n_children"] = to_numpy(std::move(tree.n_children));
    d["missing_child"] = to_numpy(std::move(tree.missing_child));
    d["n_rows"] = to_numpy(std::move(tree.n_rows));
    d["n_missing"] = to_numpy(std::move(tree.n_missing));
    d["weight"] = to_numpy(std::move(tree.weight));
    d["impurity"] = to_numpy(std::move(tree.impurity));
    d["gain"] = to_numpy(std::move(tree.gain));
    d["value"] = to_numpy(std::move(tree.value), width);
    d["category_start"] = to_numpy(std::move(tree.category_start));
    d["category"] = to_numpy(std::move(tree.category));
    d["category_child"] = to_numpy(std::move(tree.category_child));
    return d;
}

nb::dict grow(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads) {
    const size_t n_target = target.regression() ? target.value.size() : target.label.size();
    if (static_cast<int64_t>(n_target) != matrix.n_rows)
        throw std::invalid_argument("rows and targets differ in number");
    if (std::exchange(matrix.used, true))
        throw std::invalid_argument("a matrix grows one tree only: bin the columns again");
    if (settings.column_rank.size() != matrix.columns.size())
        throw std::invalid_argument("column_rank needs one number for each column");
    if (target.regression() != (settings.criterion == Criterion::squared_error))
        throw std::invalid_argument("the criterion does not fit the target");
    GrownTree tree;
    {
        const nb::gil_scoped_release release;
        tree = grow_tree(matrix, target, settings, threads, SignalPoll());
    }
    return arrays_of(std::move(tree));
}

nb::object leaves(const Input<int32_t>& feature, const Input<uint8_t>& kind, const Input<double>& threshold,
                  const Input<int64_t>& first_child, const Input<int32_t>& n_children,
                  const Input<int32_t>& missing_child, const Input<int64_t>& category_start,
                  const Input<int32_t>& category, const Input<int32_t>& category_child,
                  const std::vector<InputColumn>& columns, int64_t n_rows, int threads) {
    const TreeView tree{span_of(feature),        span_of(kind),       span_of(threshold),
                        span_of(first_child),    span_of(n_children), span_of(missing_child),
                        span_of(category_start), span_of(category),   span_of(category_child)};
    tree.validate(columns.size());
    const auto views = column_views(columns, std::vector<int64_t>(columns.size(), 0), n_rows);
    std::vector<int64_t> out(static_cast<size_t>(n_rows));
    {
        const nb::gil_scoped_release release;
        find_leaves(tree, views, n_rows, threads, out.data());
    }
    return to_numpy(std::move(out));
}

template <class E>
void bind_enum(nb::module_& m, const char* name, const auto& names) {
    nb::enum_<E> e(m, name);
    for (size_t i = 0; i < names.size(); ++i) e.value(names[i].data(), static_cast<E>(i));
}

}  // namespace

void bind_tree(nb::module_& m) {
    bind_enum<Criterion>(m, "Criterion", criterion_names);
    bind_enum<Categories>(m, "Categories", categories_names);
    bind_enum<Ties>(m, "Ties", ties_names);
    bind_enum<SplitKind>(m, "SplitKind", split_names);
    nb::class_<Settings>(m, "Settings")
        .def(nb::init<>())
        .def_rw("criterion", &Settings::criterion)
        .def_rw("categories", &Settings::categories)
        .def_rw("ties", &Settings::ties)
        .def_rw("zero_gain_splits", &Settings::zero_gain_splits)
        .def_rw("max_depth", &Settings::max_depth)
        .def_rw("max_leaf_nodes", &Settings::max_leaf_nodes)
        .def_rw("min_samples_split", &Settings::min_samples_split)
        .def_rw("min_samples_leaf", &Settings::min_samples_leaf)
        .def_rw("min_weight_fraction_leaf", &Settings::min_weight_fraction_leaf)
        .def_rw("min_impurity_decrease", &Settings::min_impurity_decrease)
        .def_rw("max_features", &Settings::max_features)
        .def_rw("seed", &Settings::seed)
        .def_rw("column_rank", &Settings::column_rank);
    m.def("grow", &grow, nb::arg("matrix"), nb::arg("target"), nb::arg("settings"), nb::arg("threads"));
    m.def("leaves", &leaves, nb::arg("feature"), nb::arg("kind"), nb::arg("threshold"),
          nb::arg("first_child"), nb::arg("n_children"), nb::arg("missing_child"), nb::arg("category_start"),
          nb::arg("category"), nb::arg("category_child"), nb::arg("columns"), nb::arg("n_rows"),
          nb::arg("threads"));
}

}  // namespace bough

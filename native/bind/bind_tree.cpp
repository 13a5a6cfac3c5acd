// Python's way to the tree: settings, growth, prediction.
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

#include "bind/bind.hpp"
#include "bind/signal_poll.hpp"
#include "grower.hpp"
#include "predict.hpp"
#include "shapley.hpp"

namespace nb = nanobind;

namespace bough {

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
    d["surrogate_start"] = to_numpy(std::move(tree.surrogate_start));
    d["surrogate_feature"] = to_numpy(std::move(tree.surrogate_feature));
    d["surrogate_kind"] = to_numpy(std::move(tree.surrogate_kind));
    d["surrogate_threshold"] = to_numpy(std::move(tree.surrogate_threshold));
    d["surrogate_first"] = to_numpy(std::move(tree.surrogate_first));
    d["surrogate_agree"] = to_numpy(std::move(tree.surrogate_agree));
    d["surrogate_adjusted"] = to_numpy(std::move(tree.surrogate_adjusted));
    d["surrogate_category_start"] = to_numpy(std::move(tree.surrogate_category_start));
    d["surrogate_category"] = to_numpy(std::move(tree.surrogate_category));
    d["surrogate_category_child"] = to_numpy(std::move(tree.surrogate_category_child));
    d["below"] = to_numpy(std::move(tree.below));
    d["above"] = to_numpy(std::move(tree.above));
    return d;
}

namespace {

template <class T>
void take(const nb::dict& arrays, const char* name, std::span<const T>& to, std::vector<nb::object>& kept) {
    const auto array = nb::cast<Input<T>>(arrays[name], false);  // a converted copy would not last
    to = span_of(array);
    kept.push_back(nb::object(arrays[name]));
}

}  // namespace

TreeView tree_view(const nb::dict& arrays, const std::vector<int64_t>& n_categories, bool unseen_to_majority,
                   std::vector<nb::object>& kept) {
    TreeView tree;
    take(arrays, "feature", tree.feature, kept);
    take(arrays, "kind", tree.kind, kept);
    take(arrays, "threshold", tree.threshold, kept);
    take(arrays, "first_child", tree.first_child, kept);
    take(arrays, "n_children", tree.n_children, kept);
    take(arrays, "missing_child", tree.missing_child, kept);
    take(arrays, "weight", tree.weight, kept);
    take(arrays, "category_start", tree.category_start, kept);
    take(arrays, "category", tree.category, kept);
    take(arrays, "category_child", tree.category_child, kept);
    take(arrays, "surrogate_start", tree.surrogate_start, kept);
    take(arrays, "surrogate_feature", tree.surrogate_feature, kept);
    take(arrays, "surrogate_kind", tree.surrogate_kind, kept);
    take(arrays, "surrogate_threshold", tree.surrogate_threshold, kept);
    take(arrays, "surrogate_first", tree.surrogate_first, kept);
    take(arrays, "surrogate_category_start", tree.surrogate_category_start, kept);
    take(arrays, "surrogate_category", tree.surrogate_category, kept);
    take(arrays, "surrogate_category_child", tree.surrogate_category_child, kept);
    tree.n_categories = n_categories;
    tree.unseen_to_majority = unseen_to_majority;
    tree.validate();
    return tree;
}

TreeView tree_view(const GrownTree& ways, std::span<const int64_t> zeroes,
                   const std::vector<int64_t>& n_categories, bool unseen_to_majority) {
    TreeView tree;
    tree.feature = ways.feature;
    tree.kind = ways.kind;
    tree.threshold = ways.threshold;
    tree.first_child = ways.first_child;
    tree.n_children = ways.n_children;
    tree.missing_child = ways.missing_child;
    tree.weight = ways.weight;
    tree.category_start = tree.surrogate_start = zeroes.first(ways.feature.size() + 1);
    tree.surrogate_category_start = ways.surrogate_category_start;
    tree.n_categories = n_categories;
    tree.unseen_to_majority = unseen_to_majority;
    tree.validate();
    return tree;
}

void check_growth(const BinnedMatrix& matrix, const Target& target, const Settings& settings) {
    if (static_cast<int64_t>(target.n_rows()) != matrix.n_rows)
        throw std::invalid_argument("rows and targets differ in number");
    if (matrix.used) throw std::invalid_argument("a matrix grows one tree only: bin the columns again");
    const size_t n = matrix.columns.size();
    if (settings.column_rank.size() != n || settings.missing.size() != n || settings.monotone.size() != n ||
        settings.forbidden.size() != n)
        throw std::invalid_argument("the settings need one entry for each column");
    const bool custom = settings.criterion == Criterion::custom;
    if (custom != (target.loss != nullptr) ||
        (!custom && (target.regression() != (settings.criterion >= Criterion::squared_error) ||
                     target.from_zero != (settings.criterion == Criterion::poisson))))
        throw std::invalid_argument("the criterion does not fit the target");
}

namespace {

nb::dict grow(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads) {
    check_growth(matrix, target, settings);
    matrix.used = true;
    GrownTree tree;
    {
        const nb::gil_scoped_release release;
        const std::shared_ptr<KeptPages> pages =
            matrix.room ? std::move(matrix.room) : std::make_shared<KeptPages>();
        const KeptPages::Scope here(pages.get());
        tree = grow_tree(matrix, target, settings, threads, SignalPoll());
    }
    return arrays_of(std::move(tree));
}

using Values = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;
using Sums = nb::ndarray<double, nb::ndim<3>, nb::device::cpu, nb::c_contig>;

// A tree ready to be walked: its arrays, checked once and kept alive.
class Walker {
  public:
    Walker(const nb::dict& arrays, const std::vector<int64_t>& n_categories, bool unseen_to_majority)
        : tree_(tree_view(arrays, n_categories, unseen_to_majority, kept_)), spreads_(tree_.spreads()) {}
    bool spreads() const { return spreads_; }
    nb::object leaves(const std::vector<InputColumn>& columns, int64_t n_rows, int threads) const {
        return leaves_of(views_of(columns, n_rows), n_rows, threads);
    }
    // None if a value is infinite.
    nb::object leaves_of_matrix(const InputMatrix& matrix, int threads) const {
        if (matrix.shape(1) != tree_.n_categories.size())
            throw std::invalid_argument("the tree was grown on another number of columns");
        const auto views = finite_columns(matrix);
        return views.empty() ? nb::none() : leaves_of(views, static_cast<int64_t>(matrix.shape(0)), threads);
    }
    nb::object ends(const std::vector<InputColumn>& columns, int64_t n_rows, int threads) const {
        const auto views = views_of(columns, n_rows);
        Ends found;
        {
            const nb::gil_scoped_release release;
            found = find_ends(tree_, views, n_rows, threads);
        }
        return nb::make_tuple(to_numpy(std::move(found.row)), to_numpy(std::move(found.node)),
                              to_numpy(std::move(found.share)));
    }

    int64_t most_asked() const { return bough::most_asked(tree_); }
    nb::object training_shares() const { return to_numpy(bough::training_shares(tree_)); }
    nb::object shares(const std::vector<InputColumn>& columns, int64_t n_rows, int64_t row) const {
        if (row < 0 || row >= n_rows) throw std::invalid_argument("no such row");
        return to_numpy(shares_of_row(tree_, views_of(columns, n_rows), row));
    }
    // Adds to `into`, rows by columns by outputs; returns the answer to nothing known.
    nb::object shapley(const std::vector<InputColumn>& columns, int64_t n_rows, const Input<double>& cover,
                       const Values& value, const Input<double>& points, const Input<double>& weights,
                       size_t first_output, const Sums& into, int threads) const {
        const auto views = views_of(columns, n_rows);
        const Shapley of{span_of(cover),  {value.data(), value.size()},
                         span_of(points), span_of(weights),
                         value.shape(1),  into.shape(2),
                         first_output};
        if (cover.shape(0) != tree_.feature.size() || value.shape(0) != tree_.feature.size() ||
            points.shape(0) != weights.shape(0) || into.shape(0) != static_cast<size_t>(n_rows) ||
            into.shape(1) != columns.size() || first_output + of.n_values > of.n_outputs)
            throw std::invalid_argument("the arrays do not fit the tree");
        std::vector<double> expected;
        {
            const nb::gil_scoped_release release;
            add_shapley(tree_, views, n_rows, of, threads, SignalPoll(), into.data());
            expected = expected_values(tree_, of);
        }
        return to_numpy(std::move(expected));
    }

  private:
    nb::object leaves_of(const std::vector<ColumnView>& views, int64_t n_rows, int threads) const {
        std::vector<int64_t> out(static_cast<size_t>(n_rows));
        {
            const nb::gil_scoped_release release;
            find_leaves(tree_, views, n_rows, threads, out.data());
        }
        return to_numpy(std::move(out));
    }
    std::vector<ColumnView> views_of(const std::vector<InputColumn>& columns, int64_t n_rows) const {
        if (columns.size() != tree_.n_categories.size())
            throw std::invalid_argument("the tree was grown on another number of columns");
        return column_views(columns, std::vector<int64_t>(columns.size(), 0), n_rows);
    }

    std::vector<nb::object> kept_;
    TreeView tree_;
    bool spreads_;
};

template <class E>
void bind_enum(nb::module_& m, const char* name, const auto& names) {
    nb::enum_<E> e(m, name);
    for (size_t i = 0; i < names.size(); ++i) e.value(names[i].data(), static_cast<E>(i));
}

}  // namespace

void bind_tree(nb::module_& m) {
    bind_enum<Criterion>(m, "Criterion", criterion_names);
    bind_enum<Merit>(m, "Merit", merit_names);
    bind_enum<Missing>(m, "Missing", missing_names);
    bind_enum<Categories>(m, "Categories", categories_names);
    bind_enum<Ties>(m, "Ties", ties_names);
    bind_enum<SplitKind>(m, "SplitKind", split_names);
    nb::class_<Settings>(m, "Settings")
        .def(nb::init<>())
        .def_rw("criterion", &Settings::criterion)
        .def_rw("categories", &Settings::categories)
        .def_rw("ties", &Settings::ties)
        .def_rw("choice", &Settings::choice)
        .def_rw("missing", &Settings::missing)
        .def_rw("mdl_correction", &Settings::mdl_correction)
        .def_rw("resamples", &Settings::resamples)
        .def_rw("subset_correction", &Settings::subset_correction)
        .def_rw("small_branches", &Settings::small_branches)
        .def_rw("c45_cuts", &Settings::c45_cuts)
        .def_rw("significance_level", &Settings::significance_level)
        .def_rw("merge_level", &Settings::merge_level)
        .def_rw("value_gap", &Settings::value_gap)
        .def_rw("tie_margin", &Settings::tie_margin)
        .def_rw("monotone", &Settings::monotone)
        .def_rw("forbidden", &Settings::forbidden)
        .def_rw("required", &Settings::required)
        .def_rw("interactions", &Settings::interactions)
        .def_rw("max_nodes", &Settings::max_nodes)
        .def_rw("time_limit", &Settings::time_limit)
        .def_rw("random_cuts", &Settings::random_cuts)
        .def_rw("min_share_leaf", &Settings::min_share_leaf)
        .def_rw("min_weight_leaf", &Settings::min_weight_leaf)
        .def_rw("max_surrogates", &Settings::max_surrogates)
        .def_rw("rpart_surrogates", &Settings::rpart_surrogates)
        .def_rw("surrogates_stay", &Settings::surrogates_stay)
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
    nb::class_<Walker>(m, "Walker")
        .def(nb::init<const nb::dict&, const std::vector<int64_t>&, bool>(), nb::arg("arrays"),
             nb::arg("n_categories"), nb::arg("unseen_to_majority"))
        .def_prop_ro("spreads", &Walker::spreads)
        .def("leaves", &Walker::leaves, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"))
        .def("leaves_of_matrix", &Walker::leaves_of_matrix, nb::arg("matrix"), nb::arg("threads"))
        .def("ends", &Walker::ends, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"))
        .def_prop_ro("most_asked", &Walker::most_asked)
        .def("training_shares", &Walker::training_shares)
        .def("shares", &Walker::shares, nb::arg("columns"), nb::arg("n_rows"), nb::arg("row"))
        .def("shapley", &Walker::shapley, nb::arg("columns"), nb::arg("n_rows"), nb::arg("cover"),
             nb::arg("value"), nb::arg("points"), nb::arg("weights"), nb::arg("first_output"),
             nb::arg("into"), nb::arg("threads"));
}

}  // namespace bough

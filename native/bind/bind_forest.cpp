// Python's way to many trees: prediction by all of them at once.
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "bind/bind.hpp"
#include "forest_predict.hpp"

namespace nb = nanobind;

namespace bough {
namespace {

using Values = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;
using Outputs = nb::ndarray<double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

// A forest and what keeps its arrays alive.
class KeptForest {
  public:
    KeptForest(const nb::list& trees, const std::vector<Values>& values, const Input<double>& weights,
               const Input<int32_t>& outputs, const std::vector<int64_t>& n_categories,
               bool unseen_to_majority, int32_t n_outputs)
        : values_(values) {
        if (trees.size() == 0 || values.size() != trees.size() || weights.shape(0) != trees.size() ||
            outputs.shape(0) != trees.size())
            throw std::invalid_argument("trees, values, weights and outputs differ in number");
        std::vector<TreeView> views;
        std::vector<Part> parts;
        for (size_t t = 0; t < values.size(); ++t) {
            views.push_back(tree_view(nb::cast<nb::dict>(trees[t]), n_categories, unseen_to_majority, kept_));
            if (values[t].shape(1) != values[0].shape(1))
                throw std::invalid_argument("the trees' values differ in width");
            parts.push_back({{values[t].data(), values[t].size()}, weights.data()[t], outputs.data()[t]});
        }
        forest_ = std::make_unique<const Forest>(std::move(views), std::move(parts),
                                                 static_cast<int32_t>(values[0].shape(1)), n_outputs);
    }

    void add(const std::vector<InputColumn>& columns, int64_t n_rows, int threads, const Outputs& out) const {
        const auto views = views_of(columns, n_rows);
        if (static_cast<int64_t>(out.shape(0)) != n_rows ||
            static_cast<int32_t>(out.shape(1)) != forest_->n_outputs())
            throw std::invalid_argument("the output has another shape");
        const nb::gil_scoped_release release;
        forest_->add(views, n_rows, threads, out.data());
    }
    nb::object leaves(const std::vector<InputColumn>& columns, int64_t n_rows, int threads) const {
        const auto views = views_of(columns, n_rows);
        std::vector<int64_t> out(static_cast<size_t>(n_rows) * forest_->n_trees());
        {
            const nb::gil_scoped_release release;
            forest_->leaves(views, n_rows, threads, out.data());
        }
        return to_numpy(std::move(out), forest_->n_trees());
    }

  private:
    std::vector<ColumnView> views_of(const std::vector<InputColumn>& columns, int64_t n_rows) const {
        if (columns.size() != forest_->n_columns())
            throw std::invalid_argument("the trees were grown on another number of columns");
        return column_views(columns, std::vector<int64_t>(columns.size(), 0), n_rows);
    }

    std::vector<nb::object> kept_;
    std::vector<Values> values_;
    std::unique_ptr<const Forest> forest_;
};

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<KeptForest>(m, "Forest")
        .def(nb::init<const nb::list&, const std::vector<Values>&, const Input<double>&,
                      const Input<int32_t>&, const std::vector<int64_t>&, bool, int32_t>(),
             nb::arg("trees"), nb::arg("values"), nb::arg("weights"), nb::arg("outputs"),
             nb::arg("n_categories"), nb::arg("unseen_to_majority"), nb::arg("n_outputs"))
        .def("add", &KeptForest::add, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"),
             nb::arg("out"))
        .def("leaves", &KeptForest::leaves, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"));
}

}  // namespace bough

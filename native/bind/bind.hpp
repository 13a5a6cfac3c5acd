// What the binding files share.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "binning.hpp"
#include "predict.hpp"
#include "settings.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bough {

void bind_data(nanobind::module_& m);
void bind_tree(nanobind::module_& m);
void bind_statistics(nanobind::module_& m);
void bind_surrogates(nanobind::module_& m);
void bind_boost(nanobind::module_& m);
void bind_forest(nanobind::module_& m);

template <class T>
using Input = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::device::cpu, nanobind::c_contig>;
// One table column: may be a strided view into a matrix.
using InputColumn = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::device::cpu>;

template <class T>
std::span<const T> span_of(const Input<T>& array) {
    return {array.data(), array.shape(0)};
}

// n_categories: 0 for ordered values.
std::vector<ColumnView> column_views(const std::vector<InputColumn>& columns,
                                     const std::vector<int64_t>& n_categories, int64_t n_rows);

// A whole table of ordered values.
using InputMatrix = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::device::cpu>;
// Its columns; empty if a value is infinite, which only the long way can name.
std::vector<ColumnView> finite_columns(const InputMatrix& matrix);
// The same in two steps, wherever the numbers stand. Missing values are finite.
struct MatrixView {
    const double* first;
    int64_t n_rows, n_columns, by_row, by_column;
};
bool all_finite(const MatrixView& matrix);
std::vector<ColumnView> columns_of(const MatrixView& matrix);

// The arrays of a tree, checked; `kept` keeps them alive.
TreeView tree_view(const nanobind::dict& arrays, const std::vector<int64_t>& n_categories,
                   bool unseen_to_majority, std::vector<nanobind::object>& kept);
// Of the ways of a packed tree; they and as many zeroes as it has nodes, and one, stay where they are.
TreeView tree_view(const GrownTree& ways, std::span<const int64_t> zeroes,
                   const std::vector<int64_t>& n_categories, bool unseen_to_majority);
// Throws unless the three fit together and the matrix was not used up.
void check_growth(const BinnedMatrix& matrix, const Target& target, const Settings& settings);
// The arrays of a grown tree by name.
nanobind::dict arrays_of(GrownTree&& tree);

// Hands a vector's memory to numpy.
template <class T, class Memory>
nanobind::object to_numpy(std::vector<T, Memory>&& values, size_t columns = 0) {
    using Values = std::vector<T, Memory>;
    auto* kept = new Values(std::move(values));
    nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<Values*>(p); });
    if (columns == 0)
        return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(kept->data(), {kept->size()}, owner));
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, T>(kept->data(), {kept->size() / columns, columns}, owner));
}

}  // namespace bough

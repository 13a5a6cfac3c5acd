// Python's way to the surrogates of one split, without a tree: what the tests compare.
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>

#include "bind/bind.hpp"
#include "surrogate_search.hpp"

namespace nb = nanobind;

namespace bough {
namespace {

// Moves the rows of the node behind the others, as splits do.
Segment gather(BinnedMatrix& matrix, Plot& plot, std::span<const uint8_t> in_node) {
    Sides sides(matrix.n_rows);
    int64_t others = 0;
    for (uint32_t row = 0; row < in_node.size(); ++row) {
        sides.set(row, in_node[row]);
        others += !in_node[row];
    }
    const std::vector<int64_t> starts{0, others};
    const RowLists::Move move{{0, matrix.n_rows}, starts, &sides};
    RowLists::Spare spare;
    plot.lists.move_rows(move, spare);
    for (size_t j = 0; j < matrix.columns.size(); ++j)
        plot.lists.move_entries(static_cast<int32_t>(j), move, spare);
    return {others, matrix.n_rows};
}

// `ways`: the child of each row by the split, 2 if it does not know; `in_node`: whether the row is in the
// node. Returns the surrogates (column, kind, threshold, first, agree, adjusted, categories with their
// children) and the way of each row by them (-1: none, or not in the node).
nb::tuple surrogates(BinnedMatrix& matrix, const Target& target, const Input<uint8_t>& ways,
                     const Input<uint8_t>& in_node, const std::vector<int32_t>& columns, size_t most,
                     bool as_rpart) {
    if (static_cast<int64_t>(ways.shape(0)) != matrix.n_rows ||
        static_cast<int64_t>(in_node.shape(0)) != matrix.n_rows)
        throw std::invalid_argument("rows and ways differ in number");
    if (std::exchange(matrix.used, true))
        throw std::invalid_argument("a matrix grows one tree only: bin the columns again");
    Plot plot(matrix, target, false, 1);
    const Segment segment = gather(matrix, plot, span_of(in_node));
    const auto way_of = [&](uint32_t row) { return uint32_t{ways.data()[row]}; };
    // Two searchers share the columns, as threads do.
    SurrogateSearch even(as_rpart), odd(as_rpart);
    std::vector<int32_t> shares[2];
    for (size_t i = 0; i < columns.size(); ++i) shares[i % 2].push_back(columns[i]);
    even.begin(plot, segment, most, way_of);
    even.look(shares[0]);
    odd.begin(plot, segment, most, way_of);
    odd.look(shares[1]);
    even.best.join(odd.best);
    const std::vector<Surrogate> found = even.best.take();
    nb::list out;
    for (const Surrogate& s : found) {
        nb::list categories;
        for (const auto& [category, child] : s.categories) categories.append(nb::make_tuple(category, child));
        out.append(nb::make_tuple(s.feature, s.kind, s.threshold, s.first, s.agree, s.adjusted, categories));
    }
    std::vector<int32_t> sent(static_cast<size_t>(matrix.n_rows), -1);
    for (int64_t i = segment.begin; i < segment.end; ++i) {
        const uint32_t row = plot.lists.rows()[static_cast<size_t>(i)];
        sent[row] = way_of_surrogates(found, [&](int32_t j) { return plot.value(j, row); });
    }
    return nb::make_tuple(out, to_numpy(std::move(sent)));
}

}  // namespace

void bind_surrogates(nb::module_& m) {
    m.def("surrogates", &surrogates, nb::arg("matrix"), nb::arg("target"), nb::arg("ways"),
          nb::arg("in_node"), nb::arg("columns"), nb::arg("most"), nb::arg("as_rpart"));
}

}  // namespace bough

// Python's way to many trees: bags of rows, growth, and prediction by all trees at once.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "bags.hpp"
#include "bind/bind.hpp"
#include "bind/plain_rows.hpp"
#include "bind/signal_poll.hpp"
#include "forest.hpp"
#include "forest_predict.hpp"
#include "lean/lean.hpp"
#include "packed_tree.hpp"
#include "parallel.hpp"
#include "row_order.hpp"

namespace nb = nanobind;

namespace bough {
namespace {

using Values = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;
using Counters = nb::ndarray<int64_t, nb::ndim<1>, nb::device::cpu, nb::c_contig>;
using Outputs = nb::ndarray<double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

enum class Link { identity, logistic, softmax };
constexpr int64_t kShort = 2048;  // rows x trees

// Class shares from sums: of both classes from the log odds of the second.
void to_two_shares(const double* raw, int64_t n_rows, double* out) {
    for (int64_t i = 0; i < n_rows; ++i) {
        const double second = 1.0 / (1.0 + std::exp(-raw[i]));
        out[2 * i] = 1.0 - second;
        out[2 * i + 1] = second;
    }
}
// Of each class from its own sum, in place.
void to_shares(double* sums, int64_t n_rows, size_t n_classes) {
    for (int64_t i = 0; i < n_rows; ++i) {
        const std::span<double> row(sums + static_cast<size_t>(i) * n_classes, n_classes);
        const double most = *std::max_element(row.begin(), row.end());
        double total = 0.0;
        for (double& x : row) total += x = std::exp(x - most);
        for (double& x : row) x /= total;
    }
}

// A forest and what keeps its arrays alive.
class KeptForest {
  public:
    KeptForest(const nb::list& trees, const std::vector<Values>& values, const Input<double>& weights,
               const Input<int32_t>& outputs, const std::vector<int64_t>& n_categories,
               bool unseen_to_majority, const Input<double>& base, std::optional<double> divisor)
        : values_(values), base_(base.data(), base.data() + base.size()), divisor_(divisor) {
        if (trees.size() == 0 || values.size() != trees.size() || weights.shape(0) != trees.size() ||
            outputs.shape(0) != trees.size())
            throw std::invalid_argument("trees, values, weights and outputs differ in number");
        std::vector<TreeView> views;
        std::vector<Part> parts;
        BlockFiller filler;
        const BlockFiller::Scope in_blocks(filler);
        size_t most = 0;
        for (const nb::handle tree : trees)
            if (nb::isinstance<PackedTree>(tree))
                most = std::max(most, nb::cast<const PackedTree&>(tree).n_nodes + 1);
        zeroes_.resize(most);
        for (size_t t = 0; t < values.size(); ++t) {
            if (nb::isinstance<PackedTree>(trees[t])) {
                unpacked_.push_back(nb::cast<const PackedTree&>(trees[t]).ways());
                views.push_back(tree_view(unpacked_.back(), zeroes_, n_categories, unseen_to_majority));
            } else {
                views.push_back(
                    tree_view(nb::cast<nb::dict>(trees[t]), n_categories, unseen_to_majority, kept_));
            }
            if (values[t].shape(1) != values[0].shape(1))
                throw std::invalid_argument("the trees' values differ in width");
            parts.push_back({{values[t].data(), values[t].size()}, weights.data()[t], outputs.data()[t]});
        }
        forest_ = std::make_unique<const Forest>(std::move(views), std::move(parts),
                                                 static_cast<int32_t>(values[0].shape(1)),
                                                 static_cast<int32_t>(base_.size()));
    }

    // (base + the trees' values) / divisor, rows by outputs; None where a mean is not a finite number.
    nb::object raw(const std::vector<InputColumn>& columns, int64_t n_rows, int threads) const {
        const auto views = views_of(columns, n_rows);
        std::vector<double> out(static_cast<size_t>(n_rows) * base_.size());
        bool finite = false;
        {
            const nb::gil_scoped_release release;
            finite = sums_of(views, n_rows, threads, out.data());
        }
        return finite ? to_numpy(std::move(out), base_.size()) : nb::none();
    }
    // The same of the rows of an array or of a list of lists, with the link; None also if these are not
    // plain.
    nb::object answers(nb::handle data, int threads, Link link) const {
        if (link == Link::logistic && base_.size() != 1)
            throw std::invalid_argument("two classes have one sum");
        const PlainRows rows(data, array_type_, forest_->n_columns());
        const int64_t n_rows = rows.size();
        if (n_rows == 0) return nb::none();
        const nb::object out = empty_(nb::make_tuple(n_rows, link == Link::logistic ? 2 : base_.size()));
        auto* const shares = reinterpret_cast<double*>(ArrayHead::of(out).data);
        // A log odds stands at the end of the room for its two shares, where no pair before its own reaches.
        double* const raw = shares + (link == Link::logistic ? n_rows : 0);
        const auto all = [&] {
            const bool finite = sums_of(rows.columns(), n_rows, threads, raw);
            if (link == Link::logistic) to_two_shares(raw, n_rows, shares);
            if (link == Link::softmax) to_shares(raw, n_rows, base_.size());
            return finite;
        };
        // To let other threads run takes longer than a short answer; the first one makes the predictor.
        if (n_rows * static_cast<int64_t>(forest_->n_trees()) <= kShort && answered_)
            return all() ? out : nb::none();
        bool finite = false;
        {
            const nb::gil_scoped_release release;
            finite = all();
        }
        answered_ = answered_ || n_rows == 1;
        return finite ? out : nb::none();
    }
    // Adds the trees' values for the rows that a tree has not seen: tree t is number first + t of the bags.
    // `times` counts them.
    void add_unseen(const std::vector<InputColumn>& columns, int64_t n_rows, int threads, const Bags& bags,
                    int64_t first, const Outputs& out, const Counters& times) const {
        const auto views = views_of(columns, n_rows);
        if (bags.n_rows != n_rows || static_cast<int64_t>(times.shape(0)) != n_rows ||
            static_cast<int64_t>(out.shape(0)) != n_rows ||
            static_cast<int32_t>(out.shape(1)) != forest_->n_outputs())
            throw std::invalid_argument("the output has another shape");
        const nb::gil_scoped_release release;
        std::vector<std::vector<uint8_t>> unseen(forest_->n_trees());
        parallel_for(static_cast<int64_t>(unseen.size()), threads, [&](int64_t t, int) {
            const std::vector<uint32_t> seen = bags.counts(first + t);
            std::vector<uint8_t>& of_tree = unseen[static_cast<size_t>(t)];
            of_tree.resize(seen.size());
            for (size_t i = 0; i < seen.size(); ++i) of_tree[i] = seen[i] == 0;
        });
        for (const std::vector<uint8_t>& of_tree : unseen)
            for (size_t i = 0; i < of_tree.size(); ++i) times.data()[i] += of_tree[i];
        forest_->add(views, n_rows, threads, out.data(), [&](size_t t) { return unseen[t].data(); });
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
    // Whether all of them are finite, where they are means.
    bool sums_of(const std::vector<ColumnView>& views, int64_t n_rows, int threads, double* out) const {
        const std::span<double> sums(out, static_cast<size_t>(n_rows) * base_.size());
        for (size_t i = 0; i < sums.size(); i += base_.size())
            for (size_t k = 0; k < base_.size(); ++k) sums[i + k] = 0.0 + base_[k];
        add(views, n_rows, threads, out);
        bool finite = true;
        if (divisor_)
            for (double& x : sums) {
                finite &= std::isfinite(x);
                x /= *divisor_;
            }
        return finite;
    }
    void add(const std::vector<ColumnView>& views, int64_t n_rows, int threads, double* out) const {
        const int64_t at_once = kAtOnce / static_cast<int64_t>(forest_->n_trees());
        if (n_rows <= at_once) return forest_->add(views, n_rows, threads, out);
        const int64_t tiles = kTileRows * std::max(threads, 1);
        add_in_parts(views, n_rows, std::max(at_once / tiles, int64_t{1}) * tiles, threads, out);
    }
    // So that Ctrl-C is heard; without the interpreter lock.
    void add_in_parts(std::vector<ColumnView> views, int64_t n_rows, int64_t part, int threads,
                      double* out) const {
        SignalPoll poll;
        for (; n_rows > part; n_rows -= part, out += part * forest_->n_outputs()) {
            forest_->add(views, part, threads, out);
            for (ColumnView& view : views) {
                view.data += part * view.stride;
                view.size -= part;
            }
            poll();
        }
        forest_->add(views, n_rows, threads, out);
    }
    std::vector<ColumnView> views_of(const std::vector<InputColumn>& columns, int64_t n_rows) const {
        if (columns.size() != forest_->n_columns())
            throw std::invalid_argument("the trees were grown on another number of columns");
        return column_views(columns, std::vector<int64_t>(columns.size(), 0), n_rows);
    }

    static constexpr int64_t kAtOnce = 5'000'000;  // rows times trees: some tenths of a second
    static constexpr int64_t kTileRows = 8192;     // which a thread takes together

    std::vector<nb::object> kept_;
    std::vector<GrownTree> unpacked_;  // ways of packed trees
    std::vector<int64_t> zeroes_;      // for them
    std::vector<Values> values_;
    std::vector<double> base_;
    std::optional<double> divisor_;  // of a mean
    nb::object array_type_ = nb::module_::import_("numpy").attr("ndarray");
    nb::object empty_ = nb::module_::import_("numpy").attr("empty");
    mutable std::atomic<bool> answered_ = false;  // for one row
    std::unique_ptr<const Forest> forest_;
};

nb::object logistic(const Values& raw) {
    if (raw.shape(1) != 1) throw std::invalid_argument("two classes have one sum");
    std::vector<double> out(2 * raw.size());
    to_two_shares(raw.data(), static_cast<int64_t>(raw.size()), out.data());
    return to_numpy(std::move(out), 2);
}

nb::object softmax(const Values& raw) {
    std::vector<double> out(raw.data(), raw.data() + raw.size());
    to_shares(out.data(), static_cast<int64_t>(raw.shape(0)), raw.shape(1));
    return to_numpy(std::move(out), raw.shape(1));
}

// Trees number first, first + 1 ... of a forest, packed or as arrays by name, None for those that were not
// finished; and why they were not: "", "late" or "interrupted".
nb::tuple grow_many(BinnedMatrix& matrix, const Target& target, const Settings& settings, const Bags& bags,
                    const lean::LeanForest& lean, int64_t first, int64_t count, double seconds,
                    bool must_have_one, bool pack, int threads) {
    check_growth(matrix, target, settings);
    if (bags.n_rows != matrix.n_rows || bags.n_columns != static_cast<int64_t>(matrix.columns.size()) ||
        (bags.balanced && target.regression()) || !lean.is_of(matrix))
        throw std::invalid_argument("the bags are of other data");
    bags.validate();
    GrownForest forest;
    {
        const nb::gil_scoped_release release;
        if (settings.value_gap > 0)
            for (BinnedColumn& column : matrix.columns) column.keep_values(settings.value_gap);
        forest = grow_forest(matrix, target, settings, bags, lean,
                             {first, count, seconds, must_have_one, pack, threads}, SignalPoll());
    }
    const char* stopped = forest.late ? "late" : "";
    if (forest.stopped) {
        try {
            std::rethrow_exception(forest.stopped);
        } catch (const nb::python_error& e) {
            if (!e.matches(PyExc_KeyboardInterrupt)) throw;
            stopped = "interrupted";
        }
    }
    nb::list trees;
    for (auto& tree : forest.trees) {
        if (!tree) {
            trees.append(nb::none());
        } else if (auto* const packed = std::get_if<PackedTree>(&*tree)) {
            trees.append(nb::cast(std::move(*packed)));
        } else {
            trees.append(arrays_of(std::get<GrownTree>(std::move(*tree))));
        }
    }
    return nb::make_tuple(trees, stopped);
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<Bags>(m, "Bags")
        .def(nb::init<>())
        .def_rw("seed", &Bags::seed)
        .def_rw("n_rows", &Bags::n_rows)
        .def_prop_rw(
            "tickets", [](const Bags& b) { return to_numpy(std::vector<uint32_t>(b.tickets)); },
            [](Bags& b, const Input<uint32_t>& rows) {
                b.tickets.assign(rows.data(), rows.data() + rows.size());
            })
        .def_rw("draws", &Bags::draws)
        .def_rw("replace", &Bags::replace)
        .def_prop_rw(
            "group", [](const Bags& b) { return to_numpy(std::vector<int32_t>(b.group)); },
            [](Bags& b, const Input<int32_t>& groups) {
                b.group.assign(groups.data(), groups.data() + groups.size());
            })
        .def_rw("quota", &Bags::quota)
        .def_rw("n_columns", &Bags::n_columns)
        .def_rw("columns_drawn", &Bags::columns_drawn)
        .def_rw("balanced", &Bags::balanced)
        .def("seed_of", &Bags::seed_of, nb::arg("tree"))
        .def(
            "counts",
            [](const Bags& b, int64_t tree) {
                b.validate();
                return to_numpy(b.counts(tree));
            },
            nb::arg("tree"));
    m.def(
        "order_by_content",
        [](const std::vector<InputColumn>& columns, const Input<double>& target, int threads) {
            const auto views = column_views(columns, std::vector<int64_t>(columns.size(), 0),
                                            static_cast<int64_t>(target.size()));
            std::vector<uint32_t> order;
            {
                const nb::gil_scoped_release release;
                order = order_by_content(views, span_of(target), threads);
            }
            return to_numpy(std::move(order));
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("threads"));
    nb::class_<lean::LeanForest>(m, "LeanForest")
        .def(nb::init<const BinnedMatrix&, const Target&, const Settings&, int>(), nb::arg("matrix"),
             nb::arg("target"), nb::arg("settings"), nb::arg("threads"), nb::keep_alive<1, 2>());
    m.def("grow_many", &grow_many, nb::arg("matrix"), nb::arg("target"), nb::arg("settings"), nb::arg("bags"),
          nb::arg("lean"), nb::arg("first"), nb::arg("count"), nb::arg("seconds"), nb::arg("must_have_one"),
          nb::arg("pack"), nb::arg("threads"));
    nb::class_<PackedTree>(m, "PackedTree")
        .def_ro("n_nodes", &PackedTree::n_nodes)
        .def("arrays", [](const PackedTree& tree) { return arrays_of(tree.unpack()); })
        .def("values", [](const PackedTree& tree) {
            return to_numpy(tree.values(), tree.n_classes ? tree.n_classes : 1);
        });
    nb::enum_<Link>(m, "Link")
        .value("identity", Link::identity)
        .value("logistic", Link::logistic)
        .value("softmax", Link::softmax);
    m.def("logistic", &logistic, nb::arg("raw"));
    m.def("softmax", &softmax, nb::arg("raw"));
    nb::class_<KeptForest>(m, "Forest")
        .def(
            nb::init<const nb::list&, const std::vector<Values>&, const Input<double>&, const Input<int32_t>&,
                     const std::vector<int64_t>&, bool, const Input<double>&, std::optional<double>>(),
            nb::arg("trees"), nb::arg("values"), nb::arg("weights"), nb::arg("outputs"),
            nb::arg("n_categories"), nb::arg("unseen_to_majority"), nb::arg("base"),
            nb::arg("divisor").none())
        .def("raw", &KeptForest::raw, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"))
        .def("answers", &KeptForest::answers, nb::arg("data").none(), nb::arg("threads"), nb::arg("link"))
        .def("add_unseen", &KeptForest::add_unseen, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"),
             nb::arg("bags"), nb::arg("first"), nb::arg("out"), nb::arg("times"))
        .def("leaves", &KeptForest::leaves, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"));
}

}  // namespace bough

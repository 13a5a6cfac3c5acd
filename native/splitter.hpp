// Splits one node: its rows go to the children, and what the children are is measured.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "node_search.hpp"

namespace bough {

inline constexpr double kLeastWeight = 1e-6;  // a sum of shares may miss a whole number by so much

// The children of a node that was split; `plots`: those of children that left the node's own plot.
struct Children {
    int32_t first = 0, count = 0;
    std::vector<std::shared_ptr<Plot>> plots;

    // The plot of a child; `own`: that of the node.
    std::shared_ptr<Plot> plot_of(int32_t c, const std::shared_ptr<Plot>& own) const {
        return plots.empty() ? own : plots[static_cast<size_t>(c)];
    }
};

template <class Sweep>
class Splitter : public NodeSearch<Sweep> {
  public:
    using Search = NodeSearch<Sweep>;
    using Worker = typename Search::Worker;
    using Search::Search;

    void plant_root(Plot& plot, Branch& trunk) {
        const int32_t root = trunk.add_node({0, static_cast<int64_t>(plot.target.n_rows())}, 0, 1);
        trunk.nodes[0].step = plot.target.scale.unit;
        trunk.nodes[0].centre = plot.target.scale.centre;
        count_rows(plot, trunk, root);
        workers_[0]->search.bind(plot.matrix, plot.target);
        measure(plot, trunk, root, *workers_[0]);
    }

    // Grows all that is below a node of few rows at once, if it is such; false: it is to be split as others
    // are.
    bool grow_thicket(Plot& plot, Branch& branch, int32_t id, Worker& worker, int threads) {
        if constexpr (Thicket<Sweep>::kSuits) {
            const Node& node = branch.nodes[static_cast<size_t>(id)];
            if (node.segment.size() > (binary_rows_ > 0 ? binary_rows_ : thicket_rows_)) return false;
            interrupt_.check(threads > 0);
            worker.search.bind(plot.matrix, plot.target);
            if constexpr (BinaryThicket<Sweep>::kSuits)
                if (binary_rows_ > 0)
                    return worker.binary_thicket.grow(plot, branch, id, columns_of(node), thicket_rules_,
                                                      worker.search.sweep,
                                                      [&] { interrupt_.check(threads > 0); });
            return worker.thicket.grow(plot, branch, id, columns_of(node), thicket_rules_,
                                       worker.search.sweep);
        }
        return false;
    }

    // Makes the children and moves the rows.
    Children split(Plot& plot, Branch& branch, int32_t id, const Choice& choice, Worker& worker,
                   int threads) {
        worker.search.bind(plot.matrix, plot.target);
        Node& node = branch.nodes[static_cast<size_t>(id)];  // stays where it is when others join
        worker.search.begin(branch.stat(id), plot.lists.rows().data(), node.segment);
        node.feature = choice.column;
        node.gain = choice.gain;
        node.n_children = this->branch_count(plot, choice);
        Route& route = worker.route;
        route.begin(static_cast<size_t>(node.n_children),
                    is_wide(settings_, choice.column, node.n_children > 2 || multiway(plot, choice.column)));
        if (plot.matrix.columns[static_cast<size_t>(choice.column)].kind == ColumnKind::ordered) {
            send_ordered(plot, node, choice, worker.sides, route);
        } else {
            send_categories(plot, node, choice.column, worker.sides,
                            child_of_codes(plot, node, choice, worker), route);
        }
        node.n_missing = static_cast<int64_t>(route.missing.size());
        if (settings_.missing[static_cast<size_t>(choice.column)] == Missing::surrogate &&
            node.n_children == 2 && settings_.max_surrogates > 0)
            find_surrogates(plot, node, worker, threads);
        send_missing(plot, node, choice, settings_, worker.sides, route);
        node.first_child = static_cast<int32_t>(branch.nodes.size());
        Children children{node.first_child, node.n_children, {}};
        if (node.missing_child == kSpread && node.n_missing > 0) {
            spread(plot, branch, node, worker, children);
        } else {
            move(plot, branch, node, id, worker, threads);
        }
        if (node.n_missing == 0 && !stays_or_spreads(settings_, choice.column))
            node.missing_child = heaviest(branch, node);
        if (settings_.constrained()) bound_children(plot, branch, node);
        if (!settings_.interactions.empty() || !settings_.required.empty()) remember_column(branch, node);
        node.columns.reset();  // the children have it; lists of many columns would fill the memory
        return children;
    }

  private:
    using Search::columns_of, Search::multiway, Search::scale_of, Search::child_of_codes, Search::settings_,
        Search::thicket_rows_, Search::binary_rows_, Search::thicket_rules_, Search::interrupt_,
        Search::workers_;

    // What the answers below each child must lie between.
    void bound_children(const Plot& plot, Branch& branch, const Node& node) const {
        const AnswerScale scale = scale_of(plot, node);
        std::vector<double> left(scale.size()), right(scale.size());
        const int direction = settings_.monotone[static_cast<size_t>(node.feature)];
        for (int32_t c = 0; c < node.n_children; ++c)
            branch.nodes[static_cast<size_t>(node.first_child + c)].bounds = node.bounds;
        if (direction == 0) return;
        answers_of(plot, branch, node.first_child, left);
        answers_of(plot, branch, node.first_child + 1, right);
        auto [low, high] = divided(node.bounds.get(), scale, direction, left, right);
        branch.nodes[static_cast<size_t>(node.first_child)].bounds =
            std::make_shared<const Bounds>(std::move(low));
        branch.nodes[static_cast<size_t>(node.first_child + 1)].bounds =
            std::make_shared<const Bounds>(std::move(high));
    }
    static void answers_of(const Plot& plot, Branch& branch, int32_t id, std::vector<double>& out) {
        scale_of(plot, branch.nodes[static_cast<size_t>(id)]).answers(branch.stat(id), out.data());
    }

    // The columns that may still be asked after this one: those that share a group with all asked so far.
    void remember_column(Branch& branch, const Node& node) const {
        auto asked = std::make_shared<std::vector<int32_t>>();
        if (node.asked) *asked = *node.asked;
        if (std::find(asked->begin(), asked->end(), node.feature) == asked->end())
            asked->push_back(node.feature);
        const auto in = [](const std::vector<int32_t>& xs, int32_t x) {
            return std::find(xs.begin(), xs.end(), x) != xs.end();
        };
        auto left = std::make_shared<std::vector<int32_t>>();
        for (const int32_t j : columns_of(node)) {
            const bool may =
                settings_.interactions.empty() ||
                std::any_of(settings_.interactions.begin(), settings_.interactions.end(),
                            [&](const std::vector<int32_t>& group) {
                                return in(group, j) && std::all_of(asked->begin(), asked->end(),
                                                                   [&](int32_t a) { return in(group, a); });
                            });
            if (may) left->push_back(j);
        }
        for (int32_t c = 0; c < node.n_children; ++c) {
            Node& child = branch.nodes[static_cast<size_t>(node.first_child + c)];
            child.asked = asked;
            child.columns = left;
        }
    }

    static int32_t heaviest(const Branch& branch, const Node& node) {
        int32_t best = 0;
        for (int32_t c = 1; c < node.n_children; ++c)
            if (branch.nodes[static_cast<size_t>(node.first_child + c)].weight >
                branch.nodes[static_cast<size_t>(node.first_child + best)].weight)
                best = c;
        return best;
    }

    // Other columns that send the known rows as the split does.
    void find_surrogates(Plot& plot, Node& node, Worker& worker, int threads) {
        std::vector<int32_t> columns;
        for (const int32_t j : columns_of(node))
            if (j != node.feature) columns.push_back(j);
        for (const uint32_t row : worker.route.missing) plot.lists.send(row, kNoWay);
        const auto most = static_cast<size_t>(settings_.max_surrogates);
        const auto way = [&](uint32_t row) { return plot.lists.child(row); };
        if (threads > 1 && node.segment.size() > 500) {
            for (auto& w : workers_) w->surrogates.begin(plot, node.segment, most, way);
            const auto parts = static_cast<int64_t>(workers_.size());
            parallel_for(parts, threads, [&](int64_t p, int) {
                std::vector<int32_t> own;
                for (size_t i = static_cast<size_t>(p); i < columns.size(); i += static_cast<size_t>(parts))
                    own.push_back(columns[i]);
                workers_[static_cast<size_t>(p)]->surrogates.look(own);
            });
            for (auto& w : workers_)
                if (w.get() != &worker) worker.surrogates.best.join(w->surrogates.best);
        } else {
            worker.surrogates.begin(plot, node.segment, most, way);
            worker.surrogates.look(columns);
        }
        node.surrogates = std::make_shared<const std::vector<Surrogate>>(worker.surrogates.best.take());
    }

    // The rows of each child become its segment of the same plot.
    void move(Plot& plot, Branch& branch, const Node& node, int32_t id, Worker& worker, int threads) {
        const std::vector<int64_t>& sizes = worker.route.sizes;
        std::vector<int64_t>& starts = worker.route.starts;
        starts.resize(sizes.size());
        std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), int64_t{0});
        RowLists::Move move{node.segment, starts, worker.route.wide ? nullptr : &worker.sides};
        plot.lists.move_rows(move, worker.spare);
        for (int32_t c = 0; c < node.n_children; ++c) {
            const int64_t begin = node.segment.begin + starts[static_cast<size_t>(c)];
            add_child(branch, node, c, {begin, begin + sizes[static_cast<size_t>(c)]},
                      {node.step, node.centre});
        }
        count_children(plot, branch, node, id, worker.route);
        int32_t growing = 0, last_growing = 0;
        for (int32_t c = 0; c < node.n_children; ++c) {
            measure(plot, branch, node.first_child + c, worker);
            if (!branch.nodes[static_cast<size_t>(node.first_child + c)].terminal) {
                ++growing;
                last_growing = c;
            }
        }
        move.only = growing == 1 ? last_growing : -1;
        if (growing > 0) move_columns(plot, node, move, worker, threads);
    }

    // The largest child has what the others leave of the node, unless rows stay in it.
    static void count_children(const Plot& plot, Branch& branch, const Node& node, int32_t id,
                               const Route& route) {
        const auto last = route.sizes.begin() + node.n_children;
        const int32_t largest =
            *last > 0
                ? -1
                : static_cast<int32_t>(std::max_element(route.sizes.begin(), last) - route.sizes.begin());
        for (int32_t c = 0; c < node.n_children; ++c)
            if (c != largest) count_rows(plot, branch, node.first_child + c);
        if (largest < 0) return;
        int64_t* const rest = branch.stat(node.first_child + largest);
        std::copy_n(branch.stat(id), plot.target.width(), rest);
        for (int32_t c = 0; c < node.n_children; ++c)
            for (int32_t k = 0; c != largest && k < plot.target.width(); ++k)
                rest[k] -= branch.stat(node.first_child + c)[k];
    }

    // Rows missing in the column go to every child with the child's share of the known weight: each child
    // becomes a plot of its own.
    void spread(Plot& plot, Branch& branch, const Node& node, Worker& worker, Children& children) {
        const std::vector<int32_t>& columns = columns_of(node);
        const Route& route = worker.route;
        std::vector<uint8_t> is_missing(static_cast<size_t>(node.segment.size()), 0);
        const uint32_t* const rows = plot.lists.rows().data() + node.segment.begin;
        for (const uint32_t r : route.missing)  // both ascending
            is_missing[static_cast<size_t>(std::lower_bound(rows, rows + node.segment.size(), r) - rows)] = 1;
        int64_t before = 0, known = 0;
        for (const int64_t w : route.weights) known += w;
        for (int32_t c = 0; c < node.n_children; ++c) {
            const int64_t mine = route.weights[static_cast<size_t>(c)];
            std::vector<uint32_t> own;
            HugeVector<int64_t> weights;
            for (int64_t i = 0; i < node.segment.size() && mine > 0; ++i) {
                const int64_t w = plot.target.weight_of(rows[i]);
                const int64_t share =
                    is_missing[static_cast<size_t>(i)]
                        ? part_of_weight(w, before + mine, known) - part_of_weight(w, before, known)
                    : child_of_row(plot, worker, rows[i]) == c ? w
                                                               : 0;
                if (share == 0) continue;
                own.push_back(rows[i]);
                weights.push_back(share);
            }
            before += mine;
            std::shared_ptr<Plot> part;
            if (!own.empty())
                part =
                    worker.maker.part(plot, node.segment, columns, own, std::move(weights), settings_.wide());
            Plot& at = part ? *part : plot;
            worker.search.bind(at.matrix, at.target);
            const int32_t child = add_child(branch, node, c, {0, static_cast<int64_t>(own.size())},
                                            part ? part->target.scale : MomentScale{node.step, node.centre});
            count_rows(at, branch, child);
            measure(at, branch, child, worker);
            children.plots.push_back(std::move(part));
        }
    }

    static int64_t part_of_weight(int64_t weight, int64_t part, int64_t whole) {
        __extension__ using int128 = __int128;
        return static_cast<int64_t>(static_cast<int128>(weight) * part / whole);
    }
    int32_t child_of_row(const Plot& plot, const Worker& worker, uint32_t row) const {
        return static_cast<int32_t>(worker.route.wide ? plot.lists.child(row) : worker.sides[row]);
    }

    // `scale`: of the moments on the plot, in regression.
    static int32_t add_child(Branch& branch, const Node& node, int32_t c, Segment segment,
                             MomentScale scale) {
        const int32_t child =
            branch.add_node(segment, node.depth + 1, mix(node.key + static_cast<uint64_t>(c)));
        Node& added = branch.nodes[static_cast<size_t>(child)];
        added.columns = node.columns;
        added.step = scale.unit;
        added.centre = scale.centre;
        return child;
    }

    static void count_rows(const Plot& plot, Branch& branch, int32_t id) {
        const Segment s = branch.nodes[static_cast<size_t>(id)].segment;
        int64_t* const stat = branch.stat(id);
        for (int64_t i = s.begin; i < s.end; ++i)
            plot.target.add_row(stat, plot.lists.rows()[static_cast<size_t>(i)]);
    }

    void move_columns(Plot& plot, const Node& node, const RowLists::Move& move, Worker& worker, int threads) {
        const std::vector<int32_t>& columns = columns_of(node);
        // A cut of a complete column leaves its entries where they are: those of the first child stand first.
        const int32_t in_place = node.kind == SplitKind::threshold && node.n_missing == 0 ? node.feature : -1;
        const auto one = [&](int64_t i, Worker& w) {
            const int32_t column = columns[static_cast<size_t>(i)];
            if (column != in_place) plot.lists.move_entries(column, move, w.spare);
        };
        if (threads > 1 && node.segment.size() > 500) {
            parallel_for(static_cast<int64_t>(columns.size()), threads,
                         [&](int64_t i, int w) { one(i, *workers_[static_cast<size_t>(w)]); });
        } else {
            for (size_t i = 0; i < columns.size(); ++i) one(static_cast<int64_t>(i), worker);
        }
    }

    // Loss and weight of a new node, and whether it is a leaf without any search.
    void measure(Plot& plot, Branch& branch, int32_t id, Worker& worker) {
        Node& node = branch.nodes[static_cast<size_t>(id)];
        const int64_t n = node.segment.size();
        if (n > 0) {
            worker.search.begin(branch.stat(id), plot.lists.rows().data(), node.segment);
            node.loss = worker.search.loss();
            node.weight = static_cast<double>(worker.search.sweep.group_weight(branch.stat(id)));
            if (plot.target.regression()) {
                node.mean = exact_mean(plot.target, rows_of(plot, node));
                // Losses that are not in squares of a step keep the step of the root.
                if (!plot.target.from_zero && !plot.target.loss && node.loss > 0 &&
                    node.loss < coarse_loss(plot.target, n, node.weight))
                    refine(plot, branch, id, worker);
            }
        }
        // Branches that may be small do not need twice the minimum, but the node does.
        const double weight = node.weight * plot.target.weight_unit;
        node.terminal = n < settings_.min_samples_split || n < 2 * settings_.min_samples_leaf ||
                        weight < 2 * (settings_.min_weight_leaf - kLeastWeight) ||
                        node.depth >= settings_.max_depth || node.loss == 0.0;
        if (node.terminal) node.columns.reset();
    }

    static std::span<const uint32_t> rows_of(const Plot& plot, const Node& node) {
        return {plot.lists.rows().data() + node.segment.begin, static_cast<size_t>(node.segment.size())};
    }

    // The values of a node lie so close together, compared with all values, that their moments are coarse: it
    // gets a scale of its own. Its rows are in no other node that is still to grow on this plot.
    void refine(Plot& plot, Branch& branch, int32_t id, Worker& worker) {
        Node& node = branch.nodes[static_cast<size_t>(id)];
        const MomentScale scale = set_moments(plot.target, rows_of(plot, node));
        node.step = scale.unit;
        node.centre = scale.centre;
        std::fill_n(branch.stat(id), plot.target.width(), int64_t{0});
        count_rows(plot, branch, id);
        worker.search.begin(branch.stat(id), plot.lists.rows().data(), node.segment);
        node.loss = worker.search.loss();
    }
};

}  // namespace bough

// Splits one node: the best split of every column, the choice among them, and the rows to the children.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "choose.hpp"
#include "interrupt.hpp"
#include "node.hpp"
#include "parallel.hpp"
#include "row_lists.hpp"
#include "search.hpp"

namespace bough {

inline constexpr double kTie = 1e-12;      // relative to the node's loss
inline constexpr double kCoarse = 0x1p40;  // steps that the values of a node should spread over

template <class Sweep>
class Splitter {
  public:
    // What a thread has of its own.
    struct Worker {
        Worker(const ColumnSearch<Sweep>& prototype, int64_t n_rows) : search(prototype), sides(n_rows) {}
        ColumnSearch<Sweep> search;
        Sides sides;
        RowLists::Spare spare;
        std::vector<Best> found;  // by column
        std::vector<uint8_t> varies;
        std::vector<int32_t> columns;
    };

    Splitter(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads,
             Interrupt& interrupt)
        : matrix_(matrix),
          target_(target),
          settings_(settings),
          interrupt_(interrupt),
          lists_(matrix, target_, settings.categories == Categories::multiway, threads) {
        all_columns_.resize(matrix.columns.size());
        std::iota(all_columns_.begin(), all_columns_.end(), 0);
        // 0.1 of ten rows is one row, although the double 0.1 is a little more than a tenth.
        min_weight_ = std::ceil(settings.min_weight_fraction_leaf * static_cast<double>(target.total_weight) *
                                (1 - kTie));
        const ColumnSearch<Sweep> prototype(matrix, target_, settings);
        for (int w = 0; w < std::max(threads, 1); ++w)
            workers_.push_back(std::make_unique<Worker>(prototype, matrix.n_rows));
    }

    Worker& worker(int number) { return *workers_[static_cast<size_t>(number)]; }
    const Target& target() const { return target_; }
    std::span<const uint32_t> rows() const { return lists_.rows(); }
    double loss_unit() const { return workers_[0]->search.sweep.unit(); }

    void plant_root(Branch& trunk) {
        const int32_t root = trunk.add_node({0, static_cast<int64_t>(target_.rows.size())}, 0, 1);
        if (target_.regression()) trunk.nodes[0].step = target_.moment_unit;
        for (const uint32_t r : target_.rows) target_.add_row(trunk.stat(root), r);
        measure(trunk, root, *workers_[0]);
    }

    int32_t branch_count(const Choice& choice) const {
        return multiway(choice.column)
                   ? static_cast<int32_t>(matrix_.columns[static_cast<size_t>(choice.column)].n_bins)
                   : 2;
    }

    // The best split of the node over all columns, if the node is to be split at all. `threads`: how many may
    // share the work; 0: this is not the calling thread, which alone may be interrupted.
    std::optional<Choice> evaluate(Branch& branch, int32_t id, Worker& worker, int threads) {
        interrupt_.check(threads > 0);
        Node& node = branch.nodes[static_cast<size_t>(id)];
        Limits limits;
        limits.min_rows = settings_.min_samples_leaf;
        limits.min_weight = static_cast<int64_t>(min_weight_);
        limits.tolerance = kTie * node.loss + worker.search.sweep.resolution();
        worker.found.assign(matrix_.columns.size(), {});
        if (settings_.max_features > 0) {
            look_at_drawn(branch, id, limits, worker);
        } else {
            look_at_all(branch, id, limits, worker, threads);
        }
        Choice choice = choose_column(worker.found, limits.tolerance, settings_, node.key);
        if (choice.column < 0) return std::nullopt;
        if (!settings_.zero_gain_splits && choice.gain <= limits.tolerance) return std::nullopt;
        if (settings_.min_impurity_decrease > 0) {
            const double all = static_cast<double>(target_.total_weight) * target_.weight_unit;
            const double gain = (choice.gain + limits.tolerance) * worker.search.sweep.unit();
            if (gain * node.step * node.step < settings_.min_impurity_decrease * all) return std::nullopt;
        }
        if (choice.gain <= limits.tolerance) choice.gain = 0.0;  // not the noise of a gain of nothing
        return choice;
    }

    // Makes the children and moves the rows; returns the first child and their number.
    std::pair<int32_t, int32_t> split(Branch& branch, int32_t id, const Choice& choice, Worker& worker,
                                      int threads) {
        const auto column = static_cast<size_t>(choice.column);
        const BinnedColumn& binned = matrix_.columns[column];
        Node node = branch.nodes[static_cast<size_t>(id)];
        worker.search.begin(branch.stat(id), lists_.rows().data(), node.segment);
        node.feature = choice.column;
        node.gain = choice.gain;
        node.n_children = branch_count(choice);
        std::vector<int64_t> sizes(static_cast<size_t>(node.n_children), 0);
        if (binned.kind == ColumnKind::ordered) {
            send_ordered(node, choice, worker.sides, sizes);
        } else {
            send_categories(node, choice, worker, sizes);
        }
        std::vector<int64_t> starts(sizes.size());
        int64_t place = 0;
        for (size_t c = 0; c < sizes.size(); ++c) {
            starts[c] = place;
            place += sizes[c];
        }
        RowLists::Move move{node.segment, starts, node.kind == SplitKind::multiway ? nullptr : &worker.sides};
        lists_.move_rows(move, worker.spare);
        node.first_child = static_cast<int32_t>(branch.nodes.size());
        int32_t growing = 0, last_growing = 0;
        for (int32_t c = 0; c < node.n_children; ++c) {
            const int64_t begin = node.segment.begin + starts[static_cast<size_t>(c)];
            const int32_t child = branch.add_node({begin, begin + sizes[static_cast<size_t>(c)]},
                                                  node.depth + 1, mix(node.key + static_cast<uint64_t>(c)));
            for (int64_t i = begin; i < begin + sizes[static_cast<size_t>(c)]; ++i)
                target_.add_row(branch.stat(child), lists_.rows()[static_cast<size_t>(i)]);
            branch.nodes[static_cast<size_t>(child)].columns = node.columns;
            branch.nodes[static_cast<size_t>(child)].step = node.step;
            measure(branch, child, worker);
            if (!branch.nodes[static_cast<size_t>(child)].terminal) {
                ++growing;
                last_growing = c;
            }
        }
        if (node.n_missing == 0) node.missing_child = heaviest(branch, node);
        branch.nodes[static_cast<size_t>(id)] = node;
        move.only = growing == 1 ? last_growing : -1;
        if (growing > 0) move_columns(node, move, worker, threads);
        return {node.first_child, node.n_children};
    }

  private:
    bool multiway(int32_t column) const {
        return settings_.categories == Categories::multiway &&
               matrix_.columns[static_cast<size_t>(column)].kind == ColumnKind::nominal;
    }

    Best look(const Node& node, int32_t column, const Limits& limits, Worker& worker, uint8_t& varies) {
        return worker.search.best_of(column, lists_.entries(column, node.segment), limits, varies);
    }

    // Columns that have become constant are left out further down.
    void look_at_all(Branch& branch, int32_t id, const Limits& limits, Worker& worker, int threads) {
        Node& node = branch.nodes[static_cast<size_t>(id)];
        const std::vector<int32_t>& columns = node.columns ? *node.columns : all_columns_;
        std::vector<uint8_t>& varies = worker.varies;
        varies.assign(columns.size(), 0);
        const bool share = threads > 1 && node.segment.size() > 500;
        const std::vector<size_t> chunks = chunks_of(columns, share ? 4 * threads : 1);
        const auto look_at_chunk = [&](int64_t c, Worker& w, bool calling_thread) {
            if (node.segment.size() > 10000) interrupt_.check(calling_thread);
            const size_t first = chunks[static_cast<size_t>(c)], last = chunks[static_cast<size_t>(c) + 1];
            w.search.count(std::span(columns).subspan(first, last - first));
            for (size_t i = first; i < last; ++i)
                worker.found[static_cast<size_t>(columns[i])] = look(node, columns[i], limits, w, varies[i]);
        };
        const auto n_chunks = static_cast<int64_t>(chunks.size()) - 1;
        if (share) {
            for (auto& w : workers_) w->search.begin(branch.stat(id), lists_.rows().data(), node.segment);
            parallel_for(
                n_chunks, threads,
                [&](int64_t c, int w) { look_at_chunk(c, *workers_[static_cast<size_t>(w)], w == 0); },
                [&] { interrupt_.ask(); });
        } else {
            worker.search.begin(branch.stat(id), lists_.rows().data(), node.segment);
            for (int64_t c = 0; c < n_chunks; ++c) look_at_chunk(c, worker, threads > 0);
        }
        const auto left = static_cast<size_t>(std::count(varies.begin(), varies.end(), uint8_t{1}));
        if (left == columns.size()) return;
        auto varying = std::make_shared<std::vector<int32_t>>();
        varying->reserve(left);
        for (size_t i = 0; i < columns.size(); ++i)
            if (varies[i]) varying->push_back(columns[i]);
        node.columns = std::move(varying);
    }

    // Where each chunk of columns begins, and the end: at least so many of about equal length, and the
    // histograms of one fit into the first-level cache.
    std::vector<size_t> chunks_of(const std::vector<int32_t>& columns, int at_least) const {
        constexpr int64_t kCache = 32 << 10;
        const size_t longest = std::max<size_t>(1, columns.size() / static_cast<size_t>(at_least));
        std::vector<size_t> starts{0};
        int64_t bytes = 0;
        for (size_t i = 0; i < columns.size(); ++i) {
            const BinnedColumn& column = matrix_.columns[static_cast<size_t>(columns[i])];
            const int64_t own = std::holds_alternative<InRecord>(column.store)
                                    ? (int64_t{column.n_bins} + 1) * target_.width() * 8
                                    : 0;
            if (i > starts.back() && (bytes + own > kCache || i - starts.back() >= longest)) {
                starts.push_back(i);
                bytes = 0;
            }
            bytes += own;
        }
        starts.push_back(columns.size());
        return starts;
    }

    // The first max_features columns of a random order; more, one by one, until one can be split.
    void look_at_drawn(Branch& branch, int32_t id, const Limits& limits, Worker& worker) {
        const Node& node = branch.nodes[static_cast<size_t>(id)];
        worker.search.begin(branch.stat(id), lists_.rows().data(), node.segment);
        worker.columns = all_columns_;
        NodeRandom(settings_.seed, mix(node.key)).shuffle(worker.columns);
        int64_t seen = 0;
        bool any = false;
        uint8_t varies = 0;
        for (const int32_t j : worker.columns) {
            if (seen++ >= settings_.max_features && any) break;
            worker.search.count(std::span(&j, 1));
            worker.found[static_cast<size_t>(j)] = look(node, j, limits, worker, varies);
            any |= worker.found[static_cast<size_t>(j)].found();
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

    // x <= threshold: marks the side of every row of the node.
    void send_ordered(Node& node, const Choice& choice, Sides& sides, std::vector<int64_t>& sizes) {
        const BinnedColumn& binned = matrix_.columns[static_cast<size_t>(choice.column)];
        const auto [low, high] = std::pair(choice.best.low, choice.best.high);
        node.kind = SplitKind::threshold;
        node.missing_child = choice.best.missing_left ? 0 : 1;
        uint32_t low_row = 0, high_row = 0;
        lists_.for_each_code(node.segment, choice.column, [&](uint32_t code, uint32_t row) {
            const bool right = code == 0 ? !choice.best.missing_left : code > low;
            node.n_missing += code == 0;
            sides.set(row, right);
            sizes[1] += right;
            if (code == low) low_row = row;
            if (code == high) high_row = row;
        });
        sizes[0] = node.segment.size() - sizes[1];
        node.threshold = high == 0 ? std::numeric_limits<double>::infinity()
                                   : midpoint(binned.highest(low, low_row), binned.lowest(high, high_row));
    }

    void send_categories(Node& node, const Choice& choice, Worker& worker, std::vector<int64_t>& sizes) {
        const BinnedColumn& binned = matrix_.columns[static_cast<size_t>(choice.column)];
        const bool many = multiway(choice.column);
        node.kind = many ? SplitKind::multiway : SplitKind::subset;
        std::vector<uint32_t> child_of(binned.n_bins + size_t{1});
        if (many) {
            for (uint32_t code = 1; code <= binned.n_bins; ++code) child_of[code] = code - 1;
            node.missing_child = static_cast<int32_t>(choice.best.low) - 1;
        } else {
            worker.search.count(std::span(&choice.column, 1));
            const Groups& groups = worker.search.collect(choice.column);
            const std::vector<uint32_t> child = worker.search.children_of_groups(choice.best);
            for (size_t g = 0; g < groups.size(); ++g) {
                child_of[groups.code[g]] = child[g];
                node.categories.push_back(
                    {static_cast<int32_t>(groups.code[g]) - 1, static_cast<int32_t>(child[g])});
            }
            node.missing_child = choice.best.missing_left ? 0 : 1;
        }
        child_of[0] = static_cast<uint32_t>(node.missing_child);
        lists_.for_each_code(node.segment, choice.column, [&](uint32_t code, uint32_t row) {
            node.n_missing += code == 0;
            ++sizes[child_of[code]];
            if (many) {
                lists_.send(row, child_of[code]);
            } else {
                worker.sides.set(row, child_of[code] == 1);
            }
        });
    }

    void move_columns(const Node& node, const RowLists::Move& move, Worker& worker, int threads) {
        const std::vector<int32_t>& columns = node.columns ? *node.columns : all_columns_;
        const auto one = [&](int64_t i, Worker& w) {
            lists_.move_entries(columns[static_cast<size_t>(i)], move, w.spare);
        };
        if (threads > 1 && node.segment.size() > 500) {
            parallel_for(static_cast<int64_t>(columns.size()), threads,
                         [&](int64_t i, int w) { one(i, *workers_[static_cast<size_t>(w)]); });
        } else {
            for (size_t i = 0; i < columns.size(); ++i) one(static_cast<int64_t>(i), worker);
        }
    }

    // Loss and weight of a new node, and whether it is a leaf without any search.
    void measure(Branch& branch, int32_t id, Worker& worker) {
        Node& node = branch.nodes[static_cast<size_t>(id)];
        const int64_t n = node.segment.size();
        if (n > 0) {
            node.loss = worker.search.begin(branch.stat(id), lists_.rows().data(), node.segment);
            node.weight = static_cast<double>(worker.search.sweep.group_weight(branch.stat(id)));
            if (target_.regression() && node.loss > 0 && node.loss < coarse_loss(node))
                refine(branch, id, worker);
        }
        node.terminal = n < settings_.min_samples_split || n < 2 * settings_.min_samples_leaf ||
                        node.depth >= settings_.max_depth || node.loss == 0.0;
    }

    // Below this loss the values spread over fewer steps than ties are told apart by, and a scale for these
    // rows alone would have 2^10 times as many at least.
    double coarse_loss(const Node& node) const {
        const double finer = std::ldexp(1.0, 48) / static_cast<double>(node.segment.size());
        const double step = std::min(kCoarse, finer) * target_.weight_unit;
        return step * step * node.weight;
    }

    // The values of a node lie so close together, compared with all values, that their moments are coarse: it
    // gets a scale of its own. Its rows are in no other node that is still to grow.
    void refine(Branch& branch, int32_t id, Worker& worker) {
        Node& node = branch.nodes[static_cast<size_t>(id)];
        const std::span<const uint32_t> rows(lists_.rows().data() + node.segment.begin,
                                             static_cast<size_t>(node.segment.size()));
        node.step = set_moments(target_, rows);
        std::fill_n(branch.stat(id), target_.width(), int64_t{0});
        for (const uint32_t r : rows) target_.add_row(branch.stat(id), r);
        node.loss = worker.search.begin(branch.stat(id), lists_.rows().data(), node.segment);
    }

    static double midpoint(double a, double b) {
        double m = (a + b) / 2;
        if (!std::isfinite(m)) m = a / 2 + b / 2;
        return (a <= m && m < b ? m : a) + 0.0;
    }

    const BinnedMatrix& matrix_;
    Target target_;  // a copy: nodes may refine their moments
    const Settings& settings_;
    Interrupt& interrupt_;
    double min_weight_ = 0.0;
    RowLists lists_;
    std::vector<int32_t> all_columns_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace bough

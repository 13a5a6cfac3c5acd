// Finds the split of one node: the best of every column, and the choice among them.
#pragma once
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "binary_thicket.hpp"
#include "branch_table.hpp"
#include "choose.hpp"
#include "few_rows.hpp"
#include "interrupt.hpp"
#include "node.hpp"
#include "parallel.hpp"
#include "plot.hpp"
#include "routing.hpp"
#include "search.hpp"
#include "single_precision.hpp"
#include "surrogate_search.hpp"
#include "thicket.hpp"

namespace bough {

inline constexpr double kTie = 1e-12;  // relative to the node's loss

template <class Sweep>
class NodeSearch {
  public:
    // What a thread has of its own.
    struct Worker {
        Worker(const ColumnSearch<Sweep>& prototype, int64_t n_rows, bool as_rpart)
            : search(prototype), surrogates(as_rpart), sides(n_rows) {}
        ColumnSearch<Sweep> search;
        SurrogateSearch surrogates;
        Sides sides;
        RowLists::Spare spare;
        Route route;
        PlotMaker maker;
        FewRows<Sweep> few;
        Thicket<Sweep> thicket;
        BinaryThicket<Sweep> binary_thicket;
        std::vector<Best> found;      // by column
        std::vector<uint8_t> varies;  // by column
        std::vector<int32_t> columns, looked_at;
        bool calling = false;  // whether it runs in the calling thread, which alone may be interrupted
    };

    NodeSearch(const BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads,
               Interrupt& interrupt)
        : settings_(settings),
          thicket_rows_(Thicket<Sweep>::most_rows(matrix, target, settings)),
          binary_rows_(BinaryThicket<Sweep>::most_rows(matrix, target, settings)),
          thicket_rules_{
              settings, kTie,
              settings.min_impurity_decrease * static_cast<double>(target.total_weight) * target.weight_unit},
          interrupt_(interrupt),
          constrained_(settings.constrained()),
          few_suit_(FewRows<Sweep>::suits(matrix, settings)),
          choice_(settings, in_average(matrix, settings)) {
        for (size_t j = 0; j < matrix.columns.size(); ++j)
            if (!settings.forbidden[j]) all_columns_.push_back(static_cast<int32_t>(j));
        total_weight_ = static_cast<double>(target.total_weight) * target.weight_unit;
        limits_.min_rows = settings.min_samples_leaf;
        limits_.small_branches = settings.small_branches;
        // 0.1 of ten rows is one row, although the double 0.1 is a little more than a tenth.
        limits_.min_weight = static_cast<int64_t>(std::ceil(
            settings.min_weight_fraction_leaf * static_cast<double>(target.total_weight) * (1 - kTie)));
        if (settings.min_weight_leaf > 0)
            limits_.set_weight(settings.min_weight_leaf, target.weight_unit, target.weight.empty());
        const ColumnSearch<Sweep> prototype(matrix, target, settings);
        loss_unit_ = prototype.sweep.unit();
        for (int w = 0; w < std::max(threads, 1); ++w)
            workers_.push_back(std::make_unique<Worker>(prototype, matrix.n_rows, settings.rpart_surrogates));
    }

    Worker& worker(int number) { return *workers_[static_cast<size_t>(number)]; }
    double loss_unit() const { return loss_unit_; }

    int32_t branch_count(const Plot& plot, const Choice& choice) const {
        const bool own = choice.best.known_only && choice.best.missing_apart;
        if (grouped(plot, choice.column)) return choice.best.arrangement + own;
        if (!multiway(plot, choice.column)) return own ? 3 : 2;
        return static_cast<int32_t>(plot.matrix.columns[static_cast<size_t>(choice.column)].n_bins) + own;
    }

    // The best split of the node over all columns, if the node is to be split at all. `threads`: how many may
    // share the work; 0: this is not the calling thread, which alone may be interrupted.
    std::optional<Choice> evaluate(Plot& plot, Branch& branch, int32_t id, Worker& worker, int threads) {
        worker.calling = threads > 0;
        interrupt_.check(worker.calling);
        worker.search.bind(plot.matrix, plot.target);
        Node& node = branch.nodes[static_cast<size_t>(id)];
        worker.search.salt(mix(settings_.seed ^ mix(node.key)));
        const Limits limits = limits_of(plot, node, worker);
        if (few_suit_ && node.segment.size() <= FewRows<Sweep>::kMost) {
            worker.search.begin(branch.stat(id), plot.lists.rows().data(), node.segment);
            if (const auto found =
                    worker.few.choose(worker.search, plot.lists, node, columns_of(node), limits))
                return checked(plot, node, *found, limits, worker);
        }
        // Required columns first; the others once those have nothing to offer.
        for (const bool required : {true, false}) {
            if (required && settings_.required.empty()) continue;
            // Those of the last node are forgotten; a node that draws looks at few of many.
            worker.found.resize(plot.matrix.columns.size());
            for (const int32_t j : worker.looked_at) worker.found[static_cast<size_t>(j)] = {};
            if (settings_.max_features > 0) {
                look_at_drawn(plot, branch, id, limits, worker);
            } else {
                look_at_all(plot, branch, id, limits, worker, threads);
            }
            for (size_t j = 0; required && j < worker.found.size(); ++j)
                if (!is_required(node, static_cast<int32_t>(j))) worker.found[j] = {};
            const auto rounded = [&](int32_t column) {
                const Choice one{column, worker.found[static_cast<size_t>(column)], 0.0};
                return single_merit(plot, node, one, worker);
            };
            // Gains of numbers have the unit of the loss, not of the weight.
            const Choice choice =
                choice_.choose(worker.found, limits.tolerance,
                               plot.target.regression() ? node.loss : node.weight, node.key, rounded);
            if (const auto good = checked(plot, node, choice, limits, worker)) return good;
        }
        return std::nullopt;
    }

  protected:
    bool multiway(const Plot& plot, int32_t column) const {
        const BinnedColumn& c = plot.matrix.columns[static_cast<size_t>(column)];
        return c.kind == ColumnKind::nominal && settings_.one_each(c.n_bins);
    }

    // Whether a split has a branch for each of some groups of categories.
    bool grouped(const Plot& plot, int32_t column) const {
        const BinnedColumn& c = plot.matrix.columns[static_cast<size_t>(column)];
        return c.kind == ColumnKind::nominal && settings_.merges() && !settings_.one_each(c.n_bins);
    }

    static AnswerScale scale_of(const Plot& plot, const Node& node) {
        return {plot.target.n_classes, node.centre, node.step / plot.target.weight_unit};
    }

    // The child of each code of a split on categories, and the node's list of categories.
    std::vector<uint32_t> child_of_codes(const Plot& plot, Node& node, const Choice& choice, Worker& worker) {
        const BinnedColumn& binned = plot.matrix.columns[static_cast<size_t>(choice.column)];
        std::vector<uint32_t> child_of(binned.n_bins + size_t{1});
        if (multiway(plot, choice.column)) {
            node.kind = SplitKind::multiway;
            for (uint32_t code = 1; code <= binned.n_bins; ++code) child_of[code] = code - 1;
            return child_of;
        }
        node.kind = SplitKind::subset;
        if (settings_.categories == Categories::one_vs_rest) {
            for (uint32_t code = 1; code <= binned.n_bins; ++code) {
                child_of[code] = code != static_cast<uint32_t>(choice.best.arrangement);
                node.categories.push_back(
                    {static_cast<int32_t>(code) - 1, static_cast<int32_t>(child_of[code])});
            }
            return child_of;
        }
        worker.search.count(std::span(&choice.column, 1));
        const Groups& groups = worker.search.collect(choice.column);
        const std::vector<uint32_t> child =
            worker.search.children_of_groups(choice.best, limits_of(plot, node, worker), binned.n_bins);
        // C4.5's merging has a branch for categories that are not here, the last.
        const bool all = settings_.categories == Categories::merge;
        if (all) std::fill(child_of.begin(), child_of.end(), choice.best.arrangement - 1);
        for (size_t g = 0; g < groups.size(); ++g) child_of[groups.code[g]] = child[g];
        for (size_t i = 0; i < (all ? binned.n_bins : groups.size()); ++i) {
            const auto code = all ? static_cast<uint32_t>(i) + 1 : groups.code[i];
            node.categories.push_back({static_cast<int32_t>(code) - 1, static_cast<int32_t>(child_of[code])});
        }
        return child_of;
    }

    const std::vector<int32_t>& columns_of(const Node& node) const {
        return node.columns ? *node.columns : all_columns_;
    }

    const Settings& settings_;
    const int64_t thicket_rows_, binary_rows_;  // nodes up to this size grow in one go, in either way
    const NodeRules thicket_rules_;
    Interrupt& interrupt_;
    std::vector<std::unique_ptr<Worker>> workers_;

  private:
    // None if the node is not to be split so. A gain of nothing is not its noise.
    std::optional<Choice> checked(const Plot& plot, const Node& node, Choice choice, const Limits& limits,
                                  Worker& worker) {
        if (choice.column < 0 || !is_worth_it(plot, node, choice, limits, worker)) return std::nullopt;
        if (choice.gain <= limits.tolerance) choice.gain = 0.0;
        return choice;
    }

    // Whether the settings let the node be split so.
    bool is_worth_it(const Plot& plot, const Node& node, const Choice& choice, const Limits& limits,
                     Worker& worker) {
        if (!settings_.zero_gain_splits && choice.gain <= limits.tolerance) return false;
        if (settings_.significance_level < 1.0 && settings_.choice != Merit::significance &&
            !(split_log_p(plot, node, choice, worker) <= log_portable(settings_.significance_level)))
            return false;
        const double gain = (choice.gain + limits.tolerance) * worker.search.sweep.unit();
        return settings_.min_impurity_decrease <= 0 ||
               gain * node.step * node.step >= settings_.min_impurity_decrease * total_weight_;
    }

    // What branches of this node must have, and how close equal gains are.
    Limits limits_of(const Plot& plot, const Node& node, const Worker& worker) const {
        Limits limits = limits_;
        limits.min_rows =
            std::max(limits.min_rows,
                     static_cast<int64_t>(std::ceil(settings_.min_share_leaf *
                                                    static_cast<double>(node.segment.size()) * (1 - kTie))));
        limits.tolerance = kTie * node.loss + worker.search.sweep.resolution();
        if (!plot.target.regression())
            limits.tolerance = std::max(limits.tolerance, settings_.tie_margin * node.weight);
        return limits;
    }

    bool is_required(const Node& node, int32_t column) const {
        const bool asked =
            node.asked && std::find(node.asked->begin(), node.asked->end(), column) != node.asked->end();
        return !asked && std::find(settings_.required.begin(), settings_.required.end(), column) !=
                             settings_.required.end();
    }

    Best look(const Plot& plot, const Node& node, int32_t column, const Limits& given, Worker& worker,
              uint8_t& varies) {
        Limits limits = given;
        MonotoneCheck check;
        if (constrained_) {
            check = {settings_.monotone[static_cast<size_t>(column)], node.bounds.get(), scale_of(plot, node),
                     worker.search.node_stat()};
            limits.monotone = &check;
        }
        Best best = worker.search.best_of(column, plot.lists.entries(column, node.segment), limits, varies);
        if (settings_.subset_correction && best.found() &&
            plot.matrix.columns[static_cast<size_t>(column)].kind == ColumnKind::nominal)
            best.penalty = subset_penalty(plot, node, worker);
        if (settings_.choice == Merit::significance && settings_.categories != Categories::chaid && varies) {
            const Association test = worker.search.test_of(
                column, node.key, [&](uint32_t row) { return plot.value(column, row); },
                [&] { interrupt_.check(worker.calling); });
            if (test.tested()) best.log_p = test.log_p;
        }
        return best;
    }

    // What the best of many subsets gains by chance beyond the best cut: a bit of likelihood for each bit
    // that names it, in the unit of the gains. For counts it is the row that counts, whatever it weighs.
    double subset_penalty(const Plot& plot, const Node& node, const Worker& worker) const {
        const double each = subset_bits(worker.search.n_groups()) / static_cast<double>(node.segment.size());
        if (settings_.criterion == Criterion::entropy) return each * node.weight;
        // The share of the loss that a split explains, times the rows and the classes less one, is
        // chi-square.
        const int64_t* const stat = worker.search.node_stat();
        const auto present =
            std::count_if(stat, stat + plot.target.n_classes, [](int64_t w) { return w > 0; });
        return each * 2.0 * kNaturalOf2 * node.loss / static_cast<double>(std::max<int64_t>(1, present - 1));
    }
    static constexpr double kNaturalOf2 = 0.69314718055994531;

    void look_at_all(Plot& plot, Branch& branch, int32_t id, const Limits& limits, Worker& worker,
                     int threads) {
        Node& node = branch.nodes[static_cast<size_t>(id)];
        const std::vector<int32_t>& columns = columns_of(node);
        std::vector<uint8_t>& varies = worker.varies;
        varies.assign(plot.matrix.columns.size(), 0);
        worker.looked_at = columns;
        const bool share = threads > 1 && node.segment.size() > 500;
        const std::vector<size_t> chunks =
            chunks_of(plot.matrix, plot.target.width(), columns, share ? 4 * threads : 1);
        const auto look_at_chunk = [&](int64_t c, Worker& w, bool calling_thread) {
            w.calling = calling_thread;
            if (node.segment.size() > 10000) interrupt_.check(calling_thread);
            const size_t first = chunks[static_cast<size_t>(c)], last = chunks[static_cast<size_t>(c) + 1];
            w.search.count(std::span(columns).subspan(first, last - first));
            for (size_t i = first; i < last; ++i) {
                const auto j = static_cast<size_t>(columns[i]);
                worker.found[j] = look(plot, node, columns[i], limits, w, varies[j]);
            }
        };
        const auto n_chunks = static_cast<int64_t>(chunks.size()) - 1;
        if (share) {
            for (auto& w : workers_) {
                w->search.bind(plot.matrix, plot.target);
                w->search.begin(branch.stat(id), plot.lists.rows().data(), node.segment);
            }
            parallel_for(
                n_chunks, threads,
                [&](int64_t c, int w) { look_at_chunk(c, *workers_[static_cast<size_t>(w)], w == 0); },
                [&] { interrupt_.ask(); });
        } else {
            worker.search.begin(branch.stat(id), plot.lists.rows().data(), node.segment);
            for (int64_t c = 0; c < n_chunks; ++c) look_at_chunk(c, worker, threads > 0);
        }
        leave_out_constant(node, columns, varies);
    }

    // Columns that have become constant are not looked at further down.
    static void leave_out_constant(Node& node, const std::vector<int32_t>& columns,
                                   const std::vector<uint8_t>& varies) {
        const auto stays = [&](int32_t j) { return varies[static_cast<size_t>(j)] != 0; };
        if (std::all_of(columns.begin(), columns.end(), stays)) return;
        auto varying = std::make_shared<std::vector<int32_t>>();
        std::copy_if(columns.begin(), columns.end(), std::back_inserter(*varying), stays);
        node.columns = std::move(varying);
    }

    // Columns of a random order, until max_features that vary have been looked at; more, one by one, until
    // one can be split.
    void look_at_drawn(const Plot& plot, Branch& branch, int32_t id, const Limits& limits, Worker& worker) {
        Node& node = branch.nodes[static_cast<size_t>(id)];
        worker.search.begin(branch.stat(id), plot.lists.rows().data(), node.segment);
        worker.columns = columns_of(node);
        worker.varies.assign(plot.matrix.columns.size(), 1);
        worker.looked_at.clear();
        NodeRandom random(settings_.seed, mix(node.key));
        const auto n = worker.columns.size(), most = static_cast<size_t>(settings_.max_features);
        bool any = false;
        for (size_t first = 0, varying = 0, wanted = most; first < n && wanted > 0;) {
            const size_t last = first + std::min(wanted, n - first);
            for (size_t i = first; i < last; ++i)
                std::swap(worker.columns[i], worker.columns[i + random.below(n - i)]);
            worker.search.count(std::span(worker.columns).subspan(first, last - first));
            for (; first < last; ++first) {
                const auto j = static_cast<size_t>(worker.columns[first]);
                worker.looked_at.push_back(worker.columns[first]);
                worker.found[j] = look(plot, node, worker.columns[first], limits, worker, worker.varies[j]);
                varying += worker.varies[j];
                any |= worker.found[j].found();
            }
            wanted = varying < most ? most - varying : !any;
        }
        leave_out_constant(node, columns_of(node), worker.varies);
    }

    // The rows of each branch put together, missing ones where they have a branch in the gain.
    BranchTable table_of(const Plot& plot, const Node& node, const Choice& choice, Worker& worker) {
        const bool ordered =
            plot.matrix.columns[static_cast<size_t>(choice.column)].kind == ColumnKind::ordered;
        const bool many = !ordered && (multiway(plot, choice.column) || grouped(plot, choice.column));
        const auto branches = static_cast<size_t>(branch_count(plot, choice));
        const size_t missing = choice.best.missing_apart ? branches - 1
                               : many ? static_cast<size_t>(std::max(choice.best.low, 1u)) - 1
                                      : (choice.best.missing_left ? 0 : 1);
        Node scratch = node;  // takes the list of categories, which is not needed
        return branch_table(
            plot, node.segment, choice, branches, missing,
            ordered ? std::vector<uint32_t>{} : child_of_codes(plot, scratch, choice, worker));
    }

    // The logarithm of the p-value of a split: chi-square of branches x classes, or of means.
    double split_log_p(const Plot& plot, const Node& node, const Choice& choice, Worker& worker) {
        const BranchTable table = table_of(plot, node, choice, worker);
        const double unit = plot.target.weight_unit;
        if (!plot.target.regression())
            return pearson(table.stats.data(), table.branches, plot.target.n_classes, unit).log_p;
        const double spread = spread_of(plot.target, table.counted);
        return categories_and_numbers(table.stats.data(), table.branches, unit, spread).log_p;
    }

    double single_merit(const Plot& plot, const Node& node, const Choice& choice, Worker& worker) {
        const BranchTable table = table_of(plot, node, choice, worker);
        const double unit = plot.target.weight_unit;
        SingleSplit split{{}, static_cast<size_t>(plot.target.n_classes), 0.0, choice.best.cut, 0.0};
        for (const int64_t w : table.stats) split.table.push_back(static_cast<double>(w) * unit);
        split.missing = static_cast<double>(table.left_out) * unit;
        split.correction = choice.best.penalty * worker.search.sweep.unit();
        return split.merit(settings_.choice == Merit::gain_ratio);
    }

    const bool constrained_, few_suit_;
    ColumnChoice choice_;
    Limits limits_;
    double total_weight_ = 0.0, loss_unit_ = 1.0;
    std::vector<int32_t> all_columns_;
};

}  // namespace bough

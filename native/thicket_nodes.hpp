// The nodes of a thicket (thicket.hpp): its rows divided among them, and what new ones are measured by.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "few_rows.hpp"
#include "midpoint.hpp"
#include "node.hpp"
#include "plot.hpp"
#include "settings.hpp"
#include "thicket_columns.hpp"
#include "thicket_scan.hpp"

namespace bough {

// What the splitter knows of new nodes; see Splitter::measure.
struct NodeRules {
    const Settings& settings;
    double tie, least_gain;  // relative to the node's loss; of a split, in the unit of the whole table

    // Whether the settings let a node be split with this gain, in squares of its step and of `unit`.
    bool is_worth_it(const Node& node, double gain, double tolerance, double unit) const {
        if (!settings.zero_gain_splits && gain <= tolerance) return false;
        return settings.min_impurity_decrease <= 0 ||
               (gain + tolerance) * unit * node.step * node.step >= least_gain;
    }
};

// Whether a tree is one of those whose subtrees may grow in one go, as far as its columns are cut alone.
inline bool grows_at_once(const Target& target, const Settings& settings) {
    return chosen_by_gain(settings) && settings.significance_level >= 1.0 && !settings.any(Missing::stop) &&
           !settings.any(Missing::fractional) && settings.min_share_leaf == 0.0 &&
           settings.min_weight_leaf == 0.0 && settings.min_weight_fraction_leaf == 0.0 &&
           settings.time_limit == 0.0 && settings.max_leaf_nodes == 0 && settings.max_nodes == 0 &&
           target.weight.empty() && (target.regression() ? !target.loss : target.packed());
}

template <class Sweep>
class ThicketNodes {
  protected:
    // A node that is to be split, and where its columns begin: it owns the last of them.
    struct Task {
        int32_t id;
        uint32_t begin, end;  // of its rows
        size_t columns;
        std::span<uint16_t> rows(std::vector<uint16_t>& all) const {
            return std::span(all).subspan(begin, end - begin);
        }
    };
    // The cut of a node: the values next to it are looked up for all of them together, because they lie
    // anywhere in the table.
    struct Edge {
        int32_t id;
        uint32_t low, high;  // rows of the thicket
    };

    // Makes the children of a node, whose rows are in their places.
    void add_children(const Task& task, Task& low, Task& high, int32_t feature, double gain) {
        Node& node = branch_->nodes[static_cast<size_t>(task.id)];  // stays where it is
        node.feature = feature;
        node.kind = SplitKind::threshold;
        node.gain = gain;
        node.n_children = 2;
        low.id = add_child(node, low);
        high.id = add_child(node, high);
        node.first_child = low.id;
        count_children(task.id, low, high);
        measure(low);
        measure(high);
        const auto weight = [&](const Task& t) { return branch_->nodes[static_cast<size_t>(t.id)].weight; };
        node.missing_child = weight(high) > weight(low);
    }

    // The values next to the cuts.
    void set_thresholds() {
        for (const Edge& e : edges_) {
            Node& node = branch_->nodes[static_cast<size_t>(e.id)];
            const BinnedColumn& column = plot_->matrix.columns[static_cast<size_t>(node.feature)];
            const uint32_t low = columns_.table_rows[e.low], high = columns_.table_rows[e.high];
            node.below = column.highest(code_of_row(column, low), plot_->matrix.origin_of(low));
            node.above = column.lowest(code_of_row(column, high), plot_->matrix.origin_of(high));
            node.threshold = midpoint(node.below, node.above);
        }
        edges_.clear();
    }

    Plot* plot_ = nullptr;
    Branch* branch_ = nullptr;
    const NodeRules* rules_ = nullptr;
    Sweep* sweep_ = nullptr;
    ThicketScan<Sweep> scan_;
    ThicketColumns columns_;
    std::vector<uint16_t> rows_;  // of the thicket; each node owns a segment, ascending
    std::vector<Edge> edges_;

  private:
    int32_t add_child(const Node& node, const Task& task) {
        const int32_t child = branch_->add_node(
            {node.segment.begin, node.segment.begin + task.end - task.begin}, node.depth + 1, 0);
        Node& added = branch_->nodes[static_cast<size_t>(child)];
        added.step = node.step;
        added.centre = node.centre;
        return child;
    }

    // The larger child has what the other leaves of the node.
    void count_children(int32_t id, const Task& low, const Task& high) {
        const bool low_smaller = low.end - low.begin <= high.end - high.begin;
        const Task &smaller = low_smaller ? low : high, &larger = low_smaller ? high : low;
        count(smaller);
        const int64_t *const all = branch_->stat(id), *const some = branch_->stat(smaller.id);
        int64_t* const rest = branch_->stat(larger.id);
        for (int32_t k = 0; k < plot_->target.width(); ++k) rest[k] = all[k] - some[k];
    }
    void count(const Task& task) {
        int64_t* const stat = branch_->stat(task.id);
        for (const uint16_t r : task.rows(rows_)) {
            if constexpr (Numeric<Sweep>) {
                ++stat[0];
                stat[1] += scan_.moments()[r];
            } else {
                ++stat[columns_.label[r]];
            }
        }
    }

    // As Splitter::measure has it.
    void measure(const Task& task) {
        Node& node = branch_->nodes[static_cast<size_t>(task.id)];
        const auto rows = task.rows(rows_);
        const auto n = static_cast<int64_t>(rows.size());
        node.weight = static_cast<double>(n);
        if constexpr (Numeric<Sweep>) {
            measure_numbers(task, node);
        } else {
            sweep_->enter(branch_->stat(task.id));
            node.loss = sweep_->loss(nullptr, n);
        }
        const Settings& settings = rules_->settings;
        node.terminal = n < settings.min_samples_split || n < 2 * settings.min_samples_leaf ||
                        node.depth >= settings.max_depth || node.loss == 0.0;
    }

    void measure_numbers(const Task& task, Node& node) {
        const auto rows = task.rows(rows_);
        Target& target = plot_->target;
        if (rows.size() == 1) {
            node.mean = target.value[columns_.table_rows[rows[0]]];
            return;
        }
        here_in_table_.clear();
        for (const uint16_t r : rows) here_in_table_.push_back(columns_.table_rows[r]);
        const auto n = static_cast<int64_t>(rows.size());
        sweep_->enter(branch_->stat(task.id));
        node.loss = sweep_->loss(here_in_table_.data(), n);
        node.mean = exact_mean(target, here_in_table_);
        if (!(node.loss > 0 && node.loss < coarse_loss(target, n, node.weight))) return;
        const MomentScale scale = set_moments(target, here_in_table_);
        node.step = scale.unit;
        node.centre = scale.centre;
        for (const uint16_t r : rows) scan_.moments()[r] = target.moment[columns_.table_rows[r]];
        std::fill_n(branch_->stat(task.id), target.width(), int64_t{0});
        count(task);
        sweep_->enter(branch_->stat(task.id));
        node.loss = sweep_->loss(here_in_table_.data(), n);
    }

    // Sorted columns tell their values by the row.
    uint32_t code_of_row(const BinnedColumn& column, uint32_t row) const {
        const auto* const record = std::get_if<InRecord>(&column.store);
        return record ? plot_->matrix.code(row, record->offset) : 0;
    }

    std::vector<uint32_t> here_in_table_;
};

}  // namespace bough

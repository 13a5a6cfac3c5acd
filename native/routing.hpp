// Where the rows of a node go once its split is chosen: known rows by their value, missing rows by the
// column's rule.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "candidates/node_values.hpp"
#include "choose.hpp"
#include "midpoint.hpp"
#include "node.hpp"
#include "plot.hpp"
#include "settings.hpp"

namespace bough {

// The rows of one node on their way.
struct Route {
    bool wide = false;             // children are numbers in the lists, not sides
    std::vector<int64_t> sizes;    // rows of each child; one more than children where some stay
    std::vector<int64_t> weights;  // of the known rows of each child
    std::vector<int64_t> starts;   // of the children within the node, once all are on their way
    std::vector<uint32_t> missing;

    void begin(size_t n_children, bool is_wide) {
        wide = is_wide;
        sizes.assign(n_children + 1, 0);
        weights.assign(n_children + 1, 0);
        missing.clear();
    }
    void send(Plot& plot, Sides& sides, uint32_t row, uint32_t child) {
        ++sizes[child];
        if (wide) {
            plot.lists.send(row, child);
        } else {
            sides.set(row, child == 1);
        }
    }
    // Rows of known value, to the two children of a cut.
    void send_all(Plot& plot, Sides& sides, std::span<const Entry> left, std::span<const Entry> right) {
        if (!wide) sides.set_all(left, right, plot.target.row_mask);
        count(plot, left, 0);
        count(plot, right, 1);
    }
    void count(Plot& plot, std::span<const Entry> entries, uint32_t child) {
        const uint32_t mask = plot.target.row_mask;
        sizes[child] += static_cast<int64_t>(entries.size());
        for (const Entry e : wide ? entries : std::span<const Entry>())
            plot.lists.send(row_of(e) & mask, child);
        if (plot.target.weight.empty()) {
            weights[child] += static_cast<int64_t>(entries.size());
        } else {
            for (const Entry e : entries) weights[child] += plot.target.weight_of(row_of(e) & mask);
        }
    }
    int32_t heaviest() const {
        return static_cast<int32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    }
};

// Whether the children are more than two sides.
inline bool is_wide(const Settings& settings, int32_t column, bool many) {
    const Missing rule = settings.missing[static_cast<size_t>(column)];
    return many || rule == Missing::branch || rule == Missing::stop || rule == Missing::surrogate;
}

// Whether missing rows may end up in no child, or in all.
inline bool stays_or_spreads(const Settings& settings, int32_t column) {
    const Missing rule = settings.missing[static_cast<size_t>(column)];
    return rule == Missing::stop || rule == Missing::fractional ||
           (rule == Missing::surrogate && settings.surrogates_stay);
}

// Whether a random cut is of values whose codes were not looked up.
inline bool cuts_values(const BinnedColumn& c, const Best& best) { return best.salt != 0 && !c.packed(); }

// x <= threshold of a random cut of values.
inline void send_by_value(Plot& plot, Node& node, const Choice& choice, Sides& sides, Route& route) {
    const std::span<const uint32_t> rows(plot.lists.rows().data() + node.segment.begin,
                                         static_cast<size_t>(node.segment.size()));
    constexpr double kFar = std::numeric_limits<double>::infinity();
    const double threshold = choice.best.threshold;
    double below = -kFar, above = kFar;
    int64_t right_rows = 0, right_weight = 0, known_weight = 0;
    const bool weighted = !plot.target.weight.empty();
    route.missing.resize(rows.size());
    size_t n_missing = 0;
    // Without branches: half of them would be guessed wrong.
    for_each_value(
        plot.matrix, plot.matrix.columns[static_cast<size_t>(choice.column)], rows,
        [&](size_t i) { return plot.matrix.origin_of(rows[i]); },
        [&](size_t i, double v) {
            route.missing[n_missing] = rows[i];
            n_missing += v != v;
            const bool right = v > threshold;
            const double left_value = v <= threshold ? v : -kFar, right_value = right ? v : kFar;
            below = left_value > below ? left_value : below;
            above = right_value < above ? right_value : above;
            right_rows += right;
            if (weighted) {
                known_weight += v == v ? plot.target.weight[rows[i]] : 0;
                right_weight += right ? plot.target.weight[rows[i]] : 0;
            }
            if (route.wide) return plot.lists.send(rows[i], right);
            sides.set(rows[i], right);
        });
    route.missing.resize(n_missing);
    route.sizes[1] = right_rows;
    route.sizes[0] = node.segment.size() - right_rows - static_cast<int64_t>(route.missing.size());
    route.weights[1] = weighted ? right_weight : route.sizes[1];
    route.weights[0] = weighted ? known_weight - right_weight : route.sizes[0];
    node.below = below;
    node.above = above;
    node.threshold = threshold;
}

// x <= threshold: sends the known rows, collects the others.
inline void send_ordered(Plot& plot, Node& node, const Choice& choice, Sides& sides, Route& route) {
    const BinnedColumn& binned = plot.matrix.columns[static_cast<size_t>(choice.column)];
    const uint32_t low = choice.best.low, high = choice.best.high;
    node.kind = SplitKind::threshold;
    if (cuts_values(binned, choice.best)) return send_by_value(plot, node, choice, sides, route);
    uint32_t low_row = 0, high_row = 0;
    if (const Entry* const entries = plot.lists.entries(choice.column, node.segment)) {
        // In order of code: missing rows, those up to the threshold, those above it.
        const Entry* const end = entries + node.segment.size();
        const Entry* const known =
            std::partition_point(entries, end, [](Entry e) { return code_of(e) == 0; });
        const Entry* const above =
            std::partition_point(known, end, [&](Entry e) { return code_of(e) <= low; });
        const uint32_t mask = plot.target.row_mask;
        for (const Entry* e = entries; e < known; ++e) route.missing.push_back(row_of(*e) & mask);
        route.send_all(plot, sides, {known, above}, {above, end});
        if (above > known) low_row = row_of(above[-1]) & mask;
        if (above < end) high_row = row_of(*above) & mask;
    } else
        plot.lists.for_each_code(node.segment, choice.column, [&](uint32_t code, uint32_t row) {
            if (code == 0) {
                route.missing.push_back(row);
                return;
            }
            const uint32_t child = code > low;
            route.send(plot, sides, row, child);
            route.weights[child] += plot.target.weight_of(row);
            if (code == low) low_row = row;
            if (code == high) high_row = row;
        });
    node.below = node.above = node.threshold = std::numeric_limits<double>::infinity();
    if (high == 0) return;
    node.below = binned.highest(low, plot.matrix.origin_of(low_row));
    node.above = binned.lowest(high, plot.matrix.origin_of(high_row));
    node.threshold = choice.best.salt ? choice.best.threshold : midpoint(node.below, node.above);
}

// The same for categories: `child_of[code]`, code 0 is missing.
inline void send_categories(Plot& plot, const Node& node, int32_t column, Sides& sides,
                            const std::vector<uint32_t>& child_of, Route& route) {
    plot.lists.for_each_code(node.segment, column, [&](uint32_t code, uint32_t row) {
        if (code == 0) {
            route.missing.push_back(row);
            return;
        }
        route.send(plot, sides, row, child_of[code]);
        route.weights[child_of[code]] += plot.target.weight_of(row);
    });
}

// By the first surrogate that knows a row; the others stay or follow the majority.
inline void send_by_surrogates(Plot& plot, Node& node, const Settings& settings, Sides& sides, Route& route) {
    node.missing_child = settings.surrogates_stay ? kStay : route.heaviest();
    const int32_t last = settings.surrogates_stay ? node.n_children : node.missing_child;
    for (const uint32_t row : route.missing) {
        const int32_t way = node.surrogates ? way_of_surrogates(*node.surrogates,
                                                                [&](int32_t j) { return plot.value(j, row); })
                                            : -1;
        route.send(plot, sides, row, static_cast<uint32_t>(way >= 0 ? way : last));
    }
}

// Sends the missing rows by the rule of the column, fractional ones excepted; sets the node's missing_child.
inline void send_missing(Plot& plot, Node& node, const Choice& choice, const Settings& settings, Sides& sides,
                         Route& route) {
    const auto stay = static_cast<uint32_t>(node.n_children);
    const auto send_all = [&](int32_t child) {
        node.missing_child = child;
        for (const uint32_t row : route.missing)
            route.send(plot, sides, row, child < 0 ? stay : static_cast<uint32_t>(child));
    };
    const bool many =
        node.kind == SplitKind::multiway || (node.kind == SplitKind::subset && settings.merges());
    const int32_t chosen =
        many ? static_cast<int32_t>(choice.best.low) - 1 : (choice.best.missing_left ? 0 : 1);
    switch (settings.missing[static_cast<size_t>(choice.column)]) {
        case Missing::learn:
            return send_all(chosen);
        case Missing::branch:
            if (!choice.best.known_only && node.kind == SplitKind::subset) return send_all(chosen);
            return send_all(node.n_children - 1);
        case Missing::majority:
            return send_all(route.heaviest());
        case Missing::surrogate:
            return send_by_surrogates(plot, node, settings, sides, route);
        case Missing::stop:
            return send_all(kStay);
        case Missing::fractional:
            node.missing_child = kSpread;
            return;
    }
}

}  // namespace bough

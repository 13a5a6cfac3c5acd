// The choice among columns: the largest gain, and the named rule where gains are equal.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "candidates/best.hpp"
#include "random.hpp"
#include "settings.hpp"

namespace bough {

struct Choice {
    int32_t column = -1;
    Best best;
    double gain = 0.0;
};

// `found[j]` is the best of column j, not found for columns without a candidate.
inline Choice choose_column(const std::vector<Best>& found, double tolerance, const Settings& settings,
                            uint64_t node) {
    double top = -std::numeric_limits<double>::infinity();
    for (const Best& b : found) top = b.gain > top ? b.gain : top;
    Choice choice;
    uint64_t tied = 0;
    NodeRandom random(settings.seed, node ^ 0x7469657321);  // apart from the draw of columns
    for (size_t j = 0; j < found.size(); ++j) {
        if (!found[j].found() || found[j].gain < top - tolerance) continue;
        ++tied;
        const auto rank = [&](int32_t column) { return settings.column_rank[static_cast<size_t>(column)]; };
        const auto column = static_cast<int32_t>(j);
        const bool takes =
            choice.column < 0 ||
            (settings.ties == Ties::random ? random.below(tied) == 0 : rank(column) < rank(choice.column));
        if (takes) choice.column = column;
    }
    if (choice.column >= 0) {
        choice.best = found[static_cast<size_t>(choice.column)];
        choice.gain = top;
    }
    return choice;
}

}  // namespace bough

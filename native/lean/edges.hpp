// What stands next to each cut of a lean tree: the codes on both sides are noted when the node is divided,
// their values are looked up for all nodes together at the end.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "binning.hpp"
#include "lean/nodes.hpp"
#include "midpoint.hpp"
#include "simd.hpp"

namespace bough::lean {

// The largest code on the left and the smallest on the right of a cut, and a place among the node's rows that
// has each. No code is 0: then it is not known.
struct Edge {
    uint32_t low = 0, high = 0, low_place = 0, high_place = 0;
};

// Of the cut after code `last`.
template <class Cell>
Edge edge_of(std::span<const Cell> cells, Cell last) {
    constexpr Cell kTop = std::numeric_limits<Cell>::max();
    Cell low = 0, high = kTop;
    in_lanes([&](auto) {
        Cell most = low, least = high;
        for (const Cell cell : cells) {
            const Cell left = cell > last ? Cell{0} : cell;
            const Cell right = cell > last ? cell : kTop;
            most = left > most ? left : most;
            least = right < least ? right : least;
        }
        low = most;
        high = least;
    });
    const auto place_of = [&](Cell code) {
        return static_cast<uint32_t>(std::find(cells.begin(), cells.end(), code) - cells.begin());
    };
    return {low, high, place_of(low), place_of(high)};
}

class Edges {
  public:
    void add(int32_t id, const Edge& edge, std::span<const uint32_t> rows) {
        noted_.push_back({id, edge.low, edge.high, rows[edge.low_place], rows[edge.high_place]});
    }
    // All at once: rows of the table are far apart, and none waits for another. `origin`: the row of the
    // table of each row of the bag.
    void set_thresholds(Nodes& nodes, const BinnedMatrix& matrix, std::span<const uint32_t> origin) const {
        for (const Noted& e : noted_) {
            Node& node = nodes[e.id];
            const BinnedColumn& column = matrix.columns[static_cast<size_t>(node.feature)];
            node.below = column.highest(e.low, origin[e.low_row]);
            node.above = column.lowest(e.high, origin[e.high_row]);
            node.threshold = midpoint(node.below, node.above);
        }
    }

  private:
    struct Noted {
        int32_t id;
        uint32_t low, high, low_row, high_row;
    };
    std::vector<Noted> noted_;
};

}  // namespace bough::lean

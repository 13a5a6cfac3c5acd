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
#include "tree_memory.hpp"

namespace bough::lean {

// The largest code on the left and the smallest on the right of a cut, and a place among the node's rows that
// has each. No code is 0: then it is not known.
struct Edge {
    static constexpr uint32_t kSomewhere = std::numeric_limits<uint32_t>::max();
    uint32_t low = 0, high = 0, low_place = kSomewhere, high_place = kSomewhere;
};

// The first place of a code that is there.
template <class Cell>
uint32_t place_of(std::span<const Cell> cells, Cell code) {
    constexpr size_t kBlock = 64;
    size_t first = 0;
    in_lanes([&](auto) {
        const Cell* const at = cells.data();
        const Cell wanted = code;
        for (const size_t n = cells.size(); first + kBlock <= n; first += kBlock) {
            Cell seen = 0;
            for (size_t i = 0; i < kBlock; ++i) seen |= static_cast<Cell>(at[first + i] == wanted);
            if (seen) return;
        }
    });
    return static_cast<uint32_t>(std::find(cells.begin() + static_cast<ptrdiff_t>(first), cells.end(), code) -
                                 cells.begin());
}

// Of the cut after code `last`. No branch depends on a code: how far a code is below the cut is a huge number
// for those above it, and the other way round.
template <class Cell>
Edge edge_of(std::span<const Cell> cells, Cell last) {
    Cell below = std::numeric_limits<Cell>::max(), above = below;
    const auto next = static_cast<Cell>(last + 1);
    in_lanes([&](auto) {
        Cell down = below, up = above;
        const Cell from = last, to = next;
        for (const Cell cell : cells) {
            const auto left = static_cast<Cell>(from - cell), right = static_cast<Cell>(cell - to);
            down = left < down ? left : down;
            up = right < up ? right : up;
        }
        below = down;
        above = up;
    });
    const auto low = static_cast<Cell>(last - below), high = static_cast<Cell>(next + above);
    return {low, high, place_of(cells, low), place_of(cells, high)};
}

// What is not known yet of the edge of a cut after code `last`.
template <class Cell>
Edge completed(const Edge& edge, std::span<const Cell> cells, Cell last) {
    if (edge.high == 0) return edge_of(cells, last);
    if (edge.low_place != Edge::kSomewhere) return edge;
    const auto low = static_cast<Cell>(edge.low), high = static_cast<Cell>(edge.high);
    return {edge.low, edge.high, place_of(cells, low), place_of(cells, high)};
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
    GrowthArray<Noted> noted_;
};

}  // namespace bough::lean

// Walks rows down many trees at once: rows in tiles, trees packed, a level at a time.
#include "forest_predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace bough {
namespace {

constexpr int64_t kTileBytes = 256 << 10;  // half of a second-level cache
constexpr int64_t kTileRows = 1024;

// Whether every node is a leaf or a threshold with two children and a way for missing values.
bool is_plain(const TreeView& tree) {
    if (!tree.surrogate_feature.empty()) return false;
    for (size_t i = 0; i < tree.feature.size(); ++i)
        if (tree.feature[i] >= 0 && (static_cast<SplitKind>(tree.kind[i]) != SplitKind::threshold ||
                                     tree.n_children[i] != 2 || tree.missing_child[i] < 0))
            return false;
    return true;
}

}  // namespace

Forest::Forest(std::vector<TreeView> trees, std::vector<Part> parts, int32_t width, int32_t n_outputs)
    : trees_(std::move(trees)), parts_(std::move(parts)), width_(width), n_outputs_(n_outputs) {
    if (trees_.size() != parts_.size()) throw std::invalid_argument("trees and values differ in number");
    size_t n_nodes = 0;
    for (size_t t = 0; t < trees_.size(); ++t) {
        const Part& part = parts_[t];
        if (part.value.size() != trees_[t].feature.size() * static_cast<size_t>(width) || part.output < 0 ||
            part.output > n_outputs - width || trees_[t].n_categories.size() != n_columns())
            throw std::invalid_argument("a tree's values do not fit the outputs");
        if (trees_[t].spreads()) throw std::invalid_argument("a tree spreads rows");
        n_nodes += trees_[t].feature.size();
    }
    nodes_.reserve(n_nodes);
    for (const TreeView& tree : trees_) pack(tree);
}

void Forest::pack(const TreeView& tree) {
    root_.push_back(nodes_.size());
    special_.push_back(!is_plain(tree));
    if (special_.back()) return;
    for (size_t i = 0; i < tree.feature.size(); ++i) {
        if (tree.feature[i] < 0) {
            nodes_.push_back({std::numeric_limits<double>::infinity(), static_cast<uint32_t>(i), 0});
        } else {
            nodes_.push_back({tree.threshold[i], static_cast<uint32_t>(tree.first_child[i]),
                              2 * static_cast<uint32_t>(tree.feature[i]) + (tree.missing_child[i] == 1)});
        }
    }
}

// All rows go down a level, then those that have not arrived the next: no row waits for the memory of
// another, and none walks further than it must.
void Forest::walk_packed(size_t tree, Tile& tile) const {
    const Packed* const nodes = nodes_.data() + root_[tree];
    const size_t p = tile.columns.size();
    const double* const cells = tile.cells.data();
    const uint32_t* const chosen = tile.chosen.data();
    uint32_t* const end = tile.end.data();
    tile.walking.resize(tile.chosen.size());
    uint32_t* const walking = tile.walking.data();
    std::iota(walking, walking + tile.walking.size(), 0u);
    std::fill_n(end, tile.chosen.size(), 0u);
    size_t n = tile.chosen.size();
    while (n > 0) {
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t k = walking[i], at = end[k];
            const Packed node = nodes[at];
            const double x = cells[chosen[k] * p + (node.feature >> 1)];
            const bool unknown = x != x;
            const uint32_t to = node.child + ((x > node.threshold) | (unknown & (node.feature & 1)));
            __builtin_prefetch(nodes + to);
            end[k] = to;
            walking[left] = k;
            left += to != at;
        }
        n = left;
    }
}

void Forest::walk(size_t tree, Tile& tile) const {
    tile.end.resize(tile.chosen.size());
    if (!special_[tree]) return walk_packed(tree, tile);
    const TreeView& view = trees_[tree];
    for (size_t k = 0; k < tile.chosen.size(); ++k) {
        const int64_t row = tile.first + tile.chosen[k];
        size_t i = 0;
        while (view.feature[i] >= 0) {
            const int32_t child = view.way(i, tile.columns, row);
            if (child < 0) break;
            i = static_cast<size_t>(view.first_child[i] + child);
        }
        tile.end[k] = static_cast<uint32_t>(i);
    }
}

void Forest::over_tiles(const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                        const std::function<void(Tile&)>& work) const {
    const auto p = static_cast<int64_t>(columns.size());
    const int64_t size = std::clamp<int64_t>(kTileBytes / (8 * std::max<int64_t>(1, p)), 128, kTileRows);
    std::vector<Tile> tiles(static_cast<size_t>(std::max(1, threads)),
                            Tile{columns, 0, 0, {}, {}, {}, {}, {}});
    parallel_for((n_rows + size - 1) / size, threads, [&](int64_t block, int worker) {
        Tile& tile = tiles[static_cast<size_t>(worker)];
        tile.first = block * size;
        tile.n = std::min(n_rows - tile.first, size);
        tile.cells.resize(static_cast<size_t>(size * p));
        for (int64_t j = 0; j < p; ++j)
            for (int64_t r = 0; r < tile.n; ++r)
                tile.cells[static_cast<size_t>(r * p + j)] = columns[static_cast<size_t>(j)][tile.first + r];
        tile.all.resize(static_cast<size_t>(tile.n));
        std::iota(tile.all.begin(), tile.all.end(), 0u);
        work(tile);
    });
}

void Forest::add(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, double* out,
                 const RowsOf& takes_part) const {
    const auto width = static_cast<size_t>(width_), n_outputs = static_cast<size_t>(n_outputs_);
    over_tiles(columns, n_rows, threads, [&](Tile& tile) {
        tile.chosen = tile.all;
        for (size_t t = 0; t < trees_.size(); ++t) {
            if (takes_part) {
                const uint8_t* const takes = takes_part(t) + tile.first;
                tile.chosen.clear();
                for (const uint32_t r : tile.all)
                    if (takes[r]) tile.chosen.push_back(r);
            }
            walk(t, tile);
            const Part& part = parts_[t];
            double* const to = out + static_cast<size_t>(tile.first) * n_outputs + part.output;
            for (size_t k = 0; k < tile.chosen.size(); ++k) {
                const double* const value = part.value.data() + tile.end[k] * width;
                double* const sum = to + tile.chosen[k] * n_outputs;
                for (size_t c = 0; c < width; ++c) sum[c] += part.weight * value[c];
            }
        }
    });
}

void Forest::leaves(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, int64_t* out) const {
    over_tiles(columns, n_rows, threads, [&](Tile& tile) {
        tile.chosen = tile.all;
        for (size_t t = 0; t < trees_.size(); ++t) {
            walk(t, tile);
            for (size_t k = 0; k < tile.chosen.size(); ++k)
                out[(static_cast<size_t>(tile.first) + k) * trees_.size() + t] = tile.end[k];
        }
    });
}

}  // namespace bough

// Brings rows to the leaves of many trees and adds up what these say.
#include "forest_predict.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace bough {
namespace {

constexpr int64_t kValueBytes = 256 << 10;  // of a tile: half of a second-level cache
constexpr int64_t kValueRows = 1024;
constexpr int64_t kRankBytes = 1 << 20;
constexpr int64_t kRankRows = 8192;  // each tree is fetched once for a tile, so large ones are better
constexpr int64_t kFewRows = 16;     // here trees are interleaved, not rows
constexpr size_t kFewTrees = 8;      // to turn values into ranks would cost more than it saves
constexpr size_t kMostColumns = 32767;

}  // namespace

Forest::Forest(std::vector<TreeView> trees, std::vector<Part> parts, int32_t width, int32_t n_outputs)
    : trees_(std::move(trees)), parts_(std::move(parts)), width_(width), n_outputs_(n_outputs) {
    if (trees_.size() != parts_.size()) throw std::invalid_argument("trees and values differ in number");
    for (size_t t = 0; t < trees_.size(); ++t) {
        const Part& part = parts_[t];
        const TreeView& tree = trees_[t];
        if (part.value.size() != tree.feature.size() * static_cast<size_t>(width) || part.output < 0 ||
            part.output > n_outputs - width || tree.n_categories.size() != n_columns())
            throw std::invalid_argument("a tree's values do not fit the outputs");
        if (tree.spreads()) throw std::invalid_argument("a tree spreads rows");
        special_.push_back(!CategoryBits::suit(tree));
        const auto leaves =
            std::count_if(tree.feature.begin(), tree.feature.end(), [](int32_t f) { return f < 0; });
        most_leaves_ = std::max(most_leaves_, static_cast<size_t>(leaves));
    }
    size_t bytes = 0;
    for (const TreeView& tree : trees_) {
        const size_t own = CategoryBits::bytes_of(tree);
        valued_out_.push_back(special_[valued_out_.size()] || own > 0);
        bytes += own;
    }
    if (bytes > CategoryBits::kMostBytes) special_ = valued_out_;
    const auto any = [](const std::vector<uint8_t>& of) {
        return std::find(of.begin(), of.end(), 1) != of.end();
    };
    any_special_ = any(special_);
    any_valued_out_ = any(valued_out_);
}

const Ranks& Forest::ranks() const {
    return ranks_.get([&] { return Ranks(trees_, n_columns()); });
}
const ValueWalk& Forest::by_value() const {
    return by_value_.get([&] { return ValueWalk(trees_, valued_out_); });
}
const RankWalk& Forest::by_rank() const {
    return by_rank_.get(
        [&] { return RankWalk(ranks(), trees_, parts_, special_, static_cast<size_t>(width_)); });
}
const RankBytes& Forest::by_bytes() const {
    return by_bytes_.get([&] { return RankBytes(ranks(), trees_, parts_, static_cast<size_t>(width_)); });
}
const RankBlocks& Forest::by_blocks() const {
    return by_blocks_.get([&] { return RankBlocks(ranks(), trees_, parts_, static_cast<size_t>(width_)); });
}
const LeafBits& Forest::by_bits() const {
    return by_bits_.get([&] { return LeafBits(ranks(), trees_, parts_, static_cast<size_t>(width_)); });
}

const Forest::Halves& Forest::halves() const {
    return halves_.get([&] {
        const auto part = [&](size_t first, size_t last) {
            const auto from = static_cast<int64_t>(first), to = static_cast<int64_t>(last);
            return std::make_unique<const Forest>(std::vector(trees_.begin() + from, trees_.begin() + to),
                                                  std::vector(parts_.begin() + from, parts_.begin() + to),
                                                  width_, n_outputs_);
        };
        const size_t middle = trees_.size() / 2;
        return Halves{part(0, middle), part(middle, trees_.size())};
    });
}

bool Forest::divisible() const {
    return trees_.size() >= 2 * kFewTrees && n_columns() <= kMostColumns &&
           ranks().most() > RankWalk::kMostThresholds;
}
bool Forest::ranked() const {
    return trees_.size() >= kFewTrees && n_columns() <= kMostColumns &&
           ranks().most() <= RankWalk::kMostThresholds;
}
bool Forest::few_leaves() const {
    return !any_special_ && most_leaves_ <= LeafBits::kMostLeaves &&
           ranks().most() <= LeafBits::kMostThresholds;
}
bool Forest::all_at_once() const {
    return RankBytes::supported() && !any_valued_out_ && most_leaves_ <= RankBytes::kMostLeaves &&
           n_columns() <= RankBytes::kMostColumns && ranks().most() <= RankBytes::kMostThresholds;
}

// More thresholds than a walk by ranks has room for are no reason for halves.
bool Forest::in_blocks() const {
    return RankBlocks::supported() && trees_.size() >= kFewTrees && !any_valued_out_ &&
           n_columns() <= RankBlocks::kMostColumns && ranks().most() <= RankBlocks::kMostThresholds;
}

void Forest::walk_special(size_t tree, Tile& tile) const {
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

// Tiles of one size, at most `size`, as many for each thread.
void Forest::over_tiles(const std::vector<ColumnView>& columns, int64_t n_rows, int64_t size, int threads,
                        const std::function<void(Tile&)>& work) const {
    if (n_rows == 0) return;
    const int64_t rounds = (n_rows + size * threads - 1) / (size * threads), n_tiles = rounds * threads;
    size = (n_rows + n_tiles - 1) / n_tiles;
    std::vector<Tile> tiles(static_cast<size_t>(threads), Tile{columns, 0, 0, {}, {}, {}, {}, {}, {}, {}});
    parallel_for((n_rows + size - 1) / size, threads, [&](int64_t block, int worker) {
        Tile& tile = tiles[static_cast<size_t>(worker)];
        tile.first = block * size;
        tile.n = std::min(n_rows - tile.first, size);
        tile.all.resize(static_cast<size_t>(tile.n));
        std::iota(tile.all.begin(), tile.all.end(), 0u);
        tile.chosen = tile.all;
        tile.end.resize(tile.all.size());
        work(tile);
    });
}

void Forest::over_values(const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                         const std::function<void(Tile&)>& work) const {
    const auto p = static_cast<int64_t>(columns.size());
    const int64_t size = std::clamp<int64_t>(kValueBytes / (8 * std::max<int64_t>(1, p)), 128, kValueRows);
    over_tiles(columns, n_rows, size, threads, [&](Tile& tile) {
        tile.cells.resize(static_cast<size_t>(tile.n * p));
        for (int64_t j = 0; j < p; ++j)
            for (int64_t r = 0; r < tile.n; ++r)
                tile.cells[static_cast<size_t>(r * p + j)] = columns[static_cast<size_t>(j)][tile.first + r];
        work(tile);
    });
}

void Forest::choose(Tile& tile, size_t tree, const RowsOf& takes_part) const {
    if (!takes_part) return;
    const uint8_t* const takes = takes_part(tree) + tile.first;
    tile.chosen.clear();
    for (const uint32_t r : tile.all)
        if (takes[r]) tile.chosen.push_back(r);
}

void Forest::add_by_value(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, double* out,
                          const RowsOf& takes_part) const {
    const auto width = static_cast<size_t>(width_), n_outputs = static_cast<size_t>(n_outputs_);
    over_values(columns, n_rows, threads, [&](Tile& tile) {
        for (size_t t = 0; t < trees_.size(); ++t) {
            choose(tile, t, takes_part);
            if (valued_out_[t]) {
                walk_special(t, tile);
            } else {
                by_value().walk(t, tile.cells.data(), columns.size(), tile.chosen, tile.walking,
                                tile.end.data());
            }
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

void Forest::add_by_rank(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, double* out,
                         const RowsOf& takes_part) const {
    const auto width = static_cast<size_t>(width_), n_outputs = static_cast<size_t>(n_outputs_);
    const RankWalk& walk = by_rank();
    const auto row_bytes = static_cast<int64_t>(2 * walk.stride());
    const int64_t size = std::clamp<int64_t>(kRankBytes / row_bytes, 128, kRankRows);
    over_tiles(columns, n_rows, size, threads, [&](Tile& tile) {
        tile.ranks.resize(static_cast<size_t>(tile.n) * walk.stride());
        walk.encode(columns, tile.first, tile.n, tile.ranks.data());
        for (size_t t = 0; t < trees_.size(); ++t) {
            choose(tile, t, takes_part);
            const Part& part = parts_[t];
            double* const to = out + static_cast<size_t>(tile.first) * n_outputs + part.output;
            if (special_[t]) {
                walk_special(t, tile);
            } else {
                walk.walk(t, tile.ranks.data(), tile.chosen, tile.walking, tile.end.data());
            }
            for (size_t k = 0; k < tile.chosen.size(); ++k) {
                double* const sum = to + tile.chosen[k] * n_outputs;
                const double* const says =
                    special_[t] ? part.value.data() + tile.end[k] * width : walk.value(tile.end[k]);
                const double weight = special_[t] ? part.weight : 1.0;  // terminals are weighted already
                for (size_t c = 0; c < width; ++c) sum[c] += weight * says[c];
            }
        }
    });
}

void Forest::add_by_blocks(const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                           double* out) const {
    const auto n_outputs = static_cast<size_t>(n_outputs_);
    const RankBlocks& blocks = by_blocks();
    over_tiles(columns, n_rows, kRankRows, threads, [&](Tile& tile) {
        blocks.encode(columns, tile.first, tile.n, tile.numbers);
        double* const to = out + static_cast<size_t>(tile.first) * n_outputs;
        for (size_t t = 0; t < trees_.size(); ++t) blocks.add_tree(t, tile.numbers, n_outputs, to);
    });
}

void Forest::add_few(const std::vector<ColumnView>& columns, int64_t n_rows, double* out) const {
    if (all_at_once()) {
        for (int64_t r = 0; r < n_rows; ++r) by_bytes().add_row(columns, r, out + r * n_outputs_);
        return;
    }
    if (in_blocks()) {
        for (int64_t r = 0; r < n_rows; ++r) by_blocks().add_row(columns, r, out + r * n_outputs_);
        return;
    }
    const RankWalk& walk = by_rank();
    std::vector<uint16_t> row(walk.stride());
    for (int64_t r = 0; r < n_rows; ++r) {
        walk.encode(columns, r, 1, row.data());
        walk.add_row(row.data(), parts_, out + r * n_outputs_);
    }
}

void Forest::add(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, double* out,
                 const RowsOf& takes_part) const {
    threads = std::max(1, threads);
    if (!takes_part && in_blocks()) {
        if (n_rows < kFewRows) return add_few(columns, n_rows, out);
        if (!few_leaves()) return add_by_blocks(columns, n_rows, threads, out);
    }
    if (divisible()) {
        // Each row's sum is still made in the order of the trees.
        const size_t middle = halves()[0]->n_trees();
        const RowsOf later = [&](size_t tree) { return takes_part(middle + tree); };
        halves()[0]->add(columns, n_rows, threads, out, takes_part);
        return halves()[1]->add(columns, n_rows, threads, out, takes_part ? later : RowsOf());
    }
    if (!ranked()) return add_by_value(columns, n_rows, threads, out, takes_part);
    if (takes_part) return add_by_rank(columns, n_rows, threads, out, takes_part);
    if (n_rows < kFewRows && !any_special_) return add_few(columns, n_rows, out);
    if (n_rows < kFewRows || !few_leaves()) return add_by_rank(columns, n_rows, threads, out, takes_part);
    const LeafBits& bits = by_bits();
    std::vector<LeafBits::Tile> tiles(static_cast<size_t>(threads));
    parallel_for((n_rows + LeafBits::kRows - 1) / LeafBits::kRows, threads, [&](int64_t block, int worker) {
        const int64_t first = block * LeafBits::kRows;
        bits.add(columns, first, std::min(n_rows - first, LeafBits::kRows),
                 tiles[static_cast<size_t>(worker)], static_cast<size_t>(n_outputs_), out);
    });
}

void Forest::leaves(const std::vector<ColumnView>& columns, int64_t n_rows, int threads, int64_t* out) const {
    over_values(columns, n_rows, std::max(1, threads), [&](Tile& tile) {
        for (size_t t = 0; t < trees_.size(); ++t) {
            if (valued_out_[t]) {
                walk_special(t, tile);
            } else {
                by_value().walk(t, tile.cells.data(), columns.size(), tile.chosen, tile.walking,
                                tile.end.data());
            }
            for (size_t k = 0; k < tile.chosen.size(); ++k)
                out[(static_cast<size_t>(tile.first) + k) * trees_.size() + t] = tile.end[k];
        }
    });
}

}  // namespace bough

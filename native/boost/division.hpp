// The work on one node of a boosted tree: its rows go to two children, which are counted and searched.
#pragma once
#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "boost/booster.hpp"
#include "boost/narrow.hpp"
#include "interrupt.hpp"
#include "profile.hpp"
#include "random.hpp"

namespace bough::boost {

// What is the same for all nodes of a tree.
struct Task {
    const Round& round;
    std::vector<uint32_t>& rows;  // of the tree, node after node
    Units units;
    Worth worth;
    Interrupt& interrupt;
};

// The children of a node that has been divided; nobody knows yet whether the tree will have them.
struct Children {
    BoostNode left, right;
    int32_t spare = -1;  // a histogram: for the child with fewer rows
};

template <class Sum>
class Division {
  public:
    // `threads` share the work on this node.
    Division(Booster& booster, Memory<Sum>& memory, const Task& task, size_t desk, int threads)
        : b_(booster),
          memory_(memory),
          task_(task),
          settings_(booster.settings_),
          desk_(memory.desks[desk]),
          threads_(threads) {}

    bool searchable(const BoostNode& n) const {
        return n.rows() >= 2 * settings_.min_rows && n.rows() >= 2 &&
               (settings_.max_depth == 0 || n.depth < settings_.max_depth);
    }

    // Moves the rows and finds the best question of each child; `first`: the left one's number, which draws
    // of columns depend on. Without `search` the children stay leaves.
    void divide(BoostNode& n, Children& c, bool search, int32_t first) {
        if (n.side.empty()) set_sides(n);  // a level's question has them already
        const bool fewer_left = 2 * n.split.left.rows < n.rows();
        const int threads = n.rows() > kManyRows ? threads_ : 1;
        const int64_t middle = timed(Stage::partition, [&] {
            return desk_.partition.move(b_.matrix_, b_.records_, n.split.column, n.side, task_.rows, n.begin,
                                        n.end, fewer_left, threads);
        });
        c.left.begin = n.begin;
        c.left.end = c.right.begin = middle;
        c.right.end = n.end;
        c.left.total = n.split.left;
        c.right.total = n.total - n.split.left;
        c.left.depth = c.right.depth = n.depth + 1;
        bound(n, c.left, c.right);
        allow(n, c.left, c.right);
        const bool right_is_large = c.left.rows() < c.right.rows();
        BoostNode& small = right_is_large ? c.left : c.right;
        BoostNode& large = right_is_large ? c.right : c.left;
        // If the large one is too small or too deep, so is the other.
        if (!search || !searchable(large)) return;
        // The small one is counted even where it is not searched: the large one is the rest.
        small.histogram = std::exchange(c.spare, -1);
        large.histogram = std::exchange(n.histogram, -1);
        const auto asked_of = [&](const BoostNode& child) {
            return drawn(child, first + (&child == &c.right));
        };
        this->search({&small, &large}, {asked_of(small), asked_of(large)});
    }

    void search_root(BoostNode& root) { search({&root}, {drawn(root, 0)}); }

    // The histogram of a node alone.
    void recount(const BoostNode& n) { count(n, blocks_of(n.columns, 1)); }

  private:
    template <class Any>
    friend class Symmetric;

    static constexpr int64_t kEnoughWork = 30'000;  // additions that are worth a second thread
    static constexpr int64_t kManyRows = 12'000;    // moves that are
    static constexpr int64_t kFewRows = 512;        // up to them emptying narrow bins does not pay
    static constexpr int64_t kManyAdditions = 16;   // for each bin: then a histogram for each thread pays

    // Blocks of the columns that a node may ask, as many as threads at least; kept while the columns stay.
    const std::vector<Block>& blocks_of(const std::shared_ptr<const std::vector<int32_t>>& columns,
                                        int threads) {
        Blocks& kept = threads > 1 ? desk_.shared : desk_.alone;
        if (columns == kept.columns) return kept.list;
        kept.columns = columns;
        std::vector<Block>& blocks = kept.list;
        blocks.clear();
        std::vector<int32_t> slots;
        std::vector<std::vector<int32_t>> asked(b_.layout_.start.size());  // of each slot
        for (const int32_t j : *columns) {
            const int32_t s = b_.records_.slot_of(j);
            if (s < 0) {
                blocks.push_back({{}, {j}});
                continue;
            }
            if (asked[static_cast<size_t>(s)].empty()) slots.push_back(s);
            asked[static_cast<size_t>(s)].push_back(j);
        }
        std::sort(slots.begin(), slots.end());
        const size_t most = most_columns(slots.size(), threads);
        for (size_t i = 0; i < slots.size(); ++i) {
            if (i % most == 0) blocks.push_back({});
            Block& block = blocks.back();
            const auto& of_slot = asked[static_cast<size_t>(slots[i])];
            block.slots.push_back(slots[i]);
            block.columns.insert(block.columns.end(), of_slot.begin(), of_slot.end());
        }
        return blocks;
    }

    // Of a block: few enough for the first cache, blocks of about equal size, as many for each thread.
    size_t most_columns(size_t n, int n_threads) const {
        const size_t fit = sizeof(Sum) > 8 && !memory_.values.narrow() ? kMostColumns / 2 : kMostColumns;
        const auto threads = static_cast<size_t>(std::max(n_threads, 1));
        const size_t rounds = std::max<size_t>(1, (n + fit * threads - 1) / (fit * threads));
        return std::max<size_t>(1, (n + rounds * threads - 1) / (rounds * threads));
    }
    Sum* histogram(int32_t h) { return memory_.histograms[static_cast<size_t>(h)].data(); }

    // The node's rows; nullptr: all, in their order.
    const uint32_t* rows_of(const BoostNode& n) const {
        return n.rows() == b_.matrix_.n_rows ? nullptr : task_.rows.data() + n.begin;
    }
    // Rows [begin, end) of the node, `whole` in all.
    void count(const BoostNode& n, int64_t begin, int64_t end, std::span<const Block> blocks,
               const Sum& whole, Sum* histogram) {
        const uint32_t* const rows = rows_of(n) ? rows_of(n) + begin : nullptr;
        const auto with = [&](const auto* values, const auto& make) {
            count_blocks(b_.matrix_, b_.records_, b_.layout_, blocks, rows, begin, end - begin, values, make,
                         whole, histogram);
        };
        if constexpr (std::is_same_v<Sum, PairSum>) {
            const Narrow* const narrow = memory_.values.narrow();
            const int count_bits = task_.units.count_bits;
            if (narrow && n.rows() >= kFewRows)
                return count_narrow(b_.matrix_, b_.records_, b_.layout_, blocks, rows, begin, end - begin,
                                    narrow, count_bits, whole, histogram);
            if (narrow)
                return with(narrow, [&](Narrow value) { return wide_of(word_of(value), count_bits); });
        }
        with(memory_.values.wide(), std::identity{});
    }
    void count(const BoostNode& n, std::span<const Block> blocks) {
        count(n, 0, n.rows(), blocks, Sum::of(n.total, task_.units.count_bits), histogram(n.histogram));
    }

    // Many rows: each thread counts some of them, all columns, in a histogram of its own. Parts but the first
    // have no sum in all: what a byte's usual code lacks in them, it has too much in the first.
    void count_in_parts(const BoostNode& n) {
        memory_.parts.resize(std::max(memory_.parts.size(), static_cast<size_t>(threads_) - 1));
        const std::vector<Block>& blocks = blocks_of(n.columns, 1);
        parallel_for(threads_, threads_, [&](int64_t p, int) {
            const Timed here(Stage::histograms);
            const int64_t begin = n.rows() * p / threads_, end = n.rows() * (p + 1) / threads_;
            if (p == 0) {
                const Sum whole = Sum::of(n.total, task_.units.count_bits);
                return count(n, begin, end, blocks, whole, histogram(n.histogram));
            }
            std::vector<Sum>& own = memory_.parts[static_cast<size_t>(p) - 1];
            own.resize(b_.layout_.size());
            count(n, begin, end, blocks, Sum{}, own.data());
        });
    }

    // Counts the first node by its rows, finds the second, whose histogram is the parent's, by what is left
    // of it, and searches both, or the first alone. `asked`: the columns, of each.
    void search(const std::vector<BoostNode*>& nodes, const std::vector<std::vector<uint8_t>>& asked) {
        const BoostNode& first = *nodes[0];
        const std::vector<Block>& blocks = blocks_of(first.columns, threads_);
        const size_t n_columns = b_.layout_.start.size();
        std::vector<Split>& found = desk_.found;  // by node and column
        found.resize(2 * n_columns);
        const int64_t work = static_cast<int64_t>(b_.layout_.size()) +
                             first.rows() * static_cast<int64_t>(b_.records_.stride());
        const int threads = work > kEnoughWork ? threads_ : 1;
        const bool in_parts = threads > 1 && work > kManyAdditions * static_cast<int64_t>(b_.layout_.size());
        if (in_parts) count_in_parts(first);
        const size_t share = std::max<size_t>(1, blocks.size() / static_cast<size_t>(threads));
        const auto part = [&](int64_t number, int) {
            const size_t begin = static_cast<size_t>(number) * share;
            const auto own = std::span(blocks).subspan(begin, std::min(share, blocks.size() - begin));
            timed(Stage::histograms, [&] {
                if (!in_parts) count(first, own);
                Sum* const counted = histogram(first.histogram);
                for (const Block& block : own) {
                    for (int p = 1; in_parts && p < threads_; ++p)
                        each_bin(b_.layout_, block, memory_.parts[static_cast<size_t>(p) - 1].data(), counted,
                                 [](Sum& sum, const Sum& part) { sum += part; });
                    if (nodes.size() > 1)
                        each_bin(b_.layout_, block, counted, histogram(nodes[1]->histogram),
                                 [](Sum& rest, const Sum& part) { rest -= part; });
                }
            });
            const Timed here(Stage::scans);
            for (const Block& block : own)
                for (size_t k = 0; k < nodes.size(); ++k)
                    for (const int32_t j : block.columns)
                        found[k * n_columns + static_cast<size_t>(j)] =
                            asked[k][static_cast<size_t>(j)] ? best_split(*nodes[k], j) : Split{};
        };
        parallel_for(static_cast<int64_t>((blocks.size() + share - 1) / share), threads, part,
                     [&] { task_.interrupt.ask(); });
        for (size_t k = 0; k < nodes.size(); ++k) choose(*nodes[k], &found[k * n_columns]);
    }

    Worth worth_at(const BoostNode& n, int32_t column) const {
        Worth worth = task_.worth;
        worth.low = n.low;
        worth.high = n.high;
        worth.direction = settings_.monotone.empty() ? 0 : settings_.monotone[static_cast<size_t>(column)];
        return worth;
    }

    Split best_split(const BoostNode& n, int32_t column) {
        const auto j = static_cast<size_t>(column);
        const Sum* const bins = histogram(n.histogram) + b_.layout_.start[j];
        const size_t codes = b_.layout_.n_codes(column);
        const Worth worth = worth_at(n, column);
        return b_.matrix_.columns[j].kind == ColumnKind::nominal
                   ? best_group(bins, codes, task_.units.count_bits, worth, n.total, settings_)
                   : best_cut(bins, codes, task_.units.count_bits, worth, n.total);
    }

    // The columns that the node of this number may ask: none if it is too small, or if its level asks for it.
    std::vector<uint8_t> drawn(const BoostNode& n, int32_t id) const {
        if (searchable(n) && !settings_.symmetric) return drawn(n.depth, id);
        return std::vector<uint8_t>(b_.layout_.start.size(), 0);
    }

    // Those of the tree, less those not drawn for the level or for the node.
    std::vector<uint8_t> drawn(int32_t level, int32_t id) const {
        std::vector<int32_t> columns = task_.round.columns;
        std::vector<uint8_t> asked(b_.layout_.start.size(), 0);
        const auto keep = [&](int64_t count, uint64_t place) {
            if (count == 0 || count >= static_cast<int64_t>(columns.size())) return;
            NodeRandom random(task_.round.seed, place);
            random.shuffle(columns);
            columns.resize(static_cast<size_t>(count));
            std::sort(columns.begin(), columns.end());
        };
        keep(settings_.level_columns, (uint64_t{1} << 40) + static_cast<uint64_t>(level));
        keep(settings_.node_columns, (uint64_t{1} << 41) + static_cast<uint64_t>(id));
        for (const int32_t j : columns) asked[static_cast<size_t>(j)] = 1;
        return asked;
    }

    // The best of the splits found, by column, if one is better than none.
    void choose(BoostNode& n, Split* found) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const int32_t j : *n.columns)
            if (found[static_cast<size_t>(j)].column >= 0)
                most = std::max(most, found[static_cast<size_t>(j)].score);
        // Of columns with equal scores the first.
        const auto first = std::find_if(n.columns->begin(), n.columns->end(), [&](int32_t j) {
            const Split& s = found[static_cast<size_t>(j)];
            return s.column >= 0 && s.score >= most - kTie * std::abs(most);
        });
        if (first == n.columns->end()) return;
        Split& split = found[static_cast<size_t>(*first)];
        const double gain = split.score - worth_at(n, *first).score(n.total);
        if (!(gain > kTie * std::abs(split.score))) return;
        n.split = std::move(split);
        n.split.column = *first;
        n.split.gain = gain;
    }

    // Which way each code goes; codes without rows go where missing ones do.
    void set_sides(BoostNode& n) {
        const auto j = static_cast<size_t>(n.split.column);
        const BinnedColumn& column = b_.matrix_.columns[j];
        const Sum* const bins = histogram(n.histogram) + b_.layout_.start[j];
        n.n_missing = bins[0].total(task_.units.count_bits).rows;
        if (n.n_missing == 0) {
            const int64_t right = n.total.hessian - n.split.left.hessian;
            n.split.missing_left = n.split.left.hessian >= right;
        }
        const uint8_t unknown = n.split.missing_left ? 0 : 1;
        n.side.assign(b_.layout_.n_codes(n.split.column), unknown);
        if (column.kind == ColumnKind::ordered) {
            for (uint32_t code = 1; code <= column.n_bins; ++code) n.side[code] = code > n.split.cut;
            return;
        }
        for (uint32_t code = 1; code <= column.n_bins; ++code) {
            if (bins[code].empty()) continue;
            n.side[code] = 1;
            n.present.push_back(code);
        }
        for (const uint32_t code : n.split.left_codes) n.side[code] = 0;
    }

    // A direction holds below, too: the sides stay apart at the middle of their values.
    void bound(const BoostNode& n, BoostNode& left, BoostNode& right) const {
        left.low = right.low = n.low;
        left.high = right.high = n.high;
        const Worth worth = worth_at(n, n.split.column);
        if (worth.direction == 0) return;
        const double middle = 0.5 * (worth.value(left.total) + worth.value(right.total));
        (worth.direction > 0 ? left.high : left.low) = middle;
        (worth.direction > 0 ? right.low : right.high) = middle;
    }

    void allow(const BoostNode& n, BoostNode& left, BoostNode& right) const {
        left.columns = n.columns;
        if (!settings_.interactions.empty()) {
            std::vector<int32_t> union_of;
            for (const int32_t g : n.groups) {
                const auto& group = settings_.interactions[static_cast<size_t>(g)];
                if (std::find(group.begin(), group.end(), n.split.column) == group.end()) continue;
                left.groups.push_back(g);
                for (const int32_t j : *n.columns)
                    if (std::find(group.begin(), group.end(), j) != group.end()) union_of.push_back(j);
            }
            std::sort(union_of.begin(), union_of.end());
            union_of.erase(std::unique(union_of.begin(), union_of.end()), union_of.end());
            left.columns = std::make_shared<const std::vector<int32_t>>(std::move(union_of));
        }
        right.columns = left.columns;
        right.groups = left.groups;
    }
    Booster& b_;
    Memory<Sum>& memory_;
    const Task& task_;
    const BoostSettings& settings_;
    Desk<Sum>& desk_;
    const int threads_;
};

}  // namespace bough::boost

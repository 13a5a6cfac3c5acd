// The growth of one boosted tree: count, search, choose the next leaf, divide it.
#pragma once
#include <algorithm>
#include <numeric>
#include <queue>
#include <span>

#include "boost/booster.hpp"
#include "boost/narrow.hpp"
#include "interrupt.hpp"
#include "profile.hpp"
#include "random.hpp"

namespace bough::boost {

template <class Sum>
class Growth {
  public:
    Growth(Booster& booster, Memory<Sum>& memory, const Round& round, int threads,
           const std::function<void()>& poll)
        : b_(booster), memory_(memory), round_(round), threads_(threads), interrupt_(poll) {
        free_.resize(memory.histograms.size());
        std::iota(free_.rbegin(), free_.rend(), 0);
        const auto n = static_cast<int64_t>(b_.rows_.size());
        const Timed here(Stage::gradients);
        units_ = memory_.values.set(round.gradient, round.hessian, n, b_.settings_.narrow_from, threads);
        settings_ = b_.settings_;
        worth_.l1 = settings_.l1 / units_.gradient;
        worth_.l2 = settings_.l2 / units_.hessian;
        worth_.min_hessian = settings_.min_hessian / units_.hessian * (1.0 - kTie);
        worth_.min_rows = settings_.min_rows;
        const size_t bytes = b_.layout_.size() * sizeof(Sum);
        most_histograms_ = std::max<size_t>(3, kMostBytes / std::max<size_t>(bytes, 1));
    }

    void run() {
        interrupt_.run([&] {
            start();
            while (!open_.empty() && (settings_.max_leaves == 0 || leaves_ < settings_.max_leaves)) {
                interrupt_.check(true);
                const int32_t id = open_.top().id;
                open_.pop();
                divide(id);
            }
        });
    }
    const Worth& worth() const { return worth_; }
    const Units& units() const { return units_; }

  private:
    static constexpr size_t kMostBytes = size_t{1} << 29;  // of all histograms together
    static constexpr int64_t kEnoughWork = 30'000;         // additions that are worth a second thread
    static constexpr int64_t kManyRows = 12'000;           // moves that are

    struct Open {
        double gain;  // level by level: not compared
        int32_t id;
        bool operator<(const Open& o) const { return gain < o.gain || (gain == o.gain && id > o.id); }
    };

    std::vector<BoostNode>& nodes() { return b_.nodes_; }
    BoostNode& node(int32_t id) { return b_.nodes_[static_cast<size_t>(id)]; }

    void start() {
        BoostNode root;
        root.end = static_cast<int64_t>(b_.rows_.size());
        root.total = memory_.values.sum(b_.rows_, threads_).total(units_.count_bits);
        root.columns = std::make_shared<const std::vector<int32_t>>(round_.columns);
        root.groups.resize(settings_.interactions.size());
        std::iota(root.groups.begin(), root.groups.end(), 0);
        nodes().assign(1, std::move(root));
        if (!searchable(node(0))) return;
        node(0).histogram = take();
        search({0});
    }

    bool searchable(const BoostNode& n) const {
        return n.rows() >= 2 * settings_.min_rows && n.rows() >= 2 &&
               (settings_.max_depth == 0 || n.depth < settings_.max_depth);
    }

    // Blocks of the columns that a node may ask, as many as threads at least; kept while the columns stay.
    const std::vector<Block>& blocks_of(const std::shared_ptr<const std::vector<int32_t>>& columns) {
        if (columns == columns_) return blocks_;
        columns_ = columns;
        blocks_.clear();
        std::vector<int32_t> slots;
        std::vector<std::vector<int32_t>> asked(b_.layout_.start.size());  // of each slot
        for (const int32_t j : *columns) {
            const int32_t s = b_.records_.slot_of(j);
            if (s < 0) {
                blocks_.push_back({{}, {j}});
                continue;
            }
            if (asked[static_cast<size_t>(s)].empty()) slots.push_back(s);
            asked[static_cast<size_t>(s)].push_back(j);
        }
        std::sort(slots.begin(), slots.end());
        const size_t most = most_columns(slots.size());
        for (size_t i = 0; i < slots.size(); ++i) {
            if (i % most == 0) blocks_.push_back({});
            Block& block = blocks_.back();
            const auto& of_slot = asked[static_cast<size_t>(slots[i])];
            block.slots.push_back(slots[i]);
            block.columns.insert(block.columns.end(), of_slot.begin(), of_slot.end());
        }
        return blocks_;
    }

    // Of a block: few enough for the first cache, blocks of about equal size, as many for each thread.
    size_t most_columns(size_t n) const {
        const size_t fit = sizeof(Sum) > 8 && !memory_.values.narrow() ? kMostColumns / 2 : kMostColumns;
        const auto threads = static_cast<size_t>(std::max(threads_, 1));
        const size_t rounds = std::max<size_t>(1, (n + fit * threads - 1) / (fit * threads));
        return std::max<size_t>(1, (n + rounds * threads - 1) / (rounds * threads));
    }

    int32_t take() {
        if (free_.empty()) {
            memory_.histograms.emplace_back(b_.layout_.size());
            return static_cast<int32_t>(memory_.histograms.size()) - 1;
        }
        const int32_t h = free_.back();
        free_.pop_back();
        return h;
    }
    Sum* histogram(int32_t h) { return memory_.histograms[static_cast<size_t>(h)].data(); }

    // The node's rows; nullptr: all, in their order.
    const uint32_t* rows_of(const BoostNode& n) const {
        return n.rows() == b_.matrix_->n_rows ? nullptr : b_.rows_.data() + n.begin;
    }
    // What `count` reads, made by all threads.
    const Sum* values_of(const BoostNode& n) {
        const Timed here(Stage::histograms);
        return memory_.values.in_order(rows_of(n), n.rows(), threads_);
    }
    void count(const BoostNode& n, std::span<const Block> blocks, const Sum* values) {
        const Sum whole = Sum::of(n.total, units_.count_bits);
        if (values) {
            count_blocks(*b_.matrix_, b_.records_, b_.layout_, blocks, rows_of(n), n.rows(), values, whole,
                         histogram(n.histogram));
            return;
        }
        if constexpr (std::is_same_v<Sum, PairSum>)
            count_narrow(*b_.matrix_, b_.records_, b_.layout_, blocks, rows_of(n), n.rows(),
                         memory_.values.narrow(), units_.count_bits, whole, histogram(n.histogram));
    }

    // Counts the first node by its rows, finds the second, whose histogram is the parent's, by what is left
    // of it, and searches both, or the first alone.
    void search(const std::vector<int32_t>& ids) {
        const std::vector<Block>& blocks = blocks_of(node(ids[0]).columns);
        const size_t n_columns = b_.layout_.start.size();
        found_.resize(2 * n_columns);
        std::vector<std::vector<uint8_t>> asked;
        for (const int32_t id : ids) asked.push_back(drawn(id));
        const BoostNode& first = node(ids[0]);
        const int64_t work = static_cast<int64_t>(b_.layout_.size()) +
                             first.rows() * static_cast<int64_t>(b_.records_.stride());
        const Sum* const values = values_of(first);
        const int threads = work > kEnoughWork ? threads_ : 1;
        const size_t share = std::max<size_t>(1, blocks.size() / static_cast<size_t>(threads));
        const auto task = [&](int64_t number, int) {
            const size_t begin = static_cast<size_t>(number) * share;
            const auto own = std::span(blocks).subspan(begin, std::min(share, blocks.size() - begin));
            timed(Stage::histograms, [&] {
                count(first, own, values);
                for (size_t i = 0; ids.size() > 1 && i < own.size(); ++i)
                    subtract_block(b_.layout_, own[i], histogram(first.histogram),
                                   histogram(node(ids[1]).histogram));
            });
            const Timed here(Stage::scans);
            for (const Block& block : own)
                for (size_t k = 0; k < ids.size(); ++k)
                    for (const int32_t j : block.columns)
                        found_[k * n_columns + static_cast<size_t>(j)] =
                            asked[k][static_cast<size_t>(j)] ? best_split(node(ids[k]), j) : Split{};
        };
        parallel_for(static_cast<int64_t>((blocks.size() + share - 1) / share), threads, task,
                     [&] { interrupt_.ask(); });
        for (size_t k = 0; k < ids.size(); ++k) choose(ids[k], &found_[k * n_columns]);
    }

    Worth worth_at(const BoostNode& n, int32_t column) const {
        Worth worth = worth_;
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
        return b_.matrix_->columns[j].kind == ColumnKind::nominal
                   ? best_group(bins, codes, units_.count_bits, worth, n.total, settings_)
                   : best_cut(bins, codes, units_.count_bits, worth, n.total);
    }

    // The columns that the node may ask, less those not drawn for its level or for itself.
    std::vector<uint8_t> drawn(int32_t id) {
        std::vector<int32_t> columns = round_.columns;
        std::vector<uint8_t> asked(b_.layout_.start.size(), 0);
        if (!searchable(node(id))) return asked;
        const auto keep = [&](int64_t count, uint64_t place) {
            if (count == 0 || count >= static_cast<int64_t>(columns.size())) return;
            NodeRandom random(round_.seed, place);
            random.shuffle(columns);
            columns.resize(static_cast<size_t>(count));
            std::sort(columns.begin(), columns.end());
        };
        keep(settings_.level_columns, (uint64_t{1} << 40) + static_cast<uint64_t>(node(id).depth));
        keep(settings_.node_columns, (uint64_t{1} << 41) + static_cast<uint64_t>(id));
        for (const int32_t j : columns) asked[static_cast<size_t>(j)] = 1;
        return asked;
    }

    void choose(int32_t id, Split* found) {
        BoostNode& n = node(id);
        double most = -std::numeric_limits<double>::infinity();
        for (const int32_t j : *n.columns)
            if (found[static_cast<size_t>(j)].column >= 0)
                most = std::max(most, found[static_cast<size_t>(j)].score);
        // Of columns with equal scores the first.
        const auto first = std::find_if(n.columns->begin(), n.columns->end(), [&](int32_t j) {
            const Split& s = found[static_cast<size_t>(j)];
            return s.column >= 0 && s.score >= most - kTie * std::abs(most);
        });
        const int32_t best = first == n.columns->end() ? -1 : *first;
        Split* const split = best < 0 ? nullptr : &found[static_cast<size_t>(best)];
        const double gain = split ? split->score - worth_at(n, best).score(n.total) : 0.0;
        if (!split || !(gain > kTie * std::abs(split->score))) {
            release(n);
            return;
        }
        n.split = std::move(*split);
        n.split.column = best;
        n.split.gain = gain;
        open_.push({settings_.max_leaves ? gain : 0.0, id});
        if (memory_.histograms.size() - free_.size() > most_histograms_) release(n);
    }

    void release(BoostNode& n) {
        if (n.histogram >= 0) free_.push_back(std::exchange(n.histogram, -1));
    }

    // Which way each code goes; codes without rows go where missing ones do.
    void set_sides(BoostNode& n) {
        const auto j = static_cast<size_t>(n.split.column);
        const BinnedColumn& column = b_.matrix_->columns[j];
        const Sum* const bins = histogram(n.histogram) + b_.layout_.start[j];
        n.n_missing = bins[0].total(units_.count_bits).rows;
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

    void divide(int32_t id) {
        if (node(id).histogram < 0) {  // given up for want of memory
            node(id).histogram = take();
            const Sum* const values = values_of(node(id));
            count(node(id), blocks_of(node(id).columns), values);
        }
        set_sides(node(id));
        const auto first = static_cast<int32_t>(nodes().size());
        nodes().resize(nodes().size() + 2);
        BoostNode& n = node(id);
        BoostNode& left = node(first);
        BoostNode& right = node(first + 1);
        n.left = first;
        ++leaves_;
        const int64_t middle = timed(Stage::partition, [&] {
            return b_.partition_.move(*b_.matrix_, b_.records_, n.split.column, n.side, b_.rows_, n.begin,
                                      n.end, n.rows() > kManyRows ? threads_ : 1);
        });
        left.begin = n.begin;
        left.end = right.begin = middle;
        right.end = n.end;
        left.total = n.split.left;
        right.total = n.total - n.split.left;
        left.depth = right.depth = n.depth + 1;
        bound(n, left, right);
        allow(n, left, right);
        search_children(n, first);
    }

    void search_children(BoostNode& n, int32_t first) {
        const int32_t large_id = first + (node(first).rows() < node(first + 1).rows());
        const int32_t small_id = 2 * first + 1 - large_id;
        const bool last = settings_.max_leaves != 0 && leaves_ >= settings_.max_leaves;
        if (last || !searchable(node(large_id))) {  // then the small one is too small or too deep, too
            release(n);
            return;
        }
        // The small one is counted even where it is not searched: the large one is the rest.
        const int32_t parent = std::exchange(n.histogram, -1);
        node(small_id).histogram = take();
        node(large_id).histogram = parent;
        search({small_id, large_id});
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
    const Round& round_;
    const int threads_;
    Interrupt interrupt_;
    Units units_;
    BoostSettings settings_;
    Worth worth_;
    std::shared_ptr<const std::vector<int32_t>> columns_;  // that the blocks are made of
    std::vector<Block> blocks_;
    std::vector<Split> found_;  // by node and column
    std::vector<int32_t> free_;
    size_t most_histograms_ = 0;
    std::priority_queue<Open> open_;
    int64_t leaves_ = 1;
};

}  // namespace bough::boost

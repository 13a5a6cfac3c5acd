// The growth of one symmetric tree: every level asks one question, chosen by all of its nodes together.
#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "boost/growth.hpp"
#include "boost/level.hpp"

namespace bough::boost {

// Nodes that the question does not divide, because a side would be too small or nothing is gained, wait for
// the next level, so the tree has no node without rows.
template <class Sum>
class Symmetric : Growth<Sum> {
  public:
    using Growth<Sum>::Growth, Growth<Sum>::units;

    void run() {
        if (!search_root()) return;
        level_ = {0};
        for (int32_t depth = 0; depth < settings_.max_depth && !level_.empty(); ++depth) {
            interrupt_.check(calling_);
            Split question = search(depth);
            if (question.column < 0) return;
            const std::vector<int32_t> dividing = ask(std::move(question));
            divide(dividing, depth + 1 < settings_.max_depth);
        }
    }

  private:
    using Base = Growth<Sum>;
    using Base::b_, Base::memory_, Base::settings_, Base::threads_, Base::interrupt_, Base::calling_;
    using Base::kEnoughWork, Base::node, Base::nodes, Base::search_root, Base::take, Base::release;
    using Base::task_;

    Division<Sum> division(size_t desk, int threads) {
        return Division<Sum>(b_, memory_, task_, desk, threads);
    }
    bool nominal(int32_t column) const {
        return b_.matrix_.columns[static_cast<size_t>(column)].kind == ColumnKind::nominal;
    }

    // The nodes of the level that may ask the column, and their numbers.
    std::vector<LevelNode<Sum>> seen_by(int32_t column, std::vector<int32_t>& ids) {
        Division<Sum> at = division(0, 1);
        std::vector<LevelNode<Sum>> seen;
        for (const int32_t id : level_) {
            const BoostNode& n = node(id);
            if (!std::binary_search(n.columns->begin(), n.columns->end(), column)) continue;
            seen.push_back({at.histogram(n.histogram) + b_.layout_.start[static_cast<size_t>(column)],
                            n.total, at.worth_at(n, column)});
            ids.push_back(id);
        }
        return seen;
    }
    LevelScan<Sum> scan_of(std::span<const LevelNode<Sum>> seen, int32_t column) const {
        return {seen, b_.layout_.n_codes(column), task_.units.count_bits, nominal(column), settings_};
    }

    // The best question of the level: a column is a thread's task, its nodes are added in their order.
    Split search(int32_t depth) {
        const Timed here(Stage::scans);
        const std::vector<int32_t>& columns = task_.round.columns;
        const std::vector<uint8_t> asked = division(0, 1).drawn(depth, 0);
        double before = 0.0;
        for (const int32_t id : level_) before += division(0, 1).worth_at(node(id), 0).score(node(id).total);
        std::vector<Split> found(columns.size());
        const int64_t work = std::ssize(level_) * static_cast<int64_t>(b_.layout_.size());
        parallel_for(
            std::ssize(columns), work > kEnoughWork ? threads_ : 1,
            [&](int64_t k, int) {
                const int32_t j = columns[static_cast<size_t>(k)];
                if (!asked[static_cast<size_t>(j)]) return;
                std::vector<int32_t> ids;
                const std::vector<LevelNode<Sum>> seen = seen_by(j, ids);
                found[static_cast<size_t>(k)] = scan_of(seen, j).best(before);
            },
            [&] { interrupt_.ask(); });
        double most = -std::numeric_limits<double>::infinity();
        for (const Split& split : found)
            if (split.column >= 0) most = std::max(most, split.score);
        for (size_t k = 0; k < found.size(); ++k) {
            if (found[k].column < 0 || found[k].score < most - kTie * std::abs(most)) continue;
            found[k].column = columns[k];
            return std::move(found[k]);
        }
        return {};
    }

    // Writes the question into the nodes that it divides; which they are.
    std::vector<int32_t> ask(Split question) {
        std::vector<int32_t> ids, dividing;
        const int32_t column = question.column;
        const std::vector<LevelNode<Sum>> seen = seen_by(column, ids);
        const LevelScan<Sum> scan = scan_of(seen, column);
        const std::vector<double> gains = scan.gains(question);
        const std::vector<uint8_t> side = scan.sides(question);
        const std::vector<uint32_t> present = scan.present();
        for (size_t k = 0; k < ids.size(); ++k) {
            if (!(gains[k] > 0.0)) continue;
            BoostNode& n = node(ids[k]);
            n.split = question;
            n.split.gain = gains[k];
            Sum left{};
            for (size_t code = 0; code < side.size(); ++code)
                if (!side[code]) left += seen[k].bins[code];
            n.split.left = left.total(task_.units.count_bits);
            n.n_missing = seen[k].bins[0].total(task_.units.count_bits).rows;
            n.side = side;
            for (const uint32_t code : present)  // others go where those go that nobody knows
                if (side[code] != side[0] || !seen[k].bins[code].empty()) n.present.push_back(code);
            dividing.push_back(ids[k]);
        }
        return dividing;
    }

    // Nodes with many of the rows by all threads, the others by one thread each.
    void divide(const std::vector<int32_t>& dividing, bool more) {
        std::vector<Children> children(dividing.size());
        if (more)
            for (Children& c : children) c.spare = take();
        const auto large = [&](const BoostNode& n) {
            return n.rows() * 2 * threads_ > static_cast<int64_t>(task_.rows.size());
        };
        for (size_t k = 0; k < dividing.size(); ++k)
            if (BoostNode& n = node(dividing[k]); large(n))
                division(0, threads_).divide(n, children[k], more, 0);
        parallel_for(
            std::ssize(dividing), threads_,
            [&](int64_t i, int worker) {
                const auto k = static_cast<size_t>(i);
                if (BoostNode& n = node(dividing[k]); !large(n))
                    division(static_cast<size_t>(worker), 1).divide(n, children[k], more, 0);
            },
            [&] { interrupt_.ask(); });
        std::vector<int32_t> next;
        size_t k = 0;
        for (const int32_t id : level_) {
            if (k == dividing.size() || dividing[k] != id) {
                next.push_back(id);
                continue;
            }
            join(id, std::move(children[k++]), next);
        }
        level_ = std::move(next);
    }

    // The children become part of the tree, and of the next level if they are large enough.
    void join(int32_t id, Children children, std::vector<int32_t>& next) {
        const auto first = static_cast<int32_t>(nodes().size());
        node(id).left = first;
        release(node(id).histogram);
        release(children.spare);
        nodes().push_back(std::move(children.left));
        nodes().push_back(std::move(children.right));
        for (const int32_t child : {first, first + 1}) {
            if (node(child).histogram >= 0 && division(0, 1).searchable(node(child))) {
                next.push_back(child);
            } else {
                release(node(child).histogram);
            }
        }
    }

    std::vector<int32_t> level_;  // nodes that may be divided
};

}  // namespace bough::boost

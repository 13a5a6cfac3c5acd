// The growth of one boosted tree: which leaf is divided next, and which ones already while threads are free.
#pragma once
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "boost/division.hpp"

namespace bough::boost {

// The best leaf is divided first; its children join the leaves that wait. A thread that counts half of the
// columns of a node reads the lines of all of its rows, so two threads that share a node take longer than
// half of the time. Therefore the next best leaves are divided ahead at the same time, one by each thread.
// Nearly all of them come to their turn; the others are put together again. The tree is the same.
template <class Sum>
class Growth {
  public:
    // `calling`: in the thread that asks whether to stop.
    Growth(Booster& booster, Grown& tree, Memory<Sum>& memory, const Round& round, int threads,
           Interrupt& interrupt, bool calling)
        : b_(booster),
          tree_(tree),
          memory_(memory),
          settings_(booster.settings_),
          threads_(threads),
          interrupt_(interrupt),
          calling_(calling),
          task_{round, tree.rows, {}, {}, interrupt} {
        free_.resize(memory.histograms.size());
        std::iota(free_.rbegin(), free_.rend(), 0);
        memory.desks.resize(std::max(memory.desks.size(), static_cast<size_t>(std::max(threads, 1))));
        const auto n = static_cast<int64_t>(tree.rows.size());
        const Timed here(Stage::gradients);
        task_.units = memory_.values.set(round.slopes, tree.largest, n, settings_.narrow_from, threads);
        task_.worth.l1 = settings_.l1 / task_.units.gradient;
        task_.worth.l2 = settings_.l2 / task_.units.hessian;
        task_.worth.min_hessian = settings_.min_hessian / task_.units.hessian * (1.0 - kTie);
        task_.worth.min_rows = settings_.min_rows;
        const size_t bytes = b_.layout_.size() * sizeof(Sum) * b_.benches_.size();
        most_histograms_ = std::max<size_t>(3, kMostBytes / std::max<size_t>(bytes, 1));
    }

    void run() {
        start();
        while (!open_.empty() && leaves_left() > 0) {
            interrupt_.check(calling_);
            const int32_t id = open_.begin()->id;
            if (!ahead_.contains(id)) prepare(id);
            commit(id);
        }
    }
    const Units& units() const { return task_.units; }

  protected:
    static constexpr size_t kMostBytes = size_t{1} << 29;  // of the histograms of all trees at work
    static constexpr int64_t kEnoughWork = 60'000;         // additions that a thread begins for
    static constexpr int kLook = 4;                        // leaves that each thread may choose from

    struct Open {
        double gain;  // level by level: not compared
        int32_t id;
        bool operator<(const Open& o) const { return gain > o.gain || (gain == o.gain && id < o.id); }
    };

    std::vector<BoostNode>& nodes() { return tree_.nodes; }
    BoostNode& node(int32_t id) { return tree_.nodes[static_cast<size_t>(id)]; }
    int64_t leaves_left() const {
        return settings_.max_leaves ? settings_.max_leaves - leaves_ : std::numeric_limits<int64_t>::max();
    }

    void start() {
        if (search_root()) put(0);
    }

    // False: it stays a leaf.
    bool search_root() {
        BoostNode root;
        root.end = static_cast<int64_t>(tree_.rows.size());
        root.total = memory_.values.sum(tree_.rows, threads_).total(task_.units.count_bits);
        root.columns = std::make_shared<const std::vector<int32_t>>(task_.round.columns);
        root.groups.resize(settings_.interactions.size());
        std::iota(root.groups.begin(), root.groups.end(), 0);
        nodes().assign(1, std::move(root));
        Division<Sum> division(b_, memory_, task_, 0, threads_);
        if (!division.searchable(node(0))) return false;
        node(0).histogram = take();
        division.search_root(node(0));
        return true;
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
    void release(int32_t& h) {
        if (h >= 0) free_.push_back(std::exchange(h, -1));
    }

    // A node waits for its turn, or stays a leaf.
    void put(int32_t id) {
        BoostNode& n = node(id);
        if (n.split.column < 0) return release(n.histogram);
        open_.insert({settings_.max_leaves ? n.split.gain : 0.0, id});
        if (memory_.histograms.size() - free_.size() > most_histograms_) release(n.histogram);
    }

    // Divides this leaf by all threads, or several leaves by one thread each.
    void prepare(int32_t id) {
        const std::vector<int32_t> ids = with_others(id);
        std::vector<Children*> children;
        for (const int32_t i : ids) {
            children.push_back(&ahead_[i]);
            children.back()->spare = take();
        }
        if (ids.size() == 1) {
            Division<Sum> division(b_, memory_, task_, 0, threads_);
            if (node(id).histogram < 0) {  // given up for want of memory
                node(id).histogram = take();
                division.recount(node(id));
            }
            division.divide(node(id), *children[0], leaves_left() > 1, static_cast<int32_t>(nodes().size()));
            return;
        }
        parallel_for(
            std::ssize(ids), threads_,
            [&](int64_t k, int) {
                const auto desk = static_cast<size_t>(k);
                Division<Sum>(b_, memory_, task_, desk, 1).divide(node(ids[desk]), *children[desk], true, 0);
            },
            [&] { interrupt_.ask(); });
    }

    // The leaf, and others that take about as long if there are enough for the threads.
    std::vector<int32_t> with_others(int32_t id) {
        std::vector<int32_t> ids{id};
        const int64_t own = work(node(id));
        const auto used = static_cast<int64_t>(memory_.histograms.size() - free_.size());
        const int64_t room = std::min(leaves_left() - 1 - std::ssize(ahead_),
                                      static_cast<int64_t>(most_histograms_) - 1 - used);
        const bool numbered = settings_.node_columns != 0;  // draws depend on numbers that come later
        if (threads_ < 2 || own < kEnoughWork || numbered || node(id).histogram < 0) return ids;
        std::vector<std::pair<int64_t, int32_t>> others;  // how far from this one's work, and which
        for (auto at = std::next(open_.begin()); at != open_.end(); ++at) {
            if (std::ssize(others) == kLook * (threads_ - 1)) break;
            if (ahead_.contains(at->id) || node(at->id).histogram < 0) continue;
            const int64_t other = work(node(at->id));
            others.push_back({std::max(own, other) * 100 / std::min(own, other), at->id});
        }
        std::sort(others.begin(), others.end());
        for (const auto& [percent, other] : others)
            if (percent <= 200 && std::ssize(ids) < std::min<int64_t>(threads_, room + 1))
                ids.push_back(other);
        if (3 * std::ssize(ids) < 2 * threads_) ids.resize(1);
        return ids;
    }

    // About as many additions as dividing the node takes.
    int64_t work(const BoostNode& n) const {
        const int64_t fewer = std::min(n.split.left.rows, n.total.rows - n.split.left.rows);
        return 2 * n.rows() + fewer * static_cast<int64_t>(b_.records_.stride()) +
               6 * static_cast<int64_t>(b_.layout_.size());
    }

    void commit(int32_t id) {
        open_.erase(open_.begin());
        Children children = std::move(ahead_.extract(id).mapped());
        const auto first = static_cast<int32_t>(nodes().size());
        node(id).left = first;
        release(node(id).histogram);
        release(children.spare);
        ++leaves_;
        nodes().push_back(std::move(children.left));
        nodes().push_back(std::move(children.right));
        put(first);
        put(first + 1);
        // The others have too many before them to come to their turn; half of the histograms suffice.
        while (std::ssize(open_) > leaves_left()) {
            leave(std::prev(open_.end())->id);
            open_.erase(std::prev(open_.end()));
        }
    }

    // A leaf after all; if it was divided, its rows are in one order again.
    void leave(int32_t id) {
        BoostNode& n = node(id);
        release(n.histogram);
        const auto at = ahead_.find(id);
        if (at == ahead_.end()) return;
        Children& children = at->second;
        for (int32_t* h : {&children.left.histogram, &children.right.histogram, &children.spare}) release(*h);
        const auto rows = tree_.rows.begin();
        std::inplace_merge(rows + n.begin, rows + children.right.begin, rows + n.end);
        n.n_missing = 0;
        ahead_.erase(at);
    }

    Booster& b_;
    Grown& tree_;
    Memory<Sum>& memory_;
    const BoostSettings& settings_;
    const int threads_;
    Interrupt& interrupt_;
    const bool calling_;
    Task task_;
    std::vector<int32_t> free_;
    size_t most_histograms_ = 0;
    std::set<Open> open_;
    std::map<int32_t, Children> ahead_;  // divided, but not in the tree yet
    int64_t leaves_ = 1;
};

}  // namespace bough::boost

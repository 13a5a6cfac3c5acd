// Shapley values: down a tree with the factors of the path, up with the sums of its leaves.
#include "shapley.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "interrupt.hpp"
#include "parallel.hpp"

namespace bough {
namespace {

constexpr double kTiny = 1e-300;  // in place of a factor of zero, under which everything is zero anyway
constexpr int64_t kBlock = 64;    // rows of one task
constexpr size_t kLanes = 8;      // rows that go down together

// What is left of the node's own share of rows that are sent by `cover`, where a missing value stops rows.
double staying(const TreeView& tree, const Shapley& of, size_t node) {
    const auto first = static_cast<size_t>(tree.first_child[node]);
    double gone = 0.0;
    for (size_t c = first; c < first + static_cast<size_t>(tree.n_children[node]); ++c) gone += of.cover[c];
    return std::max(0.0, 1.0 - gone);
}

double spread_weight(const TreeView& tree, size_t node) {
    const auto first = static_cast<size_t>(tree.first_child[node]);
    double whole = 0.0;
    for (size_t c = first; c < first + static_cast<size_t>(tree.n_children[node]); ++c)
        whole += tree.weight[c];
    return whole;
}

// R rows in one tree. Every depth of the way has a slot: the answer that led there (shares of known rows, of
// unknown ones, its factor at each point and its part), the product of the path, and the sums of the leaves
// below so far. A path counts only the last answer on a column, which holds those before it.
template <size_t R>
class Walk {
  public:
    Walk(const TreeView& tree, const std::vector<ColumnView>& columns, const Shapley& of)
        : tree_(tree),
          columns_(columns),
          of_(of),
          points_(of.points.size()),
          size_((3 + of.n_values) * points_ * R + R),
          last_(columns.size(), kNone) {}

    void run(int64_t first_row, double* into) {
        first_row_ = first_row;
        into_ = into;
        if (tree_.feature[0] < 0) return;
        open(0, 0);
        std::fill_n(path(0), points_ * R, 1.0);
        size_t depth = 0;
        while (true) {
            if (frames_[depth].next == frames_[depth].end) {
                if (depth == 0) return;
                const int32_t column = tree_.feature[frames_[depth - 1].node];
                add(total(depth - 1), total(depth), of_.n_values);
                leave(column, depth);
                last_[static_cast<size_t>(column)] = frames_[depth].before;
                --depth;
                continue;
            }
            depth += enter(depth);
        }
    }

  private:
    static constexpr size_t kNone = std::numeric_limits<size_t>::max();
    struct Frame {
        size_t node = 0;
        int32_t next = 0, end = 0;   // branches: children, and where rows may stay the node itself
        size_t before = kNone;       // the depth of the answer before on the same column
        double unknown = 0.0;        // share
        std::array<int32_t, R> way;  // of each row, to be compared with `next`
        double whole = 0.0;          // weight of the children, where a row is spread over them
    };

    double* slot(size_t depth) { return memory_.data() + depth * size_; }
    double* path(size_t depth) { return slot(depth); }
    double* factor(size_t depth) { return slot(depth) + points_ * R; }
    double* part(size_t depth) { return slot(depth) + 2 * points_ * R; }
    double* known(size_t depth) { return slot(depth) + 3 * points_ * R; }
    double* total(size_t depth) { return slot(depth) + 3 * points_ * R + R; }

    void add(double* to, const double* more, size_t n) const {
        for (size_t i = 0; i < n * points_ * R; ++i) to[i] += more[i];
    }

    void open(size_t depth, size_t node) {
        if (frames_.size() < depth + 2) {  // one more: for the ends below
            frames_.resize(2 * depth + 8);
            memory_.resize(frames_.size() * size_);
        }
        Frame& f = frames_[depth];
        f.node = node;
        f.next = 0;
        f.end = tree_.n_children[node] + (tree_.missing_child[node] == kStay);
        f.whole = 0.0;
        for (size_t r = 0; r < R; ++r) {
            f.way[r] = tree_.way(node, columns_, first_row_ + static_cast<int64_t>(r));
            if (f.way[r] == kStay) f.way[r] = tree_.n_children[node];
            if (f.way[r] == kSpread) f.whole = spread_weight(tree_, node);
        }
        std::fill_n(total(depth), of_.n_values * points_ * R, 0.0);
    }

    // Takes the next branch of the node at this depth; true if there is a node to be asked.
    bool enter(size_t depth) {
        Frame& f = frames_[depth];
        const int32_t branch = f.next++;
        const bool stays = branch == tree_.n_children[f.node];
        const size_t child = stays ? f.node : static_cast<size_t>(tree_.first_child[f.node] + branch);
        const double share = f.whole > 0.0 && !stays ? tree_.weight[child] / f.whole : 0.0;
        double* const own = known(depth + 1);
        bool any = false;
        for (size_t r = 0; r < R; ++r) {
            own[r] = f.way[r] == branch ? 1.0 : f.way[r] == kSpread ? share : 0.0;
            any |= own[r] > 0.0;
        }
        const double unknown = stays ? staying(tree_, of_, child) : of_.cover[child];
        if (unknown == 0.0 && !any) return false;
        const auto column = static_cast<size_t>(tree_.feature[f.node]);
        frames_[depth + 1].before = last_[column];
        frames_[depth + 1].unknown = unknown;
        multiply(depth);
        if (!stays && tree_.feature[child] >= 0) {
            last_[column] = depth + 1;
            open(depth + 1, child);
            return true;
        }
        for (size_t k = 0; k < of_.n_values; ++k) {
            const double value = of_.value[child * of_.n_values + k];
            double* const ends = total(depth + 1) + k * points_ * R;
            for (size_t i = 0; i < points_ * R; ++i) ends[i] = value * path(depth + 1)[i];
        }
        add(total(depth), total(depth + 1), of_.n_values);
        leave(static_cast<int32_t>(column), depth + 1);
        return false;
    }

    // The answer at depth + 1 joins the path: its factor at each point instead of that of the answer before.
    void multiply(size_t depth) {
        Frame& next = frames_[depth + 1];
        double* const own = known(depth + 1);
        const double* const above = path(depth);
        double *const product = path(depth + 1), *const f = factor(depth + 1), *const p = part(depth + 1);
        if (next.before != kNone) {
            next.unknown *= frames_[next.before].unknown;
            for (size_t r = 0; r < R; ++r) own[r] *= known(next.before)[r];
            for (size_t i = 0; i < points_ * R; ++i) product[i] = above[i] / factor(next.before)[i];
        } else {
            std::copy_n(above, points_ * R, product);
        }
        const bool impossible = next.unknown < kTiny;
        for (size_t q = 0; q < points_; ++q) {
            const double t = of_.points[q], w = of_.weights[q], rest = (1.0 - t) * next.unknown;
            for (size_t r = 0; r < R; ++r) {
                const size_t i = q * R + r;
                f[i] = t * own[r] + rest;
                if (impossible) f[i] = std::max(f[i], kTiny);
                product[i] *= impossible && !(own[r] > 0.0) ? 0.0 : f[i];
                p[i] = w * (own[r] - next.unknown) / f[i];
            }
        }
    }

    // The leaves below an answer on a column: for that column this answer counts, not the one before.
    void leave(int32_t column, size_t depth) {
        const size_t before = frames_[depth].before;
        std::array<double, R> sum;
        for (size_t k = 0; k < of_.n_values; ++k) {
            const double* const below = total(depth) + k * points_ * R;
            sum.fill(0.0);
            for (size_t q = 0; q < points_; ++q)
                for (size_t r = 0; r < R; ++r) {
                    const size_t i = q * R + r;
                    const double more = before == kNone ? part(depth)[i] : part(depth)[i] - part(before)[i];
                    sum[r] += more * below[i];
                }
            for (size_t r = 0; r < R; ++r)
                into_[(r * columns_.size() + static_cast<size_t>(column)) * of_.n_outputs + of_.first_output +
                      k] += sum[r];
        }
    }

    const TreeView& tree_;
    const std::vector<ColumnView>& columns_;
    const Shapley& of_;
    const size_t points_, size_;
    std::vector<size_t> last_;  // by column: the depth of the last answer on it
    std::vector<Frame> frames_;
    std::vector<double> memory_;
    int64_t first_row_ = 0;
    double* into_ = nullptr;
};

}  // namespace

int64_t most_asked(const TreeView& tree) {
    std::vector<int64_t> times(tree.n_categories.size(), 0);  // on the path
    std::vector<std::pair<size_t, int32_t>> path;             // node, children that were visited
    int64_t different = 0, most = 0;
    const auto open = [&](size_t node) {
        path.push_back({node, 0});
        if (tree.feature[node] < 0) return;
        different += times[static_cast<size_t>(tree.feature[node])]++ == 0;
        most = std::max(most, different);
    };
    open(0);
    while (!path.empty()) {
        const auto [node, child] = path.back();
        if (tree.feature[node] >= 0 && child < tree.n_children[node]) {
            ++path.back().second;
            open(static_cast<size_t>(tree.first_child[node] + child));
            continue;
        }
        if (tree.feature[node] >= 0) different -= --times[static_cast<size_t>(tree.feature[node])] == 0;
        path.pop_back();
    }
    return most;
}

std::vector<double> training_shares(const TreeView& tree) {
    std::vector<double> shares(tree.feature.size(), 1.0);
    for (size_t node = 0; node < shares.size(); ++node) {
        if (tree.feature[node] < 0) continue;
        double whole = spread_weight(tree, node);
        if (tree.missing_child[node] == kStay) whole = std::max(whole, tree.weight[node]);
        const auto first = static_cast<size_t>(tree.first_child[node]);
        for (size_t c = first; c < first + static_cast<size_t>(tree.n_children[node]); ++c)
            shares[c] = whole > 0.0 ? tree.weight[c] / whole : 0.0;
    }
    return shares;
}

std::vector<double> shares_of_row(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t row) {
    std::vector<double> shares(tree.feature.size(), 0.0);
    shares[0] = 1.0;
    for (size_t node = 0; node < shares.size(); ++node) {
        if (tree.feature[node] < 0) continue;
        const auto first = static_cast<size_t>(tree.first_child[node]);
        const int32_t way = tree.way(node, columns, row);
        if (way >= 0) shares[first + static_cast<size_t>(way)] = 1.0;
        if (way != kSpread) continue;
        const double whole = spread_weight(tree, node);
        for (size_t c = first; c < first + static_cast<size_t>(tree.n_children[node]); ++c)
            shares[c] = whole > 0.0 ? tree.weight[c] / whole : 0.0;
    }
    return shares;
}

std::vector<double> expected_values(const TreeView& tree, const Shapley& of) {
    std::vector<double> reach(tree.feature.size(), 0.0), expected(of.n_values, 0.0);
    reach[0] = 1.0;
    for (size_t node = 0; node < reach.size(); ++node) {  // children come after their parents
        const bool leaf = tree.feature[node] < 0;
        double ends = leaf ? reach[node] : 0.0;
        if (!leaf) {
            const auto first = static_cast<size_t>(tree.first_child[node]);
            for (size_t c = first; c < first + static_cast<size_t>(tree.n_children[node]); ++c)
                reach[c] = reach[node] * of.cover[c];
            if (tree.missing_child[node] == kStay) ends = reach[node] * staying(tree, of, node);
        }
        for (size_t k = 0; k < of.n_values; ++k) expected[k] += ends * of.value[node * of.n_values + k];
    }
    return expected;
}

void add_shapley(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows,
                 const Shapley& of, int threads, const std::function<void()>& poll, double* into) {
    const size_t width = columns.size() * of.n_outputs;
    Interrupt interrupt(poll);
    interrupt.run([&] {
        parallel_for((n_rows + kBlock - 1) / kBlock, threads,
                     [&](int64_t block, int worker) {
                         Walk<kLanes> together(tree, columns, of);
                         Walk<1> alone(tree, columns, of);
                         const int64_t end = std::min(n_rows, (block + 1) * kBlock);
                         for (int64_t row = block * kBlock; row < end;) {
                             interrupt.check(worker == 0);
                             double* const to = into + static_cast<size_t>(row) * width;
                             if (row + static_cast<int64_t>(kLanes) <= end) {
                                 together.run(row, to);
                                 row += static_cast<int64_t>(kLanes);
                             } else {
                                 alone.run(row, to);
                                 ++row;
                             }
                         }
                     },
                     [&] { interrupt.ask(); });
    });
}

}  // namespace bough

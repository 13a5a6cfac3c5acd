// Grows one tree: which node is split next, and by whom, until all are leaves.
#include "grower.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>

#include "criteria/chi_square.hpp"
#include "criteria/custom.hpp"
#include "criteria/entropy.hpp"
#include "criteria/error.hpp"
#include "criteria/gini.hpp"
#include "criteria/poisson.hpp"
#include "criteria/squared.hpp"
#include "flatten.hpp"
#include "interrupt.hpp"
#include "open_nodes.hpp"
#include "parallel.hpp"
#include "plot.hpp"
#include "profile.hpp"
#include "splitter.hpp"

namespace bough {
namespace {

template <class Sweep>
class Grower {
  public:
    Grower(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads,
           Interrupt& interrupt)
        : root_(std::make_shared<Plot>(with_values(matrix, settings, threads), target, settings.wide(),
                                       threads)),
          splitter_(matrix, root_->target, settings, threads, interrupt),
          max_leaves_(settings.max_leaf_nodes),
          max_nodes_(settings.max_nodes),
          deadline_(settings.time_limit > 0
                        ? Clock::now() +
                              std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(settings.time_limit, 1e9)))
                        : Clock::time_point::max()),
          threads_(threads),
          interrupt_(interrupt) {}

    GrownTree grow() {
        Branch& trunk = branches_.emplace_back(root_->target.width());
        splitter_.plant_root(*root_, trunk);
        if (max_leaves_ > 0 || max_nodes_ > 0) {
            grow_best_first(trunk);
        } else if (threads_ > 1) {
            grow_together(trunk);
        } else if (!trunk.nodes[0].terminal) {
            grow_below(trunk, {0, root_}, 0, 1, true);
        }
        root_->lists.clear();
        return timed(Stage::leaf_values,
                     [&] { return flatten(branches_, root_->target, splitter_.loss_unit(), threads_); });
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int64_t kSmall = 2000, kSubtrees = 32;  // rows; of a thread, at most

    // After the time limit nothing is split any more.
    bool late() const { return deadline_ != Clock::time_point::max() && Clock::now() > deadline_; }

    static BinnedMatrix& with_values(BinnedMatrix& matrix, const Settings& settings, int threads) {
        if (settings.value_gap > 0)
            parallel_for(static_cast<int64_t>(matrix.columns.size()), threads, [&](int64_t j, int) {
                matrix.columns[static_cast<size_t>(j)].keep_values(settings.value_gap);
            });
        return matrix;
    }

    // A node that may be split, and the plot that its rows are on.
    struct Task {
        int32_t id;
        std::shared_ptr<Plot> plot;
    };

    // All that is below one node, by one thread. `threads` as expand has it. `alone`: it is the whole tree;
    // its nodes come in the order of their rows, and those before a node are done.
    void grow_below(Branch& branch, Task&& root, int worker, int threads, bool alone = false) {
        std::vector<Task> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            const Task task = std::move(stack.back());
            stack.pop_back();
            if (alone && task.plot == root_)
                root_->lists.done_before(branch.nodes[static_cast<size_t>(task.id)].segment.begin);
            expand(branch, task, worker, threads, stack);
        }
    }

    // A thread takes the largest open node, splits it and leaves its children to whoever is free; small nodes
    // it grows to their leaves. Where there is not enough to do for all - at the root, or while each split
    // cuts off but a few rows - they share the columns of a node.
    void grow_together(Branch& trunk) {
        const int64_t small =
            std::max<int64_t>(kSmall, trunk.nodes[0].segment.size() / (kSubtrees * threads_));
        OpenNodes open;
        if (!trunk.nodes[0].terminal) open.add({&trunk, 0, root_});
        while (!open.empty()) {
            open.begin_pass();
            if (open.largest() > small && !open.enough_for(threads_)) {
                OpenNode node = *open.take();
                split_open(*node.branch, node.id, std::move(node.plot), open, 0, threads_);
                continue;
            }
            parallel_for(
                threads_, threads_,
                [&](int64_t, int worker) {
                    try {
                        while (std::optional<OpenNode> node = open.take()) {
                            const bool large = node->rows() > small;
                            Branch& branch = own_branch(*node);
                            if (large) {
                                split_open(branch, 0, std::move(node->plot), open, worker, worker == 0);
                            } else {
                                grow_below(branch, {0, std::move(node->plot)}, worker, worker == 0);
                            }
                        }
                    } catch (...) {
                        open.call_back();
                        throw;
                    }
                },
                [&] { interrupt_.ask(); });
        }
    }

    void split_open(Branch& branch, int32_t id, std::shared_ptr<Plot>&& plot, OpenNodes& open, int worker,
                    int threads) {
        std::vector<Task> children;
        expand(branch, {id, std::move(plot)}, worker, threads, children);
        for (Task& child : children) open.add({&branch, child.id, std::move(child.plot)});
    }

    // While threads split nodes side by side, each goes on in a branch of its own, which nobody else adds to.
    Branch& own_branch(const OpenNode& node) {
        std::unique_lock lock(branches_mutex_);
        const auto number = static_cast<int32_t>(branches_.size());
        Branch& branch = branches_.emplace_back(root_->target.width());
        lock.unlock();
        branch.adopt(*node.branch, node.id);
        Node& copied = node.branch->nodes[static_cast<size_t>(node.id)];
        copied.subtree = number;
        copied.columns.reset();
        return branch;
    }

    // Splits a node if it can be split, and puts its children that may grow on the stack. `threads` 0: not
    // the calling thread, which alone may poll.
    void expand(Branch& branch, const Task& task, int worker, int threads, std::vector<Task>& stack) {
        if (late()) return;
        if (timed(Stage::search, [&] {
                return splitter_.grow_thicket(*task.plot, branch, task.id, splitter_.worker(worker), threads);
            }))
            return;
        const std::optional<Choice> choice = timed(Stage::search, [&] {
            return splitter_.evaluate(*task.plot, branch, task.id, splitter_.worker(worker), threads);
        });
        if (!choice) return branch.nodes[static_cast<size_t>(task.id)].columns.reset();
        Children children = timed(Stage::partition, [&] {
            return splitter_.split(*task.plot, branch, task.id, *choice, splitter_.worker(worker), threads);
        });
        for (int32_t c = children.count; c-- > 0;)
            if (!branch.nodes[static_cast<size_t>(children.first + c)].terminal)
                stack.push_back({children.first + c, children.plot_of(c, task.plot)});
    }

    void grow_best_first(Branch& trunk) {
        struct Waiting {
            double gain;
            Task task;
            Choice choice;
            bool operator<(const Waiting& o) const {
                return gain != o.gain ? gain < o.gain : task.id > o.task.id;
            }
        };
        std::priority_queue<Waiting> frontier;
        const auto enter = [&](Task&& task) {
            const Node& node = trunk.nodes[static_cast<size_t>(task.id)];
            if (node.terminal || late()) return;
            if (const auto choice = timed(Stage::search, [&] {
                    return splitter_.evaluate(*task.plot, trunk, task.id, splitter_.worker(0), threads_);
                })) {
                const double step = node.step / trunk.nodes[0].step;
                frontier.push({without_noise(choice->gain * step * step), std::move(task), *choice});
            }
        };
        int64_t leaves = 1;
        enter({0, root_});
        const int64_t most_leaves = max_leaves_ > 0 ? max_leaves_ : std::numeric_limits<int64_t>::max();
        const auto most_nodes =
            max_nodes_ > 0 ? static_cast<size_t>(max_nodes_) : std::numeric_limits<size_t>::max();
        while (!frontier.empty() && leaves < most_leaves) {
            const auto [gain, task, choice] = frontier.top();
            frontier.pop();
            const int32_t branches = splitter_.branch_count(*task.plot, choice);
            if (leaves - 1 + branches > most_leaves ||
                trunk.nodes.size() + static_cast<size_t>(branches) > most_nodes)
                continue;
            const Choice& best = choice;
            Children children = timed(Stage::partition, [&] {
                return splitter_.split(*task.plot, trunk, task.id, best, splitter_.worker(0), threads_);
            });
            leaves += children.count - 1;
            for (int32_t c = 0; c < children.count; ++c)
                enter({children.first + c, children.plot_of(c, task.plot)});
        }
    }

    // Equal gains of different nodes may differ in their last bits; the first 36 decide.
    static double without_noise(double gain) {
        const uint64_t half = uint64_t{1} << 15;
        return std::bit_cast<double>((std::bit_cast<uint64_t>(gain) + half) & ~(2 * half - 1));
    }

    const std::shared_ptr<Plot> root_;
    Splitter<Sweep> splitter_;
    const int64_t max_leaves_, max_nodes_;
    const Clock::time_point deadline_;
    const int threads_;
    Interrupt& interrupt_;
    std::deque<Branch> branches_;
    std::mutex branches_mutex_;
};

template <class Sweep>
GrownTree run(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads,
              const std::function<void()>& poll) {
    Interrupt interrupt(poll);
    return interrupt.run([&] { return Grower<Sweep>(matrix, target, settings, threads, interrupt).grow(); });
}

}  // namespace

GrownTree grow_tree(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads,
                    const std::function<void()>& poll) {
    const bool counting = target.counting(), two = target.n_classes == 2;
    const bool tabled = counting && target.total_weight <= CountLogarithms::kLargest;
    switch (settings.criterion) {
        case Criterion::gini:
            return counting && two ? run<BinarySweep<GiniCounting>>(matrix, target, settings, threads, poll)
                   : counting      ? run<CountingSweep<GiniCounting>>(matrix, target, settings, threads, poll)
                   : two           ? run<BinarySweep<GiniWeighted>>(matrix, target, settings, threads, poll)
                                   : run<ClassSweep<GiniPlain>>(matrix, target, settings, threads, poll);
        case Criterion::entropy:
            return tabled && two ? run<BinarySweep<EntropyCounting>>(matrix, target, settings, threads, poll)
                   : tabled ? run<CountingSweep<EntropyCounting>>(matrix, target, settings, threads, poll)
                   : two    ? run<BinarySweep<EntropyWeighted>>(matrix, target, settings, threads, poll)
                            : run<ClassSweep<EntropyPlain>>(matrix, target, settings, threads, poll);
        case Criterion::error:
            return run<ClassSweep<ErrorPlain>>(matrix, target, settings, threads, poll);
        case Criterion::chi_square:
            return counting ? run<ChiSquareSweep<true>>(matrix, target, settings, threads, poll)
                            : run<ChiSquareSweep<false>>(matrix, target, settings, threads, poll);
        case Criterion::custom:
            return run<CustomSweep>(matrix, target, settings, threads, poll);
        case Criterion::poisson:
            return run<PoissonSweep>(matrix, target, settings, threads, poll);
        case Criterion::friedman_mse:  // the gain is the same, up to a factor that the node has
        case Criterion::squared_error:
            return counting ? run<SquaredSweep<true>>(matrix, target, settings, threads, poll)
                            : run<SquaredSweep<false>>(matrix, target, settings, threads, poll);
    }
    throw std::invalid_argument("unknown criterion");
}

}  // namespace bough

// Grows one tree: which node is split next, and by whom, until all are leaves.
#include "grower.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <limits>
#include <memory>
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
        } else {
            grow_depth_first(trunk);
        }
        return timed(Stage::leaf_values,
                     [&] { return flatten(branches_, root_->target, splitter_.loss_unit()); });
    }

  private:
    using Clock = std::chrono::steady_clock;

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

    // Large nodes share their columns among the threads; below that, whole subtrees are handed out.
    void grow_depth_first(Branch& trunk) {
        const int64_t share =
            threads_ > 1 ? std::max<int64_t>(2000, trunk.nodes[0].segment.size() / (8 * threads_)) : 0;
        std::vector<Task> stack, later;
        if (!trunk.nodes[0].terminal) stack.push_back({0, root_});
        while (!stack.empty()) {
            Task task = std::move(stack.back());
            stack.pop_back();
            if (trunk.nodes[static_cast<size_t>(task.id)].segment.size() <= share) {
                later.push_back(std::move(task));
            } else {
                expand(trunk, task, 0, threads_, stack);
            }
        }
        const size_t first = branches_.size();
        for (const Task& task : later) {
            trunk.nodes[static_cast<size_t>(task.id)].subtree = static_cast<int32_t>(branches_.size());
            branches_.emplace_back(root_->target.width()).adopt(trunk, task.id);
        }
        parallel_for(
            static_cast<int64_t>(later.size()), threads_,
            [&](int64_t i, int worker) {
                std::vector<Task> own{{0, std::move(later[static_cast<size_t>(i)].plot)}};
                Branch& branch = branches_[first + static_cast<size_t>(i)];
                while (!own.empty()) {
                    const Task task = std::move(own.back());
                    own.pop_back();
                    expand(branch, task, worker, worker == 0 ? 1 : 0, own);
                }
            },
            [&] { interrupt_.ask(); });
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

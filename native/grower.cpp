// Grows one tree: which node is split next, and by whom, until all are leaves.
#include "grower.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <queue>

#include "criteria/entropy.hpp"
#include "criteria/error.hpp"
#include "criteria/gini.hpp"
#include "criteria/squared.hpp"
#include "flatten.hpp"
#include "interrupt.hpp"
#include "parallel.hpp"
#include "splitter.hpp"

namespace bough {
namespace {

template <class Sweep>
class Grower {
  public:
    Grower(BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads,
           Interrupt& interrupt)
        : splitter_(matrix, target, settings, threads, interrupt),
          width_(target.width()),
          max_leaves_(settings.max_leaf_nodes),
          threads_(threads),
          interrupt_(interrupt) {}

    GrownTree grow() {
        Branch& trunk = branches_.emplace_back(width_);
        splitter_.plant_root(trunk);
        if (max_leaves_ > 0) {
            grow_best_first(trunk);
        } else {
            grow_depth_first(trunk);
        }
        return flatten(branches_, splitter_.target(), splitter_.rows(), splitter_.loss_unit(), threads_);
    }

  private:
    // Large nodes share their columns among the threads; below that, whole subtrees are handed out.
    void grow_depth_first(Branch& trunk) {
        const int64_t share =
            threads_ > 1 ? std::max<int64_t>(2000, trunk.nodes[0].segment.size() / (8 * threads_)) : 0;
        std::vector<int32_t> stack, later;
        if (!trunk.nodes[0].terminal) stack.push_back(0);
        while (!stack.empty()) {
            const int32_t id = stack.back();
            stack.pop_back();
            if (trunk.nodes[static_cast<size_t>(id)].segment.size() <= share) {
                later.push_back(id);
            } else {
                expand(trunk, id, 0, threads_, stack);
            }
        }
        const size_t first = branches_.size();
        for (const int32_t id : later) {
            trunk.nodes[static_cast<size_t>(id)].subtree = static_cast<int32_t>(branches_.size());
            branches_.emplace_back(width_).adopt(trunk, id);
        }
        parallel_for(
            static_cast<int64_t>(later.size()), threads_,
            [&](int64_t i, int worker) {
                std::vector<int32_t> own{0};
                Branch& branch = branches_[first + static_cast<size_t>(i)];
                while (!own.empty()) {
                    const int32_t id = own.back();
                    own.pop_back();
                    expand(branch, id, worker, worker == 0 ? 1 : 0, own);
                }
            },
            [&] { interrupt_.ask(); });
    }

    // Splits a node if it can be split, and puts its children that may grow on the stack. `threads` 0: not
    // the calling thread, which alone may poll.
    void expand(Branch& branch, int32_t id, int worker, int threads, std::vector<int32_t>& stack) {
        const std::optional<Choice> choice =
            splitter_.evaluate(branch, id, splitter_.worker(worker), threads);
        if (!choice) return;
        const auto [first, count] = splitter_.split(branch, id, *choice, splitter_.worker(worker), threads);
        for (int32_t c = count; c-- > 0;)
            if (!branch.nodes[static_cast<size_t>(first + c)].terminal) stack.push_back(first + c);
    }

    void grow_best_first(Branch& trunk) {
        struct Waiting {
            double gain;
            int32_t id;
            bool operator<(const Waiting& o) const { return gain != o.gain ? gain < o.gain : id > o.id; }
        };
        std::priority_queue<Waiting> frontier;
        std::vector<Choice> choices;
        const auto enter = [&](int32_t id) {
            choices.resize(trunk.nodes.size());
            if (trunk.nodes[static_cast<size_t>(id)].terminal) return;
            if (const auto choice = splitter_.evaluate(trunk, id, splitter_.worker(0), threads_)) {
                choices[static_cast<size_t>(id)] = *choice;
                const double step = trunk.nodes[static_cast<size_t>(id)].step / trunk.nodes[0].step;
                frontier.push({without_noise(choice->gain * step * step), id});
            }
        };
        int64_t leaves = 1;
        enter(0);
        while (!frontier.empty() && leaves < max_leaves_) {
            const int32_t id = frontier.top().id;
            frontier.pop();
            const Choice choice = choices[static_cast<size_t>(id)];
            if (leaves - 1 + splitter_.branch_count(choice) > max_leaves_) continue;
            const auto [first, count] = splitter_.split(trunk, id, choice, splitter_.worker(0), threads_);
            leaves += count - 1;
            for (int32_t c = 0; c < count; ++c) enter(first + c);
        }
    }

    // Equal gains of different nodes may differ in their last bits; the first 36 decide.
    static double without_noise(double gain) {
        const uint64_t half = uint64_t{1} << 15;
        return std::bit_cast<double>((std::bit_cast<uint64_t>(gain) + half) & ~(2 * half - 1));
    }

    Splitter<Sweep> splitter_;
    const int32_t width_;
    const int64_t max_leaves_;
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
                                   : run<ClassSweep<GiniPlain>>(matrix, target, settings, threads, poll);
        case Criterion::entropy:
            return tabled && two ? run<BinarySweep<EntropyCounting>>(matrix, target, settings, threads, poll)
                   : tabled ? run<CountingSweep<EntropyCounting>>(matrix, target, settings, threads, poll)
                            : run<ClassSweep<EntropyPlain>>(matrix, target, settings, threads, poll);
        case Criterion::error:
            return run<ClassSweep<ErrorPlain>>(matrix, target, settings, threads, poll);
        case Criterion::squared_error:
            return counting ? run<SquaredSweep<true>>(matrix, target, settings, threads, poll)
                            : run<SquaredSweep<false>>(matrix, target, settings, threads, poll);
    }
    throw std::invalid_argument("unknown criterion");
}

}  // namespace bough

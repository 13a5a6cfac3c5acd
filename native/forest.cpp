// Grows many trees from one binned matrix: a bag of rows becomes a small matrix of its own, a tree grows on
// it.
#include "forest.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <utility>

#include "grower.hpp"
#include "parallel.hpp"
#include "profile.hpp"
#include "tree_memory.hpp"

namespace bough {
namespace {

struct GivenUp {};

// The rows of a bag, ascending, and what each counts.
struct Bag {
    std::vector<uint32_t> rows;
    HugeVector<int64_t> weights;  // in the unit of the target; empty: all rows count once
};

Bag bag_of(const std::vector<uint32_t>& times, const Target& target) {
    Bag bag;
    bool once = target.weight.empty();
    // No branch depends on what was drawn.
    bag.rows.resize(times.size());
    size_t n = 0;
    for (size_t i = 0; i < times.size(); ++i) {
        bag.rows[n] = static_cast<uint32_t>(i);
        n += times[i] > 0;
        once &= times[i] <= 1;
    }
    bag.rows.resize(n);
    if (once) return bag;
    bag.weights.resize(n);
    for (size_t i = 0; i < n; ++i) bag.weights[i] = target.weight_of(bag.rows[i]) * times[bag.rows[i]];
    return bag;
}

// Classes of the bag weigh the same in all, as many as its rows.
Target balanced_target(const Target& whole, const Bag& bag) {
    std::vector<int32_t> labels;
    std::vector<double> weights, of_class(static_cast<size_t>(whole.n_classes), 0.0);
    double total = 0.0, present = 0.0;
    for (size_t i = 0; i < bag.rows.size(); ++i) {
        labels.push_back(whole.label[bag.rows[i]]);
        weights.push_back(static_cast<double>(bag.weights.empty() ? 1 : bag.weights[i]) * whole.weight_unit);
        of_class[static_cast<size_t>(labels[i])] += weights[i];
        total += weights[i];
    }
    for (const double w : of_class) present += w > 0;
    for (size_t i = 0; i < weights.size(); ++i)
        weights[i] *= total / (present * of_class[static_cast<size_t>(labels[i])]);
    Target target = class_target(labels, whole.n_classes, weights, whole.shares);
    target.loss = whole.loss;
    return target;
}

Target bag_target(const Target& whole, Bag& bag, bool balanced) {
    if (balanced) return balanced_target(whole, bag);
    Target target = part_of(whole, bag.rows, std::move(bag.weights));
    if (target.from_zero) target.scale = set_moments(target);
    return target;
}

template <class Codes>
Codes gathered(const Codes& codes, const std::vector<uint32_t>& rows) {
    Codes out(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) out[i] = codes[rows[i]];
    return out;
}

class ForestGrower {
  public:
    ForestGrower(const BinnedMatrix& matrix, const Target& target, const Settings& settings, const Bags& bags,
                 const lean::LeanForest& lean, const ForestRun& run, const std::function<void()>& poll)
        : matrix_(matrix),
          target_(target),
          settings_(settings),
          bags_(bags),
          run_(run),
          poll_(poll),
          lean_(lean) {
        if (run.seconds > 0)
            deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(std::min(run.seconds, 1e9)));
    }

    GrownForest grow() {
        forest_.trees.resize(static_cast<size_t>(run_.count));
        memory_ = std::vector<BlockFiller>(static_cast<size_t>(std::max(run_.threads, 1)));
        cells_.resize(memory_.size());
        have_one_ = !run_.must_have_one;
        parallel_for(
            run_.count, run_.threads, [&](int64_t i, int worker) { grow_one(i, worker); }, [&] { ask(); });
        return std::move(forest_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    void grow_one(int64_t i, int worker) {
        if (worker == 0) ask();
        if (stop_) return;
        const int64_t number = run_.first + i;
        Bag bag = timed(Stage::bags, [&] { return bag_of(bags_.counts(number), target_); });
        Target target = bag_target(target_, bag, bags_.balanced);
        Settings settings = settings_;
        settings.seed = bags_.seed_of(number);
        if (bags_.columns_drawn > 0) {
            const std::vector<uint8_t> not_drawn = bags_.forbidden(number);
            for (size_t j = 0; j < not_drawn.size(); ++j) settings.forbidden[j] |= not_drawn[j];
        }
        // The very first tree may be cut short, so that there is one.
        if (!have_one_ && i == 0 && run_.seconds > 0) settings.time_limit = run_.seconds;
        const std::function<void()> poll = [&] {
            if (worker == 0) ask();
            if (stop_) throw GivenUp{};
        };
        try {
            std::optional<FinishedTree>& tree = forest_.trees[static_cast<size_t>(i)];
            const BlockFiller::Scope here(memory_[static_cast<size_t>(worker)]);
            tree =
                lean_.grow(bag.rows, target, settings, poll, run_.pack, cells_[static_cast<size_t>(worker)]);
            if (!tree) {
                BinnedMatrix matrix = timed(Stage::bags, [&] { return bag_matrix(matrix_, bag.rows); });
                tree = grow_tree(matrix, target, settings, 1, poll);
            }
            if (i == 0) have_one_ = true;  // trees are kept up to the first that is not there
        } catch (const GivenUp&) {
        }
    }

    // On the calling thread: is it time to stop?
    void ask() noexcept {
        if (stop_) return;
        if (have_one_ && Clock::now() > deadline_) {
            forest_.late = true;
            stop_ = true;
            return;
        }
        try {
            poll_();
        } catch (...) {
            forest_.stopped = std::current_exception();
            stop_ = true;
        }
    }

    const BinnedMatrix& matrix_;
    const Target& target_;
    const Settings& settings_;
    const Bags& bags_;
    const ForestRun& run_;
    const std::function<void()>& poll_;
    const lean::LeanForest& lean_;
    Clock::time_point deadline_ = Clock::time_point::max();
    std::atomic<bool> stop_{false}, have_one_{false};
    std::vector<BlockFiller> memory_;    // of the trees, by worker
    std::vector<lean::CellRoom> cells_;  // of the bags, by worker
    GrownForest forest_;
};

}  // namespace

BinnedMatrix bag_matrix(const BinnedMatrix& whole, const std::vector<uint32_t>& rows) {
    BinnedMatrix bag;
    bag.n_rows = static_cast<int64_t>(rows.size());
    bag.stride = whole.stride;
    bag.origin = rows;
    bag.records.resize(rows.size() * whole.stride);
    for (size_t i = 0; i < rows.size() && whole.stride > 0; ++i)
        std::copy_n(whole.record(rows[i]), whole.stride, bag.records.data() + i * whole.stride);
    std::vector<uint32_t> place;  // by row of the whole: 1 + its place in the bag
    for (const BinnedColumn& from : whole.columns) {
        BinnedColumn& to = bag.columns.emplace_back();
        to.kind = from.kind;
        to.n_bins = from.n_bins;
        to.whole = &from;
        if (std::holds_alternative<InRecord>(from.store)) {
            to.store = from.store;
        } else if (const auto* codes = std::get_if<Codes16>(&from.store)) {
            to.store = gathered(*codes, rows);
        } else if (const auto* wide = std::get_if<Codes32>(&from.store)) {
            to.store = gathered(*wide, rows);
        } else {
            if (place.empty()) {
                place.resize(static_cast<size_t>(whole.n_rows), 0);
                for (size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<uint32_t>(i) + 1;
            }
            Sorted entries(rows.size() + 1);  // every entry is written, those of the bag stay
            size_t n = 0;
            for (const Entry e : std::get<Sorted>(from.store)) {
                const uint32_t p = place[row_of(e)];
                entries[n] = make_entry(code_of(e), p - 1);
                n += p != 0;
            }
            entries.resize(n);
            to.store = std::move(entries);
        }
    }
    return bag;
}

GrownForest grow_forest(const BinnedMatrix& matrix, const Target& target, const Settings& settings,
                        const Bags& bags, const lean::LeanForest& lean, const ForestRun& run,
                        const std::function<void()>& poll) {
    return ForestGrower(matrix, target, settings, bags, lean, run, poll).grow();
}

}  // namespace bough

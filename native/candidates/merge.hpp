// The candidate of categories by C4.5's greedy merging: pairs of branches are joined as long as that makes
// the split better, first those of one class.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "candidates/best.hpp"
#include "candidates/groups.hpp"
#include "logarithm.hpp"
#include "merit.hpp"

namespace bough {

struct MergeSettings {
    int32_t n_categories = 0;  // declared ones, present or not
    double weight_unit = 1.0;  // one step of the groups' weights
    int64_t node_weight = 0;   // in such steps, rows missing in the column included
    double minimum = 2.0;      // weight that two branches must reach
    bool by_ratio = true;      // what is compared: gain ratios, or gains
};

struct MergedSplit {
    std::vector<uint32_t> branch;  // of each group
    uint32_t n_branches = 0;       // fewer than two: the column offers no split
    // Categories that are not among the groups go to the last branch, and so do the lightest groups; false:
    // there are none.
    bool has_rest = false;
    double gain = 0.0;        // in bits, times the weight of the node in steps
    double split_info = 0.0;  // in bits per unit of weight; missing rows count as a branch, the rest does not
};

class CategoryMerger {
  public:
    CategoryMerger(const Groups& groups, const MergeSettings& settings)
        : settings_(settings), width_(static_cast<size_t>(groups.width())), n_groups_(groups.size()) {
        Block known;
        known.bag.assign(width_, 0);
        Sums sums;
        for (size_t g = 0; g < groups.size(); ++g) {
            Block block;
            block.bag.assign(groups.stat(g), groups.stat(g) + width_);
            for (size_t k = 0; k < width_; ++k) known.bag[k] += block.bag[k];
            measure(block);
            sums.add(block, kReasonable);
            if (reaches(0.5, block.weight)) continue;
            block.members.push_back(static_cast<uint32_t>(g));
            blocks_.push_back(std::move(block));
        }
        measure(known);
        known_bag_ = known.bag;
        before_ = known.info;
        known_ = known.weight;
        total_ = weight_of(settings.node_weight);
        missing_ =
            weight_of(settings.node_weight - std::accumulate(known.bag.begin(), known.bag.end(), int64_t{0}));
        state_ = worth_of(sums);
    }

    MergedSplit merge() {
        const size_t before = blocks_.size();
        merge_single_classes();
        if (blocks_.size() < before) state_ = worth_of(sums_of_blocks(kReasonable));
        merge_neighbours();
        merge_pairs();
        return result();
    }

  private:
    static constexpr double kSlack = 1e-6;      // a sum of shares may miss a number by so much
    static constexpr double kTie = 1e-12;       // closer gains and ratios are equal
    static constexpr double kNothing = -1e-3;   // the worth of what is no split
    static constexpr double kReasonable = 1.0;  // two branches must reach it while blocks are merged
    static constexpr double kOtherClass = 0.1;  // so much of other classes is overlooked in a block of one
    static constexpr size_t kMostBlocks = 100;

    struct Block {
        std::vector<uint32_t> members;  // groups
        std::vector<int64_t> bag;       // weight of each class, in steps
        double weight = 0.0, log_term = 0.0, info = 0.0;
    };
    // What gain and ratio of a split follow from.
    struct Sums {
        double info = 0.0;      // of all branches
        double weight = 0.0;    // of all branches
        double log_term = 0.0;  // of their weights
        int large = 0;          // branches that reach a minimum

        void add(const Block& b, double minimum) {
            info += b.info;
            weight += b.weight;
            log_term += b.log_term;
            large += reaches(b.weight, minimum);
        }
    };
    struct Worth {
        double gain = 0.0, worth = 0.0, split_info = 0.0;
    };

    double weight_of(int64_t steps) const { return static_cast<double>(steps) * settings_.weight_unit; }
    static double term(double w) { return w > kSlack ? w * log2_portable(w) : 0.0; }
    static bool reaches(double a, double b) { return b - a < kSlack; }

    void measure(Block& block) const {
        block.weight = weight_of(std::accumulate(block.bag.begin(), block.bag.end(), int64_t{0}));
        block.log_term = block.info = term(block.weight);
        for (const int64_t w : block.bag) block.info -= term(weight_of(w));
    }
    void take_in(Block& block, const Block& other) const {
        block.members.insert(block.members.end(), other.members.begin(), other.members.end());
        for (size_t k = 0; k < width_; ++k) block.bag[k] += other.bag[k];
        measure(block);
    }

    Sums sums_of_blocks(double minimum) const {
        Sums sums;
        for (const Block& b : blocks_) sums.add(b, minimum);
        return sums;
    }

    Worth worth_of(const Sums& sums) const {
        Worth w;
        if (sums.large < 2) return {kNothing, kNothing, 0.0};
        w.gain = (before_ - sums.info) / total_;
        if (std::fabs(w.gain * known_) < kSlack) w.gain = 0.0;
        const double whole = sums.weight + missing_;
        const double bits = term(whole) - sums.log_term - term(missing_);
        w.split_info = bits / whole;
        if (!settings_.by_ratio) {
            w.worth = w.split_info > 0 ? w.gain : kNothing;
        } else {
            const double ratio = bits > kSlack ? w.gain / w.split_info : 0.0;
            w.worth = w.gain >= 0 && w.split_info > 1e-3 ? ratio : kNothing;
        }
        return w;
    }

    // The second block becomes part of the first, i < j; the last takes its place.
    void join(size_t i, size_t j) {
        take_in(blocks_[i], blocks_[j]);
        if (j + 1 < blocks_.size()) blocks_[j] = std::move(blocks_.back());
        blocks_.pop_back();
    }

    bool is_of_class(const Block& block, size_t k) const {
        return reaches(weight_of(block.bag[k]), block.weight - kOtherClass);
    }
    void merge_single_classes() {
        for (size_t i = 0; i + 1 < blocks_.size(); ++i) {
            size_t k = 0;
            while (k < width_ && !reaches(weight_of(blocks_[i].bag[k]), kOtherClass)) ++k;
            if (k == width_) k = 0;
            if (!is_of_class(blocks_[i], k)) continue;
            for (size_t j = i + 1; j < blocks_.size();) {
                if (is_of_class(blocks_[j], k)) {
                    join(i, j);  // what stands at j now is looked at next
                } else {
                    ++j;
                }
            }
        }
    }

    // The time of what follows grows with the cube of the blocks (100 of three classes take 5 ms), so that
    // more are first put together: neighbours in the order of their share of the largest class, about equally
    // heavy.
    void merge_neighbours() {
        if (blocks_.size() <= kMostBlocks) return;
        const auto largest = std::max_element(known_bag_.begin(), known_bag_.end()) - known_bag_.begin();
        const auto share = [&](uint32_t b) {
            return weight_of(blocks_[b].bag[static_cast<size_t>(largest)]) / blocks_[b].weight;
        };
        std::vector<uint32_t> order(blocks_.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return share(a) < share(b); });
        std::vector<Block> fewer;
        double before = 0.0, part = -1.0;
        const double whole = sums_of_blocks(kReasonable).weight;
        for (const uint32_t b : order) {
            const double now = std::floor(before / whole * static_cast<double>(kMostBlocks));
            before += blocks_[b].weight;
            if (now > part) {
                part = now;
                fewer.push_back(std::move(blocks_[b]));
            } else {
                take_in(fewer.back(), blocks_[b]);
            }
        }
        blocks_ = std::move(fewer);
        state_ = worth_of(sums_of_blocks(kReasonable));
    }

    size_t heaviest() const {
        double top = 0.0;
        for (const Block& b : blocks_) top = std::max(top, b.weight);
        size_t i = 0;
        while (!reaches(blocks_[i].weight, top)) ++i;
        return i;
    }

    // What joining two blocks changes; they are kept, because most pairs stay as they are.
    struct Pair {
        double info = 0.0, log_term = 0.0;
    };
    Pair pair_of(size_t i, size_t j) const {
        Pair pair;
        const double weight = blocks_[i].weight + blocks_[j].weight;
        pair.log_term = pair.info = term(weight);
        for (size_t k = 0; k < width_; ++k)
            pair.info -= term(weight_of(blocks_[i].bag[k] + blocks_[j].bag[k]));
        return pair;
    }

    void merge_pairs() {
        const size_t n = blocks_.size();
        std::vector<Pair> pairs(n * n);
        const auto at = [&](size_t i, size_t j) -> Pair& {
            return pairs[std::min(i, j) * n + std::max(i, j)];
        };
        for (size_t i = 0; i < n; ++i)
            for (size_t j = i + 1; j < n; ++j) at(i, j) = pair_of(i, j);
        const double half = state_.gain / 2;
        while (blocks_.size() > 2) {
            const int large = sums_of_blocks(settings_.minimum).large;
            const size_t barred = large < 3 ? heaviest() : blocks_.size();
            const Sums now = sums_of_blocks(kReasonable);
            const bool forced = !settings_.by_ratio || large < 2;
            size_t first = n, second = n;
            Worth best{kNothing, 0.0, 0.0};
            for (size_t i = 0; i < blocks_.size(); ++i) {
                for (size_t j = i + 1; j < blocks_.size(); ++j) {
                    if (i == barred || j == barred) continue;
                    const Worth w = worth_of(after_joining(now, i, j, at(i, j)));
                    if ((best.gain < half - kTie && w.gain >= half - kTie) || w.worth >= best.worth - kTie ||
                        (forced && first == n)) {
                        first = i;
                        second = j;
                        best = w;
                    }
                }
            }
            if (settings_.by_ratio && large >= 2 && (first == n || best.worth < state_.worth + 1e-5)) break;
            const size_t last = blocks_.size() - 1;
            join(first, second);
            state_ = best;
            for (size_t i = 0; i < blocks_.size(); ++i)
                if (i != second && second != last) at(i, second) = at(i, last);
            for (size_t i = 0; i < blocks_.size(); ++i)
                if (i != first) at(i, first) = pair_of(i, first);
        }
    }

    Sums after_joining(Sums sums, size_t i, size_t j, const Pair& pair) const {
        const Block &a = blocks_[i], &b = blocks_[j];
        sums.info += pair.info - a.info - b.info;
        sums.log_term += pair.log_term - a.log_term - b.log_term;
        sums.large += reaches(a.weight + b.weight, kReasonable) - reaches(a.weight, kReasonable) -
                      reaches(b.weight, kReasonable);
        return sums;
    }

    MergedSplit result() const {
        MergedSplit split;
        const Worth w = worth_of(sums_of_blocks(settings_.minimum));
        if (state_.worth <= 0 || w.gain <= kNothing) return split;
        split.branch.assign(n_groups_, static_cast<uint32_t>(blocks_.size()));
        size_t in_blocks = 0;
        for (size_t b = 0; b < blocks_.size(); ++b) {
            for (const uint32_t g : blocks_[b].members) split.branch[g] = static_cast<uint32_t>(b);
            in_blocks += blocks_[b].members.size();
        }
        split.has_rest = in_blocks < static_cast<size_t>(settings_.n_categories);
        split.n_branches = static_cast<uint32_t>(blocks_.size()) + split.has_rest;
        split.gain = w.gain * static_cast<double>(settings_.node_weight);
        split.split_info = w.split_info;
        return split;
    }

    MergeSettings settings_;
    size_t width_;
    size_t n_groups_;
    std::vector<Block> blocks_;
    std::vector<int64_t> known_bag_;  // class weights of the known rows
    double known_ = 0.0, total_ = 0.0, missing_ = 0.0, before_ = 0.0;
    Worth state_;
};

inline MergedSplit merge_by_gain(const Groups& groups, const MergeSettings& settings) {
    return CategoryMerger(groups, settings).merge();
}

// Categories merged by C4.5 as a candidate; missing rows that take part go with the branch where they cost
// least. `stat`: of the node, with them.
template <class Sweep>
Best best_of_merged(Sweep& sweep, const Groups& groups, const MergedSplit& split, const int64_t* stat,
                    int64_t missing_weight) {
    Best best;
    if (split.n_branches < 2) return best;
    best.gain = best.own = split.gain;
    best.arrangement = static_cast<int32_t>(split.n_branches);
    best.split_info = split.split_info;
    if (groups.missing_rows == 0) return best;
    const auto width = static_cast<size_t>(groups.width());
    std::vector<int64_t> table(split.n_branches * width, 0), with(width);
    for (size_t g = 0; g < groups.size(); ++g)
        for (size_t k = 0; k < width; ++k) table[split.branch[g] * width + k] += groups.stat(g)[k];
    double sum = 0.0, least = std::numeric_limits<double>::infinity();
    for (size_t b = 0; b < split.n_branches; ++b) {
        const int64_t* const own = table.data() + b * width;
        for (size_t k = 0; k < width; ++k) with[k] = own[k] + groups.missing_stat[k];
        const double term = sweep.group_term(own), cost = sweep.group_term(with.data()) - term;
        sum += term;
        if (cost >= least) continue;
        least = cost;
        best.low = static_cast<uint32_t>(b) + 1;
    }
    best.gain = best.own = sweep.node_term() - sum - least;
    SplitInformation information(sweep.group_weight(stat));
    for (size_t b = 0; b < split.n_branches; ++b)
        information.add(sweep.group_weight(table.data() + b * width) +
                        (b + 1 == best.low ? missing_weight : 0));
    best.split_info = information.bits();
    return best;
}

}  // namespace bough

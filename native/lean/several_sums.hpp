// What rows of several classes count, summed up by class, for gini. Counts are floating point, where they are
// exact, so that two classes at a time go through a vector.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "criteria/counting_sweep.hpp"
#include "criteria/gini.hpp"
#include "lean/packed_sums.hpp"
#include "target.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

// Of at most `Lanes` classes, an even number.
template <size_t Lanes>
class SeveralSums {
  public:
    using Sweep = CountingSweep<GiniCounting>;
    using Lighter = PackedSums<Lanes, uint16_t>;
    using Pair = double __attribute__((vector_size(16)));
    struct Sum {
        std::array<Pair, Lanes / 2> of_class{};
        double left = 0.0;                 // weight
        double squares = 0.0, rest = 0.0;  // sums of the squares on the left, on the right
    };
    using Bin = std::array<float, Lanes>;
    static constexpr int kMostBits = 10;
    static constexpr double kRounding = 1e-14;             // of `reaches`, for each unit of weight
    static constexpr int64_t kLargest = int64_t{1} << 24;  // whole numbers up to it are floats

    explicit SeveralSums(const Target& target) : classes_(static_cast<size_t>(target.n_classes)) {}

    void enter(Sweep& sweep, const int64_t* stat, const Target& target, std::span<const uint32_t> rows) {
        sweep_ = &sweep;
        all_ = squares_ = 0.0;
        for (size_t k = 0; k < classes_; ++k) {
            const auto weight = static_cast<double>(stat[k]);
            node_[k / 2][k % 2] = weight;
            all_ += weight;
            squares_ += weight * weight;
        }
        share_ = squares_ / all_;
        if (of_row_.size() < rows.size()) of_row_.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i)
            of_row_[i] = {target.label[rows[i]], static_cast<float>(target.weight_of(rows[i]))};
    }

    void make_room(size_t bins) {
        if (bins_.size() < bins) bins_.resize(bins);
    }
    void add_to(size_t bin, size_t i) { bins_[bin][of_row_[i].label] += of_row_[i].weight; }
    Bin take(size_t bin) { return std::exchange(bins_[bin], Bin{}); }
    Sum zero() const {
        Sum sum;
        sum.rest = squares_;
        return sum;
    }
    bool is_pure(const Bin& bin) const { return Lanes - std::count(bin.begin(), bin.end(), 0.0F) <= 1; }
    void move_bin(Sum& sum, const Bin& bin) const {
        Pair left{}, squares{}, rest{};
        for (size_t p = 0; p < kPairs; ++p) {
            const Pair own = sum.of_class[p] += pair(bin, p), others = node_[p] - own;
            left += own;
            squares += own * own;
            rest += others * others;
        }
        sum.left = left[0] + left[1];
        sum.squares = squares[0] + squares[1];
        sum.rest = rest[0] + rest[1];
    }
    void move_row(Sum& sum, size_t i) const {
        const uint32_t k = of_row_[i].label;
        const double w = of_row_[i].weight, own = sum.of_class[k / 2][k % 2],
                     others = node_[k / 2][k % 2] - own;
        sum.left += w;
        sum.squares += w * (own + own + w);
        sum.rest -= w * (others + others - w);
        sum.of_class[k / 2][k % 2] = own + w;
    }
    int64_t weight(const Sum& sum) const { return static_cast<int64_t>(sum.left); }
    int64_t node_weight() const { return static_cast<int64_t>(all_); }

    bool reaches(const Sum& sum, double gain) const {
        return reaches(sum.squares, sum.rest, sum.left, all_ - sum.left, gain);
    }
    // The squares on the left only grow, those on the right only shrink; where that does not settle it, class
    // by class.
    bool may_reach(const Sum& before, const Bin& bin, const Sum& after, double gain) const {
        const double first = std::max(before.left, 1.0), last = std::max(all_ - after.left, 1.0);
        if (!reaches(after.squares, before.rest, first, last, gain)) return false;
        return by_class(before, bin, after.left - before.left) >=
               gain * all_ * std::min(first * (all_ - first), last * (all_ - last));
    }
    double gain(const Sum& sum) const {
        int64_t stat[Lanes];
        put(sum, stat);
        auto state = sweep_->start();
        sweep_->move_group(state, stat);
        return sweep_->gain(state);
    }
    void put(const Sum& sum, int64_t* stat) const {
        for (size_t k = 0; k < classes_; ++k) stat[k] = static_cast<int64_t>(sum.of_class[k / 2][k % 2]);
    }

  private:
    static constexpr size_t kPairs = Lanes / 2;
    // squares / left + rest / right - (squares of the node) / all, without the divisions
    bool reaches(double squares, double rest, double left, double right, double gain) const {
        return squares * right + rest * left >= (gain + share_) * (left * right);
    }
    // At least the sum of d_k^2, where a gain is that by (all left right) and d_k = all left_k - node_k left:
    // d_k is largest where only rows of its class have moved, and smallest where all others have.
    double by_class(const Sum& before, const Bin& bin, double more) const {
        Pair sum{};
        for (size_t p = 0; p < kPairs; ++p) {
            const Pair own = pair(bin, p), d = before.of_class[p] * all_ - node_[p] * before.left;
            const Pair high = d + own * (all_ - node_[p]), low = node_[p] * (more - own) - d;
            const Pair most = high > low ? high : low;
            sum += most * most;
        }
        return (sum[0] + sum[1]) * (1 + 1e-12);
    }
    struct Row {
        uint32_t label;
        float weight;
    };
    static Pair pair(const Bin& bin, size_t p) {
        return Pair{static_cast<double>(bin[2 * p]), static_cast<double>(bin[2 * p + 1])};
    }

    size_t classes_;
    Sweep* sweep_ = nullptr;
    std::array<Pair, kPairs> node_{};
    double all_ = 0.0, squares_ = 0.0, share_ = 0.0;
    GrowthArray<Row> of_row_;
    std::vector<Bin> bins_;
};

}  // namespace bough::lean

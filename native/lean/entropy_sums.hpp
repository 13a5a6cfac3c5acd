// What rows of several classes count, summed up by class, for entropy: each move changes the running sums of
// both sides, see criteria/counting_sweep.hpp.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "criteria/counting_sweep.hpp"
#include "criteria/entropy.hpp"
#include "target.hpp"
#include "tree_memory.hpp"

namespace bough::lean {

// Of at most `Lanes` classes.
template <size_t Lanes>
class EntropySums {
  public:
    using Sweep = CountingSweep<EntropyCounting>;
    using Lighter = void;
    using Bin = std::array<int32_t, Lanes>;
    struct Sum {
        Bin of_class{};
        typename Sweep::State state;
    };
    static constexpr int kMostBits = 10;
    static constexpr double kRounding = 0.0;

    explicit EntropySums(const Target& target) : classes_(static_cast<size_t>(target.n_classes)) {}

    void enter(Sweep& sweep, const int64_t* stat, const Target& target, std::span<const uint32_t> rows) {
        sweep_ = &sweep;
        start_ = sweep.start();
        all_ = 0;
        for (size_t k = 0; k < classes_; ++k) {
            node_[k] = static_cast<int32_t>(stat[k]);
            all_ += stat[k];
        }
        if (of_row_.size() < rows.size()) of_row_.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i)
            of_row_[i] = {target.label[rows[i]], static_cast<int32_t>(target.weight_of(rows[i]))};
    }

    void make_room(size_t bins) {
        if (bins_.size() < bins) bins_.resize(bins);
    }
    void add_to(size_t bin, size_t i) { bins_[bin][of_row_[i].label] += of_row_[i].weight; }
    Bin take(size_t bin) { return std::exchange(bins_[bin], Bin{}); }
    Sum zero() const { return {{}, start_}; }
    bool is_pure(const Bin& bin) const { return Lanes - std::count(bin.begin(), bin.end(), 0) <= 1; }
    void move_bin(Sum& sum, const Bin& bin) const {
        for (size_t k = 0; k < classes_; ++k)
            if (bin[k]) move(sum, k, bin[k]);
    }
    void move_row(Sum& sum, size_t i) const { move(sum, of_row_[i].label, of_row_[i].weight); }
    int64_t weight(const Sum& sum) const { return sum.state.left_sum; }
    int64_t node_weight() const { return all_; }

    bool reaches(const Sum& sum, double gain) const { return sweep_->gain(sum.state) >= gain; }
    // A side never loses less for the rows that come to it.
    bool may_reach(const Sum& before, const Bin&, const Sum& after, double gain) const {
        return sweep_->node_term() -
                   sweep_->measure().loss(before.state.left_running, before.state.left_sum) -
                   sweep_->measure().loss(after.state.right_running, all_ - after.state.left_sum) >=
               gain;
    }
    double gain(const Sum& sum) const { return sweep_->gain(sum.state); }
    void put(const Sum& sum, int64_t* stat) const { std::copy_n(sum.of_class.begin(), classes_, stat); }

  private:
    struct Row {
        uint32_t label;
        int32_t weight;
    };
    void move(Sum& sum, size_t k, int32_t w) const {
        const int64_t left = sum.of_class[k], right = node_[k] - left;
        sum.state.left_running += sweep_->measure().grow(left, 0, w);
        sum.state.right_running -= sweep_->measure().grow(right - w, 0, w);
        sum.state.left_sum += w;
        sum.of_class[k] += w;
    }

    size_t classes_;
    Sweep* sweep_ = nullptr;
    typename Sweep::State start_;
    Bin node_{};
    int64_t all_ = 0;
    GrowthArray<Row> of_row_;
    std::vector<Bin> bins_;
};

}  // namespace bough::lean

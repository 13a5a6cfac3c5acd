// Finds the cuts of a node with the sums that suit its weight: light nodes have smaller ones.
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>

#include "lean/cuts.hpp"

namespace bough::lean {

template <class Sums, class Cell>
class CutsByWeight {
  public:
    CutsByWeight(const Target& target, uint32_t n_codes) : own_(target, n_codes), lighter_(target, n_codes) {}

    // A cut, and the sums of its left side in `stat`.
    struct Cut {
        double gain;
        uint32_t last;
        bool found, varies;
        Edge edge;
    };

    // The rows of a node, described by `stat`.
    void enter(typename Sums::Sweep& sweep, const int64_t* stat, const Target& target,
               std::span<const uint32_t> rows, int64_t weight) {
        if constexpr (kLighter) {
            light_ = weight <= Lighter::kLargest;
            if (light_) return lighter_.enter(sweep, stat, target, rows, weight);
        }
        own_.enter(sweep, stat, target, rows);
    }
    Cut best(std::span<const Cell> cells, const Limits& limits, double above, int64_t* stat) {
        if constexpr (kLighter) {
            if (light_) {
                const auto cut = lighter_.best(cells, limits, above, stat);
                return {cut.gain, cut.last, cut.found, cut.varies, cut.edge};
            }
        }
        const auto cut = own_.best(cells, limits, above);
        if (cut.found()) own_.sums.put(cut.left, stat);
        return {cut.gain, cut.last, cut.found(), cut.varies, cut.edge};
    }

  private:
    using Lighter = typename Sums::Lighter;
    static constexpr bool kLighter = !std::is_void_v<Lighter>;
    struct None {
        None(const Target&, uint32_t) {}
    };
    template <class Other>
    struct Of {
        using type = CutsByWeight<Other, Cell>;
    };

    Cuts<Sums, Cell> own_;
    typename std::conditional_t<kLighter, Of<Lighter>, std::type_identity<None>>::type lighter_;
    bool light_ = false;
};

}  // namespace bough::lean

// The shorter way to the trees of a forest: when it can be gone, and by which criterion.
#include "lean/lean.hpp"

#include <algorithm>

#include "criteria/entropy.hpp"
#include "criteria/gini.hpp"
#include "criteria/squared.hpp"
#include "lean/grower.hpp"

namespace bough::lean {
namespace {

constexpr uint32_t kMostBins = uint32_t{1} << 26;  // see Order::by_comparing

bool is_simple(const Settings& s) {
    const bool criterion = s.criterion == Criterion::gini || s.criterion == Criterion::entropy ||
                           s.criterion == Criterion::squared_error || s.criterion == Criterion::friedman_mse;
    const bool choice = s.choice == Merit::gain && s.ties != Ties::single && !s.mdl_correction &&
                        !s.c45_cuts && s.tie_margin == 0.0 && s.value_gap == 0.0 &&
                        s.significance_level >= 1.0;
    const bool leaves = s.min_weight_leaf == 0.0 && s.min_share_leaf == 0.0 &&
                        s.min_weight_fraction_leaf == 0.0 && s.max_leaf_nodes == 0 && s.max_nodes == 0;
    // All columns of every node are scanned faster where they are kept sorted.
    const bool few = s.random_cuts || s.max_features > 0;
    return criterion && choice && leaves && few && !s.constrained() && s.required.empty() &&
           s.interactions.empty() && std::all_of(s.missing.begin(), s.missing.end(), [](Missing rule) {
               return rule == Missing::learn || rule == Missing::majority;
           });
}

bool is_simple(const BinnedMatrix& matrix, bool random_cuts) {
    return std::all_of(matrix.columns.begin(), matrix.columns.end(), [&](const BinnedColumn& c) {
        return c.kind == ColumnKind::ordered && !c.sorted() && c.n_bins < kMostBins &&
               !(random_cuts && c.packed());
    });
}

}  // namespace

LeanForest::LeanForest(const BinnedMatrix& matrix, const Target& target, const Settings& settings,
                       int threads)
    : matrix_(matrix),
      applies_(is_simple(settings) && is_simple(matrix, settings.random_cuts) && !target.loss) {
    if (!applies_) return;
    if (!settings.random_cuts) {
        applies_ = fill(codes_, matrix, threads);
        return;
    }
    single_ = fill_values(singles_, matrix, threads);
    if (single_) return;
    singles_ = {};
    applies_ = fill_values(values_, matrix, threads);
}

std::optional<GrownTree> LeanForest::grow(const std::vector<uint32_t>& rows, const Target& target,
                                          const Settings& settings, const std::function<void()>& poll) const {
    if (!applies_ || !target.counting()) return std::nullopt;
    if (!settings.random_cuts) return grow_on(codes_, rows, target, settings, poll);
    return single_ ? grow_on(singles_, rows, target, settings, poll)
                   : grow_on(values_, rows, target, settings, poll);
}

template <class Cell>
std::optional<GrownTree> LeanForest::grow_on(const Cells<Cell>& whole, const std::vector<uint32_t>& rows,
                                             const Target& target, const Settings& settings,
                                             const std::function<void()>& poll) const {
    if (settings.criterion == Criterion::entropy && target.total_weight > CountLogarithms::kLargest)
        return std::nullopt;
    Bag<Cell> bag;
    bag.target = target;
    bag.origin = rows;
    bag.rows = target.rows;
    if (target.regression() && !bag.exact.set(target)) return std::nullopt;
    if (static_cast<int64_t>(rows.size()) == matrix_.n_rows) {
        bag.cells = Cells<Cell>(&whole);
    } else {
        bag.cells.copy(whole, rows, matrix_.columns.size());
    }
    const bool two = target.n_classes == 2;
    const auto run = [&]<class Sweep>(const Sweep*) {
        return Grower<Sweep, Cell>(matrix_, settings, bag, poll).grow();
    };
    switch (settings.criterion) {
        case Criterion::gini:
            return two ? run(static_cast<BinarySweep<GiniCounting>*>(nullptr))
                       : run(static_cast<CountingSweep<GiniCounting>*>(nullptr));
        case Criterion::entropy:
            return two ? run(static_cast<BinarySweep<EntropyCounting>*>(nullptr))
                       : run(static_cast<CountingSweep<EntropyCounting>*>(nullptr));
        default:
            return run(static_cast<SquaredSweep<true>*>(nullptr));
    }
}

}  // namespace bough::lean

// The shorter way to the trees of a forest: when it can be gone, and by which criterion.
#include "lean/lean.hpp"

#include <algorithm>
#include <numeric>

#include "criteria/entropy.hpp"
#include "criteria/gini.hpp"
#include "criteria/squared.hpp"
#include "lean/entropy_sums.hpp"
#include "lean/grower.hpp"
#include "lean/number_sums.hpp"
#include "lean/several_sums.hpp"
#include "lean/two_sums.hpp"

namespace bough::lean {
namespace {

constexpr uint32_t kMostBins = uint32_t{1} << 26;  // see Order::by_comparing
constexpr int32_t kMostClasses = 32;               // the sums of more would not stay in the cache

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

bool is_simple(const BinnedMatrix& matrix, const Settings& s) {
    const bool subsets = s.random_cuts && s.categories == Categories::subset && !s.subset_correction;
    return std::all_of(matrix.columns.begin(), matrix.columns.end(), [&](const BinnedColumn& c) {
        return (c.kind == ColumnKind::ordered || subsets) && !c.sorted() && c.n_bins < kMostBins &&
               !(s.random_cuts && c.packed());
    });
}

}  // namespace

LeanForest::LeanForest(const BinnedMatrix& matrix, const Target& target, const Settings& settings,
                       int threads)
    : matrix_(matrix), applies_(is_simple(settings) && is_simple(matrix, settings) && !target.loss) {
    if (!applies_) return;
    if (settings.random_cuts) {
        applies_ = fill_values(cells_.emplace<Cells<float>>(), matrix, threads, holes_) ||
                   fill_values(cells_.emplace<Cells<double>>(), matrix, threads, holes_);
        for (size_t j = 0; j < holes_.size(); ++j)
            applies_ &= !holes_[j] || settings.missing[j] == Missing::learn;
        return;
    }
    uint32_t most = 0;
    for (const BinnedColumn& c : matrix.columns) most = std::max(most, c.n_bins);
    applies_ = most < 256     ? fill(cells_.emplace<Cells<uint8_t>>(), matrix, threads)
               : most < 65536 ? fill(cells_.emplace<Cells<uint16_t>>(), matrix, threads)
                              : fill(cells_.emplace<Cells<uint32_t>>(), matrix, threads);
}

std::optional<FinishedTree> LeanForest::grow(const std::vector<uint32_t>& rows, Target& target,
                                             const Settings& settings, const std::function<void()>& poll,
                                             bool pack, CellRoom& room) const {
    if (!applies_ || !target.counting()) return std::nullopt;
    return std::visit(
        [&](const auto& cells) { return grow_on(cells, rows, target, settings, poll, pack, room); }, cells_);
}

template <class Cell>
std::optional<FinishedTree> LeanForest::grow_on(const Cells<Cell>& whole, const std::vector<uint32_t>& rows,
                                                Target& target, const Settings& settings,
                                                const std::function<void()>& poll, bool pack,
                                                CellRoom& room) const {
    if (settings.criterion == Criterion::entropy && target.total_weight > CountLogarithms::kLargest)
        return std::nullopt;
    if (!std::is_floating_point_v<Cell> && target.n_classes > 2 &&
        (target.n_classes > kMostClasses || target.total_weight > SeveralSums<8>::kLargest))
        return std::nullopt;
    Bag<Cell> bag{.target = target, .origin = rows, .holes = holes_};
    if (target.regression() && !bag.exact.set(target)) return std::nullopt;
    if (static_cast<int64_t>(rows.size()) == matrix_.n_rows) {
        bag.cells = Cells<Cell>(&whole);
    } else {
        bag.cells.copy(whole, rows, matrix_.columns.size(), room);
    }
    bag.rows.resize(target.n_rows());
    std::iota(bag.rows.begin(), bag.rows.end(), uint32_t{0});
    const auto run = [&]<class Sums>(const Sums*) {
        return Grower<Sums, Cell>(matrix_, settings, bag, poll).grow(pack);
    };
    const bool two = target.n_classes == 2;
    const bool many = target.n_classes > 8 && !std::is_floating_point_v<Cell>;
    switch (settings.criterion) {
        case Criterion::gini:
            return two    ? run(static_cast<TwoSums<GiniCounting>*>(nullptr))
                   : many ? run(static_cast<SeveralSums<kMostClasses>*>(nullptr))
                          : run(static_cast<SeveralSums<8>*>(nullptr));
        case Criterion::entropy:
            return two    ? run(static_cast<TwoSums<EntropyCounting>*>(nullptr))
                   : many ? run(static_cast<EntropySums<kMostClasses>*>(nullptr))
                          : run(static_cast<EntropySums<8>*>(nullptr));
        default:
            return run(static_cast<NumberSums*>(nullptr));
    }
}

}  // namespace bough::lean

// The trees of a forest that need no more than cuts of complete columns, or random cuts and subsets, grow by
// a shorter way (lean/grower.hpp); this says which do.
#pragma once
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "lean/cells.hpp"
#include "packed_tree.hpp"
#include "settings.hpp"
#include "target.hpp"

namespace bough::lean {

class LeanForest {
  public:
    LeanForest(const BinnedMatrix& matrix, const Target& target, const Settings& settings, int threads);

    bool is_of(const BinnedMatrix& matrix) const { return &matrix == &matrix_; }

    // The tree of a bag: these rows of the whole, and a target of them alone, packed if that is wanted and
    // can be. None: it has to grow the usual way, and the target is as it was. `room`: for the cells of the
    // bag.
    std::optional<FinishedTree> grow(const std::vector<uint32_t>& rows, Target& target,
                                     const Settings& settings, const std::function<void()>& poll, bool pack,
                                     CellRoom& room) const;

  private:
    template <class Cell>
    std::optional<FinishedTree> grow_on(const Cells<Cell>& whole, const std::vector<uint32_t>& rows,
                                        Target& target, const Settings& settings,
                                        const std::function<void()>& poll, bool pack, CellRoom& room) const;

    const BinnedMatrix& matrix_;
    bool applies_;
    std::vector<uint8_t> holes_;  // random cuts: columns that have missing cells
    // Codes in as few bytes as hold them, or values, in single precision if it holds them all.
    std::variant<Cells<uint8_t>, Cells<uint16_t>, Cells<uint32_t>, Cells<float>, Cells<double>> cells_;
};

}  // namespace bough::lean

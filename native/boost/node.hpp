// A node of a tree that is being boosted, and how rows that it never saw find their way through the tree.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "binning.hpp"
#include "boost/split.hpp"
#include "midpoint.hpp"

namespace bough::boost {

struct BoostNode {
    int64_t begin = 0, end = 0;  // in the list of rows
    int32_t depth = 0;
    int32_t left = -1;  // the right child comes next; -1: a leaf
    Total total;
    double low = -std::numeric_limits<double>::infinity(), high = -low;  // bounds of its value, whole units
    Split split;
    int64_t n_missing = 0;          // of the rows, in the column asked
    std::vector<uint8_t> side;      // by code: 0 left, 1 right; codes that the node has not, as missing ones
    std::vector<uint32_t> present;  // codes of the categories that it has
    std::shared_ptr<const std::vector<int32_t>> columns;  // that it may ask
    std::vector<int32_t> groups;  // of interactions, that hold all columns asked so far
    int32_t histogram = -1;
    double gradient = 0.0, hessian = 0.0, weight = 0.0;  // sums over the rows, as they were given
    double saved = 0.0;                                  // by all splits from here on

    int64_t rows() const { return end - begin; }
};

// Between bin `code` and the next one, on the way of all rows whether the node has them or not.
inline double threshold_after(const BinnedColumn& column, uint32_t code) {
    if (code >= column.n_bins) return std::numeric_limits<double>::infinity();
    const double below = column.high.empty() ? column.low[code - 1] : column.high[code - 1];
    return midpoint(below, column.low[code]);
}

// Other rows in the codes of a matrix.
BinnedMatrix encode(const BinnedMatrix& known, const std::vector<ColumnView>& columns, int64_t n_rows,
                    int threads);

}  // namespace bough::boost

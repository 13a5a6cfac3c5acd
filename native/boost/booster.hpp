// Grows one tree after the other on the same bins, from a gradient and a hessian for each row.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "boost/histogram.hpp"
#include "boost/node.hpp"
#include "boost/partition.hpp"
#include "boost/row_values.hpp"
#include "boost/settings.hpp"
#include "tree.hpp"

namespace bough::boost {

// What one tree grows from. Without hessians all are 1; `rows` empty: all take part; `columns`: may be asked.
struct Round {
    std::span<const double> gradient, hessian, weight;
    std::span<const uint32_t> rows;
    std::vector<int32_t> columns;
    uint64_t seed = 0;
};

// Working memory for one node at a time.
template <class Sum>
struct Desk {
    Partition partition;
    HugeVector<Sum> ordered;  // values in the order of the node's rows
    Blocks alone, shared;     // for one thread, and for all
    std::vector<Split> found;
};

// Working memory that is kept from tree to tree.
template <class Sum>
struct Memory {
    RowValues<Sum> values;
    std::vector<std::vector<Sum>> histograms;
    std::vector<std::vector<Sum>> parts;  // histograms of some rows of one node
    std::vector<Desk<Sum>> desks;         // one for each node at work
};

class Booster {
  public:
    // `by_column`: the bytes of the matrix once more, see bin_columns.
    Booster(BinnedMatrix matrix, std::vector<Codes8> by_column, BoostSettings settings, int threads);

    // The tree, breadth-first, its values by Newton's step; `poll` may throw to stop.
    GrownTree grow(const Round& round, int threads, const std::function<void()>& poll);
    // The rows of each leaf of the last tree, leaf after leaf: numbers of the leaves in the tree, where their
    // rows begin (one more), and the rows.
    void leaves(std::vector<int64_t>& nodes, std::vector<int64_t>& starts, std::vector<uint32_t>& rows) const;
    // Adds rate * value[leaf] of the last tree to every row's number.
    void add(std::span<const double> value, double rate, std::span<double> raw, int threads) const;
    // The same for rows of another matrix in the same codes.
    void add_to(const BinnedMatrix& other, std::span<const double> value, double rate, std::span<double> raw,
                int threads) const;

    const BinnedMatrix& matrix() const { return matrix_; }

  private:
    static constexpr size_t kMostNodes = 65'535;  // that can be noted for each row

    template <class Sum>
    friend class Growth;
    template <class Sum>
    friend class Division;

    template <class Sum>
    GrownTree grow_with(Memory<Sum>& memory, const Round& round, int threads,
                        const std::function<void()>& poll);
    void refit(const Round& round, const Largest& largest, int threads);
    void sum_leaf(const Round& round, BoostNode& node) const;
    void sum_by_row(const Round& round, const Largest& largest, int threads);
    GrownTree flatten(const Units& units);
    double value_of(const BoostNode& node, const Units& units) const;
    size_t leaf_of(const BinnedMatrix& other, size_t row) const;

    const BinnedMatrix matrix_;
    BoostSettings settings_;
    Layout layout_;
    Records records_;
    Memory<PairSum> pairs_;
    Memory<CountSum> counts_;
    // Of the last tree.
    std::vector<BoostNode> nodes_;
    std::vector<uint32_t> rows_;
    std::vector<uint8_t> in_tree_;  // empty: every row is
    std::vector<int64_t> number_;   // of each node in the breadth-first tree
    std::vector<uint16_t> leaf_;    // by row, the place among the nodes; empty: not noted
};

}  // namespace bough::boost

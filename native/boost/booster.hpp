// Grows the trees of one round after the other on the same bins, from a gradient and a hessian for each row.
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
#include "boost/slopes.hpp"
#include "interrupt.hpp"
#include "mapped.hpp"
#include "tree.hpp"

namespace bough::boost {

// What one tree grows from. `weight`: empty where all are 1; `columns`: may be asked.
struct Round {
    Slopes slopes;
    std::span<const double> weight;
    std::vector<int32_t> columns;
    uint64_t seed = 0;
};

// Working memory for one node at a time.
template <class Sum>
struct Desk {
    Partition partition;
    Blocks alone, shared;  // for one thread, and for all
    std::vector<Split> found;
};

// Working memory that is kept from tree to tree.
template <class Sum>
struct Memory {
    RowValues<Sum> values;
    std::vector<MappedVector<Sum>> histograms;
    std::vector<std::vector<Sum>> parts;  // histograms of some rows of one node
    std::vector<Desk<Sum>> desks;         // one for each node at work
};

// Working memory for one tree at a time.
struct Bench {
    Memory<PairSum> pairs;
    Memory<CountSum> counts;
    std::vector<uint32_t> rows;
};

// By row, the place of its leaf among the nodes, or their number where the tree has not the row.
struct LeafNumbers {
    MappedVector<uint8_t> few;  // of up to 255 nodes
    MappedVector<uint16_t> many;

    bool empty() const { return few.empty() && many.empty(); }
    void clear() {
        few.clear();
        many.clear();
    }
    // Calls use(the numbers).
    template <class Use>
    void with(size_t n_nodes, const Use& use) {
        n_nodes <= 255 ? use(few) : use(many);
    }
    template <class Use>
    void with(const Use& use) const {
        many.empty() ? use(few) : use(many);
    }
};

// A tree of the last round, and where the rows are in it.
struct Grown {
    std::vector<BoostNode> nodes;
    std::vector<int64_t> number;  // of each node in the breadth-first tree
    std::vector<uint32_t> rows;   // leaf after leaf; of several trees only where `leaf` is empty
    Largest largest;              // of the derivatives
    LeafNumbers leaf;             // by row; empty: not noted
};

using Values = std::vector<std::span<const double>>;  // of the nodes of each tree

class Booster {
  public:
    Booster(BinnedMatrix matrix, BoostSettings settings, int threads);

    // The trees, breadth-first, their values by Newton's step. `rows` take part in all of them; empty: all
    // rows. `poll` may throw to stop.
    std::vector<GrownTree> grow(const std::vector<Round>& rounds, std::span<const uint32_t> rows, int threads,
                                const std::function<void()>& poll);
    // The rows of each leaf of the last tree, which was the only one of its round, leaf after leaf: numbers
    // of the leaves in the tree, where their rows begin (one more), and the rows.
    void leaves(std::vector<int64_t>& nodes, std::vector<int64_t>& starts, std::vector<uint32_t>& rows) const;
    // Adds rate * value[leaf] of each tree of the last round to every row's number for that tree, which
    // stand tree after tree.
    void add(const Values& values, double rate, std::span<double> raw, int threads) const;
    // The same for rows of another matrix in the same codes.
    void add_to(const BinnedMatrix& other, const Values& values, double rate, std::span<double> raw,
                int threads) const;

    const BinnedMatrix& matrix() const { return matrix_; }

  private:
    static constexpr size_t kMostNodes = 65'535;  // that can be noted for each row

    template <class Sum>
    friend class Growth;
    template <class Sum>
    friend class Symmetric;
    template <class Sum>
    friend class Division;

    void check(const Round& round) const;
    void take_rows(std::span<const uint32_t> rows);
    void note_moved(int threads);
    GrownTree grow_one(size_t k, const Round& round, Bench& bench, int threads, Interrupt& interrupt,
                       bool calling);
    template <class Sum>
    GrownTree grow_with(Grown& tree, Memory<Sum>& memory, const Round& round, int threads,
                        Interrupt& interrupt, bool calling);
    void refit(Grown& tree, const Round& round, const Largest& largest, int threads) const;
    void sum_by_row(Grown& tree, const Round& round, const Largest& largest, int threads) const;
    GrownTree flatten(Grown& tree, const Units& units) const;
    double value_of(const BoostNode& node, const Units& units) const;
    void check(const Values& values, const BinnedMatrix& rows, std::span<double> raw) const;

    BinnedMatrix matrix_;  // its records are those of `records_`, or gone
    BoostSettings settings_;
    Layout layout_;
    Records records_;
    std::vector<Bench> benches_;  // one for each tree at work
    // Of the last round.
    std::vector<Grown> grown_;
    std::vector<uint32_t> taken_;   // rows, ascending, and
    std::vector<uint8_t> in_tree_;  // whether a row is one of them; both empty: every row is
};

}  // namespace bough::boost

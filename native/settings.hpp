// Everything that decides which tree grows from given data; the fields' meaning is in docs/semantics.md.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "vocabulary.hpp"

namespace bough {

struct Settings {
    Criterion criterion = Criterion::gini;
    Merit choice = Merit::gain;
    Categories categories = Categories::subset;
    Ties ties = Ties::column;
    bool zero_gain_splits = true;
    bool mdl_correction = false;
    bool subset_correction = false;  // many subsets to choose from do not make a column the best
    bool small_branches = false;
    bool c45_cuts = false;  // the least weight on each side of a cut grows with the node
    double tie_margin = 0.0;
    double significance_level = 1.0;  // a split with a larger p-value is not made
    int64_t resamples = 0;            // permutations that p-values are drawn from; 0: none
    double merge_level = 0.05;        // CHAID: groups that differ with a larger p-value are merged
    double value_gap = 0.0;           // values closer than this are not cut apart
    int64_t max_depth = std::numeric_limits<int64_t>::max();
    int64_t max_leaf_nodes = 0;  // 0: no limit, and depth-first growth
    int64_t min_samples_split = 2;
    int64_t min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    double min_share_leaf = 0.0;  // of the node's rows
    double min_weight_fraction_leaf = 0.0;
    double min_impurity_decrease = 0.0;
    int64_t max_features = 0;  // columns that vary, drawn at each node; 0: all
    int32_t max_surrogates = 5;
    bool rpart_surrogates = false;  // columns of categories need rows that go against the split
    bool surrogates_stay = false;   // rows that no surrogate knows stay at the node
    uint64_t seed = 0;
    std::vector<int32_t> column_rank;  // place of each column in the order that breaks ties
    std::vector<Missing> missing;      // of each column
    std::vector<int8_t> monotone;      // of each column: 1 the answers rise with it, -1 they fall, 0
    std::vector<uint8_t> forbidden;    // of each column: never asked
    std::vector<int32_t> required;     // columns to be asked before others
    std::vector<std::vector<int32_t>> interactions;  // columns that may be asked on one path; empty: all
    int64_t max_nodes = 0;                           // 0: no limit
    double time_limit = 0.0;                         // seconds; 0: none
    bool random_cuts = false;  // one random cut, or random subset, of each column is the only candidate

    bool constrained() const {
        return std::any_of(monotone.begin(), monotone.end(), [](int8_t m) { return m != 0; });
    }
    bool merges() const { return categories == Categories::merge || categories == Categories::chaid; }
    // Whether each of so many categories has a branch; of two there is nothing to merge.
    bool one_each(uint32_t n_categories) const {
        return categories == Categories::multiway || (categories == Categories::merge && n_categories <= 2);
    }
    // Whether a node may have more than two ways for its rows to go.
    bool wide() const {
        return categories == Categories::multiway || merges() || any(Missing::branch) || any(Missing::stop) ||
               any(Missing::surrogate);
    }
    bool any(Missing rule) const {
        for (const Missing m : missing)
            if (m == rule) return true;
        return false;
    }
};

}  // namespace bough

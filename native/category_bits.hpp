// CategoryBits of categories as bits, for walks: a bit for each category of the column, one for a category
// that the table never had and one for a missing value; set where the row goes right.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "predict.hpp"

namespace bough {

inline bool is_group(const TreeView& tree, size_t node) {
    return static_cast<SplitKind>(tree.kind[node]) == SplitKind::subset;
}

class CategoryBits {
  public:
    static constexpr size_t kMostBytes = size_t{128} << 20;
    static constexpr int64_t kMostCategories = 65533;  // a code is two bytes

    explicit CategoryBits(std::vector<int64_t> n_categories) : n_categories_(std::move(n_categories)) {}

    // Whether every node is a leaf, a threshold of numbers or a group of categories, with two children and
    // without surrogates.
    static bool suit(const TreeView& tree) {
        if (!tree.surrogate_feature.empty()) return false;
        for (size_t i = 0; i < tree.feature.size(); ++i) {
            if (tree.feature[i] < 0) continue;
            const int64_t n = tree.n_categories[static_cast<size_t>(tree.feature[i])];
            const bool known = is_group(tree, i)
                                   ? n > 0 && n <= kMostCategories
                                   : n == 0 && static_cast<SplitKind>(tree.kind[i]) == SplitKind::threshold &&
                                         !std::isnan(tree.threshold[i]);
            if (!known || tree.n_children[i] != 2 || tree.missing_child[i] < 0) return false;
        }
        return true;
    }
    // Of all groups of a tree.
    static size_t bytes_of(const TreeView& tree) {
        size_t words = 0;
        for (size_t i = 0; i < tree.feature.size(); ++i)
            if (is_group(tree, i)) words += words_of(tree.n_categories[static_cast<size_t>(tree.feature[i])]);
        return 8 * words;
    }

    // Takes the group of a node; returns its number.
    uint32_t take(const TreeView& tree, size_t node) {
        const auto column = static_cast<size_t>(tree.feature[node]);
        const auto first = bits_.size(), n = static_cast<size_t>(n_categories_[column]);
        // Where a single value goes, as every other walk says: one without a branch first.
        double value = -1.0;
        asked_.assign(n_categories_.size(), ColumnView{&value, 0, 1});
        const auto right = [&] { return tree.way(node, asked_, 0) == 1; };
        bits_.resize(first + words_of(n_categories_[column]), right() ? ~uint64_t{0} : 0);
        const auto set = [&](size_t code, bool on) {
            const uint64_t bit = uint64_t{1} << (code % 64);
            uint64_t& word = bits_[first + code / 64];
            word = on ? word | bit : word & ~bit;
        };
        for (int64_t c = tree.category_start[node]; c < tree.category_start[node + 1]; ++c) {
            const int32_t code = tree.category[static_cast<size_t>(c)];
            if (code >= 0 && static_cast<size_t>(code) < n)
                set(static_cast<size_t>(code), tree.category_child[static_cast<size_t>(c)] == 1);
        }
        value = std::numeric_limits<double>::quiet_NaN();
        set(n + 1, right());
        return static_cast<uint32_t>(first);
    }
    bool right(uint32_t group, uint32_t code) const {
        return (bits_[group + code / 64] >> (code % 64) & 1) != 0;
    }
    uint32_t code(size_t column, double x) const {
        const auto n = static_cast<uint32_t>(n_categories_[column]);
        if (x != x) return n + 1;
        return x >= 0 && x < static_cast<double>(n) ? static_cast<uint32_t>(x) : n;
    }
    bool empty() const { return bits_.empty(); }
    bool categories(size_t column) const { return n_categories_[column] > 0; }

  private:
    static size_t words_of(int64_t n_categories) { return static_cast<size_t>(n_categories + 2 + 63) / 64; }

    std::vector<int64_t> n_categories_;  // of each column; 0: ordered
    std::vector<uint64_t> bits_;
    std::vector<ColumnView> asked_;  // memory of `take`
};

}  // namespace bough

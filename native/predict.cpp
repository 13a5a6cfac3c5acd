// Walks rows down a tree to where they end.
#include "predict.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace bough {
namespace {

constexpr int32_t kUnknown = -3;  // the value leads nowhere
constexpr int64_t kBlock = 1024;  // rows

void wrong(bool is) {
    if (is) throw std::invalid_argument("the tree's arrays do not fit together");
}

// The parts [start[i], start[i + 1]) of a list of this size.
void check_starts(std::span<const int64_t> start, size_t n, size_t size) {
    wrong(start.size() != n + 1 || start[0] != 0 || start[n] != static_cast<int64_t>(size));
    for (size_t i = 0; i < n; ++i) wrong(start[i] > start[i + 1] || start[i + 1] > start[n]);
}

// The child of category x in the list [first, last), which is ascending.
int32_t listed(std::span<const int32_t> category, std::span<const int32_t> child, int64_t first, int64_t last,
               double x) {
    if (!(x >= 0)) return kUnknown;
    const auto begin = category.begin() + first, end = category.begin() + last;
    const auto it = std::lower_bound(begin, end, static_cast<int32_t>(x));
    if (it == end || *it != static_cast<int32_t>(x)) return kUnknown;
    return child[static_cast<size_t>(it - category.begin())];
}

}  // namespace

void TreeView::validate() const {
    const size_t n = feature.size();
    wrong(n == 0 || kind.size() != n || threshold.size() != n || first_child.size() != n ||
          n_children.size() != n || missing_child.size() != n || weight.size() != n ||
          category.size() != category_child.size());
    check_starts(category_start, n, category.size());
    for (size_t i = 0; i < n; ++i) {
        const auto k = static_cast<SplitKind>(kind[i]);
        wrong((k == SplitKind::leaf) != (feature[i] < 0));
        if (k == SplitKind::leaf) continue;
        wrong(k > SplitKind::multiway || feature[i] < 0 ||
              static_cast<size_t>(feature[i]) >= n_categories.size());
        wrong(n_children[i] < 1 || first_child[i] <= static_cast<int64_t>(i) ||
              first_child[i] > static_cast<int64_t>(n) - n_children[i]);
        wrong(missing_child[i] < kSpread || missing_child[i] >= n_children[i]);
        wrong(k == SplitKind::threshold && (n_children[i] < 2 || n_children[i] > 3));
        wrong(k == SplitKind::multiway && n_children[i] < n_categories[static_cast<size_t>(feature[i])]);
        for (int64_t c = category_start[i]; c < category_start[i + 1]; ++c)
            wrong(category_child[static_cast<size_t>(c)] < 0 ||
                  category_child[static_cast<size_t>(c)] >= n_children[i]);
    }
    validate_surrogates();
}

void TreeView::validate_surrogates() const {
    const size_t n = surrogate_feature.size();
    wrong(surrogate_kind.size() != n || surrogate_threshold.size() != n || surrogate_first.size() != n ||
          surrogate_category.size() != surrogate_category_child.size());
    check_starts(surrogate_start, feature.size(), n);
    check_starts(surrogate_category_start, n, surrogate_category.size());
    for (size_t s = 0; s < n; ++s) {
        wrong(surrogate_feature[s] < 0 || static_cast<size_t>(surrogate_feature[s]) >= n_categories.size());
        wrong(surrogate_first[s] < 0 || surrogate_first[s] > 1);
    }
    for (const int32_t child : surrogate_category_child) wrong(child < 0 || child > 1);
    for (size_t i = 0; i < feature.size(); ++i)
        wrong(surrogate_start[i] < surrogate_start[i + 1] && n_children[i] < 2);
}

bool TreeView::spreads() const {
    return std::find(missing_child.begin(), missing_child.end(), kSpread) != missing_child.end();
}

int32_t TreeView::way_of_value(size_t i, double x) const {
    if (std::isnan(x)) return kUnknown;
    switch (static_cast<SplitKind>(kind[i])) {
        case SplitKind::threshold:
            return x <= threshold[i] ? 0 : 1;
        case SplitKind::multiway:
            return x >= 0 && x < static_cast<double>(n_categories[static_cast<size_t>(feature[i])])
                       ? static_cast<int32_t>(x)
                       : kUnknown;
        case SplitKind::subset:
            return listed(category, category_child, category_start[i], category_start[i + 1], x);
        case SplitKind::leaf:
            break;
    }
    return kUnknown;
}

int32_t TreeView::way_of_surrogates(size_t i, const std::vector<ColumnView>& columns, int64_t row) const {
    for (int64_t at = surrogate_start[i]; at < surrogate_start[i + 1]; ++at) {
        const auto s = static_cast<size_t>(at);
        const double x = columns[static_cast<size_t>(surrogate_feature[s])][row];
        if (std::isnan(x)) continue;
        if (static_cast<SplitKind>(surrogate_kind[s]) == SplitKind::threshold)
            return x <= surrogate_threshold[s] ? surrogate_first[s] : 1 - surrogate_first[s];
        const int32_t child = listed(surrogate_category, surrogate_category_child,
                                     surrogate_category_start[s], surrogate_category_start[s + 1], x);
        if (child >= 0) return child;
    }
    return kUnknown;
}

int32_t TreeView::heaviest_child(size_t i) const {
    const auto first = weight.begin() + first_child[i];
    return static_cast<int32_t>(std::max_element(first, first + n_children[i]) - first);
}

int32_t TreeView::way(size_t i, const std::vector<ColumnView>& columns, int64_t row) const {
    const double x = columns[static_cast<size_t>(feature[i])][row];
    const int32_t child = way_of_value(i, x);
    if (child >= 0) return child;
    if (unseen_to_majority && !std::isnan(x)) return heaviest_child(i);
    const int32_t other = way_of_surrogates(i, columns, row);
    return other >= 0 ? other : missing_child[i];
}

void find_leaves(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                 int64_t* leaves) {
    parallel_for((n_rows + kBlock - 1) / kBlock, threads, [&](int64_t block, int) {
        const int64_t end = std::min(n_rows, (block + 1) * kBlock);
        for (int64_t row = block * kBlock; row < end; ++row) {
            size_t i = 0;
            while (tree.feature[i] >= 0) {
                const int32_t child = tree.way(i, columns, row);
                if (child < 0) break;
                i = static_cast<size_t>(tree.first_child[i] + child);
            }
            leaves[row] = static_cast<int64_t>(i);
        }
    });
}

Ends find_ends(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows, int threads) {
    const int64_t n_blocks = (n_rows + kBlock - 1) / kBlock;
    std::vector<Ends> found(static_cast<size_t>(n_blocks));
    parallel_for(n_blocks, threads, [&](int64_t block, int) {
        Ends& ends = found[static_cast<size_t>(block)];
        std::vector<std::pair<size_t, double>> stack, own;
        const int64_t end = std::min(n_rows, (block + 1) * kBlock);
        for (int64_t row = block * kBlock; row < end; ++row) {
            stack.assign(1, {0, 1.0});
            own.clear();
            while (!stack.empty()) {
                const auto [i, share] = stack.back();
                stack.pop_back();
                const int32_t child = tree.feature[i] < 0 ? kStay : tree.way(i, columns, row);
                if (child == kStay) {
                    own.push_back({i, share});
                } else if (child >= 0) {
                    stack.push_back({static_cast<size_t>(tree.first_child[i] + child), share});
                } else {
                    const auto first = static_cast<size_t>(tree.first_child[i]);
                    double whole = 0.0;
                    for (int32_t c = 0; c < tree.n_children[i]; ++c)
                        whole += tree.weight[first + static_cast<size_t>(c)];
                    for (size_t c = first; c < first + static_cast<size_t>(tree.n_children[i]); ++c)
                        if (tree.weight[c] > 0) stack.push_back({c, share * (tree.weight[c] / whole)});
                }
            }
            std::sort(own.begin(), own.end());
            for (const auto& [node, share] : own) {
                ends.row.push_back(row);
                ends.node.push_back(static_cast<int64_t>(node));
                ends.share.push_back(share);
            }
        }
    });
    Ends all;
    for (const Ends& ends : found) {
        all.row.insert(all.row.end(), ends.row.begin(), ends.row.end());
        all.node.insert(all.node.end(), ends.node.begin(), ends.node.end());
        all.share.insert(all.share.end(), ends.share.begin(), ends.share.end());
    }
    return all;
}

}  // namespace bough

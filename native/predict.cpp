// Walks rows down a tree to their leaves.
#include "predict.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel.hpp"

namespace bough {

void TreeView::validate(size_t n_columns) const {
    const size_t n = feature.size();
    const auto wrong = [](bool is) {
        if (is) throw std::invalid_argument("the tree's arrays do not fit together");
    };
    wrong(n == 0 || kind.size() != n || threshold.size() != n || first_child.size() != n ||
          n_children.size() != n || missing_child.size() != n || category_start.size() != n + 1 ||
          category.size() != category_child.size());
    wrong(category_start[0] != 0 || category_start[n] != static_cast<int64_t>(category.size()));
    for (size_t i = 0; i < n; ++i) {
        wrong(category_start[i] > category_start[i + 1] || category_start[i + 1] > category_start[n]);
        wrong((kind[i] == static_cast<uint8_t>(SplitKind::leaf)) != (feature[i] < 0));
        if (kind[i] == static_cast<uint8_t>(SplitKind::leaf)) continue;
        wrong(kind[i] > static_cast<uint8_t>(SplitKind::multiway));
        wrong(feature[i] < 0 || static_cast<size_t>(feature[i]) >= n_columns);
        wrong(n_children[i] < 1 || first_child[i] <= static_cast<int64_t>(i) ||
              first_child[i] > static_cast<int64_t>(n) - n_children[i]);
        wrong(missing_child[i] < 0 || missing_child[i] >= n_children[i]);
        wrong(kind[i] != static_cast<uint8_t>(SplitKind::multiway) && n_children[i] != 2);
        for (int64_t c = category_start[i]; c < category_start[i + 1]; ++c)
            wrong(category_child[static_cast<size_t>(c)] < 0 ||
                  category_child[static_cast<size_t>(c)] >= n_children[i]);
    }
}

int64_t TreeView::child_of(size_t i, double x) const {
    int64_t child = missing_child[i];
    if (!std::isnan(x)) {
        switch (static_cast<SplitKind>(kind[i])) {
            case SplitKind::threshold:
                child = x <= threshold[i] ? 0 : 1;
                break;
            case SplitKind::multiway:
                if (x >= 0 && x < n_children[i]) child = static_cast<int64_t>(x);
                break;
            case SplitKind::subset: {
                const auto first = category.begin() + category_start[i],
                           last = category.begin() + category_start[i + 1];
                const auto it = std::lower_bound(first, last, static_cast<int32_t>(x));
                if (it != last && *it == static_cast<int32_t>(x))
                    child = category_child[static_cast<size_t>(it - category.begin())];
                break;
            }
            case SplitKind::leaf:
                break;
        }
    }
    return first_child[i] + child;
}

void find_leaves(const TreeView& tree, const std::vector<ColumnView>& columns, int64_t n_rows, int threads,
                 int64_t* leaves) {
    constexpr int64_t kBlock = 4096;
    parallel_for((n_rows + kBlock - 1) / kBlock, threads, [&](int64_t block, int) {
        const int64_t end = std::min(n_rows, (block + 1) * kBlock);
        for (int64_t row = block * kBlock; row < end; ++row) {
            size_t i = 0;
            while (tree.feature[i] >= 0)
                i = static_cast<size_t>(tree.child_of(i, columns[static_cast<size_t>(tree.feature[i])][row]));
            leaves[row] = static_cast<int64_t>(i);
        }
    });
}

}  // namespace bough

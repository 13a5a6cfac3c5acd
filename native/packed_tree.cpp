// The arrays of a packed tree.
#include "packed_tree.hpp"

namespace bough {

void PackedTree::resize(size_t nodes, uint32_t classes, size_t n_mixed) {
    n_nodes = nodes;
    n_classes = classes;
    asks.resize((nodes + 63) / 64);
    mixed.resize(asks.size());
    feature.resize(n_asking());
    threshold.resize(n_asking());
    gain.resize(n_asking());
    counts.resize((1 + n_asking()) * width());
    impurity.resize(n_mixed);
    if (classes == 0) mean.resize(nodes);
}

TreeArray<double> PackedTree::values() const {
    if (n_classes == 0) return mean;
    const size_t k = n_classes, w = width();
    TreeArray<double> value(n_nodes * k);
    for (size_t c = 0; c < k; ++c) value[c] = counts[1 + c];
    for (size_t i = 0, a = 0; a < n_asking(); ++i) {
        if (!has(asks, i)) continue;
        const uint32_t* const left = &counts[(1 + a) * w + 1];
        double* const of_left = &value[(2 * a + 1) * k];
        for (size_t c = 0; c < k; ++c) {  // whole numbers: the difference is exact
            of_left[c] = left[c];
            of_left[k + c] = value[i * k + c] - of_left[c];
        }
        ++a;
    }
    return value;
}

GrownTree PackedTree::ways() const {
    const size_t n = n_nodes, w = width();
    GrownTree tree;
    tree.value_width = n_classes ? static_cast<int32_t>(n_classes) : 1;
    tree.feature.resize(n, -1);
    tree.kind.resize(n, static_cast<uint8_t>(SplitKind::leaf));
    tree.threshold.resize(n);
    tree.first_child.resize(n, -1);
    tree.n_children.resize(n);
    tree.missing_child.resize(n, -1);
    tree.weight.resize(n);
    tree.surrogate_category_start.resize(1);
    const auto weight_of = [&](size_t left) {
        double sum = 0.0;
        for (size_t c = 1; c < w; ++c) sum += counts[left * w + c];
        return sum;
    };
    tree.weight[0] = weight_of(0);
    for (size_t i = 0, asked = 0; asked < n_asking(); ++i) {
        if (!has(asks, i)) continue;
        const size_t child = 2 * asked + 1;
        tree.feature[i] = feature[asked];
        tree.kind[i] = static_cast<uint8_t>(SplitKind::threshold);
        tree.threshold[i] = threshold[asked];
        tree.first_child[i] = static_cast<int64_t>(child);
        tree.n_children[i] = 2;
        tree.weight[child] = weight_of(++asked);
        tree.weight[child + 1] = tree.weight[i] - tree.weight[child];
        tree.missing_child[i] = tree.weight[child + 1] > tree.weight[child];
    }
    return tree;
}

GrownTree PackedTree::unpack() const {
    const size_t n = n_nodes, w = width();
    GrownTree tree = ways();
    tree.n_rows.resize(n);
    tree.n_missing.resize(n);
    tree.impurity.resize(n);
    tree.gain.resize(n);
    tree.value = values();
    tree.category_start.resize(n + 1);
    tree.surrogate_start.resize(n + 1);
    tree.n_rows[0] = counts[0];
    for (size_t i = 0, asked = 0, m = 0; i < n; ++i) {
        if (has(mixed, i)) tree.impurity[i] = impurity[m++];
        if (!has(asks, i)) continue;
        const size_t child = 2 * asked + 1;
        tree.gain[i] = gain[asked];
        tree.n_rows[child] = counts[++asked * w];
        tree.n_rows[child + 1] = tree.n_rows[i] - tree.n_rows[child];
    }
    return tree;
}

}  // namespace bough

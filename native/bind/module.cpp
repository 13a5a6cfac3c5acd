// The Python module bough._core.
#include "bind/bind.hpp"

NB_MODULE(_core, m) {
    nanobind::set_leak_warnings(false);  // trees that live until the interpreter ends are no leak
    m.doc() = "The counting core of bough; its Python side is bough.growing and bough.tree.";
    bough::bind_data(m);
    bough::bind_tree(m);
    bough::bind_statistics(m);
    bough::bind_surrogates(m);
    bough::bind_boost(m);
    bough::bind_forest(m);
}

// The rows of a node put together by their code in one column: what histogram and sorted scan have in common.
#pragma once
#include <cstdint>
#include <vector>

namespace bough {

struct Groups {
    int32_t width = 0;           // numbers in a stat
    std::vector<uint32_t> code;  // ascending, present ones only, missing not among them
    std::vector<int64_t> rows;   // number of rows
    std::vector<int64_t> stats;  // width numbers for each group
    int64_t missing_rows = 0;
    std::vector<int64_t> missing_stat;

    void clear(int32_t w) {
        width = w;
        code.clear();
        rows.clear();
        stats.clear();
        missing_rows = 0;
        missing_stat.assign(static_cast<size_t>(w), 0);
    }
    size_t size() const { return code.size(); }
    const int64_t* stat(size_t g) const { return stats.data() + g * static_cast<size_t>(width); }
    int64_t* append(uint32_t c) {
        code.push_back(c);
        rows.push_back(0);
        stats.resize(stats.size() + static_cast<size_t>(width), 0);
        return stats.data() + stats.size() - static_cast<size_t>(width);
    }
};

}  // namespace bough

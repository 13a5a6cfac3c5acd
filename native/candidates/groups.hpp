// The rows of a node put together by their code in one column: what histogram and sorted scan have in common.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bough {

class Groups {
  public:
    // Empties it for at most `most` groups with stats of `width` numbers.
    void clear(int32_t width, size_t most) {
        width_ = static_cast<size_t>(width);
        size_ = 0;
        missing_rows = 0;
        missing_stat.assign(width_, 0);
        if (code.size() < most) {
            code.resize(most);
            rows.resize(most);
        }
        if (stats_.size() < most * width_) stats_.resize(most * width_);
    }
    size_t size() const { return size_; }
    int32_t width() const { return static_cast<int32_t>(width_); }
    const int64_t* stat(size_t g) const { return stats_.data() + g * width_; }
    // The caller fills the stat.
    int64_t* append(uint32_t c, int64_t n_rows) {
        code[size_] = c;
        rows[size_] = n_rows;
        return stats_.data() + size_++ * width_;
    }

    std::vector<uint32_t>
        code;  // ascending, present ones only, missing not among them; the first size() count
    std::vector<int64_t> rows;  // number of rows, likewise
    int64_t missing_rows = 0;
    std::vector<int64_t> missing_stat;

  private:
    size_t width_ = 0, size_ = 0;
    std::vector<int64_t> stats_;
};

}  // namespace bough

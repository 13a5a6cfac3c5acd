// Surrogate splits: other columns that send the rows of a node the way its split does.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "vocabulary.hpp"

namespace bough {

struct Surrogate {
    int32_t feature = -1;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0.0;
    int32_t first = 0;  // the child that takes x <= threshold
    double agree = 0.0, adjusted = 0.0;
    std::vector<std::pair<int32_t, int32_t>> categories;  // category number, child; ascending

    // The child that a value goes to; -1: missing, or a category that it does not know.
    int32_t way_of(double x) const {
        if (std::isnan(x)) return -1;
        if (kind == SplitKind::threshold) return x <= threshold ? first : 1 - first;
        const auto category = static_cast<int32_t>(x);
        const auto it = std::lower_bound(categories.begin(), categories.end(), std::pair(category, 0));
        return it != categories.end() && it->first == category ? it->second : -1;
    }
};

// The best surrogates found, the largest agreement first, of equals the first column.
class BestSurrogates {
  public:
    void clear(size_t most) {
        most_ = most;
        best_.clear();
    }
    bool wants(int64_t agree, int32_t column) const {
        return best_.size() < most_ || (most_ > 0 && before(agree, column, best_.back()));
    }
    void add(int64_t agree, Surrogate&& surrogate) {
        const auto place = std::find_if(best_.begin(), best_.end(),
                                        [&](const Found& f) { return before(agree, surrogate.feature, f); });
        best_.insert(place, {agree, std::move(surrogate)});
        if (best_.size() > most_) best_.pop_back();
    }
    void join(BestSurrogates& other) {
        for (Found& f : other.best_)
            if (wants(f.agree, f.surrogate.feature)) add(f.agree, std::move(f.surrogate));
        other.best_.clear();
    }
    std::vector<Surrogate> take() {
        std::vector<Surrogate> out;
        out.reserve(best_.size());
        for (Found& f : best_) out.push_back(std::move(f.surrogate));
        best_.clear();
        return out;
    }

  private:
    struct Found {
        int64_t agree = 0;
        Surrogate surrogate;
    };
    static bool before(int64_t agree, int32_t column, const Found& f) {
        return agree != f.agree ? agree > f.agree : column < f.surrogate.feature;
    }
    size_t most_ = 0;
    std::vector<Found> best_;
};

// The child that a row goes to by the first surrogate that knows it; -1: none does. `value(column)`: the
// row's, NaN if missing.
template <class ValueOf>
int32_t way_of_surrogates(const std::vector<Surrogate>& surrogates, const ValueOf& value) {
    for (const Surrogate& s : surrogates)
        if (const int32_t way = s.way_of(value(s.feature)); way >= 0) return way;
    return -1;
}

}  // namespace bough

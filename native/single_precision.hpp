// The gain of a split as C4.5 computes it, rounded to single precision wherever it keeps a number. Columns
// that part the rows alike differ in the last digit then, and C4.5 takes the largest.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "logarithm.hpp"

namespace bough {

inline double single(double x) { return static_cast<double>(static_cast<float>(x)); }

inline double weight_bits(double w) { return w > 0.0 ? w * log2_portable(w) : 0.0; }

// W log2 W - sum of w log2 w.
inline double single_information(std::span<const double> weights) {
    double sum = 0.0, terms = 0.0;
    for (const double w : weights) {
        terms = single(terms + weight_bits(w));
        sum = single(sum + w);
    }
    return single(weight_bits(sum) - terms);
}

struct SingleSplit {
    std::vector<double> table;  // weights, branch by branch, of the rows that have a value
    size_t n_classes = 0;
    double missing = 0.0;
    bool cut = false;
    double correction = 0.0;  // bits taken off the gain of all rows

    // Gain per unit of weight, or the ratio to the information of the split.
    double merit(bool ratio) const {
        std::vector<double> classes(n_classes, 0.0), branches{missing};
        double known = 0.0, after = 0.0, terms = 0.0;
        for (size_t b = 0; b < table.size(); b += n_classes) {
            const std::span<const double> bag(table.data() + b, n_classes);
            double weight = 0.0;
            for (size_t k = 0; k < n_classes; ++k) {
                classes[k] += bag[k];
                weight += bag[k];
            }
            branches.push_back(weight);
            known += weight;
            after = single(after + single_information(bag));
        }
        for (const double w : classes) terms += weight_bits(w);
        const double total = known + missing;
        const double before = cut ? single_information(classes) : weight_bits(known) - terms;
        const double missed = cut ? single(1.0 - single(known / total)) : single(missing / total);
        double gain = single(single(1.0 - missed) * single(single(before / known) - single(after / known)));
        if (cut) gain = single(gain - single(correction / total));
        if (!ratio) return gain;
        const double whole = single_information(branches);
        return whole > 0.0 ? single(gain / single(whole / total)) : 0.0;
    }
};

}  // namespace bough

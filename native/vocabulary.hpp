// The names of every choice the core offers; Python reads them from here.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace bough {

enum class Criterion : uint8_t {
    gini,
    entropy,
    error,
    chi_square,
    squared_error,
    friedman_mse,
    poisson,
    custom
};
inline constexpr std::array<std::string_view, 8> criterion_names{
    "gini", "entropy", "error", "chi_square", "squared_error", "friedman_mse", "poisson", "custom"};

// What is compared between columns.
enum class Merit : uint8_t { gain, gain_ratio, significance };
inline constexpr std::array<std::string_view, 3> merit_names{"gain", "gain_ratio", "significance"};

enum class Categories : uint8_t { subset, multiway, one_vs_rest, merge, chaid };
inline constexpr std::array<std::string_view, 5> categories_names{"subset", "multiway", "one_vs_rest",
                                                                  "merge", "chaid"};

// Where rows go that are missing in the column asked.
enum class Missing : uint8_t { learn, fractional, surrogate, branch, majority, stop };
inline constexpr std::array<std::string_view, 6> missing_names{"learn",  "fractional", "surrogate",
                                                               "branch", "majority",   "stop"};

// `single`: the column that C4.5 takes, see single_precision.hpp.
enum class Ties : uint8_t { column, alphabetical, random, single };
inline constexpr std::array<std::string_view, 4> ties_names{"column", "alphabetical", "random", "single"};

// How a node asks: not at all, "x <= threshold", "in which of these sets of categories is x", "which category
// is x".
enum class SplitKind : uint8_t { leaf, threshold, subset, multiway };
inline constexpr std::array<std::string_view, 4> split_names{"leaf", "threshold", "subset", "multiway"};

// Ordered values are cut by thresholds; categories are grouped.
enum class ColumnKind : uint8_t { ordered, nominal };

// Instead of a child's number: missing rows stay at the node, or are spread over all children by weight.
inline constexpr int32_t kStay = -1, kSpread = -2;

}  // namespace bough

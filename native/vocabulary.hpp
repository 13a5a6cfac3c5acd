// The names of every choice the core offers; Python reads them from here.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace bough {

enum class Criterion : uint8_t { gini, entropy, error, squared_error };
inline constexpr std::array<std::string_view, 4> criterion_names{"gini", "entropy", "error", "squared_error"};

enum class Categories : uint8_t { subset, multiway };
inline constexpr std::array<std::string_view, 2> categories_names{"subset", "multiway"};

enum class Ties : uint8_t { column, alphabetical, random };
inline constexpr std::array<std::string_view, 3> ties_names{"column", "alphabetical", "random"};

// How a node asks: not at all, "x <= threshold", "is x among these categories", "which category is x".
enum class SplitKind : uint8_t { leaf, threshold, subset, multiway };
inline constexpr std::array<std::string_view, 4> split_names{"leaf", "threshold", "subset", "multiway"};

// Ordered values are cut by thresholds; categories are grouped.
enum class ColumnKind : uint8_t { ordered, nominal };

}  // namespace bough

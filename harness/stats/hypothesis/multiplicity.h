// Corrections of p-values for many tests. Pure functions; results come in the order of the input.
#pragma once

#include <span>
#include <vector>

namespace harness::stats {

// Holm (1979): step-down, controls the chance of any false alarm under any dependence. Adjusted
// p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)). A NaN stays NaN and still counts in m.
std::vector<double> holm(std::span<const double> p_values);

// Benjamini & Hochberg (1995): step-up, controls the expected share of false alarms among alarms.
// Adjusted p_(i) = min over j >= i of min(1, m p_(j) / j). A NaN stays NaN and still counts in m.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace harness::stats

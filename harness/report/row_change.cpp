#include "harness/report/row_change.h"

#include <fmt/format.h>

#include "harness/report/numbers.h"

namespace harness::report {
namespace {

std::string after_number_in(const std::string& unit) {
  return unit == "absolute" ? std::string() : " " + unit;
}

}  // namespace

std::string margin_words(double margin, const std::string& unit) {
  return unit.empty() ? plain_percent(margin) : fmt::format("{:g}{}", margin, after_number_in(unit));
}

std::string margin_words(const ComparisonRow& row) {
  return row.in_unit ? margin_words(row.in_unit->margin, row.in_unit->unit) : plain_percent(row.margin);
}

bool has_change(const ComparisonRow& row) {
  return row.in_unit ? row.in_unit->interval.has_value() : row.ratio > 0;
}

std::string change_words(const ComparisonRow& row) {
  if (!has_change(row)) return std::string(unknown);
  if (!row.in_unit) return signed_percent(row.ratio - 1);
  return fmt::format("{:+.3g}{}", row.in_unit->difference, after_number_in(row.in_unit->unit));
}

std::string interval_words(const ComparisonRow& row) {
  if (!row.in_unit) return row.interval ? percent_bounds(*row.interval) : std::string(unknown);
  if (!row.in_unit->interval) return std::string(unknown);
  return fmt::format("[{:+.3g}, {:+.3g}]{}", row.in_unit->interval->lo, row.in_unit->interval->hi,
                     after_number_in(row.in_unit->unit));
}

std::string change_with_interval(const ComparisonRow& row) {
  const std::string change = change_words(row);
  if (row.in_unit && row.in_unit->interval)
    return fmt::format("{} ({:+.3g} to {:+.3g})", change, row.in_unit->interval->lo,
                       row.in_unit->interval->hi);
  if (row.in_unit || !row.interval) return change;
  if (ratio_says_little(*row.interval)) return fmt::format("{} ({})", change, too_wide);
  return fmt::format("{} ({} to {})", change, signed_percent(row.interval->lo - 1),
                     signed_percent(row.interval->hi - 1));
}

}  // namespace harness::report

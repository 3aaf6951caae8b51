#include "harness/report/documents/claims/claim_words.h"

#include <fmt/format.h>

#include "harness/base/units.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

std::string figure(ClaimFigure kind, double value) {
  if (kind == ClaimFigure::speedup) return format_significant(value, 4) + "x";
  if (kind == ClaimFigure::change) return signed_percent(value);
  if (kind == ClaimFigure::difference) return (value > 0 ? "+" : "") + format_significant(value, 3);
  return format_significant(value, 5);
}

// As its author wrote it.
std::string written(ClaimFigure kind, double value) {
  if (kind == ClaimFigure::change) return fmt::format("{:+g} %", 100 * value);
  if (kind == ClaimFigure::difference) return fmt::format("{:+g}", value);
  return fmt::format("{:g}{}", value, kind == ClaimFigure::speedup ? "x" : "");
}

// A difference of percentages is one in points.
std::string after_figure(ClaimFigure kind, const std::string& unit) {
  if (kind == ClaimFigure::difference && unit == "%") return " points";
  return kind == ClaimFigure::difference || kind == ClaimFigure::value ? after_number(unit) : std::string();
}

}  // namespace

std::string claimed_range(const Claim& claim, const std::string& unit) {
  const ClaimRange& range = claim.range;
  const std::string of_unit = after_figure(claim.figure, unit);
  if (range.least && range.most)
    return fmt::format("{} to {}{}", written(claim.figure, *range.least), written(claim.figure, *range.most),
                       of_unit);
  if (range.least) return written(claim.figure, *range.least) + of_unit + " or more";
  return written(claim.figure, range.most.value_or(0)) + of_unit + " or less";
}

std::string claimed_figure(ClaimFigure kind, const std::string& unit, const std::optional<double>& value,
                           const std::optional<Interval>& interval) {
  if (!value) return {};
  std::string text = figure(kind, *value);
  text += after_figure(kind, unit);
  if (interval) text += fmt::format(" [{}, {}]", figure(kind, interval->lo), figure(kind, interval->hi));
  return text;
}

std::string claimed_scope(const CheckedClaim& one) {
  if (one.cases.size() < 2) return {};
  switch (one.claim.over) {
    case ClaimScope::geometric_mean:
      return fmt::format("{} of {} cases",
                         one.claim.figure == ClaimFigure::difference ? "mean" : "geometric mean",
                         one.cases.size());
    case ClaimScope::every:
      return fmt::format("every one of {} cases; {} decides", one.cases.size(), one.case_id);
    case ClaimScope::any: return fmt::format("the best of {} cases, {}", one.cases.size(), one.case_id);
  }
  return {};
}

std::string words(ClaimGap gap) {
  switch (gap) {
    case ClaimGap::none: return "";
    case ClaimGap::no_record: return "the suite has no record here";
    case ClaimGap::no_case: return "no case of the record has such a name";
    case ClaimGap::no_partner: return "a case has no partner among those that it is against";
    case ClaimGap::not_measured: return "a case was not measured";
    case ClaimGap::partial: return "the record is of a part of the suite, and the claim is about every case";
    case ClaimGap::no_metric: return "a case has no such metric";
    case ClaimGap::no_interval:
      return "an interval needs two processes or more, and no sample of 0 among others";
  }
  return "";
}

std::string rating_of(const Interval& speedup) {
  constexpr double excellent = 1.5, good = 1.2;
  if (speedup.lo > excellent) return "excellent";
  if (speedup.lo > good) return "good";
  return speedup.lo > 1 ? "measured" : "investigate";
}

}  // namespace harness::report

#include "harness/measure/metrics/reported_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/base/text.h"
#include "harness/measure/metrics/collector.h"

namespace harness {

void Reported::report(std::string_view name, double value) {
  const auto same = [&](const auto& one) { return one.name == name; };
  const std::string shown = printable(name);
  if (std::none_of(declared_.begin(), declared_.end(), same)) {
    std::vector<std::string> known;
    for (const sdk::MetricSpec& metric : declared_) known.push_back(metric.name);
    const std::string advice = suggestion(name, known);
    throw std::invalid_argument(fmt::format("metric `{}` is reported but not declared{}{}", shown,
                                            advice.empty() ? "" : "; ", advice));
  }
  if (std::any_of(values_.begin(), values_.end(), same))
    throw std::invalid_argument(fmt::format("metric `{}` is reported twice", shown));
  if (!std::isfinite(value))
    throw std::invalid_argument(fmt::format("metric `{}` is reported as {}", shown, value));
  values_.push_back({std::string(name), value});
}

void Reported::note(std::string_view sentence) {
  constexpr std::size_t longest = 500, most = 10;
  if (notes_.size() < most && !sentence.empty())
    notes_.push_back(told_note(printable(sentence.substr(0, longest))));
}

bool Reported::tells_times() const {
  return std::any_of(declared_.begin(), declared_.end(),
                     [](const sdk::MetricSpec& one) { return one.timed; });
}

bool Reported::may_repeat(const std::vector<std::string>& names) const {
  bool declared = false;
  for (const sdk::MetricSpec& one : declared_) {
    if (std::find(names.begin(), names.end(), one.name) == names.end()) continue;
    if (one.timed) return false;
    declared = true;
  }
  return declared;
}

void Reported::add_to(ProcessResult& result, const std::vector<std::string>& wanted) const {
  result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
  for (const sdk::MetricSpec& metric : declared_) {
    if (std::find(wanted.begin(), wanted.end(), metric.name) == wanted.end()) continue;
    const auto found = std::find_if(values_.begin(), values_.end(),
                                    [&](const Value& value) { return value.name == metric.name; });
    if (found == values_.end()) {
      result.notes.push_back({NoteCode::metric_unreported, {{"metric", printable(metric.name)}}});
      continue;
    }
    const Direction direction =
        metric.better == sdk::Better::lower ? Direction::lower_is_better : Direction::higher_is_better;
    result.series.push_back(single_value(metric.name, metric.unit, direction, result.process, found->value));
  }
}

}  // namespace harness

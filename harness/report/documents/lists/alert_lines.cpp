#include "harness/report/documents/lists/alert_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

constexpr std::size_t most_alerts = 5;
constexpr std::size_t record_digits = 8;

std::string commit_in_short(const std::string& commit) {
  return commit.substr(0, 10);
}

// "88.9 % [57.1 %, 99.4 %]"
std::string alert_rate_words(const AlertRate& rate) {
  const double share = static_cast<double>(rate.hits) / static_cast<double>(rate.trials);
  return fmt::format("{} [{}, {}]", short_percent(share), short_percent(rate.interval.lo),
                     short_percent(rate.interval.hi));
}

std::string alerts_line(const AlertRates& rates) {
  const auto count = [&](AlertMark mark) {
    return std::count_if(rates.alerts.begin(), rates.alerts.end(),
                         [&](const Alert& one) { return one.mark == mark; });
  };
  return fmt::format("{}: {} marked true, {} false, {} not marked",
                     counted(rates.alerts.size(), "alert", "alerts"), count(AlertMark::true_alert),
                     count(AlertMark::false_alert), rates.unmarked);
}

std::string precision_line(const AlertRates& rates) {
  if (!rates.precision) return "precision is unknown: no alert is marked";
  return fmt::format("precision {}: {} of {} were true", alert_rate_words(*rates.precision),
                     rates.precision->hits,
                     counted(rates.precision->trials, "marked alert", "marked alerts"));
}

std::string recall_line(const AlertRates& rates) {
  if (!rates.recall) return "recall is unknown: no slowdown is known";
  return fmt::format("recall {}: {} of {} raised an alert", alert_rate_words(*rates.recall),
                     rates.recall->hits, counted(rates.recall->trials, "known slowdown", "known slowdowns"));
}

std::string missed_line(const MissedSlowdown& missed) {
  if (missed.source == MissedSlowdown::Source::mark)
    return fmt::format("missed, as somebody marked it: {}", commit_in_short(missed.commit));
  return fmt::format(
      "missed, by a change point: {} since {}",
      missed.cases.size() == 1 ? *missed.cases.begin() : fmt::format("{} cases", missed.cases.size()),
      commit_in_short(missed.commit));
}

std::string unmarked_line(const Alert& alert) {
  return fmt::format("not marked: {} at {}; harness records mark true {}, or false",
                     alert.started.substr(0, 10), commit_in_short(alert.commit),
                     alert.records.front().substr(0, record_digits));
}

// The newest first.
template <class Of, class Line>
void add_newest(std::vector<std::string>& lines, const std::vector<const Of*>& all, Line line_of) {
  for (std::size_t i = 0; i < std::min(all.size(), most_alerts); ++i)
    lines.push_back(line_of(*all[all.size() - 1 - i]));
  if (all.size() > most_alerts) lines.push_back(fmt::format("and {} earlier ones", all.size() - most_alerts));
}

}  // namespace

std::vector<std::string> alert_lines(const AlertRates& rates) {
  std::vector<std::string> lines{alerts_line(rates), precision_line(rates), recall_line(rates)};
  std::vector<const MissedSlowdown*> missed;
  for (const MissedSlowdown& one : rates.missed) missed.push_back(&one);
  add_newest(lines, missed, missed_line);
  std::vector<const Alert*> unmarked;
  for (const Alert& one : rates.alerts)
    if (!one.mark) unmarked.push_back(&one);
  add_newest(lines, unmarked, unmarked_line);
  return lines;
}

}  // namespace harness::report

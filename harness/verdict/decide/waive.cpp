#include "harness/verdict/decide/waive.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "harness/base/text.h"
#include "harness/verdict/decide/gates.h"

namespace harness {
namespace {

bool covers_case(const Waiver& waiver, const ComparisonRow& row) {
  return wildcard_match(waiver.pattern, row.case_id);
}

bool covers(const Waiver& waiver, const ComparisonRow& row) {
  return covers_case(waiver, row) && (waiver.metric.empty() || names_metric(waiver.metric, row.metric));
}

// Whether it is about such a verdict at all.
bool concerns(const Waiver& waiver, const ComparisonRow& row) {
  if (row.informative) return false;
  return row.verdict == Verdict::regressed || (waiver.undecided && row.verdict == Verdict::inconclusive);
}

// Narrower compares greater: one that names the metric, then the one with more characters that are no
// wildcards, then the stricter one.
auto narrowness(const Waiver& waiver) {
  const auto literal = std::count_if(waiver.pattern.begin(), waiver.pattern.end(),
                                     [](char c) { return c != '*' && c != '?'; });
  return std::tuple(!waiver.metric.empty(), literal, -waiver.ceiling);
}

std::optional<std::chrono::sys_days> day_of(const std::string& date) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (date.size() != 10) return std::nullopt;
  const char* text = date.data();
  std::from_chars(text, text + 4, year);
  std::from_chars(text + 5, text + 7, month);
  std::from_chars(text + 8, text + 10, day);
  const std::chrono::year_month_day parsed{std::chrono::year{year}, std::chrono::month{month},
                                           std::chrono::day{day}};
  if (!parsed.ok()) return std::nullopt;
  return std::chrono::sys_days{parsed};
}

// Days on which it still holds after today: 0 on the last, negative when expired. Without a date for either
// nothing holds.
int days_left(const Waiver& waiver, const std::string& today) {
  const auto last = day_of(waiver.expires), now = day_of(today);
  if (!last || !now) return -1;
  return static_cast<int>((*last - *now).count());
}

// The worst change that the interval leaves open, as a share: 0.05 is 5 % worse. Where the places decided,
// theirs counts, too: the change as compiled is the smaller one.
double worst_change(const ComparisonRow& row) {
  const auto worst_of = [&](const Interval& interval) {
    return (row.direction == Direction::lower_is_better ? interval.hi : 1 / interval.lo) - 1;
  };
  const double worst = worst_of(*row.interval);
  const bool by_places =
      row.reason.code == ReasonCode::worse_over_places || row.reason.code == ReasonCode::open_over_places;
  if (!by_places || !row.over_places || !row.over_places->interval) return worst;
  return std::max(worst, worst_of(*row.over_places->interval));
}

// A finding about a row with the place of the waiver in its file.
Diagnostic refusal(DiagnosticCode code, const Waiver& waiver, Figures more) {
  Figures figures{{"file", waiver.where.file}, {"line", waiver.where.line}};
  figures.insert(figures.end(), more.begin(), more.end());
  return {code, std::move(figures)};
}

class Waiving {
 public:
  Waiving(Comparison& comparison, bool partial) : comparison_(comparison), partial_(partial) {
    for (const Waiver& waiver : comparison.policy.waivers)
      comparison_.waivers.push_back(
          {waiver, counts(waiver) ? WaiverUse::State::unused : WaiverUse::State::proposed, 0, 0, {}});
  }

  void run() {
    for (ComparisonRow& row : comparison_.rows) settle(row);
    for (WaiverUse& use : comparison_.waivers) advise(use);
  }

 private:
  [[nodiscard]] bool counts(const Waiver& waiver) const {
    return !waiver.proposed || comparison_.policy.accept_proposed;
  }

  WaiverUse* narrowest(const ComparisonRow& row) {
    WaiverUse* best = nullptr;
    for (WaiverUse& use : comparison_.waivers)
      if (counts(use.waiver) && concerns(use.waiver, row) && covers(use.waiver, row) &&
          (best == nullptr || narrowness(use.waiver) > narrowness(best->waiver)))
        best = &use;
    return best;
  }

  void settle(ComparisonRow& row) {
    WaiverUse* use = narrowest(row);
    if (use == nullptr) return;
    const Waiver& waiver = use->waiver;
    std::optional<Diagnostic> why;
    if (days_left(waiver, comparison_.policy.today) < 0) {
      if (use->state != WaiverUse::State::exceeded) use->state = WaiverUse::State::expired;
      why = refusal(DiagnosticCode::waiver_expired, waiver,
                    {{"expires", waiver.expires}, {"reason", waiver.reason}, {"issue", waiver.issue}});
    } else if (!row.interval) {
      use->state = WaiverUse::State::exceeded;
      why = refusal(DiagnosticCode::waiver_no_ratio, waiver, {{"ceiling", waiver.ceiling}});
    } else if (const double worst = worst_change(row); std::log1p(worst) > std::log1p(waiver.ceiling)) {
      use->state = WaiverUse::State::exceeded;
      why = refusal(DiagnosticCode::waiver_exceeded, waiver, {{"ceiling", waiver.ceiling}, {"worst", worst}});
    } else {
      if (use->state == WaiverUse::State::unused) use->state = WaiverUse::State::holds;
      ++use->waived;
      row.waiver = waiver;
      return;
    }
    ++use->refused;
    row.diagnostics.insert(row.diagnostics.begin(), std::move(*why));
  }

  void advise(WaiverUse& use) {
    if (use.state == WaiverUse::State::proposed) {
      const auto covered = std::count_if(
          comparison_.rows.begin(), comparison_.rows.end(),
          [&](const ComparisonRow& row) { return concerns(use.waiver, row) && covers(use.waiver, row); });
      use.advice.push_back({WaiverAdviceCode::proposed, {{"results", covered}}});
      return;
    }
    const int left = days_left(use.waiver, comparison_.policy.today);
    if (use.state == WaiverUse::State::unused) advise_unused(use, left);
    if (left >= 0 && left <= soon_days)
      use.advice.push_back({WaiverAdviceCode::expires_soon, {{"days", left}}});
  }

  void advise_unused(WaiverUse& use, int left) {
    const Waiver& waiver = use.waiver;
    const bool named = std::any_of(comparison_.rows.begin(), comparison_.rows.end(),
                                   [&](const ComparisonRow& row) { return covers_case(waiver, row); });
    if (!named && !partial_) use.state = WaiverUse::State::unmatched;  // a partial run may leave its case out
    if (left < 0) {
      use.advice.push_back({WaiverAdviceCode::expired_unused, {{"expires", waiver.expires}}});
      return;
    }
    bool any_metric = false, any_room = false;
    for (const ComparisonRow& row : comparison_.rows) {
      if (!covers(waiver, row)) continue;
      any_metric = true;
      any_room |= waiver.ceiling > row.margin;
    }
    if (!named) {
      if (!partial_) use.advice.push_back(unmatched(waiver.pattern));
    } else if (!any_metric) {
      use.advice.push_back({WaiverAdviceCode::no_such_metric, {{"metric", waiver.metric}}});
      if (auto near = nearest(waiver.metric, metrics_of(waiver)))
        use.advice.back().figures.emplace_back("near", std::move(*near));
    } else {
      use.advice.push_back({any_room ? WaiverAdviceCode::unused : WaiverAdviceCode::no_room});
    }
  }

  [[nodiscard]] std::vector<std::string> metrics_of(const Waiver& waiver) const {
    std::set<std::string> names;
    for (const ComparisonRow& row : comparison_.rows)
      if (covers_case(waiver, row) && !row.metric.empty()) names.insert(row.metric);
    return {names.begin(), names.end()};
  }

  [[nodiscard]] bool matches_any(const std::string& pattern) const {
    return std::any_of(comparison_.rows.begin(), comparison_.rows.end(),
                       [&](const ComparisonRow& row) { return wildcard_match(pattern, row.case_id); });
  }

  [[nodiscard]] WaiverAdvice unmatched(const std::string& pattern) const {
    WaiverAdvice advice{WaiverAdviceCode::matches_nothing};
    if (auto near = nearest_pattern(pattern)) advice.figures.emplace_back("pattern", std::move(*near));
    return advice;
  }

  // The pattern within wildcards, or with one part spelled as the cases do.
  [[nodiscard]] std::optional<std::string> nearest_pattern(const std::string& pattern) const {
    if (std::string wider = "*" + pattern + "*"; matches_any(wider)) return wider;
    const std::vector<std::string> parts = split(pattern, '/');
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].find_first_of("*?") != std::string::npos) continue;
      std::set<std::string> known;
      for (const ComparisonRow& row : comparison_.rows)
        if (const std::vector<std::string> names = split(row.case_id, '/'); i < names.size())
          known.insert(names[i]);
      const auto near = nearest(parts[i], std::vector<std::string>(known.begin(), known.end()));
      if (!near) continue;
      std::vector<std::string> other = parts;
      other[i] = *near;
      if (std::string candidate = join(other, "/"); matches_any(candidate)) return candidate;
    }
    return {};
  }

  Comparison& comparison_;
  bool partial_;
};

}  // namespace

void apply_waivers(Comparison& comparison, bool partial) {
  if (!comparison.policy.waivers.empty()) Waiving(comparison, partial).run();
}

}  // namespace harness

#include "harness/study/trends.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/parallel.h"
#include "harness/stats/hypothesis/multiplicity.h"
#include "harness/stats/hypothesis/welch.h"
#include "harness/stats/series/change_points.h"
#include "harness/stats/series/cusum.h"
#include "harness/stats/series/level_changes.h"

namespace harness {
namespace {

constexpr double shown_confidence = 0.99;  // of the intervals shown
constexpr std::size_t first_permutations = 1000, most_permutations = 10'000'000;
constexpr std::size_t permutations_grow = 4;  // from one stage of the search to the next

std::optional<Interval> ratio_interval(const stats::TTest& test, double at) {
  const stats::Bounds bounds = test.interval(at);
  if (!std::isfinite(bounds.lo) || !std::isfinite(bounds.hi)) return std::nullopt;
  return Interval{std::exp(bounds.lo), std::exp(bounds.hi)};
}

// One series while its trend is computed. Effects are signed so that positive is worse.
class TrendFinder {
 public:
  TrendFinder(MeasuredSeries series, const TrendOptions& options)
      : options_(options), trend_(std::move(series.trend)), session_freedom_(series.session_freedom) {
    sign_ = trend_.direction == Direction::lower_is_better ? 1 : -1;
    for (MeasuredPoint& measured : series.points) add_point(std::move(measured));
    if (series.anchor)
      take_anchor(std::move(series.anchor->anchor), series.anchor->log_values);
    else if (!trend_.points.empty())
      take_anchor(
          {TrendAnchor::Kind::oldest, {}, trend_.points.front().commit, trend_.points.front().distance, 0, 0},
          values_.front());
  }

  // Among `family` series whose false alarms count together.
  void find(std::size_t permutations, std::size_t family) {
    if (trend_.points.empty()) return;
    find_changes(permutations);
    if (!trend_.anchor) return;
    find_creep(options_.alpha / static_cast<double>(family));
    hold_newest();
  }

  // Looks for change points anew, with a finer p.
  void find_changes_again(std::size_t permutations) {
    trend_.changes.clear();
    find_changes(permutations);
  }

  [[nodiscard]] Trend& trend() { return trend_; }

 private:
  void add_point(MeasuredPoint measured) {
    const stats::Moments moments = stats::moments(measured.log_values);
    if (!stats::usable(moments, 1)) return;
    TrendPoint point = std::move(measured.point);
    point.processes = static_cast<int>(moments.count);
    point.center = std::exp(moments.mean);
    point.process_sd = std::sqrt(moments.variance);
    if (moments.count > 1) {
      const double n = static_cast<double>(moments.count);
      point.interval =
          ratio_interval({moments.mean, std::sqrt(moments.variance / n), n - 1}, shown_confidence);
      squares_ += moments.variance * (n - 1);
      freedom_ += n - 1;
    }
    trend_.points.push_back(std::move(point));
    moments_.push_back(moments);
    means_.push_back(moments.mean);
    values_.push_back(std::move(measured.log_values));
  }

  void take_anchor(TrendAnchor anchor, const std::vector<double>& log_values) {
    anchor_ = stats::moments(log_values);
    if (!stats::usable(anchor_, 1)) return;
    anchor.processes = static_cast<int>(anchor_.count);
    anchor.center = std::exp(anchor_.mean);
    trend_.anchor = std::move(anchor);
  }

  // Whether the point is compared with the anchor: it was measured later, or at its commit by another record.
  [[nodiscard]] bool is_after_anchor(const TrendPoint& point) const {
    return trend_.anchor && (trend_.anchor->distance < 0 || point.distance < trend_.anchor->distance);
  }

  void find_changes(std::size_t permutations) {
    stats::ChangePointOptions search;
    search.alpha = options_.alpha;
    search.permutations = permutations;
    search.seed = options_.seed;
    auto found = stats::change_points(means_, search);
    if (!found) return;
    for (const stats::ChangePoint& one : stats::level_changes(means_, std::move(*found), options_.alpha)) {
      TrendChange change;
      change.index = one.index;
      const TrendPoint& before = trend_.points[one.index - 1];
      const TrendPoint& first = trend_.points[one.index];
      change.before = before.commit;
      change.first = first.commit;
      change.unmeasured = before.distance - first.distance - 1;
      change.ratio = std::exp(one.change.difference);
      change.interval = ratio_interval(one.change, shown_confidence).value_or(Interval{0, 0});
      change.p = one.p;
      change.worse = sign_ * one.change.difference > 0;
      change.matters = std::abs(one.change.difference) > std::log1p(trend_.margin);
      change.after_anchor = is_after_anchor(first);
      trend_.changes.push_back(std::move(change));
    }
  }

  // sd of the mean of log values of `processes` processes, between sessions and within.
  [[nodiscard]] double sd_of_mean(double processes) const {
    const double within = freedom_ > 0 ? squares_ / freedom_ / processes : 0;
    return std::sqrt(within + trend_.session_sd * trend_.session_sd);
  }

  [[nodiscard]] double mean_processes() const {
    double processes = 0;
    for (const stats::Moments& moments : moments_) processes += static_cast<double>(moments.count);
    return processes / static_cast<double>(moments_.size());
  }

  // The chance that an unchanged series creeps is at most `alpha`: one half for an anchor that was measured
  // too low (or high) by more than allowed for, the other for an alarm of the CUSUM although it was not.
  [[nodiscard]] stats::CusumRule creep_rule(double sd, std::size_t points, double alpha) const {
    const double allowed = stats::students_t_critical(session_freedom_, alpha / 2) *
                           sd_of_mean(static_cast<double>(anchor_.count));
    const double reference = std::log1p(trend_.margin) / (2 * sd);
    // The CUSUM alarms on both sides, but only one is a creep, so half the alarms count.
    const double until_alarm = static_cast<double>(points) / alpha;
    return {reference + allowed / sd, std::max(reference, stats::cusum_decision(reference, until_alarm))};
  }

  void find_creep(double alpha) {
    const double sd = sd_of_mean(mean_processes());
    if (!(sd > 0) || !(trend_.margin > 0)) return;
    std::size_t start = 0;
    while (start < means_.size() && !is_after_anchor(trend_.points[start])) ++start;
    if (start == means_.size()) return;
    const stats::CusumRule rule = creep_rule(sd, means_.size() - start, alpha);
    while (start < means_.size()) {  // again after an alarm for the better
      const auto found = stats::cusum(std::span(means_).subspan(start), anchor_.mean, sd, rule);
      if (!found || !found->alarm) return;
      const stats::CusumAlarm& alarm = *found->alarm;
      const std::size_t index = start + alarm.index;
      if ((alarm.side == stats::CusumSide::up) == (sign_ > 0)) {
        trend_.creep = {index, start + alarm.started, std::exp(means_[index] - anchor_.mean)};
        return;
      }
      start = index + 1;
    }
  }

  // Welch and Satterthwaite's degrees of freedom, where the variance between sessions is an estimate, too.
  void count_freedom_of_sessions(stats::TTest& test, double variance) const {
    const double square = test.standard_error * test.standard_error;
    if (!(square > 0)) return;
    const double inverse =
        1 / test.degrees_of_freedom + variance * variance / (square * square * session_freedom_);
    test.degrees_of_freedom = 1 / inverse;
  }

  void hold_newest() {
    if (!is_after_anchor(trend_.points.back())) return;
    const double known = trend_.session_sd * trend_.session_sd;
    auto test = stats::welch(anchor_, moments_.back(), known, known);
    if (!test) return;
    count_freedom_of_sessions(*test, 2 * known);
    TrendStanding standing;
    standing.ratio = std::exp(test->difference);
    standing.interval = ratio_interval(*test, 1 - 2 * trend_.alpha).value_or(Interval{0, 0});
    const double margin = std::log1p(trend_.margin);
    standing.p = sign_ > 0 ? test->p_above(margin) : test->p_below(-margin);
    standing.p_adjusted = standing.p;
    trend_.newest = standing;
  }

  const TrendOptions& options_;
  Trend trend_;
  double session_freedom_;
  double sign_ = 1;
  std::vector<std::vector<double>> values_;  // log values of each point
  std::vector<stats::Moments> moments_;
  std::vector<double> means_;
  stats::Moments anchor_;
  double squares_ = 0, freedom_ = 0;  // of process values about their points' means
};

// Over all changes found, and one of p = 1 for each series without: those ended the search above alpha, and
// what lies above alpha does not bear on what is accepted below it.
void correct_changes(std::vector<TrendFinder>& finders) {
  std::vector<double> p_values;
  for (TrendFinder& finder : finders) {
    for (const TrendChange& change : finder.trend().changes) p_values.push_back(change.p);
    if (finder.trend().changes.empty()) p_values.push_back(1);
  }
  const std::vector<double> adjusted = stats::benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (TrendFinder& finder : finders) {
    std::vector<TrendChange>& changes = finder.trend().changes;
    if (changes.empty()) ++next;
    for (TrendChange& change : changes) change.p_adjusted = adjusted[next++];
  }
}

void keep_accepted(std::vector<TrendFinder>& finders, double alpha) {
  for (TrendFinder& finder : finders)
    std::erase_if(finder.trend().changes,
                  [&](const TrendChange& change) { return !(change.p_adjusted <= alpha); });
}

// Series with a change that no permutation reached and that is refused all the same, for want of
// permutations.
std::vector<TrendFinder*> short_of_permutations(std::vector<TrendFinder>& finders, std::size_t permutations,
                                                double alpha) {
  const double least = 1.5 / static_cast<double>(1 + permutations);
  std::vector<TrendFinder*> chosen;
  for (TrendFinder& finder : finders) {
    const std::vector<TrendChange>& changes = finder.trend().changes;
    if (std::any_of(changes.begin(), changes.end(), [&](const TrendChange& change) {
          return change.p < least && !(change.p_adjusted <= alpha);
        }))
      chosen.push_back(&finder);
  }
  return chosen;
}

void correct_newest(std::vector<TrendFinder>& finders) {
  std::vector<double> p_values;
  for (TrendFinder& finder : finders)
    if (finder.trend().newest) p_values.push_back(finder.trend().newest->p);
  const std::vector<double> adjusted = stats::benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (TrendFinder& finder : finders) {
    if (!finder.trend().newest) continue;
    finder.trend().newest->p_adjusted = adjusted[next++];
    finder.trend().newest->worse = finder.trend().newest->p_adjusted < finder.trend().alpha;
  }
}

}  // namespace

std::vector<Trend> find_trends(std::vector<MeasuredSeries> series, const TrendOptions& options) {
  std::vector<TrendFinder> finders;
  finders.reserve(series.size());
  for (MeasuredSeries& one : series) finders.emplace_back(std::move(one), options);
  for_each_index(finders.size(), options.threads,
                 [&](std::size_t i) { finders[i].find(first_permutations, finders.size()); });
  correct_changes(finders);
  // The smallest p of a permutation test must still count after the correction. So a change that no
  // permutation reached is tested with more of them, as in sequential Monte Carlo tests (Besag & Clifford
  // 1991). A longer test begins with the permutations of the shorter one. A p that only it can give requires
  // that no shorter one was reached, so it is at most as likely as in the longer test alone. Where many
  // series changed, the correction is mild and few permutations suffice.
  const double wanted = std::ceil(static_cast<double>(finders.size()) / options.alpha);
  const std::size_t most = static_cast<std::size_t>(std::min<double>(most_permutations, wanted));
  for (std::size_t permutations = first_permutations; permutations < most;) {
    const std::vector<TrendFinder*> again = short_of_permutations(finders, permutations, options.alpha);
    if (again.empty()) break;
    permutations = std::min(most, permutations * permutations_grow);
    for_each_index(again.size(), options.threads,
                   [&](std::size_t i) { again[i]->find_changes_again(permutations); });
    correct_changes(finders);
  }
  keep_accepted(finders, options.alpha);
  correct_newest(finders);
  std::vector<Trend> trends;
  trends.reserve(finders.size());
  for (TrendFinder& finder : finders) trends.push_back(std::move(finder.trend()));
  return trends;
}

}  // namespace harness

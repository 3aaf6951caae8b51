#include "harness/verdict/claims/check_claims.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/base/filter.h"
#include "harness/stats/hypothesis/paired.h"
#include "harness/stats/hypothesis/welch.h"
#include "harness/verdict/place/elsewhere.h"
#include "harness/verdict/read/side.h"
#include "harness/verdict/unit/unit_values.h"

namespace harness {
namespace {

ClaimStatus status_of(const ClaimRange& range, const std::optional<Interval>& interval) {
  if (!interval) return ClaimStatus::open;
  const bool in =
      (!range.least || interval->lo >= *range.least) && (!range.most || interval->hi <= *range.most);
  const bool out = (range.least && interval->hi < *range.least) || (range.most && interval->lo > *range.most);
  return in ? ClaimStatus::confirmed : out ? ClaimStatus::refuted : ClaimStatus::open;
}

// The figure of a ratio: `of` over `against`.
double figure_of(ClaimFigure figure, Direction direction, double ratio) {
  if (figure == ClaimFigure::change) return ratio - 1;
  return direction == Direction::lower_is_better ? 1 / ratio : ratio;
}

Interval figures_of(ClaimFigure figure, Direction direction, double lower, double upper) {
  const double one = figure_of(figure, direction, lower), other = figure_of(figure, direction, upper);
  return {std::min(one, other), std::max(one, other)};
}

class Checker {
 public:
  Checker(const Record& record, double confidence) : record_(record), confidence_(confidence) {}

  CheckedClaim check(const Claim& claim) {
    CheckedClaim checked;
    checked.suite = record_.suite.name;
    checked.claim = claim;
    checked.cases = cases_of(claim);
    if (checked.cases.empty())
      checked.gap = ClaimGap::no_case;
    else if (claim.over == ClaimScope::geometric_mean)
      take_mean(checked);
    else
      take_deciding(checked);
    // Cases that nobody measured may be worse than the worst of these.
    if (record_.partial && claim.over == ClaimScope::every && checked.status == ClaimStatus::confirmed) {
      checked.status = ClaimStatus::open;
      checked.gap = ClaimGap::partial;
    }
    return checked;
  }

 private:
  std::vector<ClaimedCase> cases_of(const Claim& claim) {
    std::map<std::vector<std::string>, const CaseRecord*> partners;
    if (!claim.against.empty())
      for (const CaseRecord& one : record_.cases)
        if (auto parts = filter_parts(claim.against, one.id)) partners.emplace(std::move(*parts), &one);
    std::vector<ClaimedCase> cases;
    for (const CaseRecord& one : record_.cases) {
      const auto parts = filter_parts(claim.of, one.id);
      if (!parts) continue;
      auto partner = partners.find(*parts);
      if (partner == partners.end()) partner = partners.find({});
      if (claim.against.empty())
        cases.push_back(value_of(claim, one));
      else if (partner == partners.end())
        cases.push_back({one.id, {}, {}, {}, ClaimStatus::open, ClaimGap::no_partner, {}, {}});
      else if (partner->second != &one)
        cases.push_back(ratio_of(claim, one, *partner->second));
    }
    return cases;
  }

  static const Series* series_of(const CaseRecord& one, const std::string& metric,
                                 const std::string& unit = {}) {
    for (const Series& series : one.series)
      if ((metric.empty() || series.metric == metric) && (unit.empty() || series.unit == unit))
        return &series;
    return nullptr;
  }

  // Why a side has nothing to read.
  static ClaimGap gap_of(const CaseRecord& one, const Series* series) {
    if (one.outcome != Outcome::measured) return ClaimGap::not_measured;
    return series == nullptr ? ClaimGap::no_metric : ClaimGap::none;
  }

  ClaimedCase value_of(const Claim& claim, const CaseRecord& one) {
    const Series* series = series_of(one, claim.metric);
    ClaimedCase found{one.id, {}, {}, {}, ClaimStatus::open, gap_of(one, series), {}, {}};
    if (found.gap != ClaimGap::none) return found;
    found.metric = series->metric;
    found.unit = series->unit;
    const SideReading side = reader_.read(*series);
    const auto count = static_cast<double>(side.moments.count);
    if (side.constant && *side.constant >= 0) {  // a value of 0 has no logarithm
      found.value = *side.constant;
    } else if (count > 0 && !side.zeros) {  // the other processes do not speak for all
      found.value = std::exp(side.moments.mean);
    }
    found.gap = ClaimGap::no_interval;
    if (found.value && side.with_samples > 1) {
      const double reach = side.constant ? 0
                                         : stats::students_t_critical(count - 1, (1 - confidence_) / 2) *
                                               std::sqrt(side.moments.variance / count);
      found.interval = Interval{*found.value * std::exp(-reach), *found.value * std::exp(reach)};
      found.gap = ClaimGap::none;
    }
    found.status = status_of(claim.range, found.interval);
    return found;
  }

  ClaimedCase ratio_of(const Claim& claim, const CaseRecord& one, const CaseRecord& partner) {
    const Series* series = series_of(one, claim.metric);
    const Series* other = series == nullptr ? nullptr : series_of(partner, series->metric, series->unit);
    ClaimedCase found{one.id, partner.id, {}, {}, ClaimStatus::open, gap_of(one, series), {}, {}};
    if (found.gap == ClaimGap::none) found.gap = gap_of(partner, other);
    if (found.gap != ClaimGap::none) return found;
    found.metric = series->metric;
    if (claim.figure == ClaimFigure::difference) {
      found.unit = series->unit;
      take_difference(found, *series, *other);
      found.status = status_of(claim.range, found.interval);
      return found;
    }
    const SideReading of = reader_.read(*series), against = reader_.read(*other);
    found.gap = ClaimGap::no_interval;
    if (of.log_values.empty() || against.log_values.empty() || of.zeros || against.zeros) return found;
    found.value =
        figure_of(claim.figure, series->direction, std::exp(of.moments.mean - against.moments.mean));
    if (const auto test = stats::welch(against.moments, of.moments)) {
      const stats::Bounds bounds = test->interval(confidence_);
      found.interval = figures_of(claim.figure, series->direction, std::exp(bounds.lo), std::exp(bounds.hi));
      found.gap = ClaimGap::none;
    }
    found.status = status_of(claim.range, found.interval);
    return found;
  }

  void take_difference(ClaimedCase& found, const Series& of, const Series& against) const {
    const UnitValues own = read_unit_values(of), base = read_unit_values(against);
    found.gap = ClaimGap::no_interval;
    if (own.values.empty() || base.values.empty()) return;
    found.value = stats::moments(own.values).mean - stats::moments(base.values).mean;
    const auto differences = differences_by_process(base, own);
    const auto test = differences ? stats::one_sample(*differences)
                                  : stats::welch(stats::moments(base.values), stats::moments(own.values));
    if (!test) return;
    const stats::Bounds bounds = test->interval(confidence_);
    // Equal means may differ by rounding.
    const bool equal = std::abs(test->difference) < 1e-12 * stats::moments(base.values).mean;
    found.value = equal ? 0 : test->difference;
    found.interval = Interval{bounds.lo, bounds.hi};
    found.gap = ClaimGap::none;
  }

  // One case without a figure leaves the mean open.
  static void take_mean(CheckedClaim& checked) {
    const bool ratios = checked.claim.figure != ClaimFigure::difference;
    const double base = checked.claim.figure == ClaimFigure::change ? 1 : 0;
    const auto scaled = [&](double one) { return ratios ? std::log(one + base) : one; };
    const auto unscaled = [&](double mean) { return ratios ? std::exp(mean) - base : mean; };
    const auto count = static_cast<double>(checked.cases.size());
    double value = 0, lower = 0, upper = 0;
    bool valued = true;
    for (const ClaimedCase& one : checked.cases) {
      if (checked.gap == ClaimGap::none) checked.gap = one.gap;
      valued &= one.value.has_value();
      value += scaled(one.value.value_or(0)) / count;
      const Interval interval = one.interval.value_or(Interval{});
      lower += scaled(interval.lo) / count;
      upper += scaled(interval.hi) / count;
    }
    checked.unit = checked.cases.front().unit;
    if (!valued || (checked.gap != ClaimGap::none && checked.gap != ClaimGap::no_interval)) return;
    checked.value = unscaled(value);
    if (checked.gap == ClaimGap::none) checked.interval = Interval{unscaled(lower), unscaled(upper)};
    checked.status = status_of(checked.claim.range, checked.interval);
  }

  // The worst case decides over every one, the best over any.
  static void take_deciding(CheckedClaim& checked) {
    const bool every = checked.claim.over == ClaimScope::every;
    const bool more_is_better = checked.claim.range.least.has_value();
    const auto rank = [&](const ClaimedCase& one) {
      const int good = one.status == ClaimStatus::confirmed ? 2 : one.status == ClaimStatus::open ? 1 : 0;
      const double value = one.value.value_or(0);
      return std::pair(good, more_is_better ? value : -value);
    };
    const auto by_rank = [&](const ClaimedCase& one, const ClaimedCase& other) {
      return rank(one) < rank(other);
    };
    const auto deciding = every ? std::min_element(checked.cases.begin(), checked.cases.end(), by_rank)
                                : std::max_element(checked.cases.begin(), checked.cases.end(), by_rank);
    checked.status = deciding->status;
    checked.gap = deciding->gap;
    checked.unit = deciding->unit;
    checked.value = deciding->value;
    checked.interval = deciding->interval;
    checked.case_id = deciding->case_id;
  }

  const Record& record_;
  double confidence_;
  SideReader reader_{false};
};

}  // namespace

std::vector<CheckedClaim> check_claims(const std::vector<Claim>& claims, const Record& record,
                                       double confidence) {
  const std::optional<Record> own = where_it_lies(record);
  Checker checker(own ? *own : record, confidence);
  std::vector<CheckedClaim> checked;
  for (const Claim& claim : claims) checked.push_back(checker.check(claim));
  return checked;
}

}  // namespace harness

#include "harness/verdict/case_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "harness/verdict/check/exact.h"
#include "harness/verdict/check/settled.h"
#include "harness/verdict/check/zeros.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/decide/looks.h"
#include "harness/verdict/read/pairs.h"

namespace harness {
namespace {

const Series* series_named(const CaseRecord& record, std::string_view metric) {
  for (const Series& series : record.series)
    if (series.metric == metric) return &series;
  return nullptr;
}

constexpr int recommended_processes = 5;  // to ask for when nothing is known about the spread

constexpr const char* usable_sample =
    "a sample must be finite, and above 0; only of a metric that is no time may it be 0";

// Where processes held both builds, fewer of them suffice: their ratios owe nothing to what differs between
// processes and sessions.
Policy policy_for(Policy policy, const std::optional<Pairing::Kind>& pairing) {
  if (pairing == Pairing::Kind::process) policy.min_processes = policy.min_shared_processes;
  return policy;
}

double square_of_sd(double sd) {
  return std::isfinite(sd) && sd > 0 ? sd * sd : 0;
}

// Turns pairs of cases and metrics into rows.
class CaseComparer {
 public:
  explicit CaseComparer(const ComparedRecords& records) : records_(records), reader_(records.for_words) {}

  CaseRows compare(std::span<const PairedCase> cases) {
    found_.rows.reserve(cases.size());
    for (const PairedCase& one : cases) {
      if (one.after == nullptr)
        add_removed(*one.before);
      else
        add_case(one.before, *one.after);
    }
    return std::move(found_);
  }

 private:
  // A row about `series` of `record`, or about the case as a whole when `series` is null.
  ComparisonRow& start(const CaseRecord& record, const Series* series) {
    ComparisonRow& row = found_.rows.emplace_back();
    row.case_id = record.id;
    row.where = record.where;
    if (series != nullptr) {
      row.metric = series->metric;
      row.unit = series->unit;
      row.direction = series->direction;
    } else if (!record.series.empty()) {
      row.metric = record.series.front().metric;
      row.unit = record.series.front().unit;
      row.direction = record.series.front().direction;
    }
    const RowGate gate = gate_of(record.gate, row.metric, records_.policy);
    row.margin = gate.margin;
    row.alpha = gate.alpha;
    row.throttled_share = record.gate.throttled;
    if (!records_.pairing) row.look.declared = record.gate.looks;  // an A/B run measures all at once
    row.informative = gate.informative && series != nullptr;  // a case without a side is no matter of metrics
    return row;
  }

  ComparisonRow& conclude(ComparisonRow& row, Verdict verdict, std::string reason, std::string advice = {}) {
    row.verdict = verdict;
    row.reason = std::move(reason);
    if (!advice.empty()) row.advice.push_back(std::move(advice));
    return row;
  }

  void add_removed(const CaseRecord& record) {
    ComparisonRow& row = start(record, nullptr);
    conclude(row, Verdict::missing, "removed: only the baseline has this case",
             "if the case was removed on purpose, promote a new baseline; otherwise restore it in the suite")
        .remedy = Remedy::restore_case;
  }

  void add_case(const CaseRecord* before, const CaseRecord& after) {
    if (std::optional<Settled> settled = settled_without_samples(before, after)) {
      conclude(start(after, nullptr), settled->verdict, std::move(settled->reason),
               std::move(settled->advice))
          .remedy = settled->remedy;
      return;
    }
    for (const Series& series : after.series) {
      const Series* old = series_named(*before, series.metric);
      if (old == nullptr)
        conclude(start(after, &series), Verdict::missing,
                 fmt::format("new: the baseline has no metric `{}` of this case", series.metric),
                 "nothing to compare with yet; the next baseline will have it")
            .remedy = Remedy::next_baseline;
      else
        add_pair(*before, after, *old, series);
    }
    for (const Series& series : before->series)
      if (series_named(after, series.metric) == nullptr)
        conclude(start(after, &series), Verdict::missing,
                 fmt::format("removed: only the baseline has the metric `{}` of this case", series.metric),
                 "if the metric was removed on purpose, promote a new baseline")
            .remedy = Remedy::restore_case;
  }

  // The first reason for which the pair must not be compared, with its advice; "" when there is none.
  std::pair<std::string, std::string> obstacle(const CaseRecord& before, const CaseRecord& after,
                                               const Series& old, const Series& now, double margin,
                                               double alpha) {
    if (!records_.pairing_obstacle.empty())
      return {records_.pairing_obstacle,
              "compare it with the other side of its run, or `harness run` both builds"};
    if (std::string why = sampling_obstacle(before, after); !why.empty())
      return {why, "measure the baseline again with the settings of the current suite"};
    const MachineMatch& match = machine_match(after.device);
    if (!match.obstacle.empty()) return {match.obstacle, match.advice};
    if (!records_.estimator_obstacle.empty())
      return {records_.estimator_obstacle, "measure both sides with one version of the tool"};
    if (std::string why = series_obstacle(old, now); !why.empty())
      return {why, "give a metric with another meaning another name"};
    if (std::string why = gate_obstacle(margin, alpha); !why.empty())
      return {why, "correct the gate of the case"};
    if (std::string why = looks_obstacle(after.gate.looks); !why.empty())
      return {why, "correct the gate of the case"};
    return {};
  }

  void add_pair(const CaseRecord& before, const CaseRecord& after, const Series& old, const Series& now) {
    const std::size_t index = found_.rows.size();
    ComparisonRow& row = start(after, &now);
    SideReading baseline = reader_.read(old), current = reader_.read(now);
    row.baseline = side_of(baseline);
    row.current = side_of(current);
    const auto [why, advice] = obstacle(before, after, old, now, row.margin, row.alpha);
    if (!why.empty()) {
      conclude(row, Verdict::not_comparable, why, advice);
    } else if (is_exact(row, baseline, current)) {
      judge_exactly(row, baseline, current, records_.policy);
      tell_exact_look(row, looks_reached(after, row.look.declared), least_processes(records_.policy));
      compare_gates(row, before, [&](double margin, double) {
        ComparisonRow strict = row;
        strict.margin = margin;
        judge_exactly(strict, baseline, current, records_.policy);
        return strict.verdict == Verdict::regressed;
      });
    } else if (!current.unusable.empty()) {
      conclude(row, Verdict::failed, "current: " + current.unusable + ", which has no ratio", usable_sample);
    } else if (!baseline.unusable.empty()) {
      conclude(row, Verdict::missing, "baseline: " + baseline.unusable + ", which has no ratio",
               fmt::format("measure the baseline again: {}", usable_sample));
    } else if (holds_zeros(baseline, current) &&
               judge_zeros(row, old, now, baseline, current, records_.policy)) {
      compare_gates(row, before, [&](double, double) { return row.verdict == Verdict::regressed; });
    } else if (current.log_values.empty() || baseline.log_values.empty()) {
      conclude(row, Verdict::missing,
               fmt::format("{} holds no samples of `{}`",
                           !current.log_values.empty()    ? "the baseline"
                           : !baseline.log_values.empty() ? "the current side"
                                                          : "neither side",
                           now.metric),
               "look at the notes of the run: sampling may have been cut short");
    } else {
      row.ratio = std::exp(current.moments.mean - baseline.moments.mean);
      row.verdict = Verdict::inconclusive;                               // until decide()
      compare_gates(row, before, [](double, double) { return false; });  // until judge_old_gates()
      if (row.look.declared.empty())
        judge_pair(row, index, before, after, old, now, baseline, current);
      else
        judge_looks(index, before, after, old, now);
    }
  }

  [[nodiscard]] double known_variance(const ComparisonRow& row, const std::string& device) {
    const LearnedSpread* learned = records_.spread_of(row);
    double known = 0;
    if (!records_.pairing && !records_.one_session)
      known += square_of_sd(learned == nullptr ? records_.policy.session_sd : learned->session_sd);
    if (machine_match(device).other_device)
      known += square_of_sd(learned == nullptr ? records_.policy.device_sd : learned->device_sd);
    return known;
  }

  void judge_pair(ComparisonRow& row, std::size_t index, const CaseRecord& before, const CaseRecord& after,
                  const Series& old, const Series& now, const SideReading& baseline,
                  const SideReading& current) {
    Design design{known_variance(row, before.device)};
    if (records_.pairing == Pairing::Kind::process) design.ratios = log_ratios(old, now);
    Evidence evidence{index, 2 * design.known_variance_per_side, row.baseline.processes, {}};
    if (auto look = weigh(row, 1, baseline, current, design, records_.policy)) {
      evidence.looks.push_back(std::move(*look));
      found_.evidence.push_back(std::move(evidence));
    } else {
      cannot_test(row);
      if (design.ratios) {
        row.advice.push_back(
            fmt::format("measure at least {} processes that run both builds, and see why the "
                        "others lack one (`harness report` tells)",
                        recommended_processes));
        row.reason = fmt::format("{} of the processes measured both sides: without two nothing can be tested",
                                 design.ratios->size());
      }
    }
    describe(row, before, after, baseline, current, records_);
  }

  // Each look takes the first processes of both sides, as many as it was declared for; what a side has
  // less, it lacks. So the verdict is the same however much was measured after it.
  void judge_looks(std::size_t index, const CaseRecord& before, const CaseRecord& after, const Series& old,
                   const Series& now) {
    ComparisonRow& row = found_.rows[index];
    const double known = known_variance(row, before.device);
    Evidence evidence{index, 2 * known, row.baseline.processes, {}};
    LookReadings readings{index, &before, &after, {}};
    const std::vector<int>& looks = row.look.declared;
    const std::size_t reached = looks_reached(after, looks);
    for (std::size_t i = 0; i < reached; ++i) {
      auto sides = std::pair(reader_.read(old, looks[i]), reader_.read(now, looks[i]));
      auto look = weigh(row, static_cast<int>(i) + 1, sides.first, sides.second, {known}, records_.policy);
      if (!look) continue;
      evidence.looks.push_back(std::move(*look));
      readings.sides.push_back(std::move(sides));
    }
    if (reached == 0)
      await_first_look(row);
    else if (evidence.looks.empty())
      cannot_test(row);
    found_.evidence.push_back(std::move(evidence));
    found_.looks.push_back(std::move(readings));
  }

  void cannot_test(ComparisonRow& row) const {
    row.reason = fmt::format("{} against {} processes: without two on each side nothing can be tested",
                             row.baseline.processes, row.current.processes);
    row.processes_needed = std::max(least_processes(records_.policy), recommended_processes);
    row.remedy = Remedy::more_processes;
  }

  // Tells when the gate lets more pass than the baseline's did. `regressed` says whether a margin and an
  // alpha would have called the row so.
  template <class Regressed>
  void compare_gates(ComparisonRow& row, const CaseRecord& before, Regressed regressed) {
    const RowGate old = gate_of(before.gate, row.metric, records_.policy);
    if (old.informative) return;  // it decided nothing then either
    if (row.informative)
      row.advice.emplace_back("this metric decided in the baseline and is informative now");
    else if (old.margin < row.margin)
      row.advice.push_back(
          fmt::format("the margin of this case was {:.2f} % in the baseline and is {:.2f} % now",
                      old.margin * 100, row.margin * 100));
    else if (old.alpha > row.alpha)
      row.advice.push_back(fmt::format("alpha was {:.4g} % in the baseline and is {:.4g} % now",
                                       old.alpha * 100, row.alpha * 100));
    else
      return;
    row.loosened = LoosenedGate{old.margin, old.alpha, old.informative, regressed(old.margin, old.alpha)};
  }

  const MachineMatch& machine_match(const std::string& device) {
    const auto found = found_.machines.find(device);
    if (found != found_.machines.end()) return found->second;
    return found_.machines
        .emplace(device, match_machines(records_.baseline, records_.current, device, records_.policy))
        .first->second;
  }

  const ComparedRecords& records_;
  SideReader reader_;
  CaseRows found_;
};

}  // namespace

ComparedRecords::ComparedRecords(const Record& before, const Record& after, const Policy& given, bool words)
    : baseline(before),
      current(after),
      policy(policy_for(given, pairing_of(before, after))),
      for_words(words),
      pairing(pairing_of(before, after)),
      one_session(share_session(before, after)),
      pairing_obstacle(harness::pairing_obstacle(before, after)),
      estimator_obstacle(harness::estimator_obstacle(before, after)),
      baseline_pairs(words ? EventPairCosts(before) : EventPairCosts(Record{})),
      current_pairs(words ? EventPairCosts(after) : EventPairCosts(Record{})) {
  for (const LearnedSpread& one : policy.learned) learned_[one.case_id + '\n' + one.metric] = &one;
}

const LearnedSpread* ComparedRecords::spread_of(const ComparisonRow& row) const {
  if (learned_.empty()) return nullptr;
  const auto found = learned_.find(row.case_id + '\n' + row.metric);
  return found == learned_.end() ? nullptr : found->second;
}

std::vector<PairedCase> pair_cases(const Record& baseline, const Record& current) {
  std::unordered_map<std::string_view, const CaseRecord*> before;
  before.reserve(baseline.cases.size());
  for (const CaseRecord& record : baseline.cases) before.emplace(record.id, &record);
  std::unordered_set<std::string_view> present;
  present.reserve(current.cases.size());
  std::vector<PairedCase> pairs;
  pairs.reserve(current.cases.size());
  for (const CaseRecord& record : current.cases) {
    if (!present.insert(record.id).second) continue;  // the first of two with the same name counts
    const auto found = before.find(record.id);
    pairs.push_back({found == before.end() ? nullptr : found->second, &record});
  }
  for (const CaseRecord& record : baseline.cases)
    if (present.insert(record.id).second) pairs.push_back({&record, nullptr});
  return pairs;
}

void CaseRows::append(CaseRows later) {
  const std::size_t before = rows.size();
  for (Evidence& one : later.evidence) one.row += before;
  for (LookReadings& one : later.looks) one.row += before;
  std::move(later.rows.begin(), later.rows.end(), std::back_inserter(rows));
  std::move(later.evidence.begin(), later.evidence.end(), std::back_inserter(evidence));
  std::move(later.looks.begin(), later.looks.end(), std::back_inserter(looks));
  machines.merge(later.machines);
}

CaseRows rows_of(std::span<const PairedCase> cases, const ComparedRecords& records) {
  return CaseComparer(records).compare(cases);
}

}  // namespace harness

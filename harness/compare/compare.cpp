#include "harness/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/text.h"
#include "harness/compare/comparable.h"
#include "harness/compare/diagnose.h"
#include "harness/compare/exact.h"
#include "harness/compare/gates.h"
#include "harness/compare/kernel_time.h"
#include "harness/compare/kernels.h"
#include "harness/compare/looks.h"
#include "harness/compare/order.h"
#include "harness/compare/origin.h"
#include "harness/compare/pairs.h"
#include "harness/compare/policy_facts.h"
#include "harness/compare/rename.h"
#include "harness/compare/settled.h"
#include "harness/compare/short_calls.h"
#include "harness/compare/trace.h"
#include "harness/compare/waive.h"
#include "harness/compare/zeros.h"

namespace harness {
namespace {

constexpr int recommended_processes = 5;  // to ask for when nothing is known about the spread

const Series* series_named(const CaseRecord& record, std::string_view metric) {
  for (const Series& series : record.series)
    if (series.metric == metric) return &series;
  return nullptr;
}

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

// Pairs the cases and metrics of two records and turns each pair into a row.
class Comparer {
 public:
  // Keeps the trace in `trace`, unless that is null: then it finds the verdicts alone.
  Comparer(const Record& baseline, const Record& current, const Policy& policy, Trace* trace)
      : baseline_(baseline),
        current_(current),
        policy_(policy_for(policy, pairing_of(baseline, current))),
        trace_(trace),
        pairing_(pairing_of(baseline, current)),
        one_session_(share_session(baseline, current)),
        pairing_obstacle_(pairing_obstacle(baseline, current)),
        estimator_obstacle_(estimator_obstacle(baseline, current)) {}

  std::vector<ComparisonRow> rows() {
    std::unordered_map<std::string_view, const CaseRecord*> before;
    before.reserve(baseline_.cases.size());
    for (const CaseRecord& record : baseline_.cases) before.emplace(record.id, &record);
    std::unordered_set<std::string_view> present;
    present.reserve(current_.cases.size());
    rows_.reserve(current_.cases.size() + 16);
    for (const CaseRecord& record : current_.cases) {
      if (!present.insert(record.id).second) continue;  // the first of two with the same name counts
      const auto found = before.find(record.id);
      add_case(found == before.end() ? nullptr : found->second, record);
    }
    for (const CaseRecord& record : baseline_.cases)
      if (present.insert(record.id).second) add_removed(record);
    if (trace_ == nullptr) {
      call_verdicts(rows_, evidence_, policy_);
      return std::move(rows_);
    }
    trace_->family = decide(rows_, evidence_, policy_);
    judge_old_gates();
    describe_looks();
    for (Evidence& one : evidence_)
      trace_->rows.push_back({rows_[one.row].case_id, rows_[one.row].metric, std::move(one)});
    advise_renames(rows_, baseline_, current_);
    return std::move(rows_);
  }

  [[nodiscard]] std::vector<std::string> differences() const {
    std::vector<std::string> all;
    for (const auto& [device, match] : machines_)
      for (const std::string& difference : match.differences)
        all.push_back(machines_.size() > 1 ? device + " " + difference : difference);
    return all;
  }

 private:
  // A row about `series` of `record`, or about the case as a whole when `series` is null.
  ComparisonRow& start(const CaseRecord& record, const Series* series) {
    ComparisonRow& row = rows_.emplace_back();
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
    const RowGate gate = gate_of(record.gate, row.metric, policy_);
    row.margin = gate.margin;
    row.alpha = gate.alpha;
    row.throttled_share = record.gate.throttled;
    if (!pairing_) row.look.declared = record.gate.looks;     // an A/B run measures all at once
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
    if (!pairing_obstacle_.empty())
      return {pairing_obstacle_, "compare it with the other side of its run, or `harness run` both builds"};
    if (std::string why = sampling_obstacle(before, after); !why.empty())
      return {why, "measure the baseline again with the settings of the current suite"};
    const MachineMatch& match = machine_match(after.device);
    if (!match.obstacle.empty()) return {match.obstacle, match.advice};
    if (!estimator_obstacle_.empty())
      return {estimator_obstacle_, "measure both sides with one version of the tool"};
    if (std::string why = series_obstacle(old, now); !why.empty())
      return {why, "give a metric with another meaning another name"};
    if (std::string why = gate_obstacle(margin, alpha); !why.empty())
      return {why, "correct the gate of the case"};
    if (std::string why = looks_obstacle(after.gate.looks); !why.empty())
      return {why, "correct the gate of the case"};
    return {};
  }

  void add_pair(const CaseRecord& before, const CaseRecord& after, const Series& old, const Series& now) {
    const std::size_t index = rows_.size();
    ComparisonRow& row = start(after, &now);
    SideReading baseline = reader_.read(old), current = reader_.read(now);
    row.baseline = side_of(baseline);
    row.current = side_of(current);
    const auto [why, advice] = obstacle(before, after, old, now, row.margin, row.alpha);
    if (!why.empty()) {
      conclude(row, Verdict::not_comparable, why, advice);
    } else if (is_exact(row, baseline, current)) {
      judge_exactly(row, baseline, current, policy_);
      tell_exact_look(row, looks_reached(after, row.look.declared), least_processes(policy_));
      compare_gates(row, before, [&](double margin, double) {
        ComparisonRow strict = row;
        strict.margin = margin;
        judge_exactly(strict, baseline, current, policy_);
        return strict.verdict == Verdict::regressed;
      });
    } else if (!current.unusable.empty()) {
      conclude(row, Verdict::failed, "current: " + current.unusable + ", which has no ratio", usable_sample);
    } else if (!baseline.unusable.empty()) {
      conclude(row, Verdict::missing, "baseline: " + baseline.unusable + ", which has no ratio",
               fmt::format("measure the baseline again: {}", usable_sample));
    } else if (holds_zeros(baseline, current) && judge_zeros(row, old, now, baseline, current, policy_)) {
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
    const LearnedSpread* learned = spread_of(row);
    double known = 0;
    if (!pairing_ && !one_session_)
      known += square_of_sd(learned == nullptr ? policy_.session_sd : learned->session_sd);
    if (machine_match(device).other_device)
      known += square_of_sd(learned == nullptr ? policy_.device_sd : learned->device_sd);
    return known;
  }

  void judge_pair(ComparisonRow& row, std::size_t index, const CaseRecord& before, const CaseRecord& after,
                  const Series& old, const Series& now, const SideReading& baseline,
                  const SideReading& current) {
    Design design{known_variance(row, before.device)};
    if (pairing_ == Pairing::Kind::process) design.ratios = log_ratios(old, now);
    Evidence evidence{index, 2 * design.known_variance_per_side, row.baseline.processes, {}};
    if (auto look = weigh(row, 1, baseline, current, design, policy_)) {
      evidence.looks.push_back(std::move(*look));
      evidence_.push_back(std::move(evidence));
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
    describe(row, before, after, baseline, current);
  }

  // Each look takes the first processes of both sides, as many as it was declared for; what a side has
  // less, it lacks. So the verdict is the same however much was measured after it.
  void judge_looks(std::size_t index, const CaseRecord& before, const CaseRecord& after, const Series& old,
                   const Series& now) {
    ComparisonRow& row = rows_[index];
    const double known = known_variance(row, before.device);
    Evidence evidence{index, 2 * known, row.baseline.processes, {}};
    LookReadings readings{index, &before, &after, {}};
    const std::vector<int>& looks = row.look.declared;
    const std::size_t reached = looks_reached(after, looks);
    for (std::size_t i = 0; i < reached; ++i) {
      auto sides = std::pair(reader_.read(old, looks[i]), reader_.read(now, looks[i]));
      auto look = weigh(row, static_cast<int>(i) + 1, sides.first, sides.second, {known}, policy_);
      if (!look) continue;
      evidence.looks.push_back(std::move(*look));
      readings.sides.push_back(std::move(sides));
    }
    if (reached == 0)
      await_first_look(row);
    else if (evidence.looks.empty())
      cannot_test(row);
    evidence_.push_back(std::move(evidence));
    pending_.push_back(std::move(readings));
  }

  void cannot_test(ComparisonRow& row) const {
    row.reason = fmt::format("{} against {} processes: without two on each side nothing can be tested",
                             row.baseline.processes, row.current.processes);
    row.processes_needed = std::max(least_processes(policy_), recommended_processes);
    row.remedy = Remedy::more_processes;
  }

  // What is odd about the sides that the row shows. Called when it shows them.
  void describe(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
                const SideReading& baseline, const SideReading& current) {
    if (trace_ == nullptr) return;
    std::string short_call;
    if (const Series* series = series_named(after, row.metric))
      short_call = short_call_advice(*series, after.sampling, row.current.center, current.step);
    for (std::string& note : diagnose(row, baseline, current, pairing_, short_call))
      row.advice.push_back(std::move(note));
    add_kernels(row, before, after);
  }

  void describe_looks() {
    std::unordered_map<std::size_t, std::size_t> shown;  // by row: the place of its look
    for (const Evidence& one : evidence_) shown.emplace(one.row, one.shown);
    for (const LookReadings& one : pending_) {
      if (one.sides.empty()) continue;
      const auto& [baseline, current] = one.sides[shown.at(one.row)];
      describe(rows_[one.row], *one.before, *one.after, baseline, current);
    }
  }

  // Tells when the gate lets more pass than the baseline's did. `regressed` says whether a margin and an
  // alpha would have called the row so.
  template <class Regressed>
  void compare_gates(ComparisonRow& row, const CaseRecord& before, Regressed regressed) {
    const RowGate old = gate_of(before.gate, row.metric, policy_);
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

  // What the gates of the baseline say of the rows that were tested.
  void judge_old_gates() {
    for (const Evidence& one : evidence_)
      if (std::optional<LoosenedGate>& gate = rows_[one.row].loosened)
        gate->regressed = is_worse(one, gate->margin, gate->alpha);
  }

  void add_kernels(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after) {
    if (!names_metric("time", row.metric)) return;
    KernelComparison kernels = compare_kernels(before, after, row.margin);
    row.kernels = std::move(kernels.changes);
    for (std::string& note : kernels.notes) row.advice.push_back(std::move(note));
    if (kernels.same_code && row.ratio > 0 && std::abs(std::log(row.ratio)) > std::log1p(row.margin))
      row.advice.emplace_back(
          "environment alarm: the machine code of every kernel is identical on both sides, yet the time "
          "moved: look "
          "at clocks, driver, inputs and placement before blaming the code");
    if (const auto doubt = kernel_time_doubt(before, baseline_pairs_.of(before.device)))
      row.advice.push_back("baseline: " + *doubt);
    if (const auto doubt = kernel_time_doubt(after, current_pairs_.of(after.device)))
      row.advice.push_back("current: " + *doubt);
  }

  // What calibrations taught of the row, or null.
  const LearnedSpread* spread_of(const ComparisonRow& row) {
    if (learned_.empty())
      for (const LearnedSpread& one : policy_.learned) learned_[one.case_id + '\n' + one.metric] = &one;
    const auto found = learned_.find(row.case_id + '\n' + row.metric);
    return found == learned_.end() ? nullptr : found->second;
  }

  const MachineMatch& machine_match(const std::string& device) {
    const auto found = machines_.find(device);
    if (found != machines_.end()) return found->second;
    return machines_.emplace(device, match_machines(baseline_, current_, device, policy_)).first->second;
  }

  // The sides of a row at each look, kept until it is known which one it shows.
  struct LookReadings {
    std::size_t row = 0;
    const CaseRecord* before = nullptr;
    const CaseRecord* after = nullptr;
    std::vector<std::pair<SideReading, SideReading>> sides;  // as Evidence::looks
  };

  const Record& baseline_;
  const Record& current_;
  EventPairCosts baseline_pairs_{baseline_};
  EventPairCosts current_pairs_{current_};
  const Policy policy_;
  Trace* trace_;
  std::optional<Pairing::Kind> pairing_;
  bool one_session_;
  std::string pairing_obstacle_;
  std::string estimator_obstacle_;
  SideReader reader_;
  std::map<std::string, MachineMatch> machines_;
  std::unordered_map<std::string, const LearnedSpread*> learned_;  // by case and metric
  std::vector<ComparisonRow> rows_;
  std::vector<Evidence> evidence_;
  std::vector<LookReadings> pending_;
};

}  // namespace

Comparison compare(const Record& baseline, const Record& current, const Policy& policy, Trace& trace) {
  Comparison comparison;
  comparison.suite = current.suite.name;
  comparison.suite_file = current.suite.file;
  comparison.baseline = source_of(baseline);
  comparison.current = source_of(current);
  comparison.policy = policy;
  comparison.pairing = pairing_of(baseline, current);
  if (share_session(baseline, current)) comparison.session = current.session;
  Comparer comparer(baseline, current, policy, &trace);
  comparison.rows = comparer.rows();
  comparison.differences = comparer.differences();
  apply_waivers(comparison, current.partial);
  comparison.remarks = remarks_on_gates(current);
  sort_worst_first(comparison.rows);
  comparison.verdict = overall_verdict(comparison.rows);
  comparison.policy_facts = facts_of_policy(comparison);
  return comparison;
}

Comparison compare(const Record& baseline, const Record& current, const Policy& policy) {
  Trace unread;
  return compare(baseline, current, policy, unread);
}

std::vector<ComparisonRow> verdicts(const Record& baseline, const Record& current, const Policy& policy) {
  return Comparer(baseline, current, policy, nullptr).rows();
}

}  // namespace harness

#include "harness/report/words/study_words.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/words/reason_words.h"

namespace harness::report {

std::string words(const CalibrationNote& note) {
  switch (note.code) {
    case CalibrationNoteCode::not_counted:
      return fmt::format(
          "False alarms were not counted: a side needs {} processes. Measure more sessions (--runs) or "
          "processes.",
          note.count("needed"));
    case CalibrationNoteCode::one_session:
      return fmt::format(
          "One session per build says nothing about the variation between sessions: {:.4g} % is assumed.",
          note.number("sd") * 100);
  }
  return "?";
}

std::string procedure_words(const CalibrationReport& report) {
  if (report.splits == 0) return {};
  return fmt::format(
      "{}{}; moderated t-test on one value a process, each case's margin and alpha, Holm over all that "
      "decide",
      report.between_sessions ? "processes of one session against those of another of the same build"
                              : "halves of the processes of one session",
      report.halves_alone ? "" : ", the spread between sessions counted");
}

std::string words(Peer peer) {
  switch (peer) {
    case Peer::welch: return "Welch, p < .05";
    case Peer::tukey_welch: return "Tukey, Welch, p < .05, > 1 %";
    case Peer::nvbench_legacy: return "NVBench, legacy";
    case Peer::nvbench_robust: return "NVBench, robust";
    case Peer::google_benchmark: return "Google Benchmark, U test";
    case Peer::criterion: return "criterion.rs";
    case Peer::asv: return "asv continuous";
    case Peer::github_action_benchmark: return "github-action-benchmark";
    case Peer::bencher: return "Bencher, t-test, .99";
    case Peer::otava: return "Otava";
  }
  return std::string(name_of(peer));
}

std::string words(Noise noise) {
  switch (noise) {
    case Noise::autoregressive: return "AR(1) 0.9";
    case Noise::slow_tail: return "10 % slow tail";
    case Noise::drift: return "3 % drift";
    case Noise::sessions: return "sessions differ";
    case Noise::devices: return "devices differ";
    case Noise::scattered: return "sds scatter";
    default: return std::string(name_of(noise));
  }
}

std::string words(const MeasuringPlan& plan) {
  if (!plan.looks.empty()) return fmt::format("looks {}", fmt::join(plan.looks, "/"));
  if (plan.before() > plan.processes) return fmt::format("P = {} against {}", plan.before(), plan.processes);
  return fmt::format("P = {}{}", plan.processes, plan.shared ? " shared" : "");
}

std::string words(const SelftestRemark& remark, const SelftestReport& report) {
  const SelftestRow& row = report.rows.at(static_cast<std::size_t>(remark.count("row")));
  switch (remark.code) {
    case SelftestRemarkCode::too_few:
      return fmt::format("{}: too few for a verdict, which needs {}. No verdict is allowed.", words(row.plan),
                         remark.count("needed"));
    case SelftestRemarkCode::unavoidable:
      return fmt::format(
          "{}, {}: the rate may reach {:.2f} %. With this chance all processes of one side are in the fast "
          "mode "
          "and all of the other in the slow one. No rule can recognise that; more processes make it rarer.",
          words(row.noise), words(row.plan), remark.number("chance") * 100);
  }
  return "?";
}

std::string words(const HistoryNote& note) {
  const auto passed_over = [&](const char* why) {
    const std::int64_t records = note.count("records");
    return fmt::format("{} {} passed over: {}", records, records == 1 ? "record was" : "records were", why);
  };
  switch (note.code) {
    case HistoryNoteCode::calibration: return passed_over("a calibration");
    case HistoryNoteCode::ab_side: return passed_over("one side of an A/B run");
    case HistoryNoteCode::unfinished: return passed_over("interrupted or still running");
    case HistoryNoteCode::uncommitted: return passed_over("measured with uncommitted changes");
    case HistoryNoteCode::failed: return passed_over("a case failed or was incorrect");
    case HistoryNoteCode::no_revision: return passed_over("no known revision");
    case HistoryNoteCode::other_branch: return passed_over("a commit that is not on this branch");
    case HistoryNoteCode::shallow:
      return "This clone is shallow. Run `git fetch --unshallow` to see results of older commits.";
  }
  return "?";
}

std::string words(const TrendAnchor& anchor) {
  switch (anchor.kind) {
    case TrendAnchor::Kind::oldest: return "the oldest result";
    case TrendAnchor::Kind::revision: return printable(anchor.name);
    case TrendAnchor::Kind::pinned: return "pinned " + anchor.name;
  }
  return "?";
}

std::string skip_words(const BisectStep& step) {
  switch (step.skip.code) {
    case SkipCode::none: return {};
    case SkipCode::unmeasurable: return step.skip.text("why");
    case SkipCode::inconclusive:
      return fmt::format("inconclusive with {} processes", step.skip.count("processes"));
    case SkipCode::undecided_row:
      return step.row ? fmt::format("{}: {}", step.row->case_id, reason_words(*step.row)) : std::string();
    case SkipCode::no_case: return "it has none of the cases in question";
  }
  return "?";
}

}  // namespace harness::report

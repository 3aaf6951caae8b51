#include "studies.h"

#include <stdexcept>

#include "fixture.h"
#include "harness/report/media/html.h"

namespace harness::fixture {
namespace {

RowExplanation explained(const ComparisonRow& row) {
  RowExplanation one;
  one.row = row;
  one.checks = {{{CheckCode::machine, {{"baseline", row.case_id}, {"current", row.case_id}}}}};
  one.baseline = {{1, {{50, 2, 1, 20.3}, {50, 0, 0, 20.2}}, 20.25}};
  one.current = {{1, {{50, 1, 0, 21.1}}, 21.1}};
  TestEvidence test;
  test.effect = 0.0404;
  test.standard_error = 0.0015;
  test.known_variance = 2e-6;
  test.degrees_of_freedom = 7.9;
  test.margin = 0.00995;
  test.t_worse = 20.3;
  test.t_better = 33.6;
  test.lo = 0.0365;
  test.hi = 0.0443;
  test.rank_worse = 1;
  test.rank_better = 5;
  test.family = 6;
  one.test = test;
  one.alone = 1;
  return one;
}

}  // namespace

namespace {

AlertRates alerts(const std::string& name, const Trend& trend) {
  AlertRates rates;
  rates.since = "2026-08-22";
  for (int i = 0; i < 3; ++i) {
    Alert alert;
    alert.records = {"3a1f0c3e-0000-4000-8000-00000000000" + std::to_string(i)};
    alert.commit = trend.points[6].commit;
    alert.started = "2026-11-20T02:17:00Z";
    alert.device_uuid = trend.device_uuid;
    alert.cases = {name};
    if (i < 2) alert.mark = i == 0 ? AlertMark::true_alert : AlertMark::false_alert;
    rates.alerts.push_back(alert);
  }
  rates.missed = {{MissedSlowdown::Source::change_point, trend.points[3].commit, {name}},
                  {MissedSlowdown::Source::mark, trend.points[4].commit, {}}};
  rates.unmarked = 1;
  rates.precision = AlertRate{1, 2, {0.0253, 0.9747}};
  rates.recall = AlertRate{1, 3, {0.017, 0.8646}};
  return rates;
}

}  // namespace

HistoryReport history(const std::string& name) {
  Trend trend;
  trend.case_id = name;
  trend.device = "cuda";
  trend.machine_class = "nvidia-h200";
  trend.device_uuid = "GPU-1";
  trend.metric = "gpu_time";
  trend.unit = "us";
  trend.margin = 0.02;
  trend.alpha = 0.01;
  for (int i = 0; i < 12; ++i) {
    TrendPoint point;
    point.commit = std::string(39, 'a') + static_cast<char>('a' + i % 6);
    point.commit[0] = static_cast<char>('a' + i / 6);
    point.date = "2026-11-20T05:40:00Z";
    point.subject = name;
    point.distance = 11 - i;
    point.processes = 5;
    point.center = i < 6 ? 100 : 104;
    point.interval = Interval{point.center * 0.999, point.center * 1.001};
    trend.points.push_back(point);
  }
  trend.anchor =
      TrendAnchor{TrendAnchor::Kind::pinned, "baselines/" + name, trend.points[0].commit, 11, 5, 100};
  trend.newest = TrendStanding{1.04, {1.038, 1.042}, 1e-9, 2e-9, true};
  trend.changes.push_back({6,
                           trend.points[5].commit,
                           trend.points[6].commit,
                           4,
                           1.04,
                           {1.039, 1.041},
                           0.001,
                           0.002,
                           true,
                           true,
                           true});
  HistoryReport report;
  report.suite = name;
  report.branch = "main";
  report.head = trend.points.back().commit;
  report.commits = 20;
  report.measured = 12;
  report.alpha = 0.01;
  report.session_sd = 0.001;
  report.notes = {{HistoryNoteCode::calibration, {{"records", 1}}}};
  report.alerts = alerts(name, trend);
  report.trends.push_back(std::move(trend));
  return report;
}

BisectReport bisection(const std::string& name) {
  BisectReport report;
  report.suite = name;
  report.cases = {name};
  const BisectCommit good{std::string(40, 'a'), "2026-11-20T05:40:00Z", name, name};
  const BisectCommit bad{std::string(40, 'b'), "2026-11-21T05:40:00Z", "Ann", "make it slow"};
  report.good = good;
  report.bad = bad;
  ComparisonRow row;
  row.case_id = name;
  row.verdict = Verdict::regressed;
  row.ratio = 1.05;
  row.interval = Interval{1.04, 1.06};
  row.baseline.processes = row.current.processes = 5;
  report.steps = {{bad, BisectStep::Result::bad, {}, true, row},
                  {good,
                   BisectStep::Result::skipped,
                   {SkipCode::unmeasurable, {{"why", "the build failed: " + name}}},
                   false,
                   std::nullopt}};
  report.culprits = {bad};
  return report;
}

CalibrationReport calibration(const std::string& name) {
  CalibrationReport report;
  report.suite = name;
  report.machine_class = "nvidia-h200";
  report.records = 3;
  report.splits = 1000;
  report.split_processes = 5;
  report.suite_alarms = 1;
  report.alarm_bound = 0.0055;
  CalibratedCase one;
  one.case_id = name;
  one.metric = "gpu_time";
  one.process = {0.0031, 20, {0.002, 0.004}};
  one.session = Spread{0.0005, 2, {0, 0.001}};
  one.session_sd = 0.0008;
  one.planned_processes = 5;
  one.planned_placements = 5;
  one.margin = 0.01;
  one.detectable = 0.018;
  one.proposal = Proposal{8, 2, 0.01, true};
  report.cases.push_back(one);
  report.notes = {{CalibrationNoteCode::one_session, {{"sd", 0.001}}}};
  return report;
}

SelftestReport selftest(double lower_bound, const std::string& name) {
  SelftestReport report;
  report.splits = 1000;
  report.seed = 7;
  report.margin = report.alpha = 0.01;
  report.found_change = 0.03;
  report.cases = 20;
  SelftestRow row;
  row.noise = Noise::autoregressive;
  row.plan = {20, {5, 10, 20}};
  row.called = {200, 10000, 0.01, {lower_bound, 0.024}, lower_bound};
  row.unchanged_red = row.family_called = row.passed = {0, 1000, 0.01, {0, 0.0053}, 0};
  row.found = {90, 100, 1, {0.8, 0.96}, 0.7};
  report.rows = {row, row};
  report.rows[1].noise = Noise::bimodal;
  report.rows[1].plan = {3};
  report.rows[1].called = row.passed;
  SelftestRun run;
  run.suite = name;
  run.device = "nvidia-h200 GPU-1";
  run.processes = 5;
  run.red = {3, 1000, 0.01, {0.0003, 0.01}, 0.0003};
  run.cases = {{name, "gpu_time", 3}, {name + "/other", "gpu_time", 0}};
  run.peers = {{Peer::welch, 5, 5, {150, 200, 1, {0.66, 0.83}, 0.66}},
               {Peer::github_action_benchmark, 1, 1, {0, 200, 1, {0, 0.026}, 0}}};
  report.runs.push_back(run);
  report.remarks = {{SelftestRemarkCode::unavoidable, {{"row", 1}, {"chance", 1.0 / 64}}}};
  return report;
}

Examination examination(const std::string& name) {
  return {"cuda:0",
          "NVIDIA H200 (GPU-A)",
          {{Check::governor, {{"governors", "powersave"}}, Fitness::warn},
           {Check::temperature, {{"celsius", 31.0}, {"slowdown_celsius", 92.0}}},
           {Check::other_processes, {{"process", 7}, {"name", name}, {"bytes", 5 << 20}}, Fitness::unfit}}};
}

TracedRun traced_run(const std::string& name) {
  TracedRun run;
  run.command = "./" + name + " 100";
  run.overhead = {2.4, 2.1};
  ProgramTrace& trace = run.trace;
  trace.source = StepSource::nvtx;
  trace.range = name;
  trace.launches = 309;
  trace.transfers = 3;
  trace.period = 3;
  trace.settling = 1;
  trace.outside = 6;
  trace.steps = {{120.5, 121.5, 121}, {2, 2, 2}, {140, 150, 143}, {17.5, 26.5, 20}};
  TracedKernel gemm{
      {"void " + name + "<float, 4>(float*, int)", {64, 2, 1}, {256, 1, 1}, 96, 0, 49152, 2, 48.2, "5f0c"},
      1,
      0.8,
      {96.4, 97.2, 96.8}};
  TracedKernel norm{{"norm", {64, 1, 1}, {128, 1, 1}, 24, 0, 0, 1, 24.2, ""}, 2, 0.2, {24.1, 24.3, 24.2}};
  trace.kernels = {gemm, norm};
  trace.processes = 1;
  trace.bytes = 13'400;
  trace.cupti = "/usr/local/cuda/lib64/libcupti.so.13";
  trace.identity.gap = Cause{CauseCode::code_unknown, {{"kernel", "norm"}}};
  return run;
}

Retelling explanation(const std::optional<std::string>& name) {
  Retelling retelling;
  retelling.comparison = name ? hostile_comparison(*name) : comparison();
  retelling.rows = {explained(retelling.comparison.rows.front())};
  return retelling;
}

RecordList record_list(const std::string& name) {
  RecordList list;
  list.store = ".harness/results.db";
  list.more = 12;
  ListedRecord newest;
  newest.id = "3a1f0c3e-0000-4000-8000-000000000003";
  newest.names = {name, "release"};
  newest.suite = name;
  newest.commit = "8c1f0e5d2a7b4c3d9e0f1a2b3c4d5e6f70819203";
  newest.branch = name;
  newest.machine_class = name;
  newest.started = "2026-03-04T05:06:07Z";
  newest.state = "complete";
  newest.verdict = "regressed";
  newest.mark = "false";
  newest.results = 24;
  ListedRecord partial = newest;
  partial.id = "2b7d9e10-0000-4000-8000-000000000002";
  partial.names = {};
  partial.dirty = partial.partial = true;
  partial.state = "interrupted";
  partial.verdict = partial.mark = "";
  partial.results = 7;
  partial.failures = 2;
  ListedRecord calibration = partial;
  calibration.id = "1c84f6a2-0000-4000-8000-000000000001";
  calibration.dirty = calibration.partial = false;
  calibration.state = "complete";
  calibration.purpose = "calibration";
  calibration.failures = 0;
  list.records = {newest, partial, calibration};
  return list;
}

FarmProgress farm_progress(const std::string& name) {
  FarmProgress progress;
  progress.campaign = "c1a2b3c4-0000-4000-8000-000000000001";
  progress.created = "2026-11-20T05:40:00Z";
  progress.store = "results.db";
  progress.suites = {"fusion", name};
  progress.against = "main";
  progress.tasks = 12;
  progress.done = 7;
  progress.leased = 2;
  progress.again = 1;
  progress.results = 960;
  progress.stored = 560;
  progress.elements = {
      {"gpu01/4711/0a1b2c3d", 4, 9, 95.5}, {name, 3, 10, 12}, {"gpu02/17/deadbeef", 0, 0, 0}};
  return progress;
}

ClaimsReport claims_report(const std::string& name) {
  const auto claim = [](const std::string& says, const std::string& of, const std::string& against) {
    Claim one;
    one.says = one.source = says;
    one.of = of;
    one.against = against;
    return one;
  };
  Claim fused = claim("Fusing makes it 15.2x faster.", "gelu/fused/*", "gelu/plain/*");
  fused.source = "a report";
  fused.range.least = 15.2;
  fused.over = ClaimScope::any;
  fused.gate = true;
  fused.where = {"suites/fusion.yaml", 12, 5};
  Claim memory = claim(name, "gelu/fused/n=1", name);
  memory.metric = "peak_memory";
  memory.figure = ClaimFigure::change;
  memory.range = {-0.5, -0.1};
  Claim error = claim("The error stays below 0.001.", "nothing/*", "");
  error.metric = "error";
  error.figure = ClaimFigure::value;
  error.range.most = 1e-3;
  ClaimsReport report;
  report.confidence = 0.99;
  report.exit_code = 1;
  report.records = {{"fusion", "c1a2b3c4", {std::string(40, 'a'), "main"}, "nvidia-h200"},
                    {name, {}, {}, {}}};
  report.claims = {{"fusion",
                    fused,
                    ClaimStatus::refuted,
                    ClaimGap::none,
                    "",
                    1.47,
                    Interval{1.45, 1.49},
                    "gelu/fused/n=2",
                    {{"gelu/fused/n=1", "gelu/plain/n=1", "gpu_time", "", ClaimStatus::refuted,
                      ClaimGap::none, 1.31, Interval{1.3, 1.32}},
                     {"gelu/fused/n=2", "gelu/plain/n=2", "gpu_time", "", ClaimStatus::refuted,
                      ClaimGap::none, 1.47, Interval{1.45, 1.49}}}},
                   {"fusion",
                    memory,
                    ClaimStatus::confirmed,
                    ClaimGap::none,
                    "",
                    -0.25,
                    Interval{-0.25, -0.25},
                    "",
                    {{"gelu/fused/n=1", name, "peak_memory", "", ClaimStatus::confirmed, ClaimGap::none,
                      -0.25, Interval{-0.25, -0.25}}}},
                   {name, error, ClaimStatus::open, ClaimGap::no_record, "", {}, {}, "", {}}};
  return report;
}

TuningReport tuning_report(const std::string& name) {
  const auto values = [](std::int64_t tile) { return sdk::Params({{"tile", tile}}); };
  TunePoint faster;
  faster.id = "gemm/wgmma/m=1000/tile=tuned";
  faster.device = "cuda";
  faster.unit = "us";
  faster.where = {"suites/gemm.yaml", 12, 5};
  faster.arms = {
      {"gemm/wgmma/m=1000/tile=64", values(64), ArmEnd::slower, 9, 12.5, {}},
      {"gemm/wgmma/m=1000/tile=128", values(128), ArmEnd::leader, 9, 10.25, {}},
      {"gemm/wgmma/m=1000/tile=192", values(192), ArmEnd::lower_half, 3, 11.75, {}},
      {"gemm/wgmma/m=1000/tile=256", values(256), ArmEnd::skipped, 0, {}, Cause{CauseCode::unsupported}}};
  faster.outcome = TuneOutcome::replaced;
  faster.best = 1;
  faster.ratio = 0.8203;
  faster.interval = Interval{0.8187, 0.8221};
  faster.p = 1e-9;
  faster.processes = 5;
  TunePoint same = faster;
  same.id = name;
  same.outcome = TuneOutcome::kept;
  same.ratio = 0.9991;
  same.interval = Interval{0.9979, 1.0002};
  same.p = 0.07;
  TunePoint best_already = faster;
  best_already.id = "gemm/wgmma/m=1001/tile=tuned";
  best_already.outcome = TuneOutcome::kept;
  best_already.best = 0;
  best_already.ratio.reset();
  best_already.interval.reset();
  best_already.p.reset();
  best_already.processes = 0;
  TunePoint open = best_already;
  open.id = "gemm/wgmma/m=1002/tile=tuned";
  open.outcome = TuneOutcome::undecided;
  open.arms[1].end = ArmEnd::open;
  open.arms[2].end = ArmEnd::unmeasured;
  TunePoint wrong = best_already;
  wrong.id = "gemm/wgmma/m=1003/tile=tuned";
  wrong.outcome = TuneOutcome::failed;
  wrong.arms[0].end = ArmEnd::failed;
  wrong.arms[0].reason =
      Cause{CauseCode::not_written, {{"output", name}, {"elements", 1}, {"of", 2}, {"at", "0"}}};
  TuningReport report;
  report.suite = name;
  report.classes = {"nvidia-h200"};
  report.files = {"baselines/nvidia-h200/tuned/gemm.json"};
  report.budget = 300;
  report.took = 297.5;
  report.ended = true;
  report.alpha = 0.01;
  report.rungs = {{3, 20}, {9, 10}};
  report.points = {faster, same, best_already, open, wrong};
  report.exit_code = 5;
  return report;
}

RefereeReport refereed(const std::string& name) {
  RefereeReport report{name, "old", name, "NVIDIA H200", 0.01, 0.95};
  RefereedCase same{.id = name, .ruling = Ruling::not_slower, .ratio = 1.0004};
  same.lo = 0.9991;
  same.hi = 1.0017;
  same.baseline_us = 100.04;
  same.current_us = 100.08;
  same.round_sd = 0.0013;
  same.rounds = 30;
  same.processes = 1;
  same.calls = {5, 40};
  same.checked = 2730;
  same.device_s = 1.25;
  same.drawing_s = 3.5;
  RefereedCase slower = same;
  slower.id = "gelu/fused/n=2";
  slower.ruling = Ruling::slower;
  slower.ratio = 1.0512;
  slower.lo = 1.0499;
  slower.hi = 1.0525;
  slower.current_us = 105.16;
  RefereedCase open = same;
  open.id = "gelu/fused/n=3";
  open.ruling = Ruling::undecided;
  open.lo = 0.97;
  open.hi = 1.03;
  const RefereedCase wrong{
      .id = "gelu/fused/n=4",
      .ruling = Ruling::incorrect,
      .build = "current",
      .reason = Cause{CauseCode::not_written, {{"output", name}, {"elements", 1}, {"of", 2}, {"at", "0"}}}};
  const RefereedCase hung{.id = "gelu/fused/n=5",
                          .ruling = Ruling::failed,
                          .build = "current",
                          .reason = Cause{CauseCode::timed_out, {{"limit", 60.0}}}};
  const RefereedCase left{.id = "gelu/fused/n=6",
                          .reason = Cause{CauseCode::cannot_be_timed, {{"problem", name}}}};
  report.cases = {same, slower, open, wrong, hung, left};
  return report;
}

CodeChangeReport code_changes(const std::string& name) {
  CodeChangeReport report{"main (fbdad41923)", "build/" + name};
  report.files = {"bin/harness", "lib/libharness_cuda.so"};
  report.records = {"matmul (3f2a1b0c)"};
  KernelFigures before;
  before.registers = 26;
  before.instructions = 480;
  before.by_class[static_cast<std::size_t>(InstructionClass::global)] = 12;
  before.by_class[static_cast<std::size_t>(InstructionClass::tensor)] = 64;
  KernelFigures after = before;
  after.registers = 40;
  after.stack_bytes = 48;
  after.by_class[static_cast<std::size_t>(InstructionClass::local)] = 6;
  const std::string file = "lib/libharness_cuda.so";
  report.kernels = {
      {file, "sm_90a", "_Z4gemm", "gemm<" + name + ">", CodeState::changed, before, after},
      {file, "sm_90a", "_Z4gelu", "gelu(float*)", CodeState::same, before, before},
      {file, "sm_90a", "_Z4norm", "norm(float*)", CodeState::surroundings, before, before},
      {file, "sm_90a", "_Z3add", "add(float*)", CodeState::added, {}, before},
      {file, "compute_90", "_Z4gelu", "gelu(float*)", CodeState::removed, {}, {}},
  };
  report.cases = {
      {"matmul", name, true, ChangeReason::kernel, file, {"gemm<" + name + ">"}},
      {"matmul", "matmul/wmma/n=4096", true, ChangeReason::host_code, file, {"matmul::launch()"}},
      {"matmul", "gelu/vector8/n=4096", false, ChangeReason::nothing, "", {}},
  };
  return report;
}

std::vector<std::string> report_names() {
  return {"plan",    "run",       "comparison",  "governed", "proven",   "explanation",
          "history", "bisection", "calibration", "selftest", "doctor",   "table",
          "records", "trace",     "farm",        "claims",   "affected", "referee"};
}

// The governed comparison has names of its own. A table needs the metric of a device.
std::vector<std::string> hostile_report_names() {
  std::vector<std::string> names = report_names();
  std::erase(names, "governed");
  std::erase(names, "proven");
  std::erase(names, "table");
  return names;
}

std::string drawn(const std::string& report, Format format, const Style& style,
                  const std::optional<std::string>& name) {
  const std::string one = name.value_or("gelu/n=1");
  // The page of plain elements: the template is another application, with tests of its own.
  const auto draw = [&](const Report& made) {
    return format == Format::html ? report::html_page("", made) : render(made, format, style);
  };
  const auto measured = [&] { return name ? hostile_record(*name) : record(); };
  const auto summed = [&] { return name ? hostile_summaries(*name) : summaries(); };
  if (report == "plan") return draw(report::plan_document(name ? hostile_plan(*name) : plan()));
  if (report == "run") return draw(report::run_document(measured(), summed()));
  if (report == "comparison")
    return draw(report::comparison_document(name ? hostile_comparison(*name) : comparison()));
  if (report == "governed") return draw(report::comparison_document(governed_comparison()));
  if (report == "proven") return draw(report::comparison_document(proven_comparison()));
  if (report == "explanation") return draw(report::explanation_document(explanation(name)));
  if (report == "history") return draw(report::history_document(history(one)));
  if (report == "bisection") return draw(report::bisect_document(bisection(one)));
  if (report == "calibration") return draw(report::calibration_document(calibration(one)));
  if (report == "selftest") return draw(report::selftest_document(selftest(0.017, one)));
  if (report == "doctor") return draw(report::doctor_document(examination(one)));
  if (report == "trace") {
    const TracedRun run = traced_run(one);
    return draw(report::trace_document(run));
  }
  if (report == "records") return draw(report::records_document(record_list(one)));
  if (report == "affected") {
    const CodeChangeReport changes = code_changes(one);
    return draw(report::affected_document(changes, true));
  }
  if (report == "referee") {
    const RefereeReport referee = refereed(one);
    return draw(report::referee_document(referee));
  }
  if (report == "farm") {
    const FarmProgress progress = farm_progress(one);
    return draw(report::farm_document(progress));
  }
  if (report == "claims") {
    const ClaimsReport claims = claims_report(one);
    return draw(report::claims_document(claims));
  }
  if (report == "tuning") {
    const TuningReport tuning = tuning_report(one);
    return draw(report::tuning_document(tuning));
  }
  if (report != "table") throw std::invalid_argument("drawn() has no line for the report " + report);
  const Record table_record = measured();
  const std::vector<Summary> table_summaries = summed();
  const Result<Report> table = report::table_document(table_record, table_summaries, {}, report::Shown::time);
  return table ? draw(*table) : std::string();
}

}  // namespace harness::fixture

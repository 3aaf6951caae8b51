#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/model/results/summary_fields.h"
#include "harness/report/documents.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/study_words.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

std::vector<std::string> run_notes(const SelftestRun& run) {
  if (!run.needed) return {};
  return {fmt::format("Nothing was compared: a side needs at least {} processes.", *run.needed)};
}

std::vector<std::string> remarks_of(const SelftestReport& report) {
  std::vector<std::string> remarks;
  for (const SelftestRemark& remark : report.remarks) remarks.push_back(words(remark, report));
  return remarks;
}

}  // namespace
}  // namespace harness::report

namespace harness {

template <>
struct Described<ErrorRate> {
  static constexpr auto fields = list_fields<ErrorRate>(
      JsonLayout::lines, field("hits", &ErrorRate::hits), field("trials", &ErrorRate::trials),
      field("limit", &ErrorRate::limit), field("bounds", &ErrorRate::bounds),
      field("lower_bound_of_all", &ErrorRate::surely),
      derived("exceeds", [](const ErrorRate& rate) { return rate.exceeds(); }));
};

template <>
struct Described<SelftestRow> {
  using Row = SelftestRow;
  static constexpr auto fields = list_fields<Row>(
      JsonLayout::lines, derived("noise", [](const Row& row) { return report::words(row.noise); }),
      derived("plan", [](const Row& row) { return report::words(row.plan); }),
      derived("passed", [](const Row& row) { return passes(row); }),
      field("unchanged_suite_called_regressed", &Row::unchanged_red),
      field("at_margin_called_regressed", &Row::called),
      field("at_margin_suite_called_regressed", &Row::family_called),
      field("at_margin_called_unchanged", &Row::passed), field("found", &Row::found));
};

template <>
struct Described<SelftestCase> {
  static constexpr auto fields = list_fields<SelftestCase>(
      JsonLayout::lines, field("case", &SelftestCase::case_id), field("metric", &SelftestCase::metric),
      field("called_regressed", &SelftestCase::alarms));
};

template <>
struct Described<PeerRate> {
  static constexpr auto fields = list_fields<PeerRate>(
      JsonLayout::lines, field("rule", &PeerRate::rule), field("processes_before", &PeerRate::before),
      field("processes_after", &PeerRate::after), field("suite_called_slower", &PeerRate::red));
};

template <>
struct Described<SelftestRun> {
  using Run = SelftestRun;
  static constexpr auto fields = list_fields<Run>(
      JsonLayout::lines, field("suite", &Run::suite), field("device", &Run::device),
      field("processes", &Run::processes), field("suite_called_regressed", &Run::red),
      derived("notes", report::run_notes), field("cases", &Run::cases), field("peers", &Run::peers));
};

template <>
struct Described<SelftestReport> {
  using Report = SelftestReport;
  static constexpr auto fields = list_fields<Report>(
      JsonLayout::lines, derived("passed", [](const Report& report) { return passes(report); }),
      field("seed", &Report::seed), field("splits", &Report::splits),
      field("confidence", &Report::confidence), field("margin", &Report::margin),
      field("alpha", &Report::alpha), field("found_change", &Report::found_change),
      field("cases", &Report::cases), field("simulated", &Report::rows), field("runs", &Report::runs),
      derived("remarks", report::remarks_of));
};

}  // namespace harness

namespace harness::report {
namespace {

std::vector<std::string> rates_legend() {
  return {
      "Rates in percent, with 99 % Clopper-Pearson bounds. A row fails when a lower bound lies above its "
      "limit; "
      "these lower bounds hold at 99 % for all rates together.",
      "unchanged: suites in which nothing differs and a case is called regressed.",
      "at the margin: cases that are slower by exactly the margin, where errors are most likely. They are "
      "called "
      "regressed each by itself, any of a suite after Holm, or called unchanged.",
      "found: cases that are slower by more, called regressed after Holm. This is no error."};
}

// "1.02 [0.8, 1.2]", in percent.
std::string text_of(const ErrorRate& rate) {
  if (rate.trials == 0) return std::string(unknown);
  return fmt::format("{:.2f} [{:.1f}, {:.1f}]", rate.share() * 100, rate.bounds.lo * 100,
                     rate.bounds.hi * 100);
}

Cell cell_of(const ErrorRate& rate) {
  return {text_of(rate), rate.exceeds() ? Paint::bad : Paint::plain};
}

std::string headline_of(const SelftestReport& report) {
  std::size_t failed = 0, all = report.rows.size() + report.runs.size();
  for (const SelftestRow& row : report.rows) failed += passes(row) ? 0 : 1;
  for (const SelftestRun& run : report.runs) failed += run.red.exceeds() ? 1 : 0;
  if (failed == 0) return fmt::format("PASSED: no error rate is shown to lie above its limit");
  return fmt::format("FAILED: {} of {} rows are wrong more often than they may be", failed, all);
}

NamedTexts facts_of(const SelftestReport& report) {
  NamedTexts facts;
  if (!report.rows.empty()) {
    facts.emplace_back("simulated", fmt::format("{} suites of {} cases a row, seed {}", report.splits,
                                                report.cases, report.seed));
    facts.emplace_back("rule", fmt::format("that of `harness compare`: margin {}, alpha {} one-sided, Holm",
                                           plain_percent(report.margin), plain_percent(report.alpha)));
    facts.emplace_back("found", "at a change of " + plain_percent(report.found_change));
  }
  for (const SelftestRun& run : report.runs) {
    facts.emplace_back("suite", run.suite);
    facts.emplace_back("device", run.device);
    facts.emplace_back(
        "compared",
        run.processes == 0
            ? std::string("nothing")
            : fmt::format("{} random halves of one run, {} processes a side; splits share processes",
                          run.red.trials, run.processes));
    if (run.processes > 0)
      facts.emplace_back("regressed", fmt::format("a case in {} % of the splits; at most {} may be",
                                                  text_of(run.red), plain_percent(run.red.limit)));
  }
  return facts;
}

Grid rates_of(const SelftestReport& report) {
  Grid grid;
  grid.label_header = "";
  grid.columns = {{"unchanged", Align::decimal, 0, 0, false, false},
                  {"at the margin", Align::decimal, 0, 0, false, false},
                  {"any, Holm", Align::decimal, 0, 1, false, false},
                  {"passed", Align::decimal, 0, 2, false, false},
                  {"found", Align::right, 0, 3, false, false},
                  {"result", Align::left, 0, 0, false, false}};
  for (const SelftestRow& row : report.rows) {
    const std::string noise = words(row.noise);
    if (grid.sections.empty() || grid.sections.back().heading != noise)
      grid.sections.push_back({noise, Paint::faint, {}});
    const bool good = passes(row);
    grid.sections.back().rows.push_back({words(row.plan),
                                         {cell_of(row.unchanged_red),
                                          cell_of(row.called),
                                          cell_of(row.family_called),
                                          cell_of(row.passed),
                                          {fmt::format("{:.0f}", row.found.share() * 100)},
                                          {good ? "passed" : "FAILED", good ? Paint::good : Paint::bad}}});
  }
  return grid;
}

// Cases of the runs that were called regressed at all.
Grid alarms_of(const SelftestReport& report) {
  Grid grid;
  grid.label_header = "case";
  grid.columns = {{"metric", Align::left, 0, 1, false, false},
                  {"called regressed", Align::right, 0, 0, false, false}};
  std::vector<std::string> ids;
  for (const SelftestRun& run : report.runs)
    for (const SelftestCase& one : run.cases) ids.push_back(one.case_id);
  const Shared shared = factor_ids(ids);
  grid.shared = shared.pattern;
  Section section;
  for (const SelftestRun& run : report.runs)
    for (const SelftestCase& one : run.cases)
      section.rows.push_back({shared.labels[section.rows.size()],
                              {{one.metric},
                               {fmt::format("{} of {}", one.alarms, run.red.trials),
                                one.alarms > 0 ? Paint::strong : Paint::faint}},
                              one.case_id});
  if (!section.rows.empty()) grid.sections.push_back(std::move(section));
  return grid;
}

// The rules of other tools on the same halves, the quietest first, with ours among them.
Grid peers_of(const SelftestReport& report) {
  Grid grid;
  grid.label_header = "rule";
  grid.columns = {{"processes", Align::left, 0, 1, false, false},
                  {"suites called slower, %", Align::decimal, 0, 0, false, false}};
  for (const SelftestRun& run : report.runs) {
    if (run.peers.empty()) continue;
    std::vector<std::pair<double, GridRow>> rows;
    const auto add = [&](const std::string& name, int before, int after, const ErrorRate& red, Paint paint) {
      rows.emplace_back(red.share(),
                        GridRow{name, {{fmt::format("{} + {}", before, after)}, {text_of(red), paint}}});
    };
    add("harness", run.processes, run.processes, run.red, Paint::strong);
    for (const PeerRate& rate : run.peers)
      add(words(rate.rule), rate.before, rate.after, rate.red, Paint::plain);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Section section;
    for (auto& [share, row] : rows) section.rows.push_back(std::move(row));
    grid.sections.push_back(std::move(section));
  }
  return grid;
}

// Rules that were not asked about a run.
std::vector<std::string> left_out_of(const SelftestRun& run) {
  std::vector<std::string> names;
  for (const auto& [peer, name] : enum_names<Peer>)
    if (std::none_of(run.peers.begin(), run.peers.end(),
                     [&](const PeerRate& rate) { return rate.rule == peer; }))
      names.push_back(words(peer));
  if (run.peers.empty() || names.empty()) return {};
  return {fmt::format("Not asked, because they need more calls of a process, or its clock: {}.",
                      join(names, "; "))};
}

std::vector<std::string> all_remarks(const SelftestReport& report) {
  std::vector<std::string> remarks = remarks_of(report);
  for (const SelftestRun& run : report.runs)
    for (std::string& note : left_out_of(run)) remarks.push_back(std::move(note));
  for (const SelftestRun& run : report.runs)
    for (std::string& note : run_notes(run)) remarks.push_back(std::move(note));
  return remarks;
}

CiCase case_of(const std::string& name, bool passed, const std::string& output) {
  CiCase one{name, {}, passed ? CiState::passed : CiState::failure, passed ? "passed" : "failed"};
  one.output = one.body = one.explanation = output;
  one.message = passed ? "" : "an error rate lies above its limit";
  one.label = "FAILED";
  if (!passed) one.alarm = Alarm::error;
  return one;
}

CiView ci_of(const SelftestReport& report) {
  CiView view{"selftest"};
  for (const SelftestRow& row : report.rows)
    view.cases.push_back(
        case_of(words(row.noise) + ", " + words(row.plan), passes(row),
                fmt::format("unchanged {}; at the margin {}; any, Holm {}; called unchanged {}; found {} %",
                            text_of(row.unchanged_red), text_of(row.called), text_of(row.family_called),
                            text_of(row.passed), text_of(row.found))));
  for (const SelftestRun& run : report.runs)
    view.cases.push_back(case_of(run.suite + " on " + run.device, !run.red.exceeds(),
                                 fmt::format("a case regressed in {} % of the splits", text_of(run.red))));
  view.output = all_remarks(report);
  if (passes(report)) view.alerts.push_back({Alarm::notice, headline_of(report)});
  return view;
}

}  // namespace

Report selftest_document(const SelftestReport& selftest) {
  Document document;
  document.title = "harness selftest";
  document.headline = headline_of(selftest);
  document.tone = passes(selftest) ? Paint::strong : Paint::bad;
  document.facts = facts_of(selftest);
  if (!selftest.rows.empty()) document.blocks = {{Table{"", rates_of(selftest)}}, {Prose{rates_legend()}}};
  document.blocks.push_back({Table{"", alarms_of(selftest)}});
  document.blocks.push_back(
      {Table{"random halves of the same processes, by the rules of other tools", peers_of(selftest)}});
  document.blocks.push_back({List{"notes", all_remarks(selftest)}});
  return {std::move(document), [&selftest] { return ci_of(selftest); },
          [&selftest] { return report_json(selftest, formats::selftest); }};
}

std::string selftest_schema() {
  return schema_text(Described<SelftestReport>::fields, formats::selftest);
}

}  // namespace harness::report

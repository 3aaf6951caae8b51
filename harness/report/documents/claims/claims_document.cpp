#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/model/record_fields.h"
#include "harness/model/results/summary_fields.h"
#include "harness/report/documents.h"
#include "harness/report/documents/claims/claim_words.h"
#include "harness/report/documents/identity.h"
#include "harness/report/documents/run_remarks.h"
#include "harness/report/media/page/claims_page.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<ClaimRange> {
  using Range = ClaimRange;
  static constexpr auto fields =
      list_fields<Range>(JsonLayout::line, field("least", &Range::least).null_when_default(),
                         field("most", &Range::most).null_when_default());
};

template <>
struct Described<Claim> {
  static constexpr auto fields = list_fields<Claim>(
      JsonLayout::lines, field("says", &Claim::says), field("source", &Claim::source),
      field("of", &Claim::of), field("against", &Claim::against), field("metric", &Claim::metric),
      field("figure", &Claim::figure), field("range", &Claim::range), field("over", &Claim::over),
      field("gate", &Claim::gate));
};

template <>
struct Described<ClaimedCase> {
  using Case = ClaimedCase;
  static constexpr auto fields = list_fields<Case>(
      JsonLayout::line, field("case", &Case::case_id), field("against", &Case::against),
      field("metric", &Case::metric), field("unit", &Case::unit), field("status", &Case::status),
      field("gap", &Case::gap), field("value", &Case::value).null_when_default(),
      field("interval", &Case::interval).null_when_default());
};

template <>
struct Described<CheckedClaim> {
  using One = CheckedClaim;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("suite", &One::suite), field("claim", &One::claim),
      field("status", &One::status), field("gap", &One::gap), field("unit", &One::unit),
      field("value", &One::value).null_when_default(), field("interval", &One::interval).null_when_default(),
      field("decided_by", &One::case_id), field("cases", &One::cases));
};

template <>
struct Described<ClaimRecord> {
  using One = ClaimRecord;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("suite", &One::suite), field("record", &One::record),
                       field("revision", &One::revision), field("class", &One::machine_class));
};

template <>
struct Described<ClaimsReport> {
  using Report = ClaimsReport;
  static constexpr auto fields = list_fields<Report>(
      JsonLayout::lines, field("confidence", &Report::confidence), field("exit_code", &Report::exit_code),
      field("records", &Report::records), field("claims", &Report::claims));
};

}  // namespace harness

namespace harness::report {
namespace {

Paint paint_of(ClaimStatus status) {
  switch (status) {
    case ClaimStatus::confirmed: return Paint::good;
    case ClaimStatus::refuted: return Paint::bad;
    case ClaimStatus::open: return Paint::doubtful;
  }
  return Paint::plain;
}

// "claimed 15.2x or more, found 1.47x [1.45x, 1.49x] (good); geometric mean of 15 cases".
std::string found_text(const CheckedClaim& one) {
  std::string text = "claimed " + claimed_range(one.claim, one.unit);
  if (const std::string found = claimed_figure(one.claim.figure, one.unit, one.value, one.interval);
      !found.empty())
    text += ", found " + found;
  if (one.claim.figure == ClaimFigure::speedup && one.interval)
    text += fmt::format(" ({})", rating_of(*one.interval));
  for (const std::string& more : {claimed_scope(one), words(one.gap)})
    if (!more.empty()) text += "; " + more;
  return text;
}

Findings findings_of(const std::vector<CheckedClaim>& claims, const std::string& suite) {
  Findings findings{suite, {}};
  for (const CheckedClaim& one : claims) {
    if (one.suite != suite) continue;
    Finding& finding = findings.items.emplace_back();
    finding.cases = {one.claim.says};
    finding.label = name_of(one.status);
    if (one.claim.gate) finding.label += " (gated)";
    finding.paint = finding.text_paint = paint_of(one.status);
    finding.text = found_text(one);
    finding.details = {"source: " + one.claim.source};
    finding.where = to_string(one.claim.where);
  }
  return findings;
}

// The cases behind the claims.
Table cases_of(const ClaimsReport& report) {
  Table table{"the cases", {}, false};
  table.grid.label_header = "case";
  table.grid.columns = {{"found", Align::left, 0, 0}, {"status", Align::left, 0, 1}};
  for (const CheckedClaim& one : report.claims) {
    if (one.cases.size() < 2) continue;
    std::vector<std::string> ids;
    for (const ClaimedCase& pair : one.cases) ids.push_back(pair.case_id);
    const Shared shared = factor_ids(ids);
    Section section{fmt::format("{} {}", one.claim.says, shared.pattern), Paint::faint, {}};
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const ClaimedCase& pair = one.cases[i];
      const std::string gap = words(pair.gap);
      section.rows.push_back(
          {shared.labels[i],
           {{claimed_figure(one.claim.figure, pair.unit, pair.value, pair.interval)},
            {gap.empty() ? std::string(name_of(pair.status)) : gap, paint_of(pair.status)}},
           pair.case_id});
    }
    table.grid.sections.push_back(std::move(section));
  }
  return table;
}

std::string headline_of(const ClaimsReport& report) {
  if (report.claims.empty()) return "no claims";
  const auto count = [&](ClaimStatus status) {
    return std::count_if(report.claims.begin(), report.claims.end(),
                         [&](const CheckedClaim& one) { return one.status == status; });
  };
  return fmt::format("{}: {} confirmed, {} refuted, {} open",
                     counted(report.claims.size(), "claim", "claims"), count(ClaimStatus::confirmed),
                     count(ClaimStatus::refuted), count(ClaimStatus::open));
}

std::string exit_meaning_of(const ClaimsReport& report) {
  switch (report.exit_code) {
    case 1: return "exit code 1: a gated claim is refuted";
    case 3: return "exit code 3: a gated claim is open";
    case 4: return "exit code 4: a suite with gated claims has no record here";
    default:
      return std::ranges::any_of(report.claims, [](const CheckedClaim& one) { return one.claim.gate; })
                 ? "exit code 0: every gated claim is confirmed"
                 : "exit code 0: no claim is gated";
  }
}

CiView ci_of(const ClaimsReport& report, const std::string& headline) {
  CiView view{"claims"};
  for (const CheckedClaim& one : report.claims) {
    CiCase test{one.suite + ": " + one.claim.says, one.claim.where};
    test.code = name_of(one.status);
    test.message = test.output = found_text(one);
    if (one.claim.gate && one.status == ClaimStatus::refuted) {
      test.state = CiState::failure;
      test.alarm = Alarm::error;
      test.label = test.code;
      test.body = test.explanation = test.message;
    } else if (one.status == ClaimStatus::open) {
      test.state = CiState::skipped;
    }
    view.cases.push_back(std::move(test));
  }
  view.alerts.push_back({Alarm::notice, headline});
  return view;
}

}  // namespace

Report claims_document(const ClaimsReport& claims) {
  Document document;
  document.title = "claims";
  document.headline = headline_of(claims);
  document.exit_meaning = exit_meaning_of(claims);
  document.command = "harness claims";
  for (const ClaimRecord& one : claims.records)
    document.facts.emplace_back(
        one.suite, one.record.empty()
                       ? words(ClaimGap::no_record)
                       : fmt::format("{} · {}",
                                     one.revision.commit.empty() ? one.record.substr(0, 8)
                                                                 : describe_revision(one.revision),
                                     one.machine_class));
  for (const ClaimRecord& one : claims.records)
    document.blocks.push_back({findings_of(claims.claims, one.suite)});
  if (Table table = cases_of(claims); !table.grid.sections.empty())
    document.blocks.push_back({std::move(table), Place::folded});
  document.blocks.push_back({Prose{
      {fmt::format("In brackets: the {} interval of one value a process. Confirmed: all of it lies in the "
                   "range that is claimed. Refuted: all of it lies outside.",
                   plain_percent(claims.confidence))}}});
  for (const ClaimRecord& one : claims.records)
    if (one.record.empty())
      document.next_steps = {
          "Measure the suites without a record (`harness run`), or name one with `--record`."};
  const std::string headline = document.headline;
  return {std::move(document), [&claims, headline] { return ci_of(claims, headline); },
          [&claims] { return report_json(claims, formats::claims); },
          [&claims, headline](std::size_t /*room*/) { return claims_page(claims, headline); }};
}

std::string claims_schema() {
  return schema_text(Described<ClaimsReport>::fields, formats::claims);
}

}  // namespace harness::report

// `harness claims`: what people say about a suite's cases, checked with its record.
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/report/documents.h"
#include "harness/suite/load_suite.h"
#include "harness/verdict/claims/check_claims.h"

namespace harness {
namespace {

constexpr double confidence = 0.99;  // as in other reports of one record

struct ClaimsArguments {
  std::vector<std::string> suites;
  std::string record = "HEAD";
  StoreOption store;
  OutputOptions output;
};

// The claims of a suite without a record.
std::vector<CheckedClaim> unchecked(const Suite& suite) {
  std::vector<CheckedClaim> claims;
  for (const Claim& claim : suite.claims) {
    CheckedClaim& one = claims.emplace_back();
    one.suite = suite.identity.name;
    one.claim = claim;
    one.gap = ClaimGap::no_record;
  }
  return claims;
}

ClaimRecord named(const Record& record) {
  ClaimRecord named{record.suite.name, record.id, record.revision, {}};
  std::vector<std::string> classes;
  for (const auto& [kind, machine] : record.machines) classes.push_back(machine.machine_class);
  named.machine_class = join(classes, ", ");
  return named;
}

// Adds the suite's claims to the report. A suite without a record is no error.
Status add_suite(ClaimsReport& report, const Suite& suite, const ClaimsArguments& arguments) {
  SelectionOptions from;
  from.suite = suite.identity.name;
  from.store = arguments.store;
  const auto records = read_records(from, arguments.record);
  if (!records && records.error().kind != ErrorKind::missing) return fail(records.error());
  const bool found = records && !records->empty();
  const std::vector<CheckedClaim> claims =
      found ? check_claims(suite.claims, records->front().record, report.confidence) : unchecked(suite);
  report.records.push_back(found ? named(records->front().record)
                                 : ClaimRecord{suite.identity.name, {}, {}, {}});
  report.claims.insert(report.claims.end(), claims.begin(), claims.end());
  return {};
}

int status_of(const CheckedClaim& one) {
  if (!one.claim.gate || one.status == ClaimStatus::confirmed) return exit_ok;
  if (one.gap == ClaimGap::no_record) return exit_missing;
  return one.status == ClaimStatus::refuted ? exit_regressed : exit_inconclusive;
}

int claims_command(const ClaimsArguments& arguments, const CommandLine& /*line*/) {
  const CommandFiles files{"",
                           all_of({arguments.suites, {arguments.record}, store_files(arguments.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  ClaimsReport report;
  report.confidence = confidence;
  std::vector<Suite> suites;
  std::set<std::filesystem::path> seen;
  for (const std::string& path : arguments.suites) {
    if (!seen.insert(identity_of(path)).second) continue;
    Checked<Suite> suite = load_suite(path);
    if (!suite) return report_errors(suite.error());
    if (!suite->claims.empty()) suites.push_back(std::move(*suite));
  }
  if (suites.empty())
    return report_error({ErrorKind::usage,
                         fmt::format("no claims in {}", join(arguments.suites, ", ")),
                         {},
                         "add the key `claims` to a suite; suites/README.md has an example"});
  for (const Suite& suite : suites)
    if (const Status added = add_suite(report, suite, arguments); !added) return report_error(added.error());
  for (const CheckedClaim& one : report.claims)
    report.exit_code = worst_status(report.exit_code, status_of(one));
  const auto render = [&](Format format, const Style& style) {
    return harness::render(report::claims_document(report), format, style);
  };
  return emit(arguments.output, render, report.exit_code);
}

}  // namespace

void add_claims(Commands& commands) {
  auto& [command, arguments] =
      commands.add("claims", "Check what a suite's `claims` say with its record", claims_command);
  command.add_option("suite", arguments.suites, "suite files")->required()->type_name("SUITE");
  command.add_option("--record", arguments.record, "revision, id, @NAME or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  arguments.store.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "A claim is confirmed when the whole interval of what was measured lies in its range, and refuted when "
      "all "
      "of it lies\noutside. A claim with `gate: true` must be confirmed: exit 1 where it is refuted, 3 where "
      "it is "
      "open, 4 without a record.");
}

}  // namespace harness

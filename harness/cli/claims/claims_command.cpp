// `harness claims`: what people say about a suite's cases, checked with its record.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/cli/claims/claimed_suites.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/report/documents.h"
#include "harness/store/git.h"

namespace harness {
namespace {

struct ClaimsArguments {
  std::vector<std::string> suites;
  std::string record = "HEAD";
  std::string against;
  bool accept_proposed = false;
  StoreOption store;
  OutputOptions output;
};

// The suites without a record.
struct Missing {
  std::optional<Error> first;
  int others = 0;
};

void tell(const Missing& missing) {
  if (!missing.first) return;
  const std::string others =
      missing.others == 0 ? "" : fmt::format(", nor of {} other suites", missing.others);
  fmt::print(stderr, "warning: {}{}\n  advice: {}\n", missing.first->message, others, missing.first->advice);
}

// Adds the suite's claims to the report. A suite without a record is no error.
Status add_suite(ClaimsReport& report, const Suite& suite, const ClaimsArguments& arguments,
                 Missing& missing) {
  SelectionOptions from;
  from.suite = suite.identity.name;
  from.store = arguments.store;
  const auto records = read_records(from, arguments.record);
  if (!records) {
    if (records.error().kind != ErrorKind::missing) return fail(records.error());
    if (missing.first)
      ++missing.others;
    else
      missing.first = records.error();
  }
  const bool found = records && !records->empty();
  add_checked(report, suite, found ? &records->front().record : nullptr);
  return {};
}

int status_of(const CheckedClaim& one) {
  if (!one.claim.gate || one.status == ClaimStatus::confirmed) return exit_ok;
  if (one.gap == ClaimGap::no_record) return exit_missing;
  return one.status == ClaimStatus::refuted ? exit_regressed : exit_inconclusive;
}

// The commit whose claims decide; "" where those of the files do.
Result<std::string> deciding_commit(const ClaimsArguments& arguments) {
  const std::string target = arguments.against.empty() ? environment::target_of_change() : arguments.against;
  if (target.empty() || arguments.accept_proposed) return std::string();
  const Result<std::string> head = resolve_revision(".", "HEAD"), asked = resolve_revision(".", target);
  if (!head) return fail(head.error());
  if (!asked) return fail(asked.error());
  return merge_base(".", *asked, *head);
}

int claims_command(const ClaimsArguments& arguments, const CommandLine& /*line*/) {
  const CommandFiles files{"",
                           all_of({arguments.suites, {arguments.record}, store_files(arguments.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  ClaimsReport report;
  report.confidence = claim_confidence;
  const Result<std::string> base = deciding_commit(arguments);
  if (!base) return report_error(base.error());
  const Checked<std::vector<Suite>> suites = claimed_suites(arguments.suites, *base);
  if (!suites) return report_errors(suites.error());
  if (suites->empty())
    return report_error({ErrorKind::usage,
                         fmt::format("no claims in {}", join(arguments.suites, ", ")),
                         {},
                         "add the key `claims` to a suite, with `says`, `source`, `of` and a range such as "
                         "`value: \"<= 0.01\"`"});
  Missing missing;
  for (const Suite& suite : *suites)
    if (const Status added = add_suite(report, suite, arguments, missing); !added)
      return report_error(added.error());
  tell(missing);
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
  command
      .add_option("--against", arguments.against,
                  "the claims of the merge base with this revision count; default: with the target of the "
                  "change that a CI tests, else those of the files")
      ->type_name("REV");
  command.add_flag("--accept-proposed", arguments.accept_proposed,
                   "let the claims of the change count; without it the baseline's decide");
  arguments.store.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "A claim is confirmed when the whole interval of what was measured lies in its range, and refuted when "
      "all "
      "of it lies\noutside. A claim with `gate: true` must be confirmed: exit 1 where it is refuted, 3 where "
      "it is "
      "open, 4 without a record.");
  add_examples(command, {"harness claims suite.yaml"});
}

}  // namespace harness

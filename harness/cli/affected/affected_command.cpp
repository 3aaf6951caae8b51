// `harness affected`: what two builds' code lets change, without a GPU.
#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/cli/affected/affected_side.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/code/build_pair.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/documents.h"

namespace harness {
namespace {

struct AffectedArguments {
  std::string baseline = "main";
  std::string current = "HEAD";
  std::string build = default_affected_build;
  std::vector<std::string> records;
  SelectionOptions from;
  bool as_exit_code = false;
  OutputOptions output;
};

// The named records; without names those of the baseline's revision, or none.
Result<std::vector<Selected>> read_all(const AffectedArguments& arguments) {
  std::vector<std::string> names = arguments.records;
  const bool named = !names.empty();
  if (!named) names = {is_path(arguments.baseline) ? "HEAD" : arguments.baseline};
  std::vector<Selected> all;
  for (const std::string& name : names) {
    Result<std::vector<Selected>> some = read_records(arguments.from, name);
    if (!some && named) return fail(some.error());
    if (!some) fmt::print(stderr, "no result is judged: {}\n", some.error().message);
    if (some) std::move(some->begin(), some->end(), std::back_inserter(all));
  }
  return all;
}

Result<CodeChangeReport> compare(const AffectedSide& before, const AffectedSide& after,
                                 const std::vector<Selected>& records) {
  Result<BuildPair> builds = BuildPair::open(before.build, after.build);
  if (!builds) return fail(builds.error());
  CodeChangeReport report{before.told, after.told};
  builds->add_kernels(report);
  for (const Selected& one : records) {
    report.records.push_back(fmt::format("{} ({})", one.record.suite.name, one.record.id.substr(0, 8)));
    builds->add_cases(one.record, report);
  }
  return report;
}

int affected(const AffectedArguments& arguments) {
  const CommandFiles files{"", all_of({arguments.records,
                                       {arguments.baseline, arguments.current},
                                       store_files(arguments.from.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  const Result<std::vector<Selected>> records = read_all(arguments);
  if (!records) return report_error(records.error());
  const InterruptGuard guard;
  const auto before = affected_side("baseline", arguments.baseline, arguments.build);
  if (!before) return report_error(before.error());
  if (!*before) return exit_interrupted;
  const auto after = affected_side("current", arguments.current, arguments.build);
  if (!after) return report_error(after.error());
  if (!*after) return exit_interrupted;
  const Result<CodeChangeReport> report = compare(**before, **after, *records);
  if (!report) return report_error(report.error());
  if (report->kernels.empty() && report->cases.empty())
    return report_error(
        Error{ErrorKind::usage,
              fmt::format("nothing was compared: neither {} nor {} has device code, and no record "
                          "tells a case",
                          printable(arguments.baseline), printable(arguments.current)),
              {},
              "name folders of finished builds, objects, libraries or cubins, or --record"});
  const int status = arguments.as_exit_code && can_change_any(*report) ? exit_regressed : exit_ok;
  return emit(
      arguments.output,
      [&](Format format, const Style& style) {
        return render(report::affected_document(*report, arguments.as_exit_code), format, style);
      },
      status);
}

}  // namespace

void add_affected(Commands& commands) {
  auto& [command, arguments] =
      commands.add("affected", "Tell which results two builds' code can change; needs no GPU", affected);
  command
      .add_option("--baseline", arguments.baseline,
                  "a revision, a folder with a finished build, or a file with device code")
      ->capture_default_str()
      ->type_name("REV|PATH");
  command.add_option("--current", arguments.current, "likewise")
      ->capture_default_str()
      ->type_name("REV|PATH");
  command
      .add_option("--record", arguments.records,
                  "records whose results are judged: revision, id, @NAME or record file; default: those of "
                  "the baseline's revision, of HEAD where the baseline is a path")
      ->type_name("REV|FILE");
  command.add_option("--build", arguments.build, "shell command that builds a revision in its worktree")
      ->capture_default_str()
      ->type_name("COMMAND");
  command.add_flag("--exit-code", arguments.as_exit_code, "end with 1 where something can change");
  arguments.from.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "A result cannot change where its host code, the kernels that it may launch, and the libraries that it "
      "needs\nare equal. Whatever is not understood can change. Exit status: 0, 1 with --exit-code where "
      "something can\nchange, 2 usage.");
  add_examples(command, {"harness affected --baseline old --current new",
                         "harness affected --baseline old --current new --exit-code"});
}

}  // namespace harness

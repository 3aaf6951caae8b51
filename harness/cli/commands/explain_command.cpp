#include "harness/verdict/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/code_causes.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/suite_outputs.h"
#include "harness/cli/verdict_file.h"
#include "harness/report/documents.h"
#include "harness/report/words/source_words.h"

namespace harness {
namespace {

struct ExplainArguments {
  std::string pattern;
  std::string metric;
  std::string baseline = "main";
  std::string current = "HEAD";
  std::string verdict_file;
  SelectionOptions from;
  BuildFolderOptions builds;
  PolicyOptions policy;
  OutputOptions output;
};

// The two records and the policy that they were, or are to be, judged by.
struct Case {
  Selected baseline;
  Selected current;
  Policy policy;
};

// A side of a stored comparison: from the store by its id, or from its file.
Result<Selected> side_of(Store& store, const RecordSource& source) {
  Result<Selected> found = select_stored(store, source.id);
  if (!found && source.found.code == SourceCode::file)
    found = select_current(store, source.found.text("path"), {".", "", "", ""});
  const std::string described = report::words(source);
  if (!found)
    return fail(ErrorKind::missing,
                fmt::format("the record {} ({}) of that comparison is not here", printable(source.id),
                            printable(described)),
                "explain where the store is (--store), or name record files by --baseline and --current");
  if (found->record.id != source.id)
    return fail(ErrorKind::not_comparable,
                fmt::format("{} holds another record by now", printable(described)),
                "compare again, and explain that comparison");
  if (source.found.code != SourceCode::none) found->source.found = source.found;
  found->source.distance = source.distance;
  return found;
}

// A pooled baseline is pooled again from the same records.
Result<Selected> pooled_again(Store& store, const VerdictFile& file, const Selected& current) {
  SelectOptions select{".", "", "", ""};
  select.among = file.baseline.records;
  Result<Selected> found =
      select_baseline(store, file.baseline.found.text("name"), current, judged_by(file.policy, select));
  if (found) found->source = file.baseline;
  return found;
}

Checked<std::vector<Case>> stored_comparisons(Store& store, const ExplainArguments& arguments) {
  const auto files = read_verdict_files(arguments.verdict_file);
  if (!files) return fail_checked(files.error());
  std::vector<Case> all;
  for (const VerdictFile& file : *files) {
    Result<Selected> current = side_of(store, file.current);
    if (!current) return fail_checked(current.error());
    Result<Selected> baseline =
        file.baseline.records.empty() ? side_of(store, file.baseline) : pooled_again(store, file, *current);
    if (!baseline) return fail_checked(baseline.error());
    all.push_back({std::move(*baseline), std::move(*current), file.policy});
  }
  return all;
}

Checked<Case> named_record(Store& store, const ExplainArguments& arguments, const Selected& current) {
  const SelectOptions select = arguments.from.select();
  Checked<Policy> policy = policy_in_force(store, arguments.policy, current.record);
  if (!policy) return tl::unexpected(std::move(policy.error()));
  Result<Selected> baseline = select_baseline(store, arguments.baseline, current, judged_by(*policy, select));
  if (!baseline) return fail_checked(baseline.error());
  if (const Status decided = decide_waivers(*policy, baseline->source, current.source); !decided)
    return fail_checked(decided.error());
  return Case{std::move(*baseline), current, std::move(*policy)};
}

// Takes the suites that have the case. A pattern that fits none has an error later, which knows all names.
Checked<std::vector<Case>> named_records(Store& store, const ExplainArguments& arguments) {
  Result<std::vector<Selected>> sides =
      select_current_of_suites(store, arguments.current, arguments.baseline, arguments.from.select());
  if (!sides) return fail_checked(sides.error());
  const auto has_case = [&](const Selected& side) {
    return std::any_of(side.record.cases.begin(), side.record.cases.end(),
                       [&](const CaseRecord& one) { return wildcard_match(arguments.pattern, one.id); });
  };
  if (std::any_of(sides->begin(), sides->end(), has_case)) std::erase_if(*sides, std::not_fn(has_case));
  std::vector<Case> all;
  for (const Selected& current : *sides) {
    Checked<Case> one = named_record(store, arguments, current);
    if (!one) return tl::unexpected(std::move(one.error()));
    all.push_back(std::move(*one));
  }
  return all;
}

Error no_such_case(const std::vector<Retelling>& all, const std::string& pattern, const std::string& metric) {
  std::set<std::string> ids, metrics;
  for (const Retelling& one : all)
    for (const ComparisonRow& row : one.comparison.rows) {
      ids.insert(row.case_id);
      if (wildcard_match(pattern, row.case_id)) metrics.insert(row.metric);
    }
  if (!metrics.empty())
    return {ErrorKind::usage,
            fmt::format("the case has no metric `{}`", printable(metric)),
            {},
            printable(suggestion(metric, std::vector<std::string>(metrics.begin(), metrics.end())))};
  const std::string wider = "*" + pattern + "*";
  const bool part =
      std::any_of(ids.begin(), ids.end(), [&](const std::string& id) { return wildcard_match(wider, id); });
  return {ErrorKind::usage,
          fmt::format("no case `{}` on either side", printable(pattern)),
          {},
          part ? fmt::format("a pattern covers the whole name: write {}", shell_quoted(wider))
               : printable(suggestion(pattern, std::vector<std::string>(ids.begin(), ids.end())))};
}

// A stored comparison is explained by its own policy, so policy options are an error.
Status check_policy(const ExplainArguments& arguments) {
  const std::string given = arguments.policy.given();
  if (!arguments.verdict_file.empty() && !given.empty())
    return fail(
        ErrorKind::usage,
        fmt::format("{} and --comparison exclude each other: that comparison has its own policy", given),
        "leave one of them out; --baseline and --current explain the records by another policy");
  if (const auto policy = arguments.policy.policy(); !policy) return fail(policy.error());
  return {};
}

int explain_command(const ExplainArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_policy(arguments); !checked) return report_error(checked.error());
  const CommandFiles files{"", all_of({{arguments.verdict_file, arguments.baseline, arguments.current},
                                       store_files(arguments.from.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  if (arguments.verdict_file.empty())
    for (const auto& [option, name] :
         {std::pair("--baseline", &arguments.baseline), {"--current", &arguments.current}})
      if (const Status known = check_side(arguments.from.store, option, *name); !known)
        return report_error(known.error());
  const auto store = open_for_reading(arguments.from.store);
  if (!store) return report_error(store.error());
  const Checked<std::vector<Case>> found = arguments.verdict_file.empty()
                                               ? named_records(**store, arguments)
                                               : stored_comparisons(**store, arguments);
  if (!found) return report_errors(found.error());
  const Result<BuildFolders> builds = arguments.builds.folders();
  if (!builds) return report_error(builds.error());
  std::vector<Retelling> all;
  for (const Case& one : *found) {
    all.push_back(
        explain(one.baseline.record, one.current.record, one.policy, arguments.pattern, arguments.metric));
    all.back().comparison.baseline = one.baseline.source;
    all.back().comparison.current = one.current.source;
    std::vector<ComparisonRow*> rows;
    for (RowExplanation& row : all.back().rows) rows.push_back(&row.row);
    add_code(rows, *builds);
  }
  const auto has_rows = [](const Retelling& one) { return !one.rows.empty(); };
  const auto fitting = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), has_rows));
  if (fitting == 0) return report_error(no_such_case(all, arguments.pattern, arguments.metric));
  SuiteOutputs outputs(arguments.output, line.text(), fitting);
  for (const Retelling& one : all)
    if (has_rows(one))
      outputs.add(
          one.comparison.suite, [&one](Format) { return report::explanation_document(one); }, exit_ok);
  return outputs.finish();
}

}  // namespace

void add_explain(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "explain", "Explain the verdict on a case step by step, with its numbers", explain_command);
  command.add_option("case", arguments.pattern, "a case's name; * and ? are wildcards")->required();
  command.add_option("--metric", arguments.metric, "only this metric of the case");
  CLI::Option* file = command
                          .add_option("--comparison", arguments.verdict_file,
                                      "explain what `compare --report json=FILE` wrote, by its own policy")
                          ->type_name("FILE");
  command.add_option("--baseline", arguments.baseline, "revision or record file that it was compared with")
      ->capture_default_str()
      ->type_name("REV|FILE")
      ->excludes(file);
  command.add_option("--current", arguments.current, "revision or record file that was judged")
      ->capture_default_str()
      ->type_name("REV|FILE")
      ->excludes(file);
  arguments.from.add_to(command);
  command.get_option("--suite")->excludes(file);
  arguments.builds.add_to(command);
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  command.footer("Exit status: 0 explained, whatever the verdict; 2 usage, 4 a record is missing.");
  add_examples(command, {"harness explain '*' --baseline main"});
}

}  // namespace harness

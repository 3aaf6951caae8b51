#include <fmt/format.h>

#include <cstdio>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/report/words/source_words.h"
#include "harness/store/baselines.h"
#include "harness/store/git_author.h"

namespace harness {
namespace {

struct BaselineArguments {
  std::string folder = "baselines";
  SelectionOptions from;
  std::string record = "HEAD";
  std::string author;
  std::string reason;
  std::string name;
  bool allow_dirty = false;
  OutputOptions output;
};

void warn_of_few_processes(const Record& record) {
  const int fewest = fewest_processes(record);
  if (fewest >= pin_processes || record.suite.file.empty()) return;
  fmt::print(stderr,
             "warning: the pin has {} processes a case, and it will judge many runs; better `harness run {} "
             "--processes {}`, and then promote HEAD again\n",
             fewest, shell_quoted(record.suite.file), pin_processes);
}

int promote_record(const BaselineArguments& arguments, const CommandLine& /*line*/) {
  const auto sides = read_records(arguments.from, arguments.record);
  if (!sides) return report_error(sides.error());
  if (const Status known = check_author(".", arguments.author); !known) return report_error(known.error());
  for (const Selected& selected : *sides) {
    const auto path =
        promote(arguments.folder, selected.record, arguments.author, arguments.reason, arguments.allow_dirty);
    if (!path) return report_error(path.error());
    fmt::print("{} now holds {}\n", printable(path->string()), report::words(selected.source));
    warn_of_few_processes(selected.record);
  }
  fmt::print("Review and commit {}: the pinned baseline is what that file says at a revision.\n",
             sides->size() == 1 ? "it" : "them");
  return exit_ok;
}

int list_pinned(const BaselineArguments& arguments, const CommandLine& /*line*/) {
  const auto baselines = list_baselines(arguments.folder);
  if (!baselines) return report_error(baselines.error());
  if (baselines->empty()) fmt::print("no baselines in {}\n", printable(arguments.folder));
  for (const Baseline& baseline : *baselines) {
    const Promotion promotion = baseline.record.promotion.value_or(Promotion{});
    fmt::print("{}/{}  {} cases  commit {}  {} by {}: {}\n", printable(baseline.machine_class),
               printable(baseline.suite), baseline.record.cases.size(),
               baseline.record.revision.commit.substr(0, 10), promotion.date, printable(promotion.author),
               printable(promotion.reason));
  }
  return exit_ok;
}

int show_pinned(const BaselineArguments& arguments, const CommandLine& line) {
  const CommandFiles files{"", {arguments.name, arguments.folder + "/" + arguments.name + ".json"}};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  const auto baselines = list_baselines(arguments.folder);
  if (!baselines) return report_error(baselines.error());
  std::vector<std::string> names;
  for (const Baseline& baseline : *baselines) {
    names.push_back(baseline.machine_class + "/" + baseline.suite);
    if (names.back() != arguments.name && baseline.path != arguments.name) continue;
    SuiteOutputs outputs(arguments.output, line.text(), 1);
    outputs.add(baseline.suite, measured_report(baseline.record, {line, arguments.from.store}), exit_ok);
    return outputs.finish();
  }
  return report_error(
      Error{ErrorKind::missing,
            fmt::format("no baseline `{}` in {}", printable(arguments.name), arguments.folder),
            {},
            suggestion(arguments.name, names)});
}

}  // namespace

void add_baseline(Commands& commands) {
  const auto arguments = std::make_shared<BaselineArguments>();
  CLI::App& group = commands.add_group("baseline", "Pinned, reviewed baselines: promote, list, show");
  group.add_option("--folder", arguments->folder, "folder of the pinned baselines")->capture_default_str();
  Commands below = commands.below(group);

  CLI::App& promote = below.add("promote", "Pin a record as the baseline of its machine class and suite",
                                arguments, promote_record);
  promote.add_option("record", arguments->record, "revision or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  arguments->from.add_to(promote);
  promote.add_option("--author", arguments->author, "who approves the baseline: the author that git names")
      ->required();
  promote.add_option("--reason", arguments->reason, "why it is right, for the reviewer")->required();
  promote.add_flag("--allow-dirty", arguments->allow_dirty, "accept a record of uncommitted changes");
  add_examples(promote,
               {"harness baseline promote HEAD --author 'Ann Example' --reason 'rounds correctly now'"});

  CLI::App& list = below.add("list", "List what is pinned, by whom and why", arguments, list_pinned);
  add_examples(list, {"harness baseline list"});

  CLI::App& show = below.add("show", "Print a pinned baseline", arguments, show_pinned);
  show.add_option("name", arguments->name, "MACHINE-CLASS/SUITE or the file")->required();
  arguments->output.add_to(show);
  add_examples(show, {"harness baseline show nvidia-h200/demo"});
}

}  // namespace harness

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/output/input_files.h"
#include "harness/report/documents/readme_table.h"
#include "harness/store/select.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct TableArguments {
  std::string record = "HEAD";
  std::string suite;
  std::string store = default_store;
  std::vector<std::string> filters;
  std::string shown = "time";
  std::string into;
  std::string mark;
};

Status check_arguments(const TableArguments& arguments) {
  if (!report::parse_shown(arguments.shown))
    return fail(ErrorKind::usage, fmt::format("--show: `{}` is nothing to show", printable(arguments.shown)),
                suggestion(arguments.shown, report::shown_names()));
  if (arguments.into.empty() != arguments.mark.empty())
    return fail(
        ErrorKind::usage, "--into and --mark go together",
        "--into FILE --mark NAME writes between `<!-- measured: NAME -->` and `<!-- end of NAME -->`");
  return {};
}

Status write_into(const TableArguments& arguments, const std::string& table) {
  const Result<std::string> text = read_file(arguments.into);
  if (!text) return fail(text.error());
  Result<std::string> changed = report::put_between_marks(*text, arguments.mark, table);
  if (!changed) {
    Error error = changed.error();
    error.where.file = arguments.into;
    return fail(error);
  }
  return write_file_atomically(arguments.into, *changed);
}

int table_command(const TableArguments& arguments) {
  if (const Status checked = check_arguments(arguments); !checked) return report_error(checked.error());
  const auto store = open_for_reading(arguments.store);
  if (!store) return report_error(store.error());
  SelectOptions select;
  select.folder = ".";
  select.suite = arguments.suite;
  const Result<Selected> selected = select_current(**store, arguments.record, select);
  if (!selected) return report_error(selected.error());
  const Result<std::string> table =
      report::readme_table(selected->record, summarize(selected->record), arguments.filters,
                           *report::parse_shown(arguments.shown));
  if (!table) return report_error(table.error());
  if (arguments.into.empty()) {
    std::fputs(table->c_str(), stdout);
    return exit_ok;
  }
  const Status written = write_into(arguments, *table);
  return written ? exit_ok : report_error(written.error());
}

}  // namespace

void add_table(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("table", "One figure of a record's cases as a Markdown table, for a README");
  auto arguments = std::make_shared<TableArguments>();
  command->add_option("record", arguments->record, "revision or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  command->add_option("--filter", arguments->filters, "cases to show; * and ? are wildcards; repeatable")
      ->type_name("PATTERN");
  command->add_option("--show", arguments->shown, "the figure: " + join(report::shown_names(), ", "))
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--into", arguments->into, "file to put the table into, in place of the one there")
      ->type_name("FILE");
  command->add_option("--mark", arguments->mark, "which place in the file")->type_name("NAME");
  command->add_option("--suite", arguments->suite, "suite name, where a revision has records of several");
  command->add_option("--store", arguments->store, "where records are: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  command->footer(
      "A row a shape, a column a variant. With --into and --mark the table replaces what stands between\n"
      "the lines `<!-- measured: NAME -->` and `<!-- end of NAME -->` of the file.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return table_command(*arguments); }; });
}

}  // namespace harness

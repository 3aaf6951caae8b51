#include <fmt/format.h>

#include <cstdio>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/options/suite_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/report/documents/readme_table.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct TableArguments {
  std::string record = "HEAD";
  SelectionOptions from;
  FilterOption filter;
  report::Shown shown = report::Shown::time;
  std::string into;
  std::string mark;
};

Result<report::Shown> parse_shown(const std::string& name) {
  if (const auto shown = report::parse_shown(name)) return *shown;
  return fail(ErrorKind::usage, fmt::format("`{}` is not a figure to show", printable(name)),
              suggestion(name, report::shown_names()));
}

Status check_arguments(const TableArguments& arguments) {
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
  const Result<Selected> selected = read_record(arguments.from, arguments.record);
  if (!selected) return report_error(selected.error());
  const Result<std::string> table = report::readme_table(selected->record, summarize(selected->record),
                                                         arguments.filter.patterns, arguments.shown);
  if (!table) return report_error(table.error());
  if (arguments.into.empty()) {
    std::fputs(table->c_str(), stdout);
    return exit_ok;
  }
  const Status written = write_into(arguments, *table);
  return written ? exit_ok : report_error(written.error());
}

}  // namespace

void add_table(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "table", "One figure of a record's cases as a Markdown table, for a README", table_command);
  command.add_option("record", arguments.record, "revision or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  arguments.filter.add_to(command);
  add_typed(command, "--show", arguments.shown, parse_shown,
            "the figure: " + join(report::shown_names(), ", "))
      ->type_name("NAME")
      ->default_str("time");
  command.add_option("--into", arguments.into, "file to put the table into, in place of the one there")
      ->type_name("FILE");
  command.add_option("--mark", arguments.mark, "which place in the file")->type_name("NAME");
  arguments.from.add_to(command);
  command.footer(
      "A row a shape, a column a variant. With --into and --mark the table replaces what stands between\n"
      "the lines `<!-- measured: NAME -->` and `<!-- end of NAME -->` of the file.");
}

}  // namespace harness

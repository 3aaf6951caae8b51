#include <fmt/format.h>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/options/suite_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/report/documents.h"
#include "harness/report/readme_marks.h"
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
  OutputOptions output{.format = Format::markdown};
};

Result<report::Shown> parse_shown(const std::string& name) {
  if (const auto shown = parse_name<report::Shown>(name)) return *shown;
  return fail(ErrorKind::usage, fmt::format("`{}` is not a figure to show", printable(name)),
              suggestion(name, all_names<report::Shown>()));
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
  const CommandFiles files{"", all_of({{arguments.record}, store_files(arguments.from.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  const Result<Selected> selected = read_record(arguments.from, arguments.record);
  if (!selected) return report_error(selected.error());
  const std::vector<Summary> summaries = summarize(selected->record);
  const Result<Report> table =
      report::table_document(selected->record, summaries, arguments.filter.patterns, arguments.shown);
  if (!table) return report_error(table.error());
  if (arguments.into.empty())
    return emit(
        arguments.output, [&](Format format, const Style& style) { return render(*table, format, style); },
        exit_ok);
  const Status written = write_into(arguments, render(*table, Format::markdown));
  return written ? exit_ok : report_error(written.error());
}

}  // namespace

void add_table(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "table", "Print one figure of a record's cases as a Markdown table, for a README", table_command);
  command.add_option("record", arguments.record, "revision or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  arguments.filter.add_to(command);
  add_typed(command, "--show", arguments.shown, parse_shown,
            "the figure: " + join(all_names<report::Shown>(), ", "))
      ->type_name("NAME")
      ->default_str("time");
  command.add_option("--into", arguments.into, "file in which the table replaces an older one")
      ->type_name("FILE");
  command.add_option("--mark", arguments.mark, "name of the marked place in that file")->type_name("NAME");
  arguments.from.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "One row for each shape, one column for each variant. With --into and --mark the table replaces what "
      "stands between\n"
      "the lines `<!-- measured: NAME -->` and `<!-- end of NAME -->` of the file.");
}

}  // namespace harness

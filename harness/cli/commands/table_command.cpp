#include <fmt/format.h>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/options/suite_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/suite_outputs.h"
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

int table_command(const TableArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_arguments(arguments); !checked) return report_error(checked.error());
  const CommandFiles files{"", all_of({{arguments.record}, store_files(arguments.from.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  const auto sides = read_records(arguments.from, arguments.record);
  if (!sides) return report_error(sides.error());
  std::vector<std::vector<Summary>> summaries;  // tables refer to them
  for (const Selected& selected : *sides) summaries.push_back(summarize(selected.record));
  std::vector<MakeReport> tables;
  std::vector<std::string> suites;
  Error nothing;  // from the first suite without such a case
  for (std::size_t i = 0; i < sides->size(); ++i) {
    const Record& record = (*sides)[i].record;
    Result<Report> table =
        report::table_document(record, summaries[i], arguments.filter.patterns, arguments.shown);
    if (!table && nothing.message.empty()) nothing = table.error();
    if (!table) continue;
    if (sides->size() > 1) table->document.headline = record.suite.name;
    tables.emplace_back([made = std::move(*table)](Format) { return made; });
    suites.push_back(record.suite.name);
  }
  if (tables.empty()) return report_error(nothing);
  if (!arguments.into.empty() && tables.size() > 1)
    return report_error({ErrorKind::usage,
                         fmt::format("--into takes one table, and {} has records of several suites: {}",
                                     printable(arguments.record), join(suites, ", ")),
                         {},
                         "name one with --suite"});
  if (!arguments.into.empty()) {
    const Status written = write_into(arguments, render(tables.front()(Format::markdown), Format::markdown));
    return written ? exit_ok : report_error(written.error());
  }
  SuiteOutputs outputs(arguments.output, line.text(), tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i) outputs.add(suites[i], tables[i], exit_ok);
  return outputs.finish();
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
  add_examples(command,
               {"harness table --show speedup", "harness table tuesday.json --into README.md --mark speeds"});
}

}  // namespace harness

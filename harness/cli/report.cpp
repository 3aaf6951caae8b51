#include <CLI/CLI.hpp>
#include <memory>

#include "harness/base/files.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judge.h"
#include "harness/cli/output.h"
#include "harness/compare/summarize.h"
#include "harness/model/codec.h"
#include "harness/store/select.h"

namespace harness {
namespace {

struct ReportArguments {
  std::string record = "HEAD";
  std::string suite;
  std::string store = default_store;
  std::string file;
  OutputArguments output;
};

int report_command(const ReportArguments& arguments) {
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  const Result<Selected> selected = read_record(arguments.store, arguments.record, arguments.suite);
  if (!selected) return report_error(selected.error());
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(selected->record)); !written)
      return report_error(written.error());
  const std::vector<Summary> summaries = summarize(selected->record);
  const Status emitted = emit(arguments.output, [&](Format format, const Style& style) {
    return render_run(selected->record, summaries, format, style);
  });
  return emitted ? exit_ok : report_error(emitted.error());
}

}  // namespace

void add_report(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand("report", "Print a stored record again, or write it to a file");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("record", arguments->record, "revision or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  command->add_option("--suite", arguments->suite, "suite name, where a revision has records of several");
  command->add_option("--store", arguments->store, "where records are: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  command->add_option("--output", arguments->file, "write the record itself, raw samples and all")
      ->type_name("FILE");
  add_output_options(*command, arguments->output);
  command->callback([&chosen, arguments] { chosen = [arguments] { return report_command(*arguments); }; });
}

}  // namespace harness

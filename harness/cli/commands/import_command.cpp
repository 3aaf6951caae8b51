#include <fmt/format.h>

#include <algorithm>

#include "harness/base/files.h"
#include "harness/base/named_file.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/store_options.h"
#include "harness/cli/output/input_files.h"
#include "harness/model/codec.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/git.h"
#include "harness/store/store.h"

namespace harness {
namespace {

struct ImportArguments {
  std::vector<std::string> samples;
  std::string output;
  std::string suite;
  StoreOption store;
};

Status keep(const ImportArguments& arguments, const Record& record) {
  if (!arguments.output.empty())
    return write_file_atomically(arguments.output, [&](const TakeText& take) { encode(record, take); });
  const auto store = Store::open(arguments.store.url);
  if (!store) return fail(store.error());
  return (*store)->put_record(record);
}

// The record of one or several files, whose processes are numbered consecutively.
Checked<Record> read_samples(const std::vector<std::string>& files) {
  Record whole;
  for (const std::string& file : files) {
    const Result<std::string> text = read_named_file(file, {".json", ".jsonl", ".csv", ".sqlite"});
    if (!text) return fail_checked(text.error());
    Checked<Record> record = import_samples(*text, file);
    if (!record) return record;
    if (&file == &files.front())
      whole = std::move(*record);
    else if (const Status added = add_processes(whole, std::move(*record)); !added)
      return fail_checked(added.error());
  }
  return whole;
}

int import_command(const ImportArguments& arguments) {
  if (const Status spared = check_spares("--as", arguments.output, arguments.samples); !spared)
    return report_error(spared.error());
  Checked<Record> record = read_samples(arguments.samples);
  if (!record) {
    report_errors(record.error());
    return exit_usage;  // also for a missing file: exit_missing is for a missing baseline
  }
  if (!arguments.suite.empty()) record->suite.name = arguments.suite;
  if (arguments.output.empty()) record->revision = head_revision(".");
  if (const Status kept = keep(arguments, *record); !kept) return report_error(kept.error());
  std::size_t processes = 0;
  for (const CaseRecord& one : record->cases) processes = std::max(processes, one.processes.size());
  fmt::print("imported {} case{} of {} process{} from {} into {}\n", record->cases.size(),
             record->cases.size() == 1 ? "" : "s", processes, processes == 1 ? "" : "es",
             join(arguments.samples, ", "),
             !arguments.output.empty() ? arguments.output : without_password(arguments.store.url));
  return exit_ok;
}

}  // namespace

void add_import(Commands& commands) {
  auto& [command, arguments] =
      commands.add("import", "Turn samples from another tool into a record", import_command);
  command.add_option("samples", arguments.samples, "files of samples; their content tells the format")
      ->required()
      ->type_name("FILE");
  CLI::Option* output =
      command.add_option("--as", arguments.output, "record file to write")->type_name("FILE");
  command.add_option("--suite", arguments.suite, "suite name of the record; default: the file's name");
  arguments.store.add_to(command)->excludes(output);
  std::string formats;
  for (const ImportFormat* format : import_formats())
    formats += fmt::format("\n  {}: {}", format->name, format->summary);
  command.footer(
      "Without --as the record goes to the store, at the revision checked out here.\n"
      "Formats (harness/store/README.md):" +
      formats);
}

}  // namespace harness

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/base/files.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/output/input_files.h"
#include "harness/model/codec.h"
#include "harness/store/adapters/json_lines.h"
#include "harness/store/git.h"
#include "harness/store/store.h"

namespace harness {
namespace {

struct ImportArguments {
  std::string samples;
  std::string output;
  std::string suite;
  std::string store;
};

Status keep(const ImportArguments& arguments, const Record& record) {
  if (!arguments.output.empty()) return write_file_atomically(arguments.output, encode(record));
  const auto store = Store::open(arguments.store.empty() ? default_store : arguments.store);
  if (!store) return fail(store.error());
  return (*store)->put_record(record);
}

int import_command(const ImportArguments& arguments) {
  if (const Status spared = check_spares("--as", arguments.output, {arguments.samples}); !spared)
    return report_error(spared.error());
  const Result<std::string> text = read_file(arguments.samples);
  if (!text) {
    report_error(text.error());
    return exit_usage;  // no baseline is missing, which exit_missing would say
  }
  Checked<Record> record = import_json_lines(*text, arguments.samples);
  if (!record) return report_errors(record.error());
  if (!arguments.suite.empty()) record->suite.name = arguments.suite;
  if (arguments.output.empty()) record->revision = head_revision(".");
  if (const Status kept = keep(arguments, *record); !kept) return report_error(kept.error());
  fmt::print("imported {} case{} from {} into {}\n", record->cases.size(),
             record->cases.size() == 1 ? "" : "s", arguments.samples,
             !arguments.output.empty()
                 ? arguments.output
                 : without_password(arguments.store.empty() ? default_store : arguments.store));
  return exit_ok;
}

}  // namespace

void add_import(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("import", "Turn samples from another tool (JSON Lines) into a record");
  auto arguments = std::make_shared<ImportArguments>();
  command->add_option("samples", arguments->samples, "JSON Lines file")->required()->type_name("FILE");
  auto* output = command->add_option("--as", arguments->output, "record file to write")->type_name("FILE");
  command->add_option("--suite", arguments->suite, "suite name of the record; default: the file's name");
  command->add_option("--store", arguments->store, "store to put it in, at the revision checked out here")
      ->type_name("URL")
      ->excludes(output);
  command->footer("Without --as the record goes to the store. The format: harness/store/README.md");
  command->callback([&chosen, arguments] { chosen = [arguments] { return import_command(*arguments); }; });
}

}  // namespace harness

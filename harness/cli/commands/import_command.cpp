#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/date.h"
#include "harness/cli/options/import_options.h"
#include "harness/cli/options/store_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/input_files.h"
#include "harness/model/codec.h"
#include "harness/report/words/cause_words.h"
#include "harness/store/adapters/import_named.h"
#include "harness/store/git.h"
#include "harness/store/store.h"

namespace harness {
namespace {

struct ImportArguments {
  std::vector<std::string> samples;
  std::string output;
  std::string commit;
  std::string date;
  ImportOptions options;
  StoreOption store;
};

Status keep(const ImportArguments& arguments, const Record& record) {
  if (!arguments.output.empty())
    return write_file_atomically(arguments.output, [&](const TakeText& take) { encode(record, take); });
  const auto store = Store::open(arguments.store.url);
  if (!store) return fail(store.error());
  return (*store)->put_record(record);
}

bool is_hash(const std::string& text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The commit that a file names. A commit that this repository does not know is of another project, or not
// fetched.
Result<Revision> revision_of_file(Revision told) {
  if (const Result<std::string> known = resolve_revision(".", told.commit); known) {
    told.commit = *known;
    return told;
  }
  return fail(
      ErrorKind::usage,
      fmt::format("the file is of commit {}, which is not in this repository", printable(told.commit)),
      "fetch it; or say which commit was measured: --commit HEAD");
}

// The option, else the files, else what is checked out here.
Result<Revision> revision_of(const ImportArguments& arguments, const std::optional<Revision>& told) {
  if (!arguments.commit.empty()) {
    if (is_hash(arguments.commit) && !top_of_tree()) return Revision{arguments.commit, "", false};
    const Result<std::string> commit = commit_of_option("--commit", arguments.commit);
    if (!commit) return fail(commit.error());
    return Revision{*commit, "", false};
  }
  const bool to_file = !arguments.output.empty();
  if (told && !top_of_tree()) return is_hash(told->commit) ? *told : Revision{};
  if (told) {
    Result<Revision> known = revision_of_file(*told);
    return known || !to_file       ? known
           : is_hash(told->commit) ? Result<Revision>(*told)
                                   : Result<Revision>(Revision{});
  }
  if (to_file) return Revision{};
  if (top_of_tree())
    if (Status trusted = check_repository("."); !trusted) {
      Error error = trusted.error();
      error.advice += "; or name the commit that was measured: --commit HASH";
      return fail(error);
    }
  return head_revision(".");
}

// Cases without a time, each once, for the user to see at once.
void tell_failures(const Record& record) {
  constexpr std::size_t most = 20;
  std::size_t told = 0;
  for (const CaseRecord& one : record.cases) {
    if (one.outcome == Outcome::measured || ++told > most) continue;
    fmt::print(stderr, "{}: {}: {}\n", name_of(one.outcome), printable(one.id),
               one.reason ? report::words(*one.reason) : "");
  }
  if (told > most) fmt::print(stderr, "and {} more\n", told - most);
}

Checked<Record> read_all(const ImportArguments& arguments) {
  bool named = true;
  std::optional<Revision> told;
  std::vector<std::string> remarks;
  Checked<Record> record = import_named(arguments.samples, arguments.options, [&](const Import& import) {
    named = import.names_suite();
    told = import.revision();
    remarks = import.remarks();
  });
  if (!record) return record;
  for (const std::string& remark : remarks) fmt::print(stderr, "note: {}\n", remark);
  if (!named && arguments.output.empty())
    return fail_checked({ErrorKind::usage,
                         "the file's name ends with the number of a run, so it names no suite",
                         Location{record->suite.file}, "name the suite: --suite NAME"});
  if (!named) record->suite.name = std::filesystem::path(arguments.output).stem().string();
  Result<Revision> revision = revision_of(arguments, told);
  if (!revision) return fail_checked(revision.error());
  record->revision = std::move(*revision);
  if (!arguments.date.empty()) record->started = arguments.date;
  return record;
}

int import_command(const ImportArguments& arguments) {
  if (const Status spared = check_spares("--as", arguments.output, arguments.samples); !spared)
    return report_error(spared.error());
  const Checked<Record> record = read_all(arguments);
  if (!record) {
    report_errors(record.error());
    return exit_usage;  // also for a missing file: exit_missing is for a missing baseline
  }
  if (const Status kept = keep(arguments, *record); !kept) return report_error(kept.error());
  std::size_t processes = 0;
  for (const CaseRecord& one : record->cases) processes = std::max(processes, one.processes.size());
  tell_failures(*record);
  fmt::print("imported {} case{} of {} process{} from {} into {}\n", record->cases.size(),
             record->cases.size() == 1 ? "" : "s", processes, processes == 1 ? "" : "es",
             arguments.samples.size() == 1 ? arguments.samples.front()
                                           : fmt::format("{} files", arguments.samples.size()),
             !arguments.output.empty() ? arguments.output : without_password(arguments.store.url));
  return exit_ok;
}

Result<std::string> parse_date(const std::string& word) {
  if (is_date(word)) return word + "T00:00:00Z";
  if (word.size() == 20 && is_date(word.substr(0, 10)) && word[10] == 'T' && word.ends_with('Z')) return word;
  return fail(ErrorKind::usage, fmt::format("`{}` is no date", printable(word)),
              "write 2026-11-20 or 2026-11-20T05:40:00Z");
}

}  // namespace

void add_import(Commands& commands) {
  auto& [command, arguments] =
      commands.add("import", "Turn samples from another tool into a record", import_command);
  command
      .add_option("samples", arguments.samples,
                  "files of samples, maybe with wildcards; their content tells the format")
      ->required()
      ->type_name("FILE");
  CLI::Option* output =
      command.add_option("--as", arguments.output, "record file to write")->type_name("FILE");
  command.add_option("--suite", arguments.options.suite,
                     "suite name of the record; default: the file's name");
  const auto a_commit = [](const std::string& word) -> Result<std::string> {
    if (!word.empty()) return word;
    return fail(ErrorKind::usage, "the commit is empty", "is a variable of the CI system not set?");
  };
  add_typed(command, "--commit", arguments.commit, a_commit,
            "the commit that was measured; default: that of the file, or HEAD")
      ->type_name("REV");
  add_typed(command, "--date", arguments.date, parse_date,
            "when it was measured; default: that of the file, or now")
      ->type_name("DATE");
  add_import_options(command, arguments.options);
  arguments.store.add_to(command)->excludes(output);
  std::string formats;
  for (const ImportFormat* format : import_formats())
    formats += fmt::format("\n  {}: {}", format->name, format->summary);
  command.footer(
      "Without --as the record goes to the store.\n"
      "Formats:" +
      formats);
  add_examples(command, {"harness import hyperfine.json --as sort.json"});
}

}  // namespace harness

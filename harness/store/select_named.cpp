// Records that the user names by file or by id.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/pin/figures.h"
#include "harness/store/adapters/import_named.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"
#include "harness/store/record_file.h"
#include "harness/store/select.h"
#include "harness/store/select_parts.h"
#include "harness/store/sql/alert_marks.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t id_length = 36;       // of a UUID
constexpr std::size_t least_id_length = 8;  // of its beginning

bool is_id(const std::string& name) {
  return name.size() >= least_id_length && name.size() <= id_length &&
         name.find_first_not_of("0123456789abcdefABCDEF-") == std::string::npos;
}

bool is_whole_id(const std::string& name) {
  return is_id(name) && name.size() == id_length && std::count(name.begin(), name.end(), '-') == 4;
}

std::string device_of(const Record& record) {
  const Machine* machine = primary_machine(record);
  if (machine == nullptr) return {};
  return std::string(trim(machine->machine_class + " " + machine->device_uuid));
}

// A named record as a side, unless it cannot be one.
Result<Selected> as_side(Record record, Fact<SourceCode> found, const std::string& described, SideKind kind,
                         const SelectOptions& options) {
  if (!options.suite.empty() && record.suite.name != options.suite)
    return fail(ErrorKind::usage,
                fmt::format("{} is a record of suite `{}`, not of `{}`", described,
                            printable(record.suite.name), printable(options.suite)),
                "name a record of the same suite");
  if (record.finished.empty() && kind == SideKind::baseline)
    return fail(
        ErrorKind::usage,
        fmt::format("{} is unfinished: its run was interrupted, which is nothing to judge by", described),
        "finish it with `harness run SUITE --continue`, or name another baseline");
  if (record.finished.empty()) found.figures.emplace_back("unfinished", true);
  return make_selected(std::move(record), std::move(found));
}

// A file that was named and is not there is a slip in its name, which no `--allow missing` excuses.
Error no_file(const fs::path& path, const Error& error) {
  if (error.kind != ErrorKind::missing) return error;
  const auto near = nearest_file(path, {".json"});
  return {ErrorKind::usage, error.message, error.where,
          near ? fmt::format("did you mean {}?", shell_quoted(*near))
               : std::string("a name that ends in .json is a record file: write its path, or a revision")};
}

// Files of another tool, of which a side takes one error.
Result<Record> read_tool_files(const std::string& name, const SelectOptions& options) {
  ImportOptions imports = options.imports;
  imports.suite = options.suite;
  std::vector<std::string> remarks;
  Checked<Record> record =
      import_named({name}, imports, [&](const Import& import) { remarks = import.remarks(); });
  if (!record) return fail(record.error().front());
  if (options.tell) std::for_each(remarks.begin(), remarks.end(), options.tell);
  return std::move(*record);
}

Result<Selected> select_file(const fs::path& path, SideKind kind, const SelectOptions& options) {
  Result<Record> record =
      names_tool_files(path.string()) ? read_tool_files(path.string(), options) : read_record(path);
  if (!record && record.error().kind == ErrorKind::missing) return fail(no_file(path, record.error()));
  if (!record) return fail(record.error());
  return as_side(std::move(*record), {SourceCode::file, {{"path", path.string()}}},
                 "file " + printable(path.string()), kind, options);
}

// nullopt when no record's id begins so.
std::optional<Result<Selected>> select_id(Store& store, const std::string& name, SideKind kind,
                                          const SelectOptions& options) {
  RunQuery query;
  query.id_prefix = to_lower(name);
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  if (runs->empty()) return std::nullopt;
  if (runs->size() > 1) {
    std::vector<std::string> ids;
    for (const RunInfo& run : *runs) ids.push_back(printable(run.id));
    return fail(ErrorKind::usage,
                fmt::format("`{}` is how {} records begin: {}", name, ids.size(), join(ids, ", ")),
                "write more of the id");
  }
  Result<Record> record = store.load(runs->front().id);
  if (!record) return fail(record.error());
  const std::string described = fmt::format("record {}", printable(record->id));
  return as_side(std::move(*record), {SourceCode::record}, described, kind, options);
}

Error no_record(Store& store, const std::string& id) {
  return {ErrorKind::usage,
          fmt::format("no record {} in {}", id, store.place()),
          {},
          "name the store that holds it with --store, or a record file"};
}

// The names that this store knows, each once.
std::vector<std::string> known_names(const std::vector<RecordName>& names) {
  std::set<std::string> known;
  for (const RecordName& one : names)
    if (!mark_in(one)) known.insert("@" + one.name);
  return {known.begin(), known.end()};
}

Error no_such_name(Store& store, const std::string& name, const SelectOptions& options,
                   const std::vector<RecordName>& names) {
  const std::string suite =
      options.suite.empty() ? "" : fmt::format(" of suite `{}`", printable(options.suite));
  const std::vector<std::string> known = known_names(names);
  return {ErrorKind::usage,
          fmt::format("no record{} is named `{}` in {}", suite, printable(name), store.place()),
          {},
          known.empty() ? "`harness run SUITE --save-as NAME` names one" : suggestion(name, known)};
}

bool exists(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

}  // namespace

std::string short_hash(const std::string& commit) {
  return commit.substr(0, 10);
}

fs::path folder_of(const SelectOptions& options) {
  return options.folder.empty() ? "." : options.folder;
}

Selected make_selected(Record record, Fact<SourceCode> found, int distance) {
  if (lacks_samples(record)) found.figures.emplace_back("no_samples", true);
  RecordSource source{record.id, std::move(found), record.revision, device_of(record), distance};
  return {std::move(record), std::move(source)};
}

Selected select_file_header(Record header, const fs::path& path) {
  return make_selected(std::move(header), {SourceCode::file, {{"path", path.string()}}});
}

bool means_working_tree(const std::string& name) {
  return name == "HEAD" || name == "@";
}

bool is_saved_name(const std::string& name) {
  return name.starts_with('@') && check_record_name(name.substr(1));
}

Status check_record_name(const std::string& name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  constexpr std::size_t longest = 100;
  const bool good = !name.empty() && name.size() <= longest &&
                    letters.find(name.front()) != std::string_view::npos &&
                    name.find_first_not_of(std::string(letters) + "._-") == std::string::npos;
  if (good) return {};
  return fail(ErrorKind::usage, fmt::format("`{}` cannot name a record", printable(name)),
              "write letters, digits, `.`, `_` and `-`, a letter or digit first");
}

// A record of the wanted machine class comes first; any other will not be comparable.
std::optional<Result<Selected>> select_saved(Store& store, const std::string& name, SideKind kind,
                                             const SelectOptions& options) {
  if (!is_saved_name(name)) return std::nullopt;
  const Result<std::vector<RecordName>> names = store.names();
  if (!names) return fail(names.error());
  std::vector<RecordName> found;
  for (const RecordName& one : *names)
    if ("@" + one.name == name && (options.suite.empty() || one.suite == options.suite)) found.push_back(one);
  std::stable_partition(found.begin(), found.end(),
                        [&](const RecordName& one) { return one.machine_class == options.machine_class; });
  if (found.empty()) return fail(no_such_name(store, name, options, *names));
  std::set<std::string> suites;
  for (const RecordName& one : found) suites.insert(printable(one.suite));
  if (suites.size() > 1)
    return fail(ErrorKind::usage,
                fmt::format("`{}` names records of several suites: {}", name,
                            join(std::vector<std::string>(suites.begin(), suites.end()), ", ")),
                "name one with --suite");
  Result<Record> record = store.load(found.front().run);
  if (!record) return fail(record.error());
  return as_side(std::move(*record), {SourceCode::record, {{"name", name}}}, "record " + name, kind, options);
}

Result<std::set<std::string>> suites_with_name(Store& store, const std::string& name) {
  const Result<std::vector<RecordName>> names = store.names();
  if (!names) return fail(names.error());
  std::set<std::string> suites;
  for (const RecordName& one : *names)
    if ("@" + one.name == name) suites.insert(one.suite);
  if (suites.empty()) return fail(no_such_name(store, name, {}, *names));
  return suites;
}

Status check_side_name(Store& store, const std::string& name, const fs::path& folder) {
  if (is_saved_name(name)) {
    const Result<std::vector<RecordName>> names = store.names();
    if (!names) return fail(names.error());
    const std::vector<std::string> known = known_names(*names);
    if (std::find(known.begin(), known.end(), name) != known.end()) return {};
    return fail(no_such_name(store, name, {}, *names));
  }
  if (exists(name)) return {};
  if (names_tool_files(name)) {
    const Result<std::vector<std::string>> files = files_named(name);
    return files ? Status() : fail(files.error());
  }
  if (name.ends_with(".json")) return fail(no_file(name, read_file(name).error()));
  if (is_id(name)) {
    RunQuery query;
    query.id_prefix = to_lower(name);
    query.count_results = false;
    const auto runs = store.list(query);
    if (!runs) return fail(runs.error());
    if (!runs->empty()) return {};
    if (is_whole_id(name)) return fail(no_record(store, name));
  }
  if (const Result<std::string> commit = resolve_revision(folder, name); !commit)
    return fail(no_side(name, commit.error()));
  return {};
}

std::optional<Result<Selected>> select_certain(Store& store, const std::string& name, SideKind kind,
                                               const SelectOptions& options) {
  if (name.ends_with(".json") || (names_tool_files(name) && !exists(name)))
    return select_file(name, kind, options);
  if (!is_whole_id(name)) return std::nullopt;
  if (auto found = select_id(store, name, kind, options)) return found;
  return fail(no_record(store, name));
}

std::optional<Result<Selected>> select_other(Store& store, const std::string& name, SideKind kind,
                                             const SelectOptions& options) {
  if (is_id(name))
    if (auto found = select_id(store, name, kind, options)) return found;
  if (exists(name)) return select_file(name, kind, options);
  return std::nullopt;
}

Error no_side(const std::string& name, Error error) {
  if (!fs::path(name).has_extension()) return error;
  if (const auto near = nearest_file(name, {".json"}))
    error.advice = fmt::format("did you mean {}?", shell_quoted(*near));
  return error;
}

void whole_runs_first(std::vector<RunInfo>& runs) {
  std::stable_partition(runs.begin(), runs.end(), [](const RunInfo& run) { return !run.partial; });
}

}  // namespace harness

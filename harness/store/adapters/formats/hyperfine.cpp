// The file that hyperfine writes for --export-json: of version 1.x, which has no version of its schema, and
// schema version 2. Each run is a fresh start of the command, so a process.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/known_units.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

struct Named {
  std::string_view theirs, ours;
};
constexpr std::array<Named, 5> metric_names{{{"time_wall_clock", "wall_time"},
                                             {"time_cpu", "cpu_time"},
                                             {"time_user", "user_time"},
                                             {"time_system", "system_time"},
                                             {"memory_peak_resident", "peak_memory"}}};
constexpr std::array<Named, 2> unit_names{{{"second", "s"}, {"byte", "bytes"}}};
constexpr const char* if_zero =
    "it is shorter than starting a shell: measure it with `-N` (--shell=none), or longer";

std::string ours(std::span<const Named> names, const std::string& theirs) {
  for (const Named& one : names)
    if (one.theirs == theirs) return std::string(one.ours);
  return theirs;
}

bool is_hyperfine(std::string_view text) {
  return begins_as_json(text, "{", {"results", "command"});
}

// Runs that ended with another exit status than the user calls a success: `hyperfine -i` goes on behind them.
// A run that a signal ended has none.
class ExitCodes {
 public:
  explicit ExitCodes(const std::set<int>& success) : success_(success) {}

  void take(const JsonNode& code) {
    ++runs_;
    const int status = code.is_null() ? -1 : code.integer<int>();
    if (success_.contains(status)) return;
    if (failed_++ == 0) first_ = status;
  }
  void finish(CaseRecord& one) const {
    if (failed_ == 0) return;
    Cause cause{CauseCode::runs_failed, {{"runs", failed_}, {"of", runs_}, {"status", first_}}};
    // As of `grep` and `diff`, whose statuses tell what they found.
    if (failed_ == runs_ && first_ > 0)
      cause.figures.emplace_back(
          "advice", fmt::format("if the command ends so when all is well, say `--success-exit {}`", first_));
    ToolFile::end(one, Outcome::failed, std::move(cause));
  }
  [[nodiscard]] std::size_t runs() const { return runs_; }

 private:
  const std::set<int>& success_;
  std::size_t runs_ = 0, failed_ = 0;
  int first_ = 0;
};

// The commands that have the same name without their folders, as those of two builds in one file.
using Doubled = std::set<std::string>;

// The name that was given by `-n`, or the command without folders.
ToolCase case_of(const JsonNode& result, const Doubled& doubled) {
  ToolCase known;
  const JsonNode name = result.find("name");
  const std::string command = text_of(result, "command");
  if (name.present() && !name.is_null())
    known.name = name_of(name);
  else if (known.name = without_folders(name_of(result.require("command"))); doubled.contains(known.name))
    known.name = command;
  if (known.name != command) known.source["command"] = command;
  known.parameters = scalars_of(result.find("parameters"));
  return known;
}

Doubled doubled_in(const JsonNode& results) {
  std::map<std::string, std::set<std::string>> commands;
  results.each_element([&](const JsonNode& one) {
    const std::string command = text_of(one, "command");
    commands[without_folders(command)].insert(command);
  });
  Doubled doubled;
  for (const auto& [name, all] : commands)
    if (all.size() > 1) doubled.insert(name);
  return doubled;
}

// Old versions do not write them.
void statuses_untold(ToolFile& read) {
  const bool known = std::any_of(read.machine.fields.begin(), read.machine.fields.end(),
                                 [](const MachineField& one) { return one.name == "exit_codes"; });
  if (!known) read.field("exit_codes", "not told", FieldClass::warn);
}

std::vector<double> take_measurements(const JsonNode& result, const std::string& primary, CaseRecord& one,
                                      std::string& unit, ExitCodes& exits) {
  std::vector<double> runs;
  result.require("measurements").each_element([&](const JsonNode& run) {
    const JsonNode measured = run.require(primary);
    if (!run.ok()) return;
    if (const JsonNode code = run.find("exit_code"); code.present()) exits.take(code);
    unit = ours(unit_names, measured.find("unit").text());
    const JsonNode value = measured.require("value");
    if (!time_unit(unit))
      runs.push_back(value.number());
    else if (const auto time = time_of(value, one, if_zero))
      runs.push_back(*time);
  });
  return runs;
}

void take_hyperfine(const JsonNode& result, const std::string& primary, ToolFile& read,
                    const std::set<int>& success, const Doubled& doubled) {
  const ToolCase known = case_of(result, doubled);
  if (result.ok() && read.has(known))
    result.problem(fmt::format("is called `{}`, as a result before", printable(known.name)),
                   "give each command a name of its own: hyperfine -n NAME COMMAND -n NAME COMMAND");
  if (!result.ok()) return;
  check_order(result);
  CaseRecord& one = read.at(known);
  ExitCodes exits(success);
  std::string unit = "s";
  std::vector<double> runs;
  if (primary.empty()) {
    runs = times_of(result.require("times"), one, if_zero);
    check_within(result, result.find("times"));
    result.find("exit_codes").each_element([&](const JsonNode& code) { exits.take(code); });
    if (exits.runs() == 0) statuses_untold(read);
    if (result.ok() && exits.runs() > 0 && exits.runs() != result.find("times").size())
      result.find("exit_codes")
          .problem(fmt::format("has {} statuses of {} runs", exits.runs(), result.find("times").size()));
  } else {
    runs = take_measurements(result, primary, one, unit, exits);
  }
  exits.finish(one);
  if (!result.ok() || one.processes.front().outcome != Outcome::measured) return;
  for (const double run : runs)
    ToolFile::add(one, primary.empty() ? "wall_time" : ours(metric_names, primary), unit, {{run}});
}

Checked<ToolFile> read_hyperfine(std::string_view text, const std::string& file,
                                 const ToolQuestions& questions) {
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    std::string primary;  // "" in version 1.x
    if (const JsonNode version = root.find("schema_version"); version.present()) {
      if (version.integer<int>() != 2) version.problem("is not 2, the version that this harness reads");
      primary = root.find("primary_metric").text("time_wall_clock");
    }
    into.starts = true;
    const JsonNode results = root.require("results");
    const Doubled doubled = doubled_in(results);
    results.each_element(
        [&](const JsonNode& one) { take_hyperfine(one, primary, into, questions.success_exits, doubled); });
  });
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat hyperfine_format;
const ImportFormat hyperfine_format{
    "hyperfine", "JSON of hyperfine, 1.x and schema 2: hyperfine --export-json FILE COMMAND", is_hyperfine,
    read_hyperfine};

}  // namespace harness

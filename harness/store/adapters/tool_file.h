// ToolFile: what one file of another tool holds, before files become a record (merge_files.h). An adapter
// adds cases under the tool's own names. Parts that adapters share to read texts: read_text.h.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// Answers of the user where a file does not show it.
struct ToolQuestions {
  std::string case_name = {};         // of a file that names none
  std::string unit = {};              // of times in a file that tells none
  std::set<int> success_exits = {0};  // exit statuses of a run that succeeded
};

class ToolFile {
 public:
  // The case of this name, parameters and launch; made where it is new. The reference holds until the next
  // new case.
  CaseRecord& at(const ToolCase& known);
  CaseRecord& at(const std::string& name) { return at(ToolCase{.name = name}); }
  [[nodiscard]] bool has(const ToolCase& known) const;

  // Adds a placement; the series is made where it is new. `unit` may be any spelling of a unit of time.
  static Series& add(CaseRecord& one, std::string_view metric, std::string_view unit, Placement placement);
  // Adds a sample to the last placement.
  static void append(CaseRecord& one, std::string_view metric, std::string_view unit, double sample);
  // The case did not succeed. The first reason counts, and a failure before a skip.
  static void end(CaseRecord& one, Outcome outcome, Cause reason);

  // Forgets a value of the launch that is the same in all cases that have it, such as the number of the only
  // GPU that a process used. When all is read.
  void forget_lone(const std::string& name);

  // A field of the machine; an empty value is not known.
  void field(std::string_view name, std::string value, FieldClass kind);

  std::vector<CaseRecord> cases;  // ids are the tool's names, processes are numbered from 1
  std::string suite;              // that the file names, or ""
  std::string session;            // likewise
  Machine machine;
  // These have to be equal where files hold processes of one case: "executable", "options", "build".
  Texts same;
  std::string host;
  std::string date;                  // "2026-11-20T05:40:00", of whatever zone; or ""
  std::optional<Revision> revision;  // where the file names a commit; maybe an abbreviated one
  // Each placement is a fresh start of the program, so a process.
  bool starts = false;
  std::vector<std::string> remarks;  // for the user, about the whole file
  bool names_cases = true;           // false: the file does not say what was measured, and nobody answered

 private:
  std::unordered_map<std::string, std::size_t> index_;
};

// The class of a field of the machine that a user named, by its name. The model of a GPU or CPU and the type
// of a build forbid comparisons. Dates, commits and hosts change by themselves. All others are shown.
FieldClass kind_of_field(std::string_view name);

// Equal for two cases exactly if their names, parameters and launches are.
std::string key_of(const CaseRecord& one);
std::string key_of(const ToolCase& known);

// Times in microseconds, and directions where the unit tells them. Errors where a metric that calls itself a
// time has another unit.
Status use_known_units(ToolFile& read, const std::string& file);

}  // namespace harness

// The CSV of cutlass_profiler: a line an operation at a problem. `Runtime`, in milliseconds, is the mean of
// the iterations, so one sample of the process. A line that did not succeed has a time of 0 and no rates.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_csv.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr std::string_view fixed = "Problem,Provider,OperationKind,Operation,Disposition,Status";

bool is_cutlass_header(std::string_view line) {
  return line.find(fixed) != std::string_view::npos && line.find(",Runtime") != std::string_view::npos;
}

bool is_cutlass_profiler(std::string_view text) {
  const std::string_view beginning = beginning_of(text);
  const std::size_t at = beginning.find(fixed);
  if (at == std::string_view::npos) return false;
  return is_cutlass_header(beginning.substr(at, beginning.find('\n', at) - at));
}

class CutlassTable {
 public:
  explicit CutlassTable(const std::string& file) : file_(file) {}

  // Lines of the program may come before the table.
  void take(std::string_view line, int number) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_cutlass_header(line)) return take_names(line, number);
    if (names_.empty()) return;
    if (trim(line).empty()) {
      ended_ = true;  // of a table on the standard output
      return;
    }
    if (ended_) return;
    std::vector<std::string> fields;
    if (!is_utf8(line)) return refuse(number, "is not UTF-8");
    if (!split_csv(line, fields)) return refuse(number, "has a quotation mark without its partner");
    if (fields.size() != names_.size())
      return refuse(number,
                    fmt::format("has {} fields, where the names are {}", fields.size(), names_.size()));
    take_line(fields, number);
  }

  Checked<ToolFile> finish() {
    if (!errors_.errors().empty()) return tl::unexpected(std::move(errors_).take(file_));
    return with_cases(std::move(read_), file_, "no operation matches --kernels and --operation");
  }

 private:
  void refuse(int line, std::string message, std::string advice = {}) {
    errors_.add({ErrorKind::usage, std::move(message), Location{file_, line}, std::move(advice)});
  }

  void take_names(std::string_view line, int number) {
    ended_ = false;
    split_csv(line, names_);
    columns_.clear();
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!columns_.emplace(names_[i], i).second)
        refuse(number, fmt::format("has two columns `{}`", printable(names_[i])));
    const auto at = [&](const char* name) {
      return columns_.contains(name) ? columns_[name] : names_.size();
    };
    tags_ = at("Problem");
    arguments_ = at("Status") + 1;
    arguments_end_ = at("Bytes");
    if (arguments_end_ >= at("Runtime") || arguments_ > arguments_end_)
      refuse(number, "has no columns `Bytes` and `Runtime` behind `Status`");
  }

  void take_line(const std::vector<std::string>& fields, int line) {
    if (!errors_.errors().empty()) return;
    const auto field = [&](const char* name) { return fields[columns_[name]]; };
    ToolCase known{.name = field("Operation")};
    if (known.name.empty()) return refuse(line, "names no operation");
    known.parameters = {{"Provider", field("Provider")}, {"OperationKind", field("OperationKind")}};
    for (std::size_t i = 0; i < fields.size(); ++i)
      if ((i < tags_ || (i >= arguments_ && i < arguments_end_)) && !fields[i].empty())
        known.parameters[names_[i]] = fields[i];
    const auto [earlier, fresh] = lines_.emplace(key_of(known), line);
    if (!fresh)
      return refuse(line, fmt::format("is of the same operation and arguments as line {}", earlier->second),
                    "--append adds a run to the file of another: import each run from a file of its own");
    CaseRecord& one = read_.at(known);
    const std::string disposition = field("Disposition"), why = disposition + ", " + field("Status");
    if (disposition == "not_supported" || disposition == "invalid_problem" || disposition == "not_run")
      return ToolFile::end(one, Outcome::skipped, cause_with_why(CauseCode::tool_skipped, printable(why)));
    if ((disposition != "passed" && disposition != "not_verified") || to_lower(field("Status")) != "success")
      return ToolFile::end(one, Outcome::failed, cause_with_why(CauseCode::tool_failed, printable(why)));
    const std::string written = field("Runtime");
    double time = 0;
    const auto [end, code] = std::from_chars(written.data(), written.data() + written.size(), time);
    if (code != std::errc{} || end != written.data() + written.size() || (time < 0 && std::isfinite(time)))
      return refuse(line, fmt::format("has the Runtime `{}`; expected a number above 0", printable(written)));
    if (!(time > 0) || !std::isfinite(time))
      return ToolFile::end(one, Outcome::failed, unusable_time("Runtime", time));
    ToolFile::add(one, "gpu_time", "ms", {{time}});
  }

  std::string file_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::size_t tags_ = 0, arguments_ = 0, arguments_end_ = 0;
  bool ended_ = false;
  std::unordered_map<std::string, int> lines_;
  ToolFile read_;
  SampleErrors errors_;
};

Checked<ToolFile> read_cutlass_profiler(std::string_view text, const std::string& file,
                                        const ToolQuestions&) {
  CutlassTable table(file);
  each_line(text, [&](std::string_view line, int number) { table.take(line, number); });
  return table.finish();
}

}  // namespace

extern const ImportFormat cutlass_profiler_format;
const ImportFormat cutlass_profiler_format{"cutlass_profiler",
                                           "CSV of cutlass_profiler: cutlass_profiler --output=NAME",
                                           is_cutlass_profiler, read_cutlass_profiler};

}  // namespace harness

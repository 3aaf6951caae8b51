// The document that nanobench renders with templates::json(). An epoch is a sample; its time is of one
// iteration, whatever `batch` says. The file holds only results since the title or the unit last changed.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr const char* if_optimized_away =
    "the compiler may have removed the work: ankerl::nanobench::doNotOptimizeAway(RESULT) keeps it";

bool is_nanobench(std::string_view text) {
  return begins_as_json(text, "{", {"results", "epochIterations", "median(elapsed)"});
}

void take_nanobench(const JsonNode& result, ToolFile& read) {
  ToolCase known{.name = name_of(result.require("name"))};
  for (const char* name : {"title", "unit", "batch", "complexityN"})
    if (std::string value = text_of(result, name); !value.empty() && value != "-1")
      known.parameters[name] = std::move(value);
  if (result.ok() && read.has(known))
    result.find("name").problem(fmt::format("is `{}`, a name that came before", printable(known.name)),
                                "give each run() a name of its own");
  const JsonNode median = result.require("median(elapsed)"), epochs = result.require("measurements");
  if (!result.ok()) return;
  CaseRecord& one = read.at(known);
  const std::optional<double> middle = time_of(median, one, if_optimized_away);
  std::vector<double> samples;
  epochs.each_element([&](const JsonNode& epoch) {
    if (const auto time = time_of(epoch.require("elapsed"), one, if_optimized_away)) samples.push_back(*time);
  });
  if (!result.ok() || one.processes.front().outcome != Outcome::measured || !middle) return;
  if (samples.empty()) return epochs.problem("is empty, and the median is not 0");
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  constexpr double rounding = 1e-6;  // numbers are written with their stream's digits
  if (*middle < *least * (1 - rounding) || *middle > *most * (1 + rounding))
    return median.problem(
        fmt::format("is {}, outside of the measurements, {} to {}", *middle, *least, *most));
  ToolFile::add(one, "wall_time", "s", {std::move(samples)});
}

Checked<ToolFile> read_nanobench(std::string_view text, const std::string& file, const ToolQuestions&) {
  Checked<ToolFile> read = read_json(text, file, [](const JsonNode& root, ToolFile& into) {
    root.require("results").each_element([&](const JsonNode& one) { take_nanobench(one, into); });
  });
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat nanobench_format;
const ImportFormat nanobench_format{"nanobench", "JSON of nanobench: bench.render(templates::json(), FILE)",
                                    is_nanobench, read_nanobench};

}  // namespace harness

// The messages of cargo-criterion, an object a line. Messages with the reason "benchmark-complete"
// have the samples: each is the time of some iterations, and is divided by their number.
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/known_units.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

bool is_criterion(std::string_view text) {
  // An object a line. Other tools have a member of this name, too.
  const std::string_view line = trim(text).substr(0, trim(text).find('\n'));
  return begins_as_json(line, "{", {"reason"}) && trim(line).ends_with('}') &&
         text.find("benchmark-complete") != std::string_view::npos;
}

void take_criterion(const JsonNode& message, ToolFile& read) {
  if (message.require("reason").text() != "benchmark-complete") return;
  const ToolCase known{.name = name_of(message.require("id"))};
  if (message.ok() && read.has(known))
    message.find("id").problem(
        fmt::format("is `{}`, a name that came before", printable(known.name)),
        "give each benchmark a name of its own; or, if the file holds two runs, import each "
        "from a file of its own");
  const std::string unit = message.require("unit").text();
  const JsonNode iterations = message.require("iteration_count"), values = message.require("measured_values");
  if (!message.ok()) return;
  CaseRecord& one = read.at(known);
  std::vector<double> samples = times_of(values, one);
  const std::vector<double> counts = iterations.numbers();
  if (counts.size() != values.size())
    values.problem(fmt::format("has {} numbers, but `iteration_count` has {}", values.size(), counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (!(counts[i] >= 1)) iterations.element(i).problem("is below 1");
  if (!message.ok() || samples.empty()) return;
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] /= counts[i];
  ToolFile::add(one, time_unit(unit) ? "wall_time" : unit, unit, {std::move(samples)});
}

Checked<ToolFile> read_criterion(std::string_view text, const std::string& file, const ToolQuestions&) {
  Checked<ToolFile> read = read_json_lines(text, file, take_criterion);
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat criterion_format;
const ImportFormat criterion_format{"criterion",
                                    "messages of cargo-criterion: cargo criterion --message-format=json",
                                    is_criterion, read_criterion};

}  // namespace harness

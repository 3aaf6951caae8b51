// The messages of cargo-criterion, an object a line. Messages with the reason "benchmark-complete"
// have the samples: each is the time of some iterations, and is divided by their number.
#include <fmt/format.h>

#include "harness/base/units.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

namespace harness {
namespace {

bool is_criterion(std::string_view text) {
  return begins_as_json(text, "{", {"reason"});
}

void take_criterion(const JsonNode& message, OneProcess& process) {
  if (message.require("reason").text() != "benchmark-complete") return;
  const std::string id =
      new_case_name(message.require("id"), process, "give each benchmark a name of its own");
  const std::string unit = message.require("unit").text();
  const std::vector<double> counts = times_above_zero(message.require("iteration_count"));
  const JsonNode values = message.require("measured_values");
  std::vector<double> samples = times_above_zero(values);
  if (samples.size() != counts.size())
    values.problem(
        fmt::format("has {} numbers, but `iteration_count` has {}", samples.size(), counts.size()));
  if (!message.ok()) return;
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] /= counts[i];
  process.add(id, seconds_per_unit(unit) > 0 ? "wall_time" : unit, unit, {std::move(samples)});
}

Checked<Record> read_criterion(std::string_view text, const std::string& file) {
  return read_json_lines(text, file, take_criterion);
}

}  // namespace

extern const ImportFormat criterion_format;
const ImportFormat criterion_format{"criterion",
                                    "messages of cargo-criterion: cargo criterion --message-format=json",
                                    is_criterion, read_criterion};

}  // namespace harness

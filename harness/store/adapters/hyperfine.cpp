// The file that hyperfine writes for --export-json: of version 1.x, which has no version of its schema, and
// schema version 2. A run of the command is a placement with one sample.
#include <fmt/format.h>

#include <array>

#include "harness/base/units.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

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

std::string ours(std::span<const Named> names, const std::string& theirs) {
  for (const Named& one : names)
    if (one.theirs == theirs) return std::string(one.ours);
  return theirs;
}

bool is_hyperfine(std::string_view text) {
  return begins_as_json(text, "{", {"results", "command"});
}

void take_hyperfine(const JsonNode& result, const std::string& primary, OneProcess& process) {
  const JsonNode name = result.find("name");
  const std::string id =
      new_case_name(name.present() && !name.is_null() ? name : result.require("command"), process,
                    "give each command a name of its own, such as --command-name 'sort {n}'");
  std::string unit = "s";
  std::vector<double> runs;
  if (primary.empty())
    runs = times_above_zero(result.require("times"));
  else
    result.require("measurements").each_element([&](const JsonNode& run) {
      const JsonNode measured = run.require(primary);
      if (!run.ok()) return;
      unit = ours(unit_names, measured.find("unit").text());
      const JsonNode value = measured.require("value");
      runs.push_back(seconds_per_unit(unit) > 0 ? time_above_zero(value) : value.number());
    });
  if (!result.ok()) return;
  for (const double run : runs)
    process.add(id, primary.empty() ? "wall_time" : ours(metric_names, primary), unit, {{run}});
}

Checked<Record> read_hyperfine(std::string_view text, const std::string& file) {
  return read_json(text, file, [](const JsonNode& root, OneProcess& process) {
    std::string primary;  // "" in version 1.x
    if (const JsonNode version = root.find("schema_version"); version.present()) {
      if (version.integer<int>() != 2) version.problem("is not 2, the version that this harness reads");
      primary = root.find("primary_metric").text("time_wall_clock");
    }
    root.require("results").each_element([&](const JsonNode& one) { take_hyperfine(one, primary, process); });
  });
}

}  // namespace

extern const ImportFormat hyperfine_format;
const ImportFormat hyperfine_format{
    "hyperfine", "JSON of hyperfine, 1.x and schema 2: hyperfine --export-json FILE COMMAND", is_hyperfine,
    read_hyperfine};

}  // namespace harness

// The file that pytest-benchmark writes for --benchmark-json. A round, the mean of its iterations, is a
// sample.
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

namespace harness {
namespace {

bool is_pytest_benchmark(std::string_view text) {
  return begins_as_json(text, "{", {"machine_info", "commit_info"});
}

void take_pytest_benchmark(const JsonNode& benchmark, OneProcess& process) {
  const std::string id =
      new_case_name(benchmark.require("fullname"), process, "give each benchmark a name of its own");
  const JsonNode stats = benchmark.require("stats");
  const JsonNode data = stats.find("data");
  if (stats.present() && !data.present())
    stats.problem("has no `data`", "write it with --benchmark-json=FILE, or with --benchmark-save-data");
  std::vector<double> samples = times_above_zero(data);
  if (benchmark.ok()) process.add(id, "wall_time", "s", {std::move(samples)});
}

Checked<Record> read_pytest_benchmark(std::string_view text, const std::string& file) {
  return read_json(text, file, [](const JsonNode& root, OneProcess& process) {
    if (const JsonNode info = root.find("machine_info"); info.present())
      add_fields(process.machine, info, {"node", "machine", "release", "python_version"});
    root.require("benchmarks").each_element([&](const JsonNode& one) {
      take_pytest_benchmark(one, process);
    });
  });
}

}  // namespace

extern const ImportFormat pytest_benchmark_format;
const ImportFormat pytest_benchmark_format{"pytest_benchmark",
                                           "JSON of pytest-benchmark: pytest --benchmark-json=FILE",
                                           is_pytest_benchmark, read_pytest_benchmark};

}  // namespace harness

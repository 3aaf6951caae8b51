// The output of a program with Google Benchmark for --benchmark_format=json. One file is one process. A
// repetition runs the whole function again, allocations included, so it is a placement; its one sample is the
// mean of its iterations. Aggregates ("_mean", "_median") are left out.
#include <array>
#include <utility>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

namespace harness {
namespace {

// Members of a benchmark that become metrics. Rates, such as items_per_second, say nothing that the time does
// not.
constexpr std::array<std::pair<const char*, const char*>, 2> metrics{
    {{"real_time", "wall_time"}, {"cpu_time", "cpu_time"}}};

// The first key of the object is one of the two that the library writes.
bool is_google_benchmark(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('{')) return false;
  text = trim(text.substr(1));
  return text.starts_with("\"context\"") || text.starts_with("\"benchmarks\"");
}

void take_google_benchmark(const JsonNode& benchmark, OneProcess& process) {
  if (benchmark.find("run_type").text("iteration") != "iteration") return;
  const JsonNode name =
      benchmark.find("run_name").present() ? benchmark.find("run_name") : benchmark.require("name");
  if (benchmark.find("error_occurred").flag())
    return benchmark.problem("reports an error: " + benchmark.find("error_message").text(),
                             "correct the benchmark, or leave it out with --benchmark_filter");
  const std::string unit = benchmark.find("time_unit").text("ns");
  if (seconds_per_unit(unit) == 0) benchmark.find("time_unit").problem("is no unit of time");
  time_above_zero(benchmark.require("real_time"));
  if (!benchmark.ok()) return;
  for (const auto& [member, metric] : metrics)
    if (const JsonNode value = benchmark.find(member); value.present())
      process.add(name.text(), metric, unit, {{value.number()}});
}

Checked<Record> read_google_benchmark(std::string_view text, const std::string& file) {
  return read_json(text, file, [](const JsonNode& root, OneProcess& process) {
    if (const JsonNode context = root.find("context"); context.present())
      add_fields(process.machine, context,
                 {"host_name", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "library_build_type"});
    root.require("benchmarks").each_element([&](const JsonNode& one) {
      take_google_benchmark(one, process);
    });
  });
}

}  // namespace

extern const ImportFormat google_benchmark_format;
const ImportFormat google_benchmark_format{
    "google_benchmark", "JSON of Google Benchmark: BINARY --benchmark_out=FILE --benchmark_out_format=json",
    is_google_benchmark, read_google_benchmark};

}  // namespace harness

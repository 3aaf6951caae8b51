// The output of a program with Google Benchmark for --benchmark_format=json. One file is one process. A
// repetition runs the whole function again, allocations included, so it is a placement; its one sample is the
// mean of its iterations. Aggregates ("_mean", "_median") are left out.
#include <algorithm>
#include <array>
#include <utility>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/schema/json_reader.h"
#include "harness/store/adapters/import_formats.h"

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

Machine machine_from(const JsonNode& context) {
  Machine machine;
  for (const char* name :
       {"host_name", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "library_build_type"})
    if (const JsonNode member = context.find(name); member.present())
      if (const auto value = member.scalar())
        machine.fields.push_back({name, sdk::to_string(*value), FieldClass::info});
  return machine;
}

CaseRecord& case_named(Record& record, const std::string& id) {
  const auto known = std::find_if(record.cases.begin(), record.cases.end(),
                                  [&](const CaseRecord& one) { return one.id == id; });
  if (known != record.cases.end()) return *known;
  CaseRecord& fresh = record.cases.emplace_back();
  fresh.id = id;
  fresh.device = import_device;
  fresh.outcome = Outcome::measured;
  ProcessResult& process = fresh.processes.emplace_back();
  process.case_id = id;
  process.process = 1;
  return fresh;
}

void add_sample(CaseRecord& one, const char* metric, const std::string& unit, double value) {
  auto series = std::find_if(one.series.begin(), one.series.end(),
                             [&](const Series& known) { return known.metric == metric; });
  if (series == one.series.end())
    series =
        one.series.insert(series, Series{metric, unit, Direction::lower_is_better, {{1, std::nullopt, {}}}});
  series->processes.front().placements.emplace_back().samples = {value};
}

void take(const JsonNode& benchmark, Record& record) {
  if (benchmark.find("run_type").text("iteration") != "iteration") return;
  const JsonNode name =
      benchmark.find("run_name").present() ? benchmark.find("run_name") : benchmark.require("name");
  if (benchmark.find("error_occurred").flag())
    return benchmark.problem("reports an error: " + benchmark.find("error_message").text(),
                             "correct the benchmark, or leave it out with --benchmark_filter");
  const std::string unit = benchmark.find("time_unit").text("ns");
  if (seconds_per_unit(unit) == 0) benchmark.find("time_unit").problem("is no unit of time");
  const JsonNode time = benchmark.require("real_time");
  if (time.present() && !(time.number() > 0)) time.problem("is no time above 0");
  if (!benchmark.ok()) return;
  CaseRecord& one = case_named(record, name.text());
  for (const auto& [member, metric] : metrics)
    if (const JsonNode value = benchmark.find(member); value.present())
      add_sample(one, metric, unit, value.number());
}

Checked<Record> read(std::string_view text, const std::string& file) {
  const auto refused = [](const Error& error) { return tl::unexpected(std::vector<Error>{error}); };
  const auto reader = JsonReader::parse(text, {file, 1});
  if (!reader) return refused(reader.error());
  const JsonNode root = (*reader)->root();
  Record record;
  record.machines[std::string(import_device)] = machine_from(root.find("context"));
  const JsonNode benchmarks = root.require("benchmarks");
  benchmarks.each_element([&](const JsonNode& one) { take(one, record); });
  if (record.cases.empty() && !(*reader)->error()) benchmarks.problem("holds no samples");
  if ((*reader)->error()) return refused(*(*reader)->error());
  return record;
}

}  // namespace

extern const ImportFormat google_benchmark_format;
const ImportFormat google_benchmark_format{"google_benchmark", "JSON of Google Benchmark",
                                           is_google_benchmark, read};

}  // namespace harness

// The file that pytest-benchmark writes for --benchmark-json. A round, the mean of its iterations, is a
// sample. The file does not tell whether a test failed behind its benchmark; pytest's exit status does.
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

bool is_pytest_benchmark(std::string_view text) {
  return begins_as_json(text, "{", {"machine_info", "commit_info"});
}

// The clock of --benchmark-timer.
struct Timer {
  const char* metric = "wall_time";
  const char* unit = "s";
  std::string name = "of Python";
};

Timer timer_of(const JsonNode& benchmark) {
  const std::string name = text_of(benchmark.find("options"), "timer");
  const std::string last = name.substr(name.find_last_of(". ") + 1);
  const bool nanoseconds = last.ends_with("_ns");
  const std::string plain = last.substr(0, last.size() - (nanoseconds ? 3 : 0));
  const char* unit = nanoseconds ? "ns" : "s";
  // Times of the processor do not grow while the process waits.
  if (plain == "process_time" || plain == "thread_time") return {"cpu_time", unit};
  for (const char* wall : {"", "perf_counter", "default_timer", "time", "monotonic", "clock"})
    if (plain == wall) return {"wall_time", unit};
  return {"wall_time", unit, name};
}

// pytest writes a parameter that is no JSON as its repr, which may hold an address: another one in each
// process.
bool is_address(const std::string& value) {
  return value.starts_with("UNSERIALIZABLE[") || value.find(" at 0x") != std::string::npos;
}

void take_machine(const JsonNode& info, ToolFile& read) {
  read.host = text_of(info, "node");
  for (const auto& [name, value] : scalars_of(info))
    if (name == "python_version" || name == "python_implementation" || name == "python_compiler")
      read.field(name, value, FieldClass::warn);
    else if (name == "machine")
      read.field(name, value, FieldClass::block);
    else if (name == "node" || name == "release" || name == "system")
      read.field(name, value, FieldClass::info);
  const JsonNode cpu = info.find("cpu");
  if (!cpu.present() || cpu.is_null()) return;
  const std::string brand = text_of(cpu, "brand_raw");  // `brand` before 3.2.3
  read.field("cpu", brand.empty() ? text_of(cpu, "brand") : brand, FieldClass::block);
  read.field("cpu_count", text_of(cpu, "count"), FieldClass::warn);
}

void take_commit(const JsonNode& info, ToolFile& read) {
  const std::string id = text_of(info, "id");
  if (id.empty() || id == "unversioned" || id == "unknown") return;
  const std::string branch = text_of(info, "branch");
  read.revision = Revision{id, branch.starts_with('(') ? "" : branch, info.find("dirty").flag()};
}

void take_pytest_benchmark(const JsonNode& benchmark, ToolFile& read) {
  ToolCase known{.name = name_of(benchmark.require("fullname"))};
  // Two tests can share a name, as those of two classes that are called alike; their parameters differ at
  // most.
  if (const JsonNode params = benchmark.find("params"); params.present() && !params.is_null())
    known.parameters = scalars_of(params);
  std::erase_if(known.parameters, [](const auto& one) { return is_address(one.second); });
  const Timer timer = timer_of(benchmark);
  known.parameters["timer"] = timer.name;
  if (benchmark.ok() && read.has(known))
    benchmark.find("fullname")
        .problem(fmt::format("is `{}`, a name that came before", printable(known.name)),
                 "give each benchmark a name of its own");
  if (!benchmark.ok()) return;
  CaseRecord& one = read.at(known);
  const JsonNode stats = benchmark.require("stats");
  const JsonNode data = stats.find("data");
  if (stats.present() && !data.present())
    stats.problem("has no `data`", "write it with --benchmark-json=FILE, or with --benchmark-save-data");
  if (stats.present()) {
    check_order(stats);
    check_within(stats, data);
  }
  std::vector<double> samples =
      times_of(data, one, "the clock of --benchmark-timer is too coarse for it: let the benchmark do more");
  if (benchmark.ok() && !samples.empty()) ToolFile::add(one, timer.metric, timer.unit, {std::move(samples)});
}

Checked<ToolFile> read_pytest_benchmark(std::string_view text, const std::string& file,
                                        const ToolQuestions&) {
  Checked<ToolFile> read = read_json(text, file, [](const JsonNode& root, ToolFile& into) {
    if (const JsonNode info = root.find("machine_info"); info.present() && !info.is_null())
      take_machine(info, into);
    if (const JsonNode info = root.find("commit_info"); info.present() && !info.is_null())
      take_commit(info, into);
    into.date = text_of(root, "datetime");
    root.require("benchmarks").each_element([&](const JsonNode& one) { take_pytest_benchmark(one, into); });
  });
  constexpr const char* no_benchmarks =
      "no benchmark ran: leave out --benchmark-disable and --benchmark-skip, and look at what -k selects";
  return read ? with_cases(std::move(*read), file, no_benchmarks) : read;
}

}  // namespace

extern const ImportFormat pytest_benchmark_format;
const ImportFormat pytest_benchmark_format{"pytest_benchmark",
                                           "JSON of pytest-benchmark: pytest --benchmark-json=FILE",
                                           is_pytest_benchmark, read_pytest_benchmark};

}  // namespace harness

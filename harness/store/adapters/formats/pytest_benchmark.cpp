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

// The clock of --benchmark-timer: times of the processor do not grow while the process waits.
std::string metric_of(const JsonNode& benchmark) {
  const std::string timer = text_of(benchmark.find("options"), "timer");
  return timer.find("process_time") != std::string::npos || timer.find("thread_time") != std::string::npos
             ? "cpu_time"
             : "wall_time";
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
  if (stats.present()) check_order(stats);
  std::vector<double> samples =
      times_of(data, one, "the clock of --benchmark-timer is too coarse for it: let the benchmark do more");
  if (benchmark.ok() && !samples.empty()) ToolFile::add(one, metric_of(benchmark), "s", {std::move(samples)});
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
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat pytest_benchmark_format;
const ImportFormat pytest_benchmark_format{"pytest_benchmark",
                                           "JSON of pytest-benchmark: pytest --benchmark-json=FILE",
                                           is_pytest_benchmark, read_pytest_benchmark};

}  // namespace harness

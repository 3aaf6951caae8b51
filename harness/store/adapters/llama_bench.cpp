// The output of llama-bench for `-o json`, an array, and for `-o jsonl`, an object a line. A case is called
// as in its table, "llama 7B Q4_0/pp512", and by the parameters in which the tests of the file differ.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

namespace harness {
namespace {

// Scalars that are no parameters of a test, or that its name has already.
constexpr std::array<std::string_view, 16> not_parameters{
    "build_commit", "build_number", "cpu_info",       "gpu_info", "backends", "model_type",
    "model_size",   "test_time",    "model_n_params", "n_prompt", "n_gen",    "n_depth",
    "avg_ns",       "stddev_ns",    "avg_ts",         "stddev_ts"};

struct Test {
  std::string name;
  std::map<std::string, std::string> parameters;
  std::vector<double> samples;
};

bool is_llama_bench(std::string_view text) {
  return begins_as_json(text, "{", {"model_type", "samples_ns"}) ||
         begins_as_json(text, "[{", {"model_type", "samples_ns"});
}

// As llama-bench calls a test: "pp512", "tg128", "pp512+tg128", each maybe with " @ d1024".
std::string name_of(const JsonNode& test) {
  const auto prompt = test.require("n_prompt").integer<std::int64_t>(0, 0);
  const auto generated = test.require("n_gen").integer<std::int64_t>(0, 0);
  const auto depth = test.find("n_depth").integer<std::int64_t>(0, 0);
  std::string name = prompt > 0 ? fmt::format("pp{}", prompt) : "";
  if (generated > 0) name += fmt::format("{}tg{}", name.empty() ? "" : "+", generated);
  if (depth > 0) name += fmt::format(" @ d{}", depth);
  return fmt::format("{}/{}", test.require("model_type").text(), name);
}

void take_llama_bench(const JsonNode& node, std::vector<Test>& tests) {
  Test test{name_of(node), {}, times_above_zero(node.require("samples_ns"))};
  node.each_member([&](std::string_view name, const JsonNode& value) {
    if (std::find(not_parameters.begin(), not_parameters.end(), name) != not_parameters.end()) return;
    if (name != "samples_ns" && name != "samples_ts" && !value.is_null())
      if (const auto scalar = value.scalar())
        test.parameters.emplace(std::string(name), sdk::to_string(*scalar));
  });
  if (node.ok()) tests.push_back(std::move(test));
}

// A test that was run twice in the file has a placement for each.
void add_all(std::vector<Test>& tests, OneProcess& process) {
  std::map<std::string, std::set<std::string>> values;
  for (const Test& test : tests)
    for (const auto& [name, value] : test.parameters) values[name].insert(value);
  for (Test& test : tests) {
    std::string id = test.name;
    for (const auto& [name, value] : test.parameters)
      if (values[name].size() > 1) id += fmt::format("/{}={}", name, value);
    process.add(id, "wall_time", "ns", {std::move(test.samples)});
  }
}

Checked<Record> read_llama_bench(std::string_view text, const std::string& file) {
  std::vector<Test> tests;
  if (!trim(text).starts_with('['))
    return read_json_lines(
        text, file, [&](const JsonNode& root, OneProcess&) { take_llama_bench(root, tests); },
        [&](OneProcess& process) { add_all(tests, process); });
  return read_json(text, file, [&](const JsonNode& root, OneProcess& process) {
    root.each_element([&](const JsonNode& test) { take_llama_bench(test, tests); });
    add_all(tests, process);
  });
}

}  // namespace

extern const ImportFormat llama_bench_format;
const ImportFormat llama_bench_format{"llama_bench", "JSON of llama-bench: llama-bench -m MODEL -o jsonl",
                                      is_llama_bench, read_llama_bench};

}  // namespace harness

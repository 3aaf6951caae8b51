// One key of one side's files dropped, swapped, repeated, or set to 0 or NaN: what carries identity, unit,
// status or direction never changes a verdict without a word. Both sides are five files of a sample of
// tests/store/import.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/base/files.h"
#include "judged.h"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// A change of every value that a JSON pointer names, where "*" is each element.
struct Mutation {
  const char* pointer;
  const char* to;  // JSON text; "drop"; "twice": the element again; "nan": a bare NaN
  const char* expected;
};

struct Sample {
  const char* file;
  const char* times;  // pointers to times, separated by spaces, that the factor of a file scales
  std::vector<Mutation> mutations;
};

using Action = std::function<void(Json& parent, const std::string& key)>;

// Calls `act` for each value that a pointer names.
void each_at(Json& node, const std::string& pointer, const Action& act) {
  const std::size_t end = pointer.find('/', 1);
  const std::string key = pointer.substr(1, end == std::string::npos ? end : end - 1);
  const std::string rest = end == std::string::npos ? "" : pointer.substr(end);
  const auto one = [&](const std::string& name) {
    if (rest.empty()) return act(node, name);
    if (node.is_array())
      each_at(node[std::stoul(name)], rest, act);
    else if (node.contains(name))
      each_at(node[name], rest, act);
  };
  if (key != "*") return one(key);
  for (std::size_t i = 0, count = node.size(); i < count; ++i) one(std::to_string(i));
}

Json& child(Json& parent, const std::string& key) {
  return parent.is_array() ? parent[std::stoul(key)] : parent[key];
}

constexpr const char* nan_mark = "\"a bare NaN\"";

void mutate(Json& document, const Mutation& mutation) {
  const std::string to = mutation.to;
  each_at(document, mutation.pointer, [&](Json& parent, const std::string& key) {
    if (to == "drop" && parent.is_array())
      parent.erase(std::stoul(key));
    else if (to == "drop")
      parent.erase(key);
    else if (to == "twice")
      parent.push_back(child(parent, key));
    else
      child(parent, key) = to == "nan" ? Json::parse(nan_mark) : Json::parse(to);
  });
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The text of a sample whose times are scaled, maybe mutated. JSON Lines are an array here.
std::string text_of(const Sample& sample, const Json& original, double factor, const Mutation* mutation) {
  Json document = original;
  for (const std::string& pointer : words_of(sample.times))
    each_at(document, pointer, [&](Json& parent, const std::string& key) {
      Json& value = child(parent, key);
      if (value.is_number())
        value = value.get<double>() * factor;
      else if (value.is_string())
        value = std::to_string(std::stod(value.get<std::string>()) * factor);
    });
  if (mutation != nullptr) mutate(document, *mutation);
  std::string text;
  if (std::string(sample.file).ends_with(".jsonl"))
    for (const Json& line : document) text += line.dump() + "\n";
  else
    text = document.dump();
  for (std::size_t at = text.find(nan_mark); at != std::string::npos; at = text.find(nan_mark))
    text.replace(at, std::string(nan_mark).size(), "NaN");
  return text;
}

Json read_sample(const Sample& sample) {
  const std::string text =
      read_file(fs::path(HARNESS_SOURCE_DIR) / "tests/store/import" / sample.file).value_or("");
  if (!std::string(sample.file).ends_with(".jsonl")) return Json::parse(text);
  Json lines = Json::array();
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(Json::parse(line));
  for (Json& line : lines) line.erase("forced_gates");  // with them no verdict is possible
  return lines;
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"google_benchmark.json",
       "/benchmarks/*/real_time /benchmarks/*/cpu_time",
       {{"/context/library_build_type", "drop", "not_comparable"},
        {"/context/library_build_type", "\"another\"", "not_comparable"},
        {"/context/executable", "drop", "told"},
        {"/context/executable", "\"./other\"", "told"},
        {"/context/num_cpus", "2000", "told"},
        {"/context/num_cpus", "drop", "told"},
        {"/context/caches", "[]", "told"},
        {"/context/cpu_scaling_enabled", "true", "told"},
        {"/context/load_avg", "[1000, 1, 1]", "told"},
        {"/context/library_version", "\"v1.9.9\"", "told"},
        {"/context/host_name", "\"b\"", "unchanged"},
        {"/context/mhz_per_cpu", "1", "unchanged"},
        {"/context/dry_run", "\"true\"", "refused"},
        {"/context", "drop", "not_comparable"},
        {"/benchmarks/0/time_unit", "drop", "refused"},
        {"/benchmarks/0/time_unit", "\"us\"", "regressed"},
        {"/benchmarks/0/time_unit", "\"parsec\"", "refused"},
        {"/benchmarks/0/time_unit", "0", "refused"},
        {"/benchmarks/0", "twice", "refused"},
        {"/benchmarks/0", "drop", "refused"},
        {"/benchmarks/6", "drop", "missing"},
        {"/benchmarks/0/run_name", "\"BM_other\"", "refused"},
        {"/benchmarks/6/run_name", "\"BM_other\"", "missing"},
        {"/benchmarks/*/run_name", "drop", "unchanged"},
        {"/benchmarks/0/run_name", "\"\"", "refused"},
        {"/benchmarks/0/run_type", "\"aggregate\"", "refused"},
        {"/benchmarks/6/run_type", "\"aggregate\"", "missing"},
        {"/benchmarks/0/threads", "4", "refused"},
        {"/benchmarks/0/threads", "drop", "unchanged"},
        {"/benchmarks/0/real_time", "drop", "refused"},
        {"/benchmarks/0/real_time", "0", "failed"},
        {"/benchmarks/0/real_time", "nan", "failed"},
        {"/benchmarks/0/real_time", "-1", "refused"},
        {"/benchmarks/0/cpu_time", "0", "unchanged"},
        {"/benchmarks/6/cpu_time", "0", "missing"},
        {"/benchmarks/6/cpu_time", "nan", "missing"},
        {"/benchmarks/0/cpu_time", "-1", "refused"},
        {"/benchmarks/0/error_occurred", "true", "failed"},
        {"/benchmarks/0/error_occurred", "0", "refused"},
        {"/benchmarks/0/skipped", "true", "missing"},
        {"/benchmarks", "drop", "refused"},
        {"/benchmarks", "[]", "refused"}}},
      {"hyperfine.json",
       "/results/*/times/* /results/*/min /results/*/max /results/*/mean /results/*/median",
       {{"/results/0/exit_codes/0", "1", "failed"},
        {"/results/0/exit_codes/0", "null", "failed"},
        {"/results/0/exit_codes/0", "drop", "refused"},
        {"/results/0/exit_codes", "drop", "told"},
        {"/results/0/times/0", "0", "failed"},
        {"/results/0/times/0", "nan", "failed"},
        {"/results/0/times/0", "-1", "refused"},
        {"/results/0/times", "[]", "refused"},
        {"/results/0/times", "drop", "refused"},
        {"/results/0/median", "1000", "refused"},
        {"/results/0/min", "1000", "refused"},
        {"/results/0/max", "0", "refused"},
        {"/results/0/command", "\"other\"", "missing"},
        {"/results/0/command", "drop", "refused"},
        {"/results/0/command", "\"\"", "refused"},
        {"/results/0", "twice", "refused"},
        {"/results/0", "drop", "missing"},
        {"/results", "[]", "refused"}}},
      {"pytest_benchmark.json",
       "/benchmarks/*/stats/data/* /benchmarks/*/stats/min /benchmarks/*/stats/max /benchmarks/*/stats/mean "
       "/benchmarks/*/stats/median",
       {{"/machine_info/python_version", "\"3.99\"", "told"},
        {"/machine_info/python_version", "drop", "told"},
        {"/machine_info/node", "\"b\"", "unchanged"},
        {"/machine_info/machine", "\"aarch64\"", "not_comparable"},
        {"/machine_info/cpu", R"({"brand_raw": "another CPU"})", "not_comparable"},
        {"/machine_info", "null", "not_comparable"},
        {"/benchmarks/0/options/timer", "\"process_time\"", "missing"},
        {"/benchmarks/0/fullname", "\"other\"", "missing"},
        {"/benchmarks/0/fullname", "drop", "refused"},
        {"/benchmarks/0", "twice", "refused"},
        {"/benchmarks/0", "drop", "missing"},
        {"/benchmarks/0/stats/data", "drop", "refused"},
        {"/benchmarks/0/stats/data/0", "0", "failed"},
        {"/benchmarks/0/stats/data/0", "nan", "failed"},
        {"/benchmarks/0/stats/data/0", "-1", "refused"},
        {"/benchmarks/0/stats/median", "1000", "refused"},
        {"/benchmarks/0/stats", "drop", "refused"},
        {"/benchmarks", "[]", "refused"}}},
      {"criterion.jsonl",
       "/*/measured_values/*",
       {{"/1/unit", "drop", "refused"},
        {"/1/unit", "\"us\"", "regressed"},
        {"/1/unit", "\"B/s\"", "missing"},
        {"/1/id", "\"other\"", "missing"},
        {"/1/id", "drop", "refused"},
        {"/1/iteration_count/0", "0", "refused"},
        {"/1/iteration_count", "drop", "refused"},
        {"/1/measured_values/0", "0", "failed"},
        {"/1/measured_values/0", "nan", "failed"},
        {"/1/measured_values/0", "-5", "refused"},
        {"/1/reason", "\"other\"", "missing"},
        {"/1", "drop", "missing"},
        {"/1", "twice", "refused"}}},
      {"llama_bench-array.json",
       "/*/samples_ns/*",
       {{"/0/n_prompt", "1024", "missing"},
        {"/0/n_threads", "3", "missing"},
        {"/0/n_threads", "drop", "told"},
        {"/*/n_threads", "3", "missing"},
        {"/*/n_threads", "drop", "missing"},
        {"/*/backends", "\"Vulkan\"", "not_comparable"},
        {"/*/cpu_info", "\"another CPU\"", "not_comparable"},
        {"/*/gpu_info", "\"another GPU\"", "not_comparable"},
        {"/*/gpu_info", "drop", "not_comparable"},
        {"/0/gpu_info", "\"another GPU\"", "refused"},
        {"/*/build_commit", "\"fedcba9\"", "unchanged"},
        {"/0/build_commit", "\"fedcba9\"", "refused"},
        {"/0/model_type", "\"another model\"", "missing"},
        {"/0/model_type", "drop", "refused"},
        {"/0/samples_ns/0", "0", "failed"},
        {"/0/samples_ns/0", "nan", "failed"},
        {"/0/samples_ns/0", "-1", "refused"},
        {"/0/samples_ns", "drop", "refused"},
        {"/0", "drop", "missing"}}},
      {"trtexec.json",
       "/*/computeMs /*/latencyMs",
       {{"/0/computeMs", "drop", "refused"},
        {"/0/computeMs", "0", "failed"},
        {"/0/computeMs", "nan", "failed"},
        {"/0/computeMs", "-1", "refused"},
        {"/0/latencyMs", "drop", "refused"},
        {"/0/latencyMs", "0", "failed"}}},
      {"nvbandwidth.json",
       "/nvbandwidth/testcases/*/bandwidth_matrix/*/*",
       {{"/nvbandwidth/GPU Device list/0", "\"0: NVIDIA H100 (00000000:00:06): (vm)\"", "not_comparable"},
        {"/nvbandwidth/GPU Device list/0", "\"0: NVIDIA H200 (00000000:00:07): (lab)\"", "unchanged"},
        {"/nvbandwidth/GPU Device list", "drop", "not_comparable"},
        {"/nvbandwidth/Driver Version", "\"590.1\"", "told"},
        {"/nvbandwidth/CUDA Runtime Version", "13010", "told"},
        {"/nvbandwidth/version", "\"v0.9\"", "told"},
        {"/nvbandwidth/warning", "drop", "not_comparable"},
        {"/nvbandwidth/testcases/0/status", "\"Waived\"", "missing"},
        {"/nvbandwidth/testcases/0/status", "\"Error\"", "failed"},
        {"/nvbandwidth/testcases/0/status", "\"Running\"", "failed"},
        {"/nvbandwidth/testcases/0/status", "drop", "refused"},
        {"/nvbandwidth/testcases/0/name", "\"other\"", "missing"},
        {"/nvbandwidth/testcases/0/name", "drop", "refused"},
        {"/nvbandwidth/testcases/0/name", "\"\"", "refused"},
        {"/nvbandwidth/testcases/0/bandwidth_description", "drop", "refused"},
        {"/nvbandwidth/testcases/0/bandwidth_description", "\"copies\"", "refused"},
        {"/nvbandwidth/testcases/3/bandwidth_description", "\"latency (us)\"", "regressed"},
        {"/nvbandwidth/testcases/3/bandwidth_description", "\"latency (GB/s)\"", "missing"},
        {"/nvbandwidth/testcases/0/bandwidth_matrix/0/0", "\"0\"", "failed"},
        {"/nvbandwidth/testcases/0/bandwidth_matrix/0/0", "\"nan\"", "failed"},
        {"/nvbandwidth/testcases/0/bandwidth_matrix/0/0", "\"-1\"", "refused"},
        {"/nvbandwidth/testcases/0/bandwidth_matrix/0/0", "\"N/A\"", "refused"},
        {"/nvbandwidth/testcases/0/bandwidth_matrix/0/0", "drop", "refused"},
        {"/nvbandwidth/testcases/0", "twice", "refused"},
        {"/nvbandwidth/testcases/0", "drop", "missing"},
        {"/nvbandwidth/testcases", "[]", "refused"}}},
      {"nccl_tests.json",
       "/results/*/out_of_place/time /results/*/in_place/time",
       {{"/version", "4", "refused"},
        {"/version", "drop", "refused"},
        {"/nccl_version", "22900", "told"},
        {"/args/0", "\"/tmp/all_gather_perf\"", "missing"},
        {"/args/0", "\"/new/all_reduce_perf\"", "unchanged"},
        {"/args", "[]", "refused"},
        {"/args", "drop", "refused"},
        {"/config/devices/0/device_info", "\"NVIDIA H100\"", "not_comparable"},
        {"/config/devices/0/hostname", "\"lab\"", "unchanged"},
        {"/config/devices", "drop", "not_comparable"},
        {"/config/graph", "2", "not_comparable"},
        {"/config/ngpus", "2", "not_comparable"},
        {"/config/aggregated_iterations", "20", "not_comparable"},
        {"/config", "drop", "refused"},
        {"/results/0/size", "2048", "missing"},
        {"/results/0/size", "drop", "refused"},
        {"/results/0/type", "\"half\"", "missing"},
        {"/results/*/redop", "\"max\"", "not_comparable"},
        {"/results/0/out_of_place/time", "0", "failed"},
        {"/results/0/out_of_place/time", "nan", "failed"},
        {"/results/0/out_of_place/time", "\"nan\"", "failed"},
        {"/results/0/out_of_place/time", "-1", "refused"},
        {"/results/0/out_of_place/time", "drop", "refused"},
        {"/results/0/out_of_place/nwrong", "3", "failed"},
        {"/results/0/out_of_place/nwrong", "null", "unchanged"},
        {"/results/0/out_of_place/nwrong", "drop", "refused"},
        {"/results/0/out_of_place", "null", "missing"},
        {"/results/0", "twice", "unchanged"},
        {"/results/0", "drop", "missing"},
        {"/results", "[]", "refused"}}},
      {"nanobench.json",
       "/results/*/measurements/*/elapsed /results/*/median(elapsed)",
       {{"/results/0/name", "\"other\"", "missing"},
        {"/results/0/name", "drop", "refused"},
        {"/results/0/name", "\"\"", "refused"},
        {"/results/0/title", "\"other\"", "not_comparable"},
        {"/results/*/batch", "7", "not_comparable"},
        {"/results/*/complexityN", "7", "refused"},
        {"/results/0/median(elapsed)", "0", "failed"},
        {"/results/0/median(elapsed)", "1000", "refused"},
        {"/results/0/median(elapsed)", "drop", "refused"},
        {"/results/0/measurements/0/elapsed", "0", "failed"},
        {"/results/0/measurements/0/elapsed", "nan", "failed"},
        {"/results/0/measurements/0/elapsed", "-1", "refused"},
        {"/results/0/measurements/0/elapsed", "drop", "refused"},
        {"/results/0/measurements", "[]", "refused"},
        {"/results/0/measurements", "drop", "refused"},
        {"/results/0", "twice", "refused"},
        {"/results/0", "drop", "missing"},
        {"/results", "[]", "refused"}}},
      {"pytorch_profiler-schedule.json",
       "/traceEvents/*/dur",
       {{"/schemaVersion", "2", "refused"},
        {"/schemaVersion", "drop", "refused"},
        {"/displayTimeUnit", "\"ns\"", "unchanged"},
        {"/cuda_driver_version", "14000", "told"},
        {"/deviceProperties/0/name", "\"NVIDIA H100\"", "not_comparable"},
        {"/deviceProperties/0/numSms", "66", "not_comparable"},
        {"/deviceProperties", "drop", "not_comparable"},
        {"/traceEvents/26/dur", "0", "failed"},
        {"/traceEvents/26/dur", "nan", "failed"},
        {"/traceEvents/26/dur", "-1", "refused"},
        {"/traceEvents/*/dur", "drop", "refused"},
        {"/traceEvents/*/name", "drop", "refused"},
        {"/traceEvents/*/cat", "\"other\"", "refused"},
        {"/traceEvents/*/ph", "\"B\"", "refused"},
        {"/traceEvents", "[]", "refused"}}},
      {"json_lines.jsonl",
       "/*/samples/*",
       {{"/1/unit", "drop", "refused"},
        {"/1/unit", "\"jiffies\"", "refused"},
        {"/1/metric", "\"other\"", "missing"},
        {"/1/metric", "drop", "refused"},
        {"/1/case", "\"other\"", "missing"},
        {"/1/case", "drop", "refused"},
        {"/1/process", "drop", "refused"},
        {"/1/samples/0", "0", "failed"},
        {"/1/samples/0", "nan", "failed"},
        {"/1/samples/0", "-1", "refused"},
        {"/1", "twice", "refused"},
        {"/0/machine/class", "\"another\"", "not_comparable"},
        {"/0/machine/class", "drop", "not_comparable"}}},
  };
  return all;
}

class Mutations : public testing::TestWithParam<std::size_t> {};

TEST_P(Mutations, ChangeNoVerdictSilently) {
  const Sample& sample = samples()[GetParam()];
  const Json original = read_sample(sample);
  const ImportOptions options{.questions = {.case_name = "net"}};
  const auto files = [&](const Mutation* mutation) {
    return five(1, [&](double factor) { return text_of(sample, original, factor, mutation); });
  };
  const Files base = files(nullptr);
  const std::string plain = judge(base, base, options).verdict;
  ASSERT_TRUE(plain == "unchanged" || plain == "told") << plain;
  for (const Mutation& mutation : sample.mutations) {
    const Judged judged = judge(base, files(&mutation), options);
    const std::string expected =
        plain == "told" && std::string(mutation.expected) == "unchanged" ? "told" : mutation.expected;
    EXPECT_EQ(judged.verdict, expected)
        << sample.file << ": " << mutation.pointer << " " << mutation.to << "\n"
        << judged.message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Mutations, testing::Range(std::size_t{0}, samples().size()),
                         [](const auto& named) {
                           std::string name = samples()[named.param].file;
                           for (char& c : name)
                             if (c == '.' || c == '-') c = '_';
                           return name;
                         });

// So that a table that lost its rows is seen.
TEST(MutationsCount, IsKept) {
  std::size_t count = 0;
  for (const Sample& sample : samples()) count += sample.mutations.size();
  EXPECT_GE(count, 205U);
}

}  // namespace
}  // namespace harness

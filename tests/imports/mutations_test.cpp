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
#include "harness/store/adapters/gunzip.h"
#include "harness/store/adapters/read_csv.h"
#include "judged.h"
#include "sqlite_text.h"

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
  bool quoted = false;  // fields of CSV
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

std::string line_of_csv(const Json& fields, bool quoted) {
  std::string line;
  for (const Json& field : fields) {
    const std::string text = field.is_string() ? field.get<std::string>() : field.dump();
    line += (&field == &fields.front() ? "" : ",") + (quoted ? '"' + text + '"' : text);
  }
  return line;
}

// A number that is text; a whole one stays whole. Commas part thousands.
std::string scaled(std::string text, double factor) {
  std::erase(text, ',');
  const double value = std::stod(text) * factor;
  const bool is_whole = text.find_first_not_of("0123456789") == std::string::npos;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

// The text of a sample whose times are scaled, maybe mutated. JSON Lines are an array here, and so is CSV: of
// lines, each an array of fields.
std::string text_of(const Sample& sample, const Json& original, double factor, const Mutation* mutation) {
  Json document = original;
  for (const std::string& pointer : words_of(sample.times))
    each_at(document, pointer, [&](Json& parent, const std::string& key) {
      Json& value = child(parent, key);
      if (value.is_number())
        value = value.get<double>() * factor;
      else if (value.is_string())
        value = scaled(value.get<std::string>(), factor);
    });
  if (mutation != nullptr) mutate(document, *mutation);
  std::string text;
  if (std::string(sample.file).ends_with(".jsonl"))
    for (const Json& line : document) text += line.dump() + "\n";
  else if (std::string(sample.file).ends_with(".csv"))
    for (const Json& line : document) text += line_of_csv(line, sample.quoted) + "\n";
  else
    text = document.dump();
  for (std::size_t at = text.find(nan_mark); at != std::string::npos; at = text.find(nan_mark))
    text.replace(at, std::string(nan_mark).size(), "NaN");
  return text;
}

// Lines of a table, without those of the program before it, and without those that failed.
Json read_table(const std::string& text) {
  Json lines = Json::array();
  std::istringstream in(text);
  std::vector<std::string> fields;
  for (std::string line; std::getline(in, line);)
    if (split_csv(line, fields) && fields.size() > 3 && fields[4] != "incorrect" &&
        fields[4] != "not_supported")
      lines.push_back(fields);
  return lines;
}

Json read_sample(const Sample& sample) {
  std::string text =
      read_file(fs::path(HARNESS_SOURCE_DIR) / "tests/store/import" / sample.file).value_or("");
  if (is_gzip(text)) text = gunzip(text, sample.file).value_or("");
  if (std::string(sample.file).ends_with(".csv")) return read_table(text);
  if (std::string(sample.file).starts_with("nvbench")) {
    Json document = Json::parse(text);
    document["benchmarks"].erase(3);  // which throws
    return document;
  }
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
      {"nvbench-2026.json.gz",
       "/benchmarks/*/states/*/summaries/*/data/*/value",
       {{"/meta/argv/0", "\"/new/nvb\"", "unchanged"},
        {"/meta/argv/2", "\"other.json\"", "unchanged"},
        {"/meta/argv/8", "\"6\"", "told"},
        {"/meta/argv/7", "\"--lgc\"", "not_comparable"},
        {"/meta/argv/7", "\"--lock-gpu-clocks\"", "not_comparable"},
        {"/meta/argv/7", "\"--profile\"", "not_comparable"},
        {"/meta/version/nvbench/git_version", "\"other\"", "told"},
        {"/meta", "drop", "told"},
        {"/devices/0/name", "\"NVIDIA H100\"", "not_comparable"},
        {"/devices/0/name", "drop", "not_comparable"},
        {"/devices/0/number_of_sms", "66", "not_comparable"},
        {"/devices/0/ecc_state", "false", "not_comparable"},
        {"/devices/0/sm_default_clock_rate", "1", "unchanged"},
        {"/devices/0/id", "3", "not_comparable"},
        {"/devices/0", "twice", "unchanged"},
        {"/devices", "drop", "not_comparable"},
        {"/benchmarks/1/name", "\"other\"", "missing"},
        {"/benchmarks/1/name", "drop", "refused"},
        {"/benchmarks/1/name", "\"\"", "refused"},
        {"/benchmarks/1/states/0/name", "\"Device=0 N=2\"", "missing"},
        {"/benchmarks/1/states/0/name", "drop", "refused"},
        {"/benchmarks/1/states/0/device", "1", "missing"},
        {"/benchmarks/1/states/0/is_skipped", "true", "missing"},
        {"/benchmarks/1/states/0/is_skipped", "0", "refused"},
        {"/benchmarks/1/states/0/skip_reason", "\"Unexpected error: x\"", "failed"},
        {"/benchmarks/1/states/0/summaries/14/data/0/value", "\"0\"", "failed"},
        {"/benchmarks/1/states/0/summaries/14/data/0/value", "\"nan\"", "failed"},
        {"/benchmarks/1/states/0/summaries/14/data/0/value", "\"-1\"", "refused"},
        {"/benchmarks/1/states/0/summaries/14/data/0/value", "drop", "refused"},
        {"/benchmarks/1/states/0/summaries/14/tag", "\"other\"", "failed"},
        {"/benchmarks/1/states/0/summaries/14/tag", "drop", "refused"},
        {"/benchmarks/1/states/0/summaries", "drop", "failed"},
        {"/benchmarks/1/states/0", "twice", "refused"},
        {"/benchmarks/1/states", "null", "missing"},
        {"/benchmarks/1", "twice", "refused"},
        {"/benchmarks/1", "drop", "missing"},
        {"/benchmarks", "[]", "refused"},
        {"/benchmarks", "drop", "refused"}}},
      {"ncu.csv",
       "/2/12 /3/12 /4/12",
       {{"/0/12", "\"other\"", "missing"},
        {"/0/4", "\"other\"", "refused"},
        {"/1/12", "\"us\"", "regressed"},
        {"/1/12", "\"cycle\"", "refused"},
        {"/1/12", "\"\"", "refused"},
        {"/1/11", "\"Kbyte\"", "refused"},
        {"/1/11", "\"sector\"", "not_comparable"},
        {"/2/0", "\"1\"", "unchanged"},
        {"/*/2", "\"other\"", "unchanged"},
        {"/3/4", "\"other\"", "missing"},
        {"/3/4", "\"\"", "refused"},
        {"/3/7", "\"(128, 1, 1)\"", "unchanged"},
        {"/3/8", "\"(8, 1, 1)\"", "unchanged"},
        {"/3/9", "\"1\"", "unchanged"},
        {"/3/10", "\"8.0\"", "refused"},
        {"/*/10", "\"8.0\"", "not_comparable"},
        {"/3/12", "\"0\"", "failed"},
        {"/3/12", "\"nan\"", "failed"},
        {"/3/12", "\"n/a\"", "missing"},
        {"/3/12", "\"-1\"", "refused"},
        {"/3/12", "\"4.416\"", "refused"},
        {"/3/12", "drop", "refused"},
        {"/3", "twice", "refused"},
        {"/3", "drop", "missing"}},
       true},
      {"cutlass_profiler.csv",
       "/1/42 /2/42",
       {{"/0/42", "\"Time\"", "refused"},
        {"/0/3", "\"Name\"", "refused"},
        {"/1/0", "\"7\"", "unchanged"},
        {"/1/1", "\"cuBLAS\"", "missing"},
        {"/1/3", "\"other\"", "missing"},
        {"/1/3", "\"\"", "refused"},
        {"/1/4", "\"incorrect\"", "failed"},
        {"/1/4", "\"not_run\"", "missing"},
        {"/1/4", "\"not_verified\"", "unchanged"},
        {"/1/4", "\"\"", "failed"},
        {"/1/5", "\"internal_error\"", "failed"},
        {"/1/7", "\"512\"", "missing"},
        {"/1/7", "\"\"", "told"},
        {"/1/10", "\"f16:column\"", "missing"},
        {"/1/42", "\"0\"", "failed"},
        {"/1/42", "\"nan\"", "failed"},
        {"/1/42", "\"-1\"", "refused"},
        {"/1/42", "\"\"", "refused"},
        {"/1/42", "drop", "refused"},
        {"/1", "twice", "refused"},
        {"/1", "drop", "missing"}}},
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

// The same for a SQLite file, by statements.
struct Statement {
  const char* sql;
  const char* expected;
};
const std::vector<Statement> statements{
    {"UPDATE StringIds SET value = 'other' WHERE id = 3", "missing"},
    {"DELETE FROM StringIds WHERE id = 3", "missing"},
    {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"end\" = start WHERE demangledName = 3", "failed"},
    {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"end\" = start - 1 WHERE demangledName = 3", "refused"},
    {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"end\" = 'late' WHERE demangledName = 3", "refused"},
    {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 8 WHERE demangledName = 3", "unchanged"},
    {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET blockX = 8 WHERE demangledName = 3", "unchanged"},
    {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1", "unchanged"},
    {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE demangledName = 3", "unchanged"},
    {"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO CUPTI_ACTIVITY_KIND_KERNEL_V4", "unchanged"},
    {"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE 0",
     "unchanged"},
    {"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX", "unchanged"},
    {"DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL", "missing"},
    {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE demangledName = 3", "missing"},
    {"UPDATE NVTX_EVENTS SET text = 'other' WHERE text = 'copies'", "missing"},
    {"UPDATE NVTX_EVENTS SET eventType = 34 WHERE text = 'copies'", "missing"},
    {"UPDATE NVTX_EVENTS SET \"end\" = start WHERE text = 'copies'", "failed"},
    {"UPDATE NVTX_EVENTS SET \"end\" = NULL WHERE text = 'copies'", "missing"},
    {"UPDATE NVTX_EVENTS SET domainId = 3 WHERE text = 'copies'", "told"},
    {"DROP TABLE NVTX_EVENTS; DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL", "refused"},
    {"CREATE TABLE TARGET_INFO_GPU(id, name); INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100')",
     "not_comparable"},
    {"CREATE TABLE TARGET_INFO_GPU(id); INSERT INTO TARGET_INFO_GPU VALUES (0)", "unchanged"},
    {"CREATE TABLE TARGET_INFO_SYSTEM_ENV(name, value); "
     "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('CudaDriverVersion', '13.0')",
     "told"},
    {"CREATE TABLE TARGET_INFO_SYSTEM_ENV(name, value); "
     "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'lab')",
     "unchanged"},
};

TEST(MutationsOfTables, OfNsysChangeNoVerdictSilently) {
  const std::string original =
      read_file(fs::path(HARNESS_SOURCE_DIR) / "tests/store/import/nsys.sqlite").value_or("");
  const auto files = [&](const std::string& sql) {
    return five(100, [&](double factor) {
      std::string text;
      for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"})
        text += fmt::format("UPDATE {} SET \"end\" = start + CAST((\"end\" - start) * {} AS INTEGER);", table,
                            factor);
      return sqlite_text(text + sql, original);
    });
  };
  const Files base = files("");
  ASSERT_EQ(judge(base, base).verdict, "unchanged");
  for (const Statement& one : statements) {
    const Judged judged = judge(base, files(one.sql));
    EXPECT_EQ(judged.verdict, one.expected) << one.sql << "\n" << judged.message;
  }
}

// So that a table that lost its rows is seen.
TEST(MutationsCount, IsKept) {
  std::size_t count = 0;
  for (const Sample& sample : samples()) count += sample.mutations.size();
  EXPECT_GE(count + statements.size(), 310U);
}

}  // namespace
}  // namespace harness

// The output of llama-bench for `-o json`, an array, and for `-o jsonl`, an object a line. A case is called
// as in its table, "llama 7B Q4_0/pp512", and by the parameters in which the tests of the import differ.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

// Scalars that are results, that describe the machine or the build, or that the name has already.
constexpr std::array<std::string_view, 17> not_parameters{
    "build_commit", "build_number", "cpu_info", "gpu_info",  "model_type", "model_filename",
    "model_size",   "test_time",    "n_prompt", "n_gen",     "n_depth",    "model_n_params",
    "avg_ns",       "stddev_ns",    "avg_ts",   "stddev_ts", "samples_ns"};

bool is_llama_bench(std::string_view text) {
  return begins_as_json(text, "{", {"model_type", "samples_ns"}) ||
         begins_as_json(text, "[{", {"model_type", "samples_ns"});
}

// As llama-bench calls a test: "pp512", "tg128", "pp512+tg128", each maybe with " @ d1024".
std::string called(const JsonNode& test) {
  const auto prompt = test.require("n_prompt").integer<std::int64_t>(0, 0);
  const auto generated = test.require("n_gen").integer<std::int64_t>(0, 0);
  const auto depth = test.find("n_depth").integer<std::int64_t>(0, 0);
  std::string name = prompt > 0 ? fmt::format("pp{}", prompt) : "";
  if (generated > 0) name += fmt::format("{}tg{}", name.empty() ? "" : "+", generated);
  if (depth > 0) name += fmt::format(" @ d{}", depth);
  return fmt::format("{}/{}", name_of(test.require("model_type")), name);
}

// The tests of a file are of one build and one machine: two are two runs that were appended to it.
void take_run(const JsonNode& test, ToolFile& read) {
  const std::string build = text_of(test, "build_commit");
  const auto [known, fresh] = read.same.emplace("build_commit", build);
  if (!fresh && known->second != build)
    test.find("build_commit")
        .problem(fmt::format("is {}, and {} in a test before: the file holds runs of two builds",
                             printable(build), printable(known->second)),
                 "import each build from a file of its own");
  const std::string date = text_of(test, "test_time");
  if (read.date.empty()) {
    read.date = date;
    read.field("build_number", text_of(test, "build_number"), FieldClass::info);
    read.field("cpu_info", text_of(test, "cpu_info"), FieldClass::block);
    read.field("gpu_info", text_of(test, "gpu_info"), FieldClass::block);
    return;
  }
  for (const char* part : {"cpu_info", "gpu_info"})
    for (const MachineField& field : read.machine.fields)
      if (field.name == part && field.value != text_of(test, part))
        test.find(part).problem(fmt::format("is `{}`, and `{}` in a test before",
                                            printable(text_of(test, part)), printable(field.value)),
                                "import each machine from a file of its own");
}

// A test that was run twice in the file has a placement for each.
void take_llama_bench(const JsonNode& node, ToolFile& read) {
  ToolCase known{.name = called(node)};
  take_run(node, read);
  if (!node.ok()) return;
  for (const auto& [name, value] : scalars_of(node))
    if (std::find(not_parameters.begin(), not_parameters.end(), name) == not_parameters.end())
      known.parameters.emplace(name, value);
  if (const std::string model = text_of(node, "model_filename"); !model.empty())
    known.source["model"] = file_name(model);
  if (const std::string size = text_of(node, "model_size"); !size.empty()) known.source["model_size"] = size;
  CaseRecord& one = read.at(known);
  std::vector<double> samples = times_of(node.require("samples_ns"), one);
  // A line that was written twice, as by `tee -a`.
  const auto has_these = [&](const Placement& earlier) { return earlier.samples == samples; };
  for (const Series& series : one.series)
    for (const ProcessSamples& process : series.processes)
      if (samples.size() > 1 && std::any_of(process.placements.begin(), process.placements.end(), has_these))
        node.problem("has the samples of a test before: it is a copy",
                     "remove lines that were written twice");
  if (node.ok() && !samples.empty()) ToolFile::add(one, "wall_time", "ns", {std::move(samples)});
}

Checked<ToolFile> read_llama_bench(std::string_view text, const std::string& file, const ToolQuestions&) {
  Checked<ToolFile> read =
      trim(text).starts_with('[')
          ? read_json(text, file,
                      [](const JsonNode& root, ToolFile& into) {
                        root.each_element([&](const JsonNode& test) { take_llama_bench(test, into); });
                      })
          : read_json_lines(text, file, take_llama_bench);
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat llama_bench_format;
const ImportFormat llama_bench_format{"llama_bench", "JSON of llama-bench: llama-bench -m MODEL -o jsonl",
                                      is_llama_bench, read_llama_bench};

}  // namespace harness

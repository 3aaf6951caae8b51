// The file that a program of nccl-tests writes for -J, version 3. A line of its table gives two cases, out of
// place and in place. A time is the mean of the iterations, so one sample of the process; lines that are
// alike are repetitions (-N). With -I there are the times of single iterations, which CUDA events took.
//
// The file holds the whole environment of the caller, of which nothing is kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

bool is_nccl_tests(std::string_view text) {
  return begins_as_json(text, "{", {"version", "args", "env", "nccl_version"});
}

class Results {
 public:
  Results(const JsonNode& root, ToolFile& read) : read_(read) {
    if (const JsonNode version = root.require("version"); version.integer<int>(3) != 3)
      version.problem("is not 3, the version that is read here");
    take_arguments(root.require("args"));
    if (std::string start = text_of(root, "start_time"); start.size() > 10 && start[10] == ' ') {
      start[10] = 'T';
      read.date = start;
    }
    read.field("NCCL", text_of(root, "nccl_version"), FieldClass::warn);
    if (const JsonNode config = root.require("config"); config.present()) take_config(config);
  }

  void take(const JsonNode& line) {
    ToolCase known{.name = program_, .parameters = config_};
    for (const char* name : {"size", "type", "redop", "root"})
      known.parameters[name] = std::string(trim(text_of(line, name)));
    if (known.parameters["size"].empty()) line.problem("has no `size`");
    if (std::string name = text_of(line, "experiment_name"); !name.empty())
      known.parameters["experiment"] = std::move(name);
    for (const char* place : {"out_of_place", "in_place"}) {
      const JsonNode times = line.find(place);
      if (!line.ok() || !times.present() || times.is_null()) continue;
      known.parameters["buffers"] = place;
      take_times(times, line.find(fmt::format("{}_per_iter", place)), read_.at(known));
    }
  }

 private:
  // The command line, without the file that it writes, and the path of the program apart.
  void take_arguments(const JsonNode& args) {
    const std::vector<std::string> words = args.texts();
    if (words.empty()) return args.problem("is empty; its first word names the program");
    program_ = file_name(words.front());
    if (program_.empty()) args.element(0).problem("names no program");
    read_.same.emplace("executable", words.front());
    std::vector<std::string> kept;
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i] == "-J" || words[i] == "--output_file")
        ++i;
      else
        kept.push_back(words[i]);
    read_.same.emplace("options", join(kept, " "));
  }

  // These change what a time is.
  void take_config(const JsonNode& config) {
    for (const char* name : {"nthreads", "ngpus", "graph", "aggregated_iterations", "blocking_collectives"})
      if (std::string value = text_of(config, name); !value.empty()) config_[name] = std::move(value);
    std::vector<std::string> models;
    std::size_t ranks = 0;
    config.find("devices").each_element([&](const JsonNode& device) {
      ++ranks;
      std::string model = text_of(device, "device_info");
      if (read_.host.empty()) read_.host = text_of(device, "hostname");
      if (std::find(models.begin(), models.end(), model) == models.end()) models.push_back(std::move(model));
    });
    // Without MPI only the first device is listed, whatever their number.
    if (ranks > 1) config_["ranks"] = std::to_string(ranks);
    read_.field("GPU", join(models, ", "), FieldClass::block);
  }

  static void take_times(const JsonNode& times, const JsonNode& single, CaseRecord& one) {
    const JsonNode wrong = times.require("nwrong");  // null: not checked
    if (wrong.present() && wrong.is_scalar() && wrong.number() != 0)
      return ToolFile::end(
          one, Outcome::failed,
          cause_with_why(CauseCode::tool_failed, fmt::format("{:g} elements are wrong", wrong.number())));
    const bool enqueuing = times.find("cpu_time").present();  // -C: the time until the host goes on
    const JsonNode mean = enqueuing ? times.find("cpu_time") : times.require("time");
    if (mean.is_text() && mean.text() == "nan")
      return ToolFile::end(one, Outcome::failed, unusable_time(mean.path(), std::nan("")));
    if (const auto time = time_of(mean, one))
      ToolFile::add(one, enqueuing ? "enqueue_time" : "wall_time", "us", {{*time}});
    const JsonNode bandwidth = times.find("bus_bw");  // made of the time; 0 on one GPU
    if (bandwidth.present() && !bandwidth.is_text() && bandwidth.number() > 0)
      ToolFile::add(one, "bus_bandwidth", "GB/s", {{bandwidth.number()}}).informs = true;
    if (!single.present() || single.is_null()) return;
    std::vector<double> samples = times_of(single.require("times_us"), one);
    if (single.ok() && !samples.empty()) ToolFile::add(one, "gpu_time", "us", {std::move(samples)});
  }

  ToolFile& read_;
  std::string program_;
  Texts config_;
};

// The end of the file tells how the whole run went.
void take_end(const JsonNode& root, ToolFile& read) {
  if (!root.find("end_time").present())
    read.remarks.emplace_back("the run did not finish; sizes behind its last line are missing");
  root.find("errors").each_element([&](const JsonNode& error) {
    if (const std::string text = error.text(); !text.empty())
      read.remarks.emplace_back("NCCL reports: " + printable(text));
  });
  if (text_of(root.find("average_bus_bandwidth"), "okay") == "false")
    read.remarks.emplace_back("the average bus bandwidth is below the bound that NCCL_TESTS_MIN_BW sets");
}

Checked<ToolFile> read_nccl_tests(std::string_view text, const std::string& file, const ToolQuestions&) {
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    Results results(root, into);
    if (!root.ok()) return;
    if (const JsonNode lines = root.find("results"); !lines.is_null())
      lines.each_element([&](const JsonNode& line) { results.take(line); });
    take_end(root, into);
  });
  if (!read) return read;
  return with_cases(std::move(*read), file,
                    "the program ended before its first line; its standard error says why");
}

}  // namespace

extern const ImportFormat nccl_tests_format;
const ImportFormat nccl_tests_format{"nccl_tests", "JSON of nccl-tests: all_reduce_perf -J FILE",
                                     is_nccl_tests, read_nccl_tests};

}  // namespace harness

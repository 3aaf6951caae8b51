// The Chrome trace that torch.profiler exports (Kineto), schema version 1. A kernel with its grid and block
// is a case, its launches are the samples; so is a copy of some bytes. A range of record_function() is one,
// too, called ":TEXT", with the host's time and that of the GPU.
//
// Times are in microseconds, whatever `displayTimeUnit` says. The name of a step ends with its number,
// "ProfilerStep#3", which is no part of the case.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr const char* host_time = "wall_time";
constexpr std::string_view step_mark = "ProfilerStep#";

bool is_pytorch_profiler(std::string_view text) {
  return begins_as_json(text, "{", {"schemaVersion", "traceEvents"});
}

// "8x4" of [8, 4, 1].
std::string shape_of(const JsonNode& array) {
  std::string shape;
  if (!array.present() || array.is_null()) return shape;
  for (const double size : array.numbers()) shape += fmt::format("{}{:g}", shape.empty() ? "" : "x", size);
  return launch_shape(std::move(shape));
}

// The kind of an event. PyTorch 1.8 to 1.11 spells it otherwise, and calls ranges operators, as it does the
// operators in them; of those, steps alone are known by their names.
std::string kind_of(const JsonNode& event) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 4> older{
      {{"Kernel", "kernel"},
       {"Memcpy", "gpu_memcpy"},
       {"Memset", "gpu_memset"},
       {"Runtime", "cuda_runtime"}}};
  std::string kind = text_of(event, "cat");
  for (const auto& [theirs, ours] : older)
    if (kind == theirs) return ours;
  if (kind == "Operator" && text_of(event, "name").starts_with(step_mark)) return "user_annotation";
  return kind;
}

class Trace {
 public:
  explicit Trace(ToolFile& read) : read_(read) {}

  void take(const JsonNode& root) {
    if (const JsonNode version = root.require("schemaVersion"); version.ok() && version.integer<int>() != 1)
      version.problem("is not 1, the version that is read here");
    take_rank(root);
    const JsonNode events = root.require("traceEvents");
    events.each_element([&](const JsonNode& event) { look_at(event); });
    events.each_element([&](const JsonNode& event) { take_event(event); });
    take_passes();
    take_machine(root);
    read_.forget_lone("device");
    take_date(root);
    if (launches_ > 0 && kernels_ == 0)
      read_.remarks.emplace_back(
          "holds launches, and no kernel: profile with ProfilerActivity.CUDA, too, for their times");
  }

  [[nodiscard]] bool launches_alone() const { return launches_ > 0 && kernels_ == 0; }

 private:
  // Each rank of a distributed program writes a file.
  void take_rank(const JsonNode& root) {
    const JsonNode group = root.find("distributedInfo");
    if (!group.present() || group.is_null()) return;
    for (const char* name : {"rank", "world_size"})
      if (std::string value = text_of(group, name); !value.empty()) parameters_[name] = std::move(value);
  }

  // The GPUs that were used, if any; the file lists all of the machine.
  void take_machine(const JsonNode& root) {
    std::vector<std::string> models, multiprocessors;
    const auto add_once = [](std::vector<std::string>& all, std::string one) {
      if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    };
    if (const JsonNode devices = root.find("deviceProperties"); !devices.is_null())
      devices.each_element([&](const JsonNode& device) {
        if (const std::string id = text_of(device, "id");
            !devices_.empty() && !id.empty() && !devices_.contains(id))
          return;
        add_once(models, text_of(device, "name"));
        add_once(multiprocessors, text_of(device, "numSms"));
      });
    read_.field("GPU", join(models, ", "), FieldClass::block);
    read_.field("multiprocessors", join(multiprocessors, ", "), FieldClass::block);
    // Recording more takes time on the host.
    for (const char* name : {"with_stack", "record_shapes", "profile_memory", "with_flops", "with_modules"})
      read_.field(name, text_of(root, name), FieldClass::warn);
    read_.field("driver", text_of(root, "cuda_driver_version"), FieldClass::warn);
    read_.field("CUDA runtime", text_of(root, "cuda_runtime_version"), FieldClass::warn);
  }

  void look_at(const JsonNode& event) {
    const std::string name = event.find("name").is_text() ? event.find("name").text() : std::string();
    if (name == std::string(step_mark) + "0")
      begins_with_step_0_ = true;
    else if (name.starts_with(step_mark))
      has_later_step_ = true;
    const std::string kind = kind_of(event);
    const bool on_host = kind == "cuda_runtime" || kind == "cuda_driver";
    if (on_host && name.find("Launch") != std::string::npos) ++launches_;
    if (kind == "kernel") ++kernels_;
  }

  void take_event(const JsonNode& event) {
    const std::string kind = kind_of(event);
    if (text_of(event, "ph") != "X") return;
    if (kind == "kernel" || kind == "gpu_memcpy" || kind == "gpu_memset")
      take_work(event);
    else if (kind == "user_annotation" || kind == "gpu_user_annotation")
      take_range(event, kind == "user_annotation" ? host_time : "gpu_time");
  }

  // A kernel, or a copy.
  void take_work(const JsonNode& event) {
    ToolCase known{.name = name_of(event.require("name")), .parameters = parameters_};
    const JsonNode arguments = event.find("args");
    if (arguments.present()) {
      if (std::string bytes = text_of(arguments, "bytes"); !bytes.empty())
        known.parameters["bytes"] = std::move(bytes);
      if (std::string device = text_of(arguments, "device"); !device.empty())
        known.launch["device"] = *devices_.insert(std::move(device)).first;
      for (const char* name : {"grid", "block"})
        if (std::string shape = shape_of(arguments.find(name)); !shape.empty())
          known.launch[name] = std::move(shape);
    }
    if (!event.ok()) return;
    CaseRecord& one = read_.at(known);
    if (const auto time = time_in(event, one)) ToolFile::append(one, "gpu_time", "us", *time);
  }

  // The first pass through a range includes set-up, such as loading kernels, unless steps before it were left
  // out by a schedule.
  void take_range(const JsonNode& event, const std::string& metric) {
    std::string name = name_of(event.require("name"));
    if (name.starts_with(step_mark)) name.resize(step_mark.size() - 1);
    if (!event.ok()) return;
    const ToolCase known{.name = ":" + name, .parameters = parameters_};
    if (const auto time = time_in(event, read_.at(known)))
      passes_[{known.name, metric}].emplace_back(event.find("ts").number(), *time);
  }

  // Events stand in no order.
  void take_passes() {
    const bool warmed_up = has_later_step_ && !begins_with_step_0_;
    for (auto& [range, passes] : passes_) {
      const auto& [name, metric] = range;
      std::sort(passes.begin(), passes.end());
      CaseRecord& one = read_.at(ToolCase{.name = name, .parameters = parameters_});
      for (std::size_t i = 0; i < passes.size(); ++i)
        if (i > 0 || warmed_up)
          ToolFile::append(one, metric, "us", passes[i].second);
        else if (metric == host_time)
          ToolFile::add(one, "first_call", "us", {{passes[i].second}}).informs = true;
    }
  }

  std::optional<double> time_in(const JsonNode& event, CaseRecord& one) {
    const double start = event.require("ts").number();
    if (event.ok() && std::isfinite(start)) start_ = std::min(start_, start);
    return time_of(event.require("dur"), one);
  }

  // `ts` counts from `baseTimeNanoseconds`; in older traces, which lack it, from the epoch.
  void take_date(const JsonNode& root) {
    constexpr double longest = 4e9;  // seconds; a trace after the year 2096 has no date
    const double base = root.find("baseTimeNanoseconds").number() / 1e9;
    const double seconds = std::isfinite(start_) ? base + start_ / 1e6 : 0;
    if (!(seconds > 0) || seconds > longest) return;
    read_.date = fmt::format("{:%FT%TZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
  }

  ToolFile& read_;
  Texts parameters_;
  std::set<std::string> devices_;  // numbers of the GPUs of all events
  std::size_t launches_ = 0, kernels_ = 0;
  bool begins_with_step_0_ = false, has_later_step_ = false;
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<double, double>>>
      passes_;  // start, time
  double start_ = std::numeric_limits<double>::infinity();
};

Checked<ToolFile> read_pytorch_profiler(std::string_view text, const std::string& file,
                                        const ToolQuestions&) {
  bool launches_alone = false;
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    Trace trace(into);
    trace.take(root);
    launches_alone = trace.launches_alone();
  });
  if (!read) return read;
  return with_cases(std::move(*read), file,
                    launches_alone ? "it has no kernels: profile with ProfilerActivity.CUDA, too"
                                   : "it has no kernels, and no range of torch.profiler.record_function()");
}

}  // namespace

extern const ImportFormat pytorch_profiler_format;
const ImportFormat pytorch_profiler_format{
    "pytorch_profiler", "trace of PyTorch's profiler: prof.export_chrome_trace(FILE), .json or .json.gz",
    is_pytorch_profiler, read_pytorch_profiler};

}  // namespace harness

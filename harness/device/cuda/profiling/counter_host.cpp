#include "harness/device/cuda/profiling/counter_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/base/text.h"

namespace harness::cuda {
namespace {

constexpr std::array metric_types{CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO,
                                  CUPTI_METRIC_TYPE_THROUGHPUT};

// Parameters of one call; their size tells CUPTI which fields exist.
template <class Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

// The names that records use; other units keep the library's name.
std::string unit_text(std::string_view dimension) {
  if (dimension == "percent") return "%";
  if (dimension == "nanosecond") return "ns";
  if (dimension == "byte") return "bytes";
  if (dimension == "byte/second") return "bytes/s";
  return std::string(dimension);
}

}  // namespace

Result<CounterHost> CounterHost::open(const Cupti& cupti, std::string chip,
                                      std::vector<std::uint8_t> availability) {
  if (!cupti.has_profiler())
    return fail(ErrorKind::environment, "the libcupti found has no Range Profiler",
                "put the toolkit's own libcupti.so.13 on LD_LIBRARY_PATH");
  auto chips = sized<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  if (Status done =
          cupti.check(cupti.ProfilerHostGetSupportedChips(&chips), "cuptiProfilerHostGetSupportedChips");
      !done)
    return fail(std::move(done.error()));
  std::vector<std::string> known(chips.ppChipNames, chips.ppChipNames + chips.numChips);
  if (std::find(known.begin(), known.end(), chip) == known.end())
    return fail(ErrorKind::environment, fmt::format("CUPTI knows no counters of chip `{}`", printable(chip)),
                "known: " + join(known, ", "));
  CounterHost host(cupti, std::move(chip), std::move(availability));
  auto opened =
      sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  opened.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  opened.pChipName = host.chip_.c_str();
  opened.pCounterAvailabilityImage = host.availability_.empty() ? nullptr : host.availability_.data();
  if (Status done = cupti.check(cupti.ProfilerHostInitialize(&opened), "cuptiProfilerHostInitialize"); !done)
    return fail(std::move(done.error()));
  host.host_ = opened.pHostObject;
  return host;
}

CounterHost::CounterHost(CounterHost&& other) noexcept
    : cupti_(other.cupti_),
      chip_(std::move(other.chip_)),
      availability_(std::move(other.availability_)),
      host_(std::exchange(other.host_, nullptr)),
      base_names_(std::move(other.base_names_)) {}

CounterHost::~CounterHost() {
  if (host_ == nullptr) return;
  auto ended =
      sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  ended.pHostObject = host_;
  (void)cupti_.ProfilerHostDeinitialize(&ended);
}

// The library knows properties even of a base name, but only a name with an ending can be collected.
bool CounterHost::knows(const std::string& name) {
  const std::size_t dot = name.find('.', name.rfind("__") == std::string::npos ? 0 : name.rfind("__"));
  if (dot == std::string::npos) return false;
  auto asked = sized<CUpti_Profiler_Host_GetMetricProperties_Params>(
      CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
  asked.pHostObject = host_;
  asked.pMetricName = name.c_str();
  return cupti_.ProfilerHostGetMetricProperties(&asked) == CUPTI_SUCCESS;
}

std::vector<std::string> CounterHost::base_names() {
  if (!base_names_.empty()) return base_names_;
  for (const CUpti_MetricType type : metric_types) {
    auto asked = sized<CUpti_Profiler_Host_GetBaseMetrics_Params>(
        CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE);
    asked.pHostObject = host_;
    asked.metricType = type;
    if (cupti_.ProfilerHostGetBaseMetrics(&asked) != CUPTI_SUCCESS) continue;
    base_names_.insert(base_names_.end(), asked.ppMetricNames, asked.ppMetricNames + asked.numMetrics);
  }
  return base_names_;
}

std::vector<std::string> CounterHost::endings(const std::string& base) {
  for (const CUpti_MetricType type : metric_types) {
    auto asked =
        sized<CUpti_Profiler_Host_GetSubMetrics_Params>(CUpti_Profiler_Host_GetSubMetrics_Params_STRUCT_SIZE);
    asked.pHostObject = host_;
    asked.metricType = type;
    asked.pMetricName = base.c_str();
    if (cupti_.ProfilerHostGetSubMetrics(&asked) == CUPTI_SUCCESS && asked.numOfSubmetrics > 0)
      return {asked.ppSubMetrics, asked.ppSubMetrics + asked.numOfSubmetrics};
  }
  return {};
}

std::vector<UnknownCounter> CounterHost::unknown(const std::vector<std::string>& names) {
  std::vector<UnknownCounter> found;
  for (const std::string& name : names) {
    if (knows(name)) continue;
    const std::size_t dot = name.find('.');
    const std::string base = name.substr(0, dot);
    const std::string ending = dot == std::string::npos ? "" : name.substr(dot);
    const std::vector<std::string> bases = base_names();
    const bool exists = std::find(bases.begin(), bases.end(), base) != bases.end();
    const std::optional<std::string> near = exists ? base : nearest(base, bases);
    if (!near) {
      found.push_back({name, {}});
      continue;
    }
    const std::vector<std::string> known = endings(*near);
    const auto has = [&](std::string_view one) {
      return std::find(known.begin(), known.end(), one) != known.end();
    };
    std::string fitting = has(ending) ? ending : nearest(ending, known).value_or("");
    for (const char* usual : {".sum", ".pct", ".avg.pct_of_peak_sustained_elapsed"})
      if (fitting.empty() && has(usual)) fitting = usual;
    found.push_back({name, *near + fitting});
  }
  return found;
}

Result<std::vector<std::uint8_t>> CounterHost::configure(const std::vector<std::string>& names) {
  std::vector<const char*> pointers = pointers_to(names);
  auto added = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  added.pHostObject = host_;
  added.ppMetricNames = pointers.data();
  added.numMetrics = pointers.size();
  if (Status done =
          cupti_.check(cupti_.ProfilerHostConfigAddMetrics(&added), "cuptiProfilerHostConfigAddMetrics");
      !done)
    return fail(std::move(done.error()));
  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = host_;
  if (Status done =
          cupti_.check(cupti_.ProfilerHostGetConfigImageSize(&size), "cuptiProfilerHostGetConfigImageSize");
      !done)
    return fail(std::move(done.error()));
  std::vector<std::uint8_t> image(size.configImageSize);
  auto made =
      sized<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  made.pHostObject = host_;
  made.configImageSize = image.size();
  made.pConfigImage = image.data();
  if (Status done = cupti_.check(cupti_.ProfilerHostGetConfigImage(&made), "cuptiProfilerHostGetConfigImage");
      !done)
    return fail(std::move(done.error()));
  return image;
}

Result<int> CounterHost::passes(std::vector<std::uint8_t>& configuration) {
  auto asked =
      sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  asked.configImageSize = configuration.size();
  asked.pConfigImage = configuration.data();
  if (Status done =
          cupti_.check(cupti_.ProfilerHostGetNumOfPasses(&asked), "cuptiProfilerHostGetNumOfPasses");
      !done)
    return fail(std::move(done.error()));
  return static_cast<int>(asked.numOfPasses);
}

std::string CounterHost::unit(const std::string& name) {
  auto asked = sized<CUpti_Profiler_Host_GetMetricProperties_Params>(
      CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
  asked.pHostObject = host_;
  asked.pMetricName = name.c_str();
  if (cupti_.ProfilerHostGetMetricProperties(&asked) != CUPTI_SUCCESS || asked.pDimUnit == nullptr) return {};
  return unit_text(asked.pDimUnit);
}

Result<std::vector<double>> CounterHost::evaluate(std::span<const std::uint8_t> collected,
                                                  const std::vector<std::string>& names) {
  std::vector<const char*> pointers = pointers_to(names);
  std::vector<double> values(names.size());
  auto asked = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  asked.pHostObject = host_;
  asked.pCounterDataImage = collected.data();
  asked.counterDataImageSize = collected.size();
  asked.rangeIndex = 0;
  asked.ppMetricNames = pointers.data();
  asked.numMetrics = pointers.size();
  asked.pMetricValues = values.data();
  if (Status done = cupti_.check(cupti_.ProfilerHostEvaluateToGpuValues(&asked),
                                 "cuptiProfilerHostEvaluateToGpuValues");
      !done)
    return fail(std::move(done.error()));
  return values;
}

CounterPlan plan_counters(const std::string& chip, const std::vector<std::string>& names) {
  CounterPlan plan;
  plan.outcome = {CounterCode::looked_up, {{"chip", chip}}};
  const auto given_up = [&](const Error& error) {
    plan.outcome = {CounterCode::refused, {{"problem", error.message}}};
    return plan;
  };
  const Result<const Cupti*> library = cupti();
  if (!library) return given_up(library.error());
  Result<CounterHost> host = CounterHost::open(**library, chip);
  if (!host) return given_up(host.error());
  plan.unknown = host->unknown(names);
  if (!plan.unknown.empty() || names.empty()) return plan;
  Result<std::vector<std::uint8_t>> configuration = host->configure(names);
  if (!configuration) return given_up(configuration.error());
  const Result<int> passes = host->passes(*configuration);
  if (!passes) return given_up(passes.error());
  plan.passes = *passes;
  return plan;
}

}  // namespace harness::cuda

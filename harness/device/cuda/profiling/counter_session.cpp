#include "harness/device/cuda/profiling/counter_session.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace harness::cuda {
namespace {

constexpr int most_replays = 1000;  // far more than any set of counters takes

template <class Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

// The counters that this GPU, driver and user allow.
Result<std::vector<std::uint8_t>> counter_availability(const Cupti& cupti, CUcontext context) {
  auto asked = sized<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  asked.ctx = context;
  const char* call = "cuptiProfilerGetCounterAvailability";
  if (Status done = cupti.check(cupti.ProfilerGetCounterAvailability(&asked), call); !done)
    return fail(std::move(done.error()));
  std::vector<std::uint8_t> image(asked.counterAvailabilityImageSize);
  asked.pCounterAvailabilityImage = image.data();
  if (Status done = cupti.check(cupti.ProfilerGetCounterAvailability(&asked), call); !done)
    return fail(std::move(done.error()));
  return image;
}

// Starts the profiler; the destructor ends it.
class ProfilerLife {
 public:
  explicit ProfilerLife(const Cupti& cupti) : cupti_(cupti) {}
  ProfilerLife(const ProfilerLife&) = delete;
  ProfilerLife& operator=(const ProfilerLife&) = delete;
  ~ProfilerLife() {
    if (!begun_) return;
    auto ended = sized<CUpti_Profiler_DeInitialize_Params>(CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE);
    (void)cupti_.ProfilerDeInitialize(&ended);
  }
  Status begin() {
    auto begun = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    Status done = cupti_.check(cupti_.ProfilerInitialize(&begun), "cuptiProfilerInitialize");
    begun_ = done.has_value();
    return done;
  }

 private:
  const Cupti& cupti_;
  bool begun_ = false;
};

// The Range Profiler on one context, from Enable to Disable.
class RangeProfiler {
 public:
  explicit RangeProfiler(const Cupti& cupti) : cupti_(cupti) {}
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler() {
    if (profiler_ == nullptr) return;
    auto ended = sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    ended.pRangeProfilerObject = profiler_;
    (void)cupti_.RangeProfilerDisable(&ended);
  }

  Status enable(CUcontext context) {
    auto enabled = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enabled.ctx = context;
    if (Status done = cupti_.check(cupti_.RangeProfilerEnable(&enabled), "cuptiRangeProfilerEnable"); !done)
      return done;
    profiler_ = enabled.pRangeProfilerObject;
    return {};
  }

  // One range, which the caller marks and replays.
  Status configure(std::vector<std::uint8_t> configuration, const std::vector<std::string>& names) {
    configuration_ = std::move(configuration);
    std::vector<const char*> pointers;
    for (const std::string& name : names) pointers.push_back(name.c_str());
    auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = pointers.data();
    size.numMetrics = pointers.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    if (Status done = cupti_.check(cupti_.RangeProfilerGetCounterDataSize(&size),
                                   "cuptiRangeProfilerGetCounterDataSize");
        !done)
      return done;
    collected_.assign(size.counterDataSize, 0);
    auto prepared = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    prepared.pRangeProfilerObject = profiler_;
    prepared.counterDataSize = collected_.size();
    prepared.pCounterData = collected_.data();
    if (Status done = cupti_.check(cupti_.RangeProfilerCounterDataImageInitialize(&prepared),
                                   "cuptiRangeProfilerCounterDataImageInitialize");
        !done)
      return done;
    auto set = sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    set.pRangeProfilerObject = profiler_;
    set.configSize = configuration_.size();
    set.pConfig = configuration_.data();
    set.counterDataImageSize = collected_.size();
    set.pCounterDataImage = collected_.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 0;  // of a first session, as in CUPTI's manual
    return cupti_.check(cupti_.RangeProfilerSetConfig(&set), "cuptiRangeProfilerSetConfig");
  }

  // One replay of the range. True when it was the last one needed.
  Result<bool> replay(const TracedWork& work) {
    if (Status done = work.before_call(); !done) return fail(std::move(done.error()));
    if (Status done = work.synchronize(); !done) return fail(std::move(done.error()));
    auto start = sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = profiler_;
    if (Status done = cupti_.check(cupti_.RangeProfilerStart(&start), "cuptiRangeProfilerStart"); !done)
      return fail(std::move(done.error()));
    const Status inside = marked_call(work);
    auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = profiler_;
    Status stopped = cupti_.check(cupti_.RangeProfilerStop(&stop), "cuptiRangeProfilerStop");
    if (!inside) return fail(inside.error());
    if (!stopped) return fail(std::move(stopped.error()));
    return stop.isAllPassSubmitted != 0;
  }

  // The data of the replays; an error when they are not one whole range.
  Result<std::span<const std::uint8_t>> collected() {
    auto decoded =
        sized<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decoded.pRangeProfilerObject = profiler_;
    if (Status done = cupti_.check(cupti_.RangeProfilerDecodeData(&decoded), "cuptiRangeProfilerDecodeData");
        !done)
      return fail(std::move(done.error()));
    if (decoded.numOfRangeDropped > 0)
      return fail(ErrorKind::environment, "the profiler dropped the range that it should have measured");
    auto info = sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
        CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = collected_.data();
    info.counterDataImageSize = collected_.size();
    if (Status done = cupti_.check(cupti_.RangeProfilerGetCounterDataInfo(&info),
                                   "cuptiRangeProfilerGetCounterDataInfo");
        !done)
      return fail(std::move(done.error()));
    if (info.numTotalRanges != 1)
      return fail(ErrorKind::environment,
                  fmt::format("the profiler measured {} ranges instead of one", info.numTotalRanges));
    return std::span<const std::uint8_t>(collected_);
  }

 private:
  Status marked_call(const TracedWork& work) {
    auto push = sized<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = "call";
    if (Status done = cupti_.check(cupti_.RangeProfilerPushRange(&push), "cuptiRangeProfilerPushRange");
        !done)
      return done;
    try {
      work.call();
    } catch (...) {
      (void)pop();
      throw;
    }
    const Status finished = work.synchronize();
    Status popped = pop();
    return finished ? popped : finished;
  }

  Status pop() {
    auto popped = sized<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
    popped.pRangeProfilerObject = profiler_;
    return cupti_.check(cupti_.RangeProfilerPopRange(&popped), "cuptiRangeProfilerPopRange");
  }

  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::uint8_t> configuration_;  // CUPTI reads and writes both until Disable
  std::vector<std::uint8_t> collected_;
};

Status replay_all(RangeProfiler& profiler, const TracedWork& work) {
  for (int i = 0; i < most_replays; ++i) {
    const Result<bool> last = profiler.replay(work);
    if (!last) return fail(last.error());
    if (*last) return {};
  }
  return fail(ErrorKind::environment, fmt::format("{} replays of a call were not enough", most_replays));
}

struct Evaluated {
  std::vector<double> values;
  std::vector<std::string> units;
};

Result<Evaluated> collect(const Cupti& cupti, CUcontext context, CounterHost& host, const TracedWork& work,
                          const std::vector<std::string>& names) {
  Result<std::vector<std::uint8_t>> configuration = host.configure(names);
  if (!configuration) return fail(std::move(configuration.error()));
  RangeProfiler profiler(cupti);
  if (Status done = profiler.enable(context); !done) return fail(std::move(done.error()));
  if (Status done = profiler.configure(std::move(*configuration), names); !done)
    return fail(std::move(done.error()));
  if (Status done = replay_all(profiler, work); !done) return fail(std::move(done.error()));
  const auto collected = profiler.collected();
  if (!collected) return fail(collected.error());
  Result<std::vector<double>> values = host.evaluate(*collected, names);
  if (!values) return fail(std::move(values.error()));
  Evaluated evaluated{std::move(*values), {}};
  for (const std::string& name : names) evaluated.units.push_back(host.unit(name));
  return evaluated;
}

Result<CounterHost> open_host(const Cupti& cupti, CUcontext context, int ordinal) {
  auto chip = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  if (Status done = cupti.check(cupti.DeviceGetChipName(&chip), "cuptiDeviceGetChipName"); !done)
    return fail(std::move(done.error()));
  Result<std::vector<std::uint8_t>> availability = counter_availability(cupti, context);
  if (!availability) return fail(std::move(availability.error()));
  return CounterHost::open(cupti, chip.pChipName, std::move(*availability));
}

CounterFact refusal(const Error& error) {
  return {CounterCode::refused,
          {{"problem", error.message + (error.advice.empty() ? "" : "; " + error.advice)}}};
}

CounterFact unknown_to_chip(const UnknownCounter& unknown) {
  if (unknown.nearest.empty()) return {CounterCode::unknown_counter};
  return {CounterCode::unknown_counter, {{"nearest", unknown.nearest}}};
}

}  // namespace

Result<std::vector<CounterValue>> read_counters(const Cupti& cupti, CUcontext context, int ordinal,
                                                const TracedWork& work,
                                                const std::vector<std::string>& names) {
  std::vector<CounterValue> values;
  for (const std::string& name : names) values.push_back({name, std::nullopt, {}, {}});
  const auto refused = [&](const CounterFact& why) {
    for (CounterValue& one : values)
      if (!one.value && !one.missing) one.missing = why;
    return values;
  };
  if (!cupti.has_profiler()) return refused({CounterCode::no_profiler});
  if (Status idle = work.synchronize(); !idle) return fail(std::move(idle.error()));
  const auto subscription = Subscription::open(cupti, [](std::span<const std::byte>) {});
  if (!subscription) return refused(refusal(subscription.error()));
  ProfilerLife life(cupti);
  if (const Status begun = life.begin(); !begun) return refused(refusal(begun.error()));
  Result<CounterHost> host = open_host(cupti, context, ordinal);
  if (!host) return refused(refusal(host.error()));
  for (const UnknownCounter& unknown : host->unknown(names))
    for (CounterValue& one : values)
      if (one.name == unknown.name) one.missing = unknown_to_chip(unknown);
  std::vector<std::string> known;
  for (const CounterValue& one : values)
    if (!one.missing) known.push_back(one.name);
  if (known.empty()) return values;
  const Result<Evaluated> evaluated = collect(cupti, context, *host, work, known);
  if (Status alive = work.synchronize(); !alive) return fail(std::move(alive.error()));
  if (!evaluated) return refused(refusal(evaluated.error()));
  std::size_t next = 0;
  for (CounterValue& one : values) {
    if (one.missing) continue;
    const double value = evaluated->values.at(next);
    one.unit = evaluated->units.at(next++);
    if (std::isfinite(value))
      one.value = value;
    else
      one.missing = CounterFact{CounterCode::not_finite};
  }
  return values;
}

}  // namespace harness::cuda

// One case in one process, step by step; worker.h says what comes out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/base/text.h"
#include "harness/measure/allocation.h"
#include "harness/measure/inputs.h"
#include "harness/measure/metrics.h"
#include "harness/measure/phases.h"
#include "harness/measure/verify.h"
#include "harness/measure/worker.h"

namespace harness {
namespace {

constexpr double microseconds_per_second = 1e6;

// Why a case ends without a time.
struct Ending {
  Outcome outcome = Outcome::failed;
  std::string reason;
};
using Step = tl::expected<void, Ending>;

tl::unexpected<Ending> ended(Outcome outcome, std::string reason) {
  return tl::unexpected<Ending>(Ending{outcome, std::move(reason)});
}

// Microseconds with what a clock can tell (0.1 ns), so that records stay small: 32 ns ticks stay exact.
double to_microseconds(Seconds value) {
  const double us = value * microseconds_per_second;
  const double rounded = std::round(us * 1e4) / 1e4;
  return rounded > 0 ? rounded : us;
}

class CaseRun {
 public:
  CaseRun(Device& device, const Catalog& catalog, const PlannedCase& planned, int process, InputCache& cache)
      : device_(device),
        catalog_(catalog),
        planned_(planned),
        sampling_(planned.sampling),
        process_(process),
        cache_(cache),
        phases_(device),
        allocation_(device, input_seed(planned.id, planned.params, planned.sampling.seed, process)) {
    result_.case_id = planned.id;
    result_.process = process;
    samples_.process = process;
    launches_.process = process;
  }

  ProcessResult run();

 private:
  Step steps();
  Step find();
  Step prepare();
  Step place(bool padded);
  Step first_call();
  tl::expected<Finding, Ending> check(std::vector<sdk::HostTensor>& outputs);
  Step check_before();
  Step measure_placement(int index);
  Step warm_up();
  Step sample(Placement& placement);
  Step look_at_kernels();
  Step check_after();
  void add_notes();
  void add_metrics();

  // An error of the device, with what was being done.
  [[nodiscard]] tl::unexpected<Ending> broken(const Error& error) const {
    return ended(Outcome::failed, fmt::format("{}, while {}{}{}", error.message, doing_,
                                              error.advice.empty() ? "" : "; ", error.advice));
  }
  void enter(int placement) { device_.enter({planned_.id, process_, placement}); }
  void call() { kernel_->run(device_.stream()); }
  [[nodiscard]] int placements() const { return std::max(1, sampling_.placements); }
  [[nodiscard]] Seconds placement_budget() const { return sampling_.max_time / placements(); }

  Device& device_;
  const Catalog& catalog_;
  const PlannedCase& planned_;
  const Sampling& sampling_;
  int process_;
  InputCache& cache_;
  Phases phases_;

  const sdk::Workload* workload_ = nullptr;
  const sdk::Variant* variant_ = nullptr;
  sdk::Problem problem_;
  std::shared_ptr<const CaseInputs> inputs_;
  Allocation allocation_;
  std::unique_ptr<sdk::Kernel> kernel_;  // after the buffers that it points into: destroyed first
  bool gated_ = true;
  std::string doing_ = "looking it up";  // for reasons
  ProcessSamples samples_;
  ProcessSamples launches_;  // host time of each sample's launch, where the device tells
  std::optional<Reported> reported_;
  ProcessResult result_;
};

ProcessResult CaseRun::run() {
  Ending ending{Outcome::measured, {}};
  try {
    if (const Step done = steps(); !done) ending = done.error();
  } catch (const sdk::Unsupported& reason) {
    ending = {Outcome::skipped, reason.what()};
  } catch (const std::exception& problem) {
    ending = {Outcome::failed, fmt::format("threw `{}` while {}", problem.what(), doing_)};
  } catch (...) {
    ending = {Outcome::failed, fmt::format("threw something that is not a std::exception while {}", doing_)};
  }
  result_.outcome = ending.outcome;
  result_.reason = printable(ending.reason);
  result_.phases = phases_.take();
  if (ending.outcome == Outcome::measured) {
    add_notes();
    add_metrics();
  }
  return std::move(result_);
}

Step CaseRun::steps() {
  if (Step done = find(); !done) return done;
  if (Step done = prepare(); !done) return done;
  if (Step done = first_call(); !done) return done;
  if (Step done = check_before(); !done) return done;
  for (int index = 0; index < placements(); ++index)
    if (Step done = measure_placement(index); !done) return done;
  if (Step done = look_at_kernels(); !done) return done;
  return check_after();
}

Step CaseRun::find() {
  workload_ = catalog_.workload(planned_.workload);
  if (workload_ == nullptr)
    return ended(Outcome::failed, fmt::format("this worker knows no workload `{}`", planned_.workload));
  variant_ = catalog_.variant(planned_.workload, planned_.variant);
  if (variant_ == nullptr)
    return ended(Outcome::failed, fmt::format("this worker knows no variant `{}` of `{}`", planned_.variant,
                                              planned_.workload));
  if (variant_->make == nullptr)
    return ended(Outcome::skipped,
                 variant_->unavailable.empty() ? "not available here" : variant_->unavailable);
  if (variant_->device != device_.traits().kind)
    return ended(Outcome::skipped, fmt::format("variant `{}` runs on {}, and this device is {}",
                                               planned_.variant, variant_->device, device_.traits().kind));
  return {};
}

Step CaseRun::prepare() {
  enter(-1);
  doing_ = "describing the problem";
  problem_ = workload_->problem(planned_.params);
  reported_.emplace(workload_->metrics());
  doing_ = "constructing the kernel";
  {
    const auto phase = phases_.run("construct");
    kernel_ = variant_->make(planned_.params, problem_, device_.traits());
  }
  if (!kernel_) return ended(Outcome::failed, "the variant made no kernel");
  doing_ = "filling the inputs and computing the reference";
  {
    const auto phase = phases_.run("inputs");
    inputs_ = cache_.get(*workload_, planned_.params, problem_,
                         input_seed(planned_.workload, planned_.params, sampling_.seed, process_));
  }
  gated_ = !kernel_->synchronises();
  return place(false);
}

Step CaseRun::place(bool padded) {
  doing_ = "allocating and binding buffers";
  const auto phase = phases_.run("allocate");
  const Status placed = allocation_.place(problem_, *inputs_, kernel_->workspace_bytes(), padded);
  if (!placed) return broken(placed.error());
  kernel_->bind(allocation_.buffers());
  return {};
}

Step CaseRun::first_call() {
  doing_ = "making the first call";
  const auto phase = phases_.run("first_call");
  const Result<Seconds> elapsed = device_.time_first_call([&] { call(); });
  if (!elapsed) return broken(elapsed.error());
  if (const Status done = device_.synchronize(); !done) return broken(done.error());
  samples_.first_call = to_microseconds(*elapsed);
  return {};
}

// Fetches the outputs as the last call left them and looks at them.
tl::expected<Finding, Ending> CaseRun::check(std::vector<sdk::HostTensor>& outputs) {
  Result<std::vector<sdk::HostTensor>> downloaded = allocation_.download_outputs(problem_);
  if (!downloaded) return broken(downloaded.error());
  outputs = std::move(*downloaded);
  return verify(*workload_, planned_.params, problem_, *inputs_, outputs);
}

Step CaseRun::check_before() {
  doing_ = "checking the first result";
  const auto phase = phases_.run("verify");
  std::vector<sdk::HostTensor> outputs;
  const tl::expected<Finding, Ending> finding = check(outputs);
  if (!finding) return tl::unexpected<Ending>(finding.error());
  result_.verification = Verification{finding->error, 0, problem_.tolerance.relative, finding->elements};
  if (!finding->wrong.empty()) return ended(Outcome::incorrect, finding->wrong);
  return {};
}

Step CaseRun::measure_placement(int index) {
  enter(-1);
  if (Step done = place(true); !done) return done;
  doing_ = fmt::format("warming up in placement {}", index + 1);
  if (Step done = warm_up(); !done) return done;
  enter(index);
  doing_ = fmt::format("sampling in placement {}", index + 1);
  Placement placement;
  placement.started = device_.unix_time();
  if (Step done = sample(placement); !done) return done;
  placement.conditions = device_.conditions();
  placement.clock_ghz = device_.clock_ghz();
  samples_.placements.push_back(std::move(placement));
  return {};
}

// The first call is not gated, because whatever loads lazily behind a closed gate would never end; the
// last is made exactly as a sample is, so that the flush and the gate are warm too. Before it the device
// is asked for its conditions: it is at work, and whatever the question disturbs is not timed.
Step CaseRun::warm_up() {
  const auto phase = phases_.run("warm_up");
  const Seconds end = device_.now() + placement_budget() / 2;
  const int calls = std::max(1, sampling_.warmup);
  bool last = false;
  for (int i = 0; !last; ++i) {
    last = i + 1 >= calls || (i > 0 && device_.now() >= end);
    if (last) device_.begin_conditions();
    const TimingOptions options{.cache = last ? sampling_.cache : CacheMode::hot,
                                .gated = gated_ && i > 0,
                                .gate_deadline = sampling_.gate_deadline};
    if (const Result<Timing> timing = device_.time([&] { call(); }, options); !timing)
      return broken(timing.error());
  }
  return {};
}

Step CaseRun::sample(Placement& placement) {
  const auto phase = phases_.run("sampling");
  Placement launches;
  const TimingOptions options{
      .cache = sampling_.cache, .gated = gated_, .gate_deadline = sampling_.gate_deadline};
  const Seconds end = device_.now() + placement_budget();
  const auto most = static_cast<std::size_t>(std::max(1, sampling_.samples));
  const auto least = std::min(static_cast<std::size_t>(std::max(1, sampling_.min_samples)), most);
  placement.samples.reserve(most);
  while (placement.samples.size() < most && (placement.samples.size() < least || device_.now() < end)) {
    const Result<Timing> timing = device_.time([&] { call(); }, options);
    if (!timing) return broken(timing.error());
    if (!(timing->elapsed > 0) || !std::isfinite(timing->elapsed))
      return ended(Outcome::failed, "one call is shorter than the clock can tell; make the case larger");
    placement.samples.push_back(to_microseconds(timing->elapsed));
    placement.forced_gates += timing->gate_forced ? 1 : 0;
    if (timing->launch) launches.samples.push_back(to_microseconds(*timing->launch));
  }
  if (!launches.samples.empty()) launches_.placements.push_back(std::move(launches));
  return {};
}

// A pass of its own, because looking slows the work down. A profiler that cannot look is worth a note; a
// device that is lost by it is an end.
Step CaseRun::look_at_kernels() {
  doing_ = "looking at its kernels";
  enter(-1);
  Result<std::vector<KernelUse>> kernels = device_.kernels([&] { call(); });
  if (const Status alive = device_.synchronize(); !alive) return broken(alive.error());
  if (kernels)
    result_.kernels = std::move(*kernels);
  else
    result_.notes.push_back("its kernels are not known: " + printable(kernels.error().message));
  return {};
}

Step CaseRun::check_after() {
  doing_ = "checking the result after timing";
  enter(-1);
  std::vector<sdk::HostTensor> outputs;
  const auto again = [&]() -> tl::expected<Finding, Ending> {
    const auto phase = phases_.run("verify");
    if (const Status poisoned = allocation_.poison_outputs(problem_); !poisoned)
      return broken(poisoned.error());
    call();
    if (const Status done = device_.synchronize(); !done) return broken(done.error());
    return check(outputs);
  };
  const tl::expected<Finding, Ending> finding = again();
  if (!finding) return tl::unexpected<Ending>(finding.error());
  result_.verification->after = finding->error;
  if (!finding->wrong.empty())
    return ended(Outcome::incorrect,
                 finding->wrong +
                     "; the first call was right, so the variant changes its inputs or carries "
                     "something over from call to call");
  doing_ = "reporting its metrics";
  workload_->report(planned_.params, inputs_->inputs, outputs, *reported_);
  kernel_->report(*reported_);
  return {};
}

void CaseRun::add_notes() {
  std::size_t taken = 0;
  int forced = 0;
  for (const Placement& placement : samples_.placements) {
    taken += placement.samples.size();
    forced += placement.forced_gates;
  }
  if (forced > 0)
    result_.notes.push_back(
        fmt::format("{} of {} samples were forced by the launch gate's deadline of {:g} s, so launch latency "
                    "may be in them; if "
                    "run() waits for the device, let synchronises() return true, else raise gate_deadline",
                    forced, taken, sampling_.gate_deadline));
  if (!gated_)
    result_.notes.emplace_back(
        "timed without a launch gate, because run() waits for the device: launch latency is included");
  const auto planned =
      static_cast<std::size_t>(placements()) * static_cast<std::size_t>(std::max(1, sampling_.samples));
  if (taken < planned)
    result_.notes.push_back(
        fmt::format("max_time of {:g} s ended sampling after {} of {} samples; raise it for more",
                    sampling_.max_time, taken, planned));
}

// Time is measured whatever the suite asks for; the others where it asks.
void CaseRun::add_metrics() {
  const std::vector<std::string>& wanted = planned_.metrics;
  result_.series.push_back(
      Series{std::string(device_.time_metric()), "us", Direction::lower_is_better, {std::move(samples_)}});
  if (contains(wanted, error_metric))
    result_.series.push_back(single_value(
        error_metric, process_, std::max(result_.verification->before, result_.verification->after)));
  if (contains(wanted, buffer_memory_metric))
    result_.series.push_back(
        single_value(buffer_memory_metric, process_, static_cast<double>(allocation_.bytes())));
  if (contains(wanted, launch_time_metric) && launches_.placements.empty())
    result_.notes.emplace_back("launch_time is missing: this device does not tell it");
  else if (contains(wanted, launch_time_metric))
    result_.series.push_back(Series{
        std::string(launch_time_metric.name), "us", Direction::lower_is_better, {std::move(launches_)}});
  reported_->add_to(result_, wanted);
}

}  // namespace

ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process,
                           InputCache& cache) {
  return CaseRun(device, catalog, planned, process, cache).run();
}

ProcessResult measure_case(Device& device, const Catalog& catalog, const PlannedCase& planned, int process) {
  InputCache cache;
  return measure_case(device, catalog, planned, process, cache);
}

}  // namespace harness

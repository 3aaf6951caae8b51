// One case in one process, step by step; worker.h says what comes out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/text.h"
#include "harness/measure/inputs.h"
#include "harness/measure/verify.h"
#include "harness/measure/worker.h"

namespace harness {
namespace {

constexpr double microseconds_per_second = 1e6;
constexpr std::size_t most_padding = std::size_t{16} << 20;   // a padding block, bytes
constexpr std::size_t least_padding = std::size_t{64} << 10;  // the upper bound for small tensors

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

// One set of buffers: a placement.
struct Allocation {
  std::vector<std::unique_ptr<Buffer>> padding;
  std::vector<std::unique_ptr<Buffer>> tensors;
  std::unique_ptr<Buffer> workspace;
  std::vector<void*> addresses;
};

class CaseRun {
 public:
  CaseRun(Device& device, const Catalog& catalog, const PlannedCase& planned, int process, InputCache& cache)
      : device_(device),
        catalog_(catalog),
        planned_(planned),
        sampling_(planned.sampling),
        process_(process),
        cache_(cache),
        random_(input_seed(planned.id, planned.params, planned.sampling.seed, process)) {
    result_.case_id = planned.id;
    result_.process = process;
    samples_.process = process;
  }

  ProcessResult run();

 private:
  Step steps();
  Step find();
  Step prepare();
  Step place(bool padded);
  void pad(std::size_t like);
  Step poison_outputs();
  Step first_call();
  tl::expected<Finding, Ending> check();
  Step check_before();
  Step measure_placement(int index);
  Step warm_up();
  Step sample(Placement& placement);
  Step check_after();
  void finish();

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
  std::mt19937_64 random_;  // of the padding

  const sdk::Workload* workload_ = nullptr;
  const sdk::Variant* variant_ = nullptr;
  sdk::Problem problem_;
  std::shared_ptr<const CaseInputs> inputs_;
  Allocation allocation_;
  std::unique_ptr<sdk::Kernel> kernel_;  // after the buffers that it points into: destroyed first
  bool gated_ = true;
  std::string doing_ = "looking it up";  // for reasons
  ProcessSamples samples_;
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
  if (ending.outcome == Outcome::measured) finish();
  return std::move(result_);
}

Step CaseRun::steps() {
  if (Step done = find(); !done) return done;
  if (Step done = prepare(); !done) return done;
  if (Step done = first_call(); !done) return done;
  if (Step done = check_before(); !done) return done;
  for (int index = 0; index < placements(); ++index)
    if (Step done = measure_placement(index); !done) return done;
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
  doing_ = "constructing the kernel";
  kernel_ = variant_->make(planned_.params, problem_, device_.traits());
  if (!kernel_) return ended(Outcome::failed, "the variant made no kernel");
  doing_ = "filling the inputs and computing the reference";
  inputs_ = cache_.get(*workload_, planned_.params, problem_,
                       input_seed(planned_.workload, planned_.params, sampling_.seed, process_));
  gated_ = !kernel_->synchronises();
  return place(false);
}

// Gives up the buffers that are held and takes new ones, between blocks of random size when `padded`,
// so that they land elsewhere. Inputs are uploaded, outputs and workspace poisoned, the kernel bound.
Step CaseRun::place(bool padded) {
  doing_ = "allocating and binding buffers";
  allocation_ = {};
  std::size_t next_input = 0;
  for (const sdk::TensorSpec& tensor : problem_.tensors) {
    if (padded) pad(tensor.bytes());
    Result<std::unique_ptr<Buffer>> buffer = device_.allocate(tensor.bytes());
    if (!buffer) return broken(buffer.error());
    allocation_.addresses.push_back((*buffer)->data());
    allocation_.tensors.push_back(std::move(*buffer));
    if (tensor.role != sdk::Role::input) continue;
    const Status sent = device_.upload(*allocation_.tensors.back(), inputs_->inputs[next_input++].data);
    if (!sent) return broken(sent.error());
  }
  if (const std::size_t bytes = kernel_->workspace_bytes(); bytes > 0) {
    Result<std::unique_ptr<Buffer>> buffer = device_.allocate(bytes);
    if (!buffer) return broken(buffer.error());
    allocation_.workspace = std::move(*buffer);
    if (const Status filled = device_.fill(*allocation_.workspace, poison); !filled)
      return broken(filled.error());
  }
  if (Step done = poison_outputs(); !done) return done;
  kernel_->bind({allocation_.addresses, allocation_.workspace ? allocation_.workspace->data() : nullptr});
  return {};
}

// Padding is as large as a tensor at most, because a hole that a freed tensor left is what must be
// filled in part for the next to land elsewhere. A device too full for padding goes without.
void CaseRun::pad(std::size_t like) {
  const std::size_t most = std::clamp(like, least_padding, most_padding);
  Result<std::unique_ptr<Buffer>> buffer = device_.allocate(256 + random_() % most);
  if (buffer) allocation_.padding.push_back(std::move(*buffer));
}

Step CaseRun::poison_outputs() {
  for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
    if (problem_.tensors[i].role != sdk::Role::output) continue;
    if (const Status filled = device_.fill(*allocation_.tensors[i], poison); !filled)
      return broken(filled.error());
  }
  if (const Status done = device_.synchronize(); !done) return broken(done.error());
  return {};
}

Step CaseRun::first_call() {
  doing_ = "making the first call";
  const Result<Seconds> elapsed = device_.time_first_call([&] { call(); });
  if (!elapsed) return broken(elapsed.error());
  if (const Status done = device_.synchronize(); !done) return broken(done.error());
  samples_.first_call = to_microseconds(*elapsed);
  return {};
}

// Looks at the outputs as the last call left them.
tl::expected<Finding, Ending> CaseRun::check() {
  std::vector<sdk::HostTensor> outputs;
  for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
    if (problem_.tensors[i].role != sdk::Role::output) continue;
    outputs.emplace_back(problem_.tensors[i]);
    const Status got = device_.download(outputs.back().data, *allocation_.tensors[i]);
    if (!got) return broken(got.error());
  }
  return verify(*workload_, planned_.params, problem_, *inputs_, outputs);
}

Step CaseRun::check_before() {
  doing_ = "checking the first result";
  const tl::expected<Finding, Ending> finding = check();
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
  if (Step done = sample(placement); !done) return done;
  placement.clock_ghz = device_.clock_ghz();
  samples_.placements.push_back(std::move(placement));
  return {};
}

// The first call is not gated, because whatever loads lazily behind a closed gate would never end; the
// last is made exactly as a sample is, so that the flush and the gate are warm too.
Step CaseRun::warm_up() {
  const Seconds end = device_.now() + placement_budget() / 2;
  const int calls = std::max(1, sampling_.warmup);
  bool last = false;
  for (int i = 0; !last; ++i) {
    last = i + 1 >= calls || (i > 0 && device_.now() >= end);
    const TimingOptions options{.cache = last ? sampling_.cache : CacheMode::hot,
                                .gated = gated_ && i > 0,
                                .gate_deadline = sampling_.gate_deadline};
    if (const Result<Timing> timing = device_.time([&] { call(); }, options); !timing)
      return broken(timing.error());
  }
  return {};
}

Step CaseRun::sample(Placement& placement) {
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
  }
  return {};
}

Step CaseRun::check_after() {
  doing_ = "checking the result after timing";
  enter(-1);
  if (Step done = poison_outputs(); !done) return done;
  call();
  if (const Status done = device_.synchronize(); !done) return broken(done.error());
  const tl::expected<Finding, Ending> finding = check();
  if (!finding) return tl::unexpected<Ending>(finding.error());
  result_.verification->after = finding->error;
  if (!finding->wrong.empty())
    return ended(Outcome::incorrect,
                 finding->wrong +
                     "; the first call was right, so the variant changes its inputs or carries "
                     "something over from call to call");
  return {};
}

void CaseRun::finish() {
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
  result_.series.push_back(
      Series{std::string(device_.time_metric()), "us", Direction::lower_is_better, {std::move(samples_)}});
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

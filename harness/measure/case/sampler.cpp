#include "harness/measure/case/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace harness {
namespace {

constexpr int rough_calls = 16;
constexpr int rough_samples = 3;
constexpr int calls_to_choose = 4;
constexpr int most_attempts = 5;
constexpr int calls_looked_at = 8;  // of a batch: the first finds code cold, the median does not

}  // namespace

bool rotates(const Sampling& sampling) {
  const bool batches = sampling.timing == TimingMode::batch;
  return sampling.cache == CacheMode::rotate || (sampling.cache == CacheMode::cold && batches);
}

bool Sampler::rotates() const {
  return harness::rotates(planned_.sampling);
}

TimingOptions Sampler::options(const Subject& subject) const {
  return {.cache = planned_.sampling.cache,
          .gated = subject.calls.gated,
          .gate_deadline = planned_.sampling.gate_deadline};
}

sdk::Kernel& Sampler::kernel_of(Subject& subject, std::size_t set) const {
  const std::size_t index = set % (subject.calls.further.size() + 1);
  return index == 0 ? *subject.kernel : *subject.calls.further[index - 1];
}

Status Sampler::place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
                      const Allocation& first) {
  set_bytes_ = first.tensor_bytes() + workspace_bytes;
  turn_ = 0;
  if (!rotates()) return {};
  return sets_.place(problem, inputs, workspace_bytes,
                     input_sets_needed(set_bytes_, device_.memory().cache_bytes()) - 1, first);
}

Status Sampler::bind(Subject& subject) {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (i == subject.calls.further.size()) {
      subject.calls.further.push_back(
          subject.variant->make(planned_.params, subject.problem, device_.traits()));
      if (!subject.result.choice.empty())
        (void)subject.calls.further.back()->take_choice(subject.result.choice);
    }
    sdk::Kernel& kernel = *subject.calls.further[i];
    kernel.bind(sets_.buffers(i));
    if (const Status bound = device_.timer().synchronize(); !bound) return bound;
    const auto called = device_.timer().time([&](sdk::Stream stream) { kernel.run(stream); },
                                             {.cache = CacheMode::hot, .gated = false});
    if (!called) return fail(called.error());
  }
  subject.result.input_sets = static_cast<int>(sets_.size()) + 1;
  note_cache(subject);
  return {};
}

// A set that comes round while the cache still holds it is warm, unless no batch is so long after its flush.
void Sampler::note_cache(Subject& subject) const {
  const int sets = subject.result.input_sets;
  const bool flushed = planned_.sampling.cache == CacheMode::cold;
  const bool comes_round = !flushed || (!nodes_.empty() && nodes_.back() > sets);
  subject.calls.rotates_in_cache =
      rotates() && comes_round && fits_in_cache(sets, set_bytes_, device_.memory().cache_bytes());
}

Result<std::unique_ptr<Batch>> Sampler::record(Subject& subject, int calls) const {
  return device_.timer().record(calls, [this, &subject](sdk::Stream stream, int call) {
    kernel_of(subject, static_cast<std::size_t>(call)).run(stream);
  });
}

// The time of one call, roughly: the best of a few batches.
Result<Seconds> Sampler::rough_time(Subject& subject) const {
  const Result<std::unique_ptr<Batch>> batch = record(subject, rough_calls);
  if (!batch) return fail(batch.error());
  Seconds best = 0;
  for (int i = 0; i < rough_samples; ++i) {
    const Result<Timing> timing = (*batch)->time(options(subject));
    if (!timing) return fail(timing.error());
    best = i == 0 ? timing->elapsed : std::min(best, timing->elapsed);
  }
  return best / rough_calls;
}

Status Sampler::record(Subject& subject) {
  if (!batches()) return {};
  if (nodes_.empty()) nodes_ = planned_.sampling.batch_nodes;
  if (nodes_.empty()) {
    const Result<Seconds> rough = rough_time(subject);
    if (!rough) return fail(rough.error());
    nodes_ = choose_batch_nodes(*rough, rotates() ? most_input_sets : most_batch_nodes);
  }
  note_cache(subject);
  subject.calls.batches.clear();
  for (const int calls : nodes_) {
    Result<std::unique_ptr<Batch>> batch = record(subject, calls);
    if (!batch) return fail(batch.error());
    subject.calls.batches.push_back(std::move(*batch));
  }
  return {};
}

template <class Time>
Result<Timing> Sampler::paced(const Subject& subject, Time&& time) {
  TimingOptions how = options(subject);
  how.pause = pacer_.pause();
  how.reads_clock = pacer_.reads_clock();
  const Seconds begin = device_.timer().now();
  Result<Timing> timing = time(how);
  if (timing) pacer_.called(how.pause, device_.timer().now() - begin - how.pause, *timing);
  return timing;
}

Result<Timing> Sampler::take(Subject& subject) {
  if (batches()) return take_batches(subject);
  sdk::Kernel& kernel = kernel_of(subject, turn_++);
  return paced(subject, [&](const TimingOptions& how) {
    return device_.timer().time([&](sdk::Stream stream) { kernel.run(stream); }, how);
  });
}

std::vector<std::size_t> Sampler::next_sets(const Subject& subject) const {
  const std::size_t sets = subject.calls.further.size() + 1;
  if (subject.calls.batches.empty()) return {turn_ % sets};
  std::vector<std::size_t> used(std::min(sets, static_cast<std::size_t>(nodes_.back())));
  std::iota(used.begin(), used.end(), std::size_t{0});
  return used;
}

std::size_t Sampler::last_set(const Subject& subject) const {
  const std::size_t sets = subject.calls.further.size() + 1;
  if (subject.calls.batches.empty()) return (turn_ + sets - 1) % sets;
  return static_cast<std::size_t>(nodes_.back() - 1) % sets;
}

Allocation& Sampler::set(std::size_t index, Allocation& first) {
  return index == 0 ? first : sets_.at(index - 1);
}

// With the pause of a sample, but it does not tell the pacer anything: its inputs were just written.
TimingOptions Sampler::unkept(const Subject& subject) const {
  TimingOptions how = options(subject);
  how.pause = pacer_.pause();
  how.reads_clock = pacer_.reads_clock();
  how.audited = true;
  return how;
}

Result<Timing> Sampler::take_unkept(Subject& subject, std::span<const std::span<const std::byte>> touched) {
  TimingOptions how = unkept(subject);
  how.touched = touched;
  if (subject.calls.batches.empty()) {
    sdk::Kernel& kernel = kernel_of(subject, turn_++);
    return device_.timer().time([&](sdk::Stream stream) { kernel.run(stream); }, how);
  }
  // The sum tells of the work as well as the slope does, and an interruption cannot turn it.
  Timing sample;
  for (const std::unique_ptr<Batch>& batch : subject.calls.batches) {
    const Result<Timing> timing = batch->time(how);
    if (!timing) return timing;
    sample.elapsed += timing->elapsed;
    sample.gate_forced = sample.gate_forced || timing->gate_forced;
    sample.touched = timing->touched;
  }
  return sample;
}

std::size_t Sampler::set_of_call(const Subject& subject, int call) const {
  return static_cast<std::size_t>(call) % (subject.calls.further.size() + 1);
}

Status Sampler::watch(Subject& subject, std::size_t batch, const WatchedCall& watched) {
  const Result<Timing> timing = subject.calls.batches.at(batch)->watch(unkept(subject), watched);
  if (!timing) return fail(timing.error());
  return {};
}

Result<Timing> Sampler::audit_clock(Subject& subject, std::size_t set) {
  sdk::Kernel& kernel = kernel_of(subject, set);
  return device_.timer().time([&](sdk::Stream stream) { kernel.run(stream); },
                              {.cache = CacheMode::hot, .gated = false, .audited = true});
}

Result<Timing> Sampler::rehearse(Subject& subject) {
  return paced(subject, [&](const TimingOptions& how) {
    return device_.timer().time([&](sdk::Stream stream) { subject.kernel->run(stream); }, how);
  });
}

Result<TimingMode> Sampler::choose_timing(Subject& subject, std::optional<Error>& obstacle) const {
  const Seconds limit = device_.timer().batch_below();
  if (!(limit > 0) || !subject.calls.gated) return TimingMode::events;
  Seconds best = 0;
  for (int i = 0; i < calls_to_choose; ++i) {
    const Result<Timing> timing =
        device_.timer().time([&](sdk::Stream stream) { subject.kernel->run(stream); }, options(subject));
    if (!timing) return fail(timing.error());
    best = i == 0 ? timing->elapsed : std::min(best, timing->elapsed);
  }
  if (best >= limit) return TimingMode::events;
  const Result<std::unique_ptr<Batch>> batch =
      device_.timer().record(calls_looked_at, [&](sdk::Stream stream, int) { subject.kernel->run(stream); });
  if (batch) return TimingMode::batch;
  if (batch.error().kind != ErrorKind::usage) return fail(batch.error());
  obstacle = batch.error();
  return TimingMode::events;
}

CallPattern Sampler::pattern() const {
  return {.cache = planned_.sampling.cache, .calls = batches() ? calls_looked_at : 1};
}

void Sampler::run_next(Subject& subject, sdk::Stream stream) {
  kernel_of(subject, turn_++).run(stream);
}

int Sampler::calls_at_once(const Subject& subject) const {
  return subject.calls.batches.empty() ? 1 : nodes_.back();
}

void Sampler::queue_next(Subject& subject, sdk::Stream stream) {
  if (subject.calls.batches.empty())
    run_next(subject, stream);
  else
    subject.calls.batches.back()->queue(stream);
}

// An interruption of the shorter batches, by a whole longer one, can turn the line downwards; then there is
// no time to keep, and the sample is taken again.
Result<Timing> Sampler::take_batches(Subject& subject) {
  std::vector<Seconds> times(nodes_.size());
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    Timing sample;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Result<Timing> timing =
          paced(subject, [&](const TimingOptions& how) { return subject.calls.batches[i]->time(how); });
      if (!timing) return timing;
      times[i] = timing->elapsed;
      sample.gate_forced = sample.gate_forced || timing->gate_forced;
      if (i == 0 || timing->clock_ghz < sample.clock_ghz) sample.clock_ghz = timing->clock_ghz;
    }
    const std::optional<Seconds> call = time_of_call(nodes_, times);
    if (!call) {
      ++subject.calls.retaken;
      continue;
    }
    subject.calls.batch_means.add(nodes_, times);
    sample.elapsed = *call;
    return sample;
  }
  return fail(
      ErrorKind::usage,
      fmt::format("batches of {} calls take no longer the more calls they have", fmt::join(nodes_, ", ")),
      "give longer ones (`batch_nodes`), or set `timing: events`");
}

Status Sampler::call(Subject& subject) {
  if (subject.calls.batches.empty()) {
    device_.timer().queue([&](sdk::Stream stream) { subject.kernel->run(stream); });
    return {};
  }
  const auto timed = [](Batch& batch) -> Status {
    const Result<Timing> called = batch.time({.cache = CacheMode::hot, .gated = false});
    if (!called) return fail(called.error());
    return {};
  };
  if (!changes_in_place(subject.problem)) return timed(*subject.calls.batches.front());
  // A second call would find the values that the first has left.
  const Result<std::unique_ptr<Batch>> single = record(subject, 1);
  if (!single) return fail(single.error());
  return timed(**single);
}

}  // namespace harness

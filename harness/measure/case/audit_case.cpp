#include "harness/measure/case/audit_case.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "harness/measure/case/microseconds.h"
#include "harness/model/device_kinds.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr Seconds settling = 4e-3;
// Calls of this length are the same after a pause, and cost too much to be made more often than needed.
constexpr Seconds long_call = 20e-3;

struct AuditInputs {
  std::shared_ptr<const CaseInputs> inputs;  // drawn
  // Where the suite states what calls are timed on: others like these, whose times can be compared.
  std::shared_ptr<const CaseInputs> like_timed = {};
  bool unseen = true;
};

// By the current build, as the usual inputs are.
AuditInputs inputs_of_audit(CaseParts& parts, Audit& audit) {
  const auto phase = parts.phases.run("audit_inputs");
  const Audit::Inputs next = audit.next_inputs();
  const Seconds begin = parts.device.timer().now();
  const PlannedCase& planned = parts.planned;
  const Subject& current = parts.subjects.last();
  const std::uint64_t seed = input_seed(planned.workload, planned.params, next.seed, parts.process);
  const auto made = [&](const InputsRecipe& recipe) {
    return parts.carried.inputs.get(*current.workload, planned.params, current.problem, seed,
                                    InputCache::Answers::few, recipe);
  };
  AuditInputs all{made({}), {}, next.unseen};
  if (parts.stated) all.like_timed = made(parts.stated->unseen(seed));
  const Seconds waited = parts.device.timer().now() - begin;
  if (next.unseen) audit.made_inputs(std::max(waited, parts.carried.inputs.take_making_ahead(*all.inputs)));
  return all;
}

// The median so far in this placement; 0 before the first.
Seconds median_sample(const Subject& subject) {
  const std::vector<double>& samples = subject.placement.samples;
  return samples.empty() ? 0 : from_microseconds(stats::median(samples));
}

tl::unexpected<Ending> wrong_in_audit(Cause wrong, int placement) {
  wrong.figures.emplace_back("audited", 1);
  wrong.figures.emplace_back("placement", placement);
  return ended(Outcome::incorrect, std::move(wrong));
}

// Copies of tensors, in the order of the problem's.
using Copies = std::vector<std::unique_ptr<Buffer>>;

constexpr std::size_t most_checked_sets = 3;

// One audit: two samples that are checked, among others that are not. Where the suite states what calls are
// timed on, three: the one on drawn inputs may take longer than samples do, so its time tells nothing.
//
// A sample follows the one before at once, so that a variant cannot tell by the time that its inputs were
// written anew: whatever takes long is done before a sample that nobody looks at. One of the two checked
// samples comes after a pause, in which work ends that the sample before has left behind.
class AuditedSamples {
 public:
  AuditedSamples(CaseParts& parts, Subject& subject, Audit& audit, int placement)
      : parts_(parts),
        subject_(subject),
        audit_(audit),
        placement_(placement),
        key_(audit.draw(std::numeric_limits<std::size_t>::max())),
        timer_(parts.device.timer()) {}

  Step run() {
    const AuditInputs other = inputs_of_audit(parts_, audit_);
    const bool first_finds_results = audit_.first_finds_results();
    Audit::Times times;
    times.usual = times.repeated = median_sample(subject_);
    const bool is_short = times.usual < long_call || audit_.suspects();
    stage(*other.inputs);
    if (other.like_timed) stage(*other.like_timed);
    if (is_short || !subject_.calls.batches.empty())
      if (Step done = any_sample(times); !done) return done;
    if (Step done = checked_sample(*other.inputs, first_finds_results, false, times.unseen); !done)
      return done;
    if (Step done = check_call_of_batch(*other.inputs); !done) return done;
    if (is_short)
      if (Step done = call_at_once(); !done) return done;
    if (other.like_timed)
      if (Step done = sample_like_timed(*other.like_timed, times); !done) return done;
    timer_.idle(settling);
    const bool by_clock = !is_short && subject_.calls.batches.empty();
    if (Step done = checked_sample(*parts_.timed, !first_finds_results, by_clock, times.usual); !done)
      return done;
    if (!changes_in_place() && audit_.longer_than_repeated(times.usual, times.repeated))
      if (Step done = usual_at_once(times); !done) return done;
    if (!other.unseen) times.unseen = times.usual;
    // Samples of these find what the call before has left, sorted or converged, and not such inputs.
    if (changes_in_place()) times.repeated = times.usual;
    if (!forced_) audit_.timed(times);
    if (Step done = write_usual(others_); !done) return done;
    return is_short ? end() : Step{};
  }

 private:
  // On a device with memory of its own, inputs wait there, because their way from the host takes long.
  // Without room for them they are written from the host.
  void stage(const CaseInputs& inputs) {
    if (!is_gpu_kind(parts_.planned.device)) return;
    if (Result<Copies> staged = parts_.allocation.stage_inputs(subject_.problem, inputs))
      staged_[&inputs] = std::move(*staged);
  }

  // The values of an input where the device can read them; null: nowhere.
  [[nodiscard]] const void* values_of(const CaseInputs& inputs, std::size_t input) const {
    if (!is_gpu_kind(parts_.planned.device)) return inputs.inputs[input].data.data();
    const auto staged = staged_.find(&inputs);
    return staged == staged_.end() ? nullptr : staged->second[input]->data();
  }

  Step write_anew(const CaseInputs& inputs) {
    const std::vector<std::size_t> sets = parts_.sampler.next_sets(subject_);
    Allocation& first = set(sets.front());
    written_ = std::nullopt;
    const auto staged = staged_.find(&inputs);
    const Status ready = staged != staged_.end() ? first.copy_inputs(subject_.problem, staged->second)
                                                 : first.write_inputs(subject_.problem, inputs);
    if (!ready) return parts_.subjects.broken(ready.error());
    auto sums = first.input_sums(subject_.problem, key_);
    if (!sums) return parts_.subjects.broken(sums.error());
    written_ = std::move(*sums);
    for (std::size_t i = 1; i < sets.size(); ++i)
      if (const Status copied = set(sets[i]).copy_inputs(subject_.problem, first); !copied)
        return parts_.subjects.broken(copied.error());
    return {};
  }

  Step any_sample(Audit::Times& times) {
    const Result<Timing> timing = parts_.sampler.take_unkept(subject_);
    if (!timing) return parts_.subjects.refused(timing.error());
    if (times.repeated <= 0 || !subject_.calls.batches.empty()) times.repeated = timing->elapsed;
    return {};
  }

  // In place of the time of the sample on drawn inputs. Before it, as before that one, a sample that nobody
  // looks at.
  Step sample_like_timed(const CaseInputs& inputs, Audit::Times& times) {
    const bool finds_results = audit_.first_finds_results();
    if (Step done = write_anew(*parts_.timed); !done) return done;
    Audit::Times ignored;
    if (Step done = any_sample(ignored); !done) return done;
    return checked_sample(inputs, finds_results, false, times.unseen);
  }

  // A sample right after these inputs were written into all that it reads, and its check. `by_clock`: a warm
  // call without a gate instead, where no other call is compared with the clock.
  Step checked_sample(const CaseInputs& inputs, bool finds_results, bool by_clock, Seconds& elapsed) {
    if (Step done = write_anew(inputs); !done) return done;
    const std::vector<std::size_t> used = parts_.sampler.next_sets(subject_);
    Checking how = checking();
    // Where samples take turns with sets, another one than the first's holds right values of the usual
    // inputs.
    const bool is_usual = &inputs == parts_.timed.get();
    const bool is_first = others_.empty();
    if (is_first) first_ = used;
    if (!is_usual) others_.insert(others_.end(), used.begin(), used.end());
    // The scale of results is that of inputs like these.
    if (!is_first) how.usual = parts_.timed.get();
    if (!finds_results || (!is_first && used != first_)) {
      how.unwritten = audit_.next_byte();
      for (const std::size_t one : used)
        if (const Status ready = set(one).poison_outputs(subject_.problem, how.unwritten); !ready)
          return parts_.subjects.broken(ready.error());
    }
    const Outputs touched = touched_of(used.front());
    const Result<Timing> timing = by_clock ? parts_.sampler.audit_clock(subject_, used.front())
                                           : parts_.sampler.take_unkept(subject_, touched);
    if (!timing) return parts_.subjects.refused(timing.error());
    elapsed = timing->elapsed;
    if (by_clock && timing->passed) audit_.clocked({timing->elapsed, *timing->passed, true});
    forced_ = forced_ || timing->gate_forced;
    // Tensors that are changed in place hold what the last of many calls left.
    if (changes_in_place() && !subject_.calls.batches.empty()) return {};
    if (Step done = check(set(used.front()), inputs, how, timing->touched); !done) return done;
    for (const std::size_t one : drawn(used))
      if (one != used.front())
        if (Step done = check(set(one), inputs, how); !done) return done;
    return {};
  }

  // Where other inputs were written into sets that no sample has written anew since.
  Step write_usual(const std::vector<std::size_t>& sets) {
    for (const std::size_t one : sets)
      if (subject_.calls.batches.empty() && parts_.sampler.rotates())
        if (const Status ready = set(one).write_inputs(subject_.problem, *parts_.timed); !ready)
          return parts_.subjects.broken(ready.error());
    return {};
  }

  // The usual inputs again, without a pause: a CPU's threads may have gone to sleep in it. Beside them a
  // sample on unchanged inputs, because the device may be slower now than it was.
  Step usual_at_once(Audit::Times& times) {
    for (int i = 0; i < 2; ++i) {
      Audit::Times unchanged;
      if (Step done = any_sample(unchanged); !done) return done;
      times.repeated = unchanged.repeated;
    }
    if (Step done = write_anew(*parts_.timed); !done) return done;
    const Outputs touched = touched_of(parts_.sampler.next_sets(subject_).front());
    const Result<Timing> timing = parts_.sampler.take_unkept(subject_, touched);
    if (!timing) return parts_.subjects.refused(timing.error());
    times.usual = std::min(times.usual, timing->elapsed);
    return {};
  }

  // A call of a batch, which the batch itself cannot tell from the others: its outputs are filled before it
  // and copied away after it. Tensors that it changes in place get their first values before it.
  Step check_call_of_batch(const CaseInputs& inputs) {
    // The driver is not asked to fill another GPU's memory from this one's graph.
    if (subject_.calls.batches.empty() || subject_.problem.gpus > 1) return {};
    const std::size_t batch = audit_.draw(subject_.calls.batches.size());
    WatchedCall watched;
    watched.call = static_cast<int>(audit_.draw(static_cast<std::size_t>(parts_.sampler.calls_of(batch))));
    Allocation& used = set(parts_.sampler.set_of_call(subject_, watched.call));
    Checking how = checking();
    how.unwritten = audit_.next_byte();
    Result<Copies> copies = used.like_outputs(subject_.problem);
    if (!copies) return {};  // no room for them beside all that the case uses
    const Outputs outputs = used.outputs(subject_.problem);
    std::size_t output = 0, input = 0;
    for (const sdk::TensorSpec& tensor : subject_.problem.tensors) {
      const void* const first_values = sdk::is_input(tensor.role) ? values_of(inputs, input++) : nullptr;
      if (!sdk::is_output(tensor.role)) continue;
      const std::size_t i = output++;
      if (outputs[i].empty()) continue;
      // The variant writes there, too: the harness gave it this memory.
      void* const memory = const_cast<std::byte*>(outputs[i].data());
      if (tensor.role != sdk::Role::in_place)
        watched.fills.push_back({memory, outputs[i].size(), how.unwritten});
      else if (first_values == nullptr)
        return {};  // no room for them on the device
      else
        watched.writes.push_back({memory, first_values, outputs[i].size()});
      watched.copies.push_back({(*copies)[i]->data(), memory, outputs[i].size()});
    }
    if (const Status made = parts_.sampler.watch(subject_, batch, watched); !made)
      return made.error().kind == ErrorKind::usage ? Step{} : Step(parts_.subjects.refused(made.error()));
    const auto phase = parts_.phases.run("audit_check");
    return judged(parts_.check(subject_, *copies, inputs, how));
  }

  // The clock is read around a call that follows another one at once, as samples do.
  Step call_at_once() {
    Audit::Times ignored;
    if (Step done = any_sample(ignored); !done) return done;
    return call_with_clock(false);
  }

  Step call_with_clock(bool paused) {
    const std::size_t last = parts_.sampler.last_set(subject_);
    const Result<Timing> timing = parts_.sampler.audit_clock(subject_, last);
    if (!timing) return parts_.subjects.refused(timing.error());
    if (timing->passed) audit_.clocked({timing->elapsed, *timing->passed, paused});
    return {};
  }

  // The next sample finds what a sample leaves. On an H200 no other one shows that the device has idled.
  Step end() {
    timer_.idle(settling);
    if (Step done = call_with_clock(true); !done) return done;
    if (changes_in_place())
      if (Step done = write_anew(*parts_.timed); !done) return done;
    Audit::Times ignored;
    return any_sample(ignored);
  }

  using Outputs = std::vector<std::span<const std::byte>>;
  // Few pages of tensors that are changed in place may change, and reading all would be most of the time.
  [[nodiscard]] Outputs touched_of(std::size_t index) {
    return changes_in_place() ? Outputs{} : set(index).outputs(subject_.problem);
  }

  [[nodiscard]] bool changes_in_place() const { return harness::changes_in_place(subject_.problem); }

  // A few of the sets.
  std::vector<std::size_t> drawn(std::vector<std::size_t> sets) {
    for (std::size_t i = 0; i < std::min(most_checked_sets, sets.size()); ++i)
      std::swap(sets[i], sets[i + audit_.draw(sets.size() - i)]);
    sets.resize(std::min(most_checked_sets, sets.size()));
    return sets;
  }

  Allocation& set(std::size_t index) { return parts_.sampler.set(index, parts_.allocation); }

  // Few elements are checked of other inputs, so their norm and their error vary.
  [[nodiscard]] Checking checking() const {
    return {.unwritten = poison, .allowance = audit_allowance, .usual = parts_.inputs.get()};
  }

  // The outputs are fetched at once, so that nobody has much time to write them.
  Step check(const Allocation& set, const CaseInputs& inputs, const Checking& how,
             std::optional<std::uint64_t> touched = {}) {
    const auto phase = parts_.phases.run("audit_check");
    if (Step right = judged(parts_.check(subject_, set, inputs, how)); !right) return right;
    if (touched && *touched != bytes_of_outputs())
      return wrong_in_audit(Cause{CauseCode::written_late}, placement_);
    if (written_) {
      const auto sums = set.input_sums(subject_.problem, key_);
      if (!sums) return parts_.subjects.broken(sums.error());
      if (*sums == written_) return {};
    }
    const auto changed = set.changed_input(subject_.problem, inputs);
    if (!changed) return parts_.subjects.broken(changed.error());
    if (!*changed) return {};
    const sdk::TensorSpec& tensor = subject_.problem.tensors[(*changed)->tensor];
    return wrong_in_audit(
        Cause{CauseCode::input_changed,
              {{"input", printable(tensor.name)}, {"at", position_in((*changed)->element, tensor.shape)}}},
        placement_);
  }

  // The same number of the outputs that were fetched last.
  [[nodiscard]] std::uint64_t bytes_of_outputs() const {
    std::uint64_t bytes = 0;
    for (const sdk::HostTensor& one : parts_.carried.outputs.tensors())
      bytes = bytes_of_pages(one.data, bytes);
    return bytes;
  }

  Step judged(const tl::expected<Finding, Ending>& finding) const {
    if (!finding) return tl::unexpected<Ending>(finding.error());
    if (finding->wrong) return wrong_in_audit(*finding->wrong, placement_);
    return {};
  }

  CaseParts& parts_;
  Subject& subject_;
  Audit& audit_;
  int placement_;
  std::uint64_t key_;  // of sums that tell whether inputs have changed
  Timer& timer_;
  std::map<const CaseInputs*, Copies> staged_;
  std::optional<std::vector<std::uint64_t>> written_;  // sums of the inputs that were written last
  std::vector<std::size_t> first_;                     // sets of the sample on drawn inputs
  std::vector<std::size_t> others_;                    // sets that other inputs were written into
  bool forced_ = false;  // a gate was opened by its deadline: a time may hold the host's
};

}  // namespace

Step audit(CaseParts& parts, Subject& subject, int placement) {
  Audit& audit = *subject.audit;
  do {
    if (Step done = AuditedSamples(parts, subject, audit, placement).run(); !done) return done;
  } while (audit.suspects());
  if (const auto times = audit.slower_when_audited())
    return ended(Outcome::incorrect, {CauseCode::slower_when_audited,
                                      {{"unseen", times->unseen},
                                       {"usual", times->usual},
                                       {"sample", times->repeated},
                                       {"placement", placement}}});
  if (const auto call = audit.clock_differs())
    return ended(Outcome::incorrect,
                 {CauseCode::clock_differs,
                  {{"timed", call->timed}, {"passed", call->passed}, {"placement", placement}}});
  return {};
}

}  // namespace harness

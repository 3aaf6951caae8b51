#include "harness/measure/case/case_parts.h"

#include <optional>

#include "harness/base/text.h"

namespace harness {
namespace {

std::uint64_t seed_of(const PlannedCase& planned, int process) {
  return input_seed(planned.id, planned.params, planned.sampling.seed, process);
}

}  // namespace

CaseParts::CaseParts(Device& on, const PlannedCase& plan, int number, Purpose of_process,
                     Carried& from_before)
    : device(on),
      planned(plan),
      process(number),
      purpose(of_process),
      began(on.timer().now()),
      carried(from_before),
      phases(on),
      allocation(on, seed_of(plan, number)),
      pacer(planned.sampling),
      sampler(on, planned, pacer),
      subjects(on) {}

void CaseParts::place(bool moved) {
  subjects.begin_step(CaseStep::allocate);
  const std::size_t workspace = workspace_bytes();
  std::optional<Status> placed;
  subjects.each([&](Subject& one) -> Step {
    const auto phase = phases.run("allocate");
    one.calls.batches.clear();  // of buffers to be freed
    if (!placed) {
      allocation.keep(rotates(planned.sampling) ? 0 : kept_bytes_on(device));
      const CaseInputs& held = moved ? *timed : *inputs;
      placed = allocation.place(one.problem, held, workspace, moved);
      if (*placed && moved) placed = sampler.place(one.problem, held, workspace, allocation);
    }
    if (!*placed) return subjects.broken(placed->error());
    if (!moved)
      if (const Status settled = settle_choice(one); !settled) return subjects.broken(settled.error());
    {
      const Scope followed = device.profiler().follow();
      one.kernel->bind(allocation.buffers());
    }
    if (const Status bound = device.timer().synchronize(); !bound) return subjects.broken(bound.error());
    if (!moved) return {};
    if (const Status bound = sampler.bind(one); !bound) return subjects.broken(bound.error());
    return {};
  });
}

// Trials are not followed, because the launches of a case must not depend on whether it made them. Another
// build in this process takes the choice of the first.
Status CaseParts::settle_choice(Subject& subject) {
  std::string& choice = subject.result.choice;
  choice = planned.choice;
  if (!choice.empty() && subject.kernel->take_choice(choice)) return {};
  choice = printable(subject.kernel->choose(allocation.buffers()));
  planned.choice = choice;
  if (choice.empty()) return {};
  if (Status done = device.timer().synchronize(); !done) return done;
  return allocation.write_afresh(subject.problem, *inputs);
}

std::size_t CaseParts::workspace_bytes() const {
  std::size_t most = 0;
  for (const Subject& one : subjects)
    if (!one.over) most = std::max(most, one.kernel->workspace_bytes());
  return most;
}

tl::expected<Finding, Ending> CaseParts::check(Subject& subject) {
  return check(subject, allocation, *inputs, {});
}

tl::expected<Finding, Ending> CaseParts::check_twice(Subject& subject, const std::function<Status()>& call) {
  tl::expected<Finding, Ending> finding = check(subject);
  if (!finding || finding->wrong || !may_hold_poison(subject.problem)) return finding;
  const HeldBytes held = elements_holding(poison, carried.outputs.tensors());
  if (const Status ready = allocation.write_afresh(subject.problem, *inputs, second_poison); !ready)
    return subjects.broken(ready.error());
  if (const Status called = call(); !called) return subjects.broken(called.error());
  if (const Status done = device.timer().synchronize(); !done) return subjects.broken(done.error());
  tl::expected<Finding, Ending> second =
      check(subject, allocation, *inputs, Checking{.unwritten = second_poison});
  if (!second) return second;
  finding->wrong = never_written(held, second_poison, carried.outputs.tensors());
  if (!finding->wrong) finding->wrong = std::move(second->wrong);
  if (!(second->error <= finding->error)) finding->error = second->error;
  return finding;
}

tl::expected<Finding, Ending> CaseParts::check(Subject& subject, const Allocation& set,
                                               const CaseInputs& held, const Checking& how) {
  if (const Status got = set.download_outputs(subject.problem, carried.outputs); !got)
    return subjects.broken(got.error());
  return verified(subject, held, how);
}

tl::expected<Finding, Ending> CaseParts::check(Subject& subject,
                                               std::span<const std::unique_ptr<Buffer>> outputs,
                                               const CaseInputs& held, const Checking& how) {
  std::size_t next = 0;
  for (const sdk::TensorSpec& tensor : subject.problem.tensors) {
    if (!sdk::is_output(tensor.role)) continue;
    const std::span<std::byte> to = carried.outputs.take(next, tensor, device.memory());
    if (const Status got = device.memory().download(to, *outputs[next++]); !got)
      return subjects.broken(got.error());
  }
  carried.outputs.end(next);
  return verified(subject, held, how);
}

tl::expected<Finding, Ending> CaseParts::verified(Subject& subject, const CaseInputs& held,
                                                  const Checking& how) {
  const auto right_values = [&](std::size_t output, std::span<const std::int64_t> wanted,
                                std::span<double> right) {
    carried.inputs.settle();
    subject.workload->reference(planned.params, held.inputs, output, wanted, right);
  };
  return verify(right_values, subject.problem, held, carried.outputs.tensors(), how);
}

}  // namespace harness

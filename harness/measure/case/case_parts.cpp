#include "harness/measure/case/case_parts.h"

#include <optional>

#include "harness/base/text.h"

namespace harness {
namespace {

std::uint64_t seed_of(const PlannedCase& planned, int process) {
  return input_seed(planned.id, planned.params, planned.sampling.seed, process);
}

}  // namespace

CaseParts::CaseParts(Device& device_, const PlannedCase& planned_, int process_, Purpose purpose_,
                     Carried& carried_)
    : device(device_),
      planned(planned_),
      process(process_),
      purpose(purpose_),
      carried(carried_),
      phases(device_),
      allocation(device_, seed_of(planned_, process_)),
      pacer(planned.sampling),
      sampler(device_, planned, pacer, seed_of(planned_, process_)),
      subjects(device_) {}

void CaseParts::place(bool moved) {
  subjects.begin_step(CaseStep::allocate);
  const std::size_t workspace = workspace_bytes();
  std::optional<Status> placed;
  subjects.each([&](Subject& one) -> Step {
    const auto phase = phases.run("allocate");
    one.calls.batches.clear();  // of buffers to be freed
    if (!placed) {
      allocation.keep(rotates(planned.sampling) ? 0 : kept_bytes_on(device));
      placed = allocation.place(one.problem, *inputs, workspace, moved);
      if (*placed && moved) placed = sampler.place(one.problem, *inputs, workspace, allocation);
    }
    if (!*placed) return subjects.broken(placed->error());
    {
      const Scope followed = device.profiler().follow();
      if (!moved && !planned.choice.empty()) one.kernel->choose(planned.choice);
      one.kernel->bind(allocation.buffers());
    }
    if (!moved) keep_choice(one);
    if (const Status bound = device.timer().synchronize(); !bound) return subjects.broken(bound.error());
    if (!moved) return {};
    if (const Status bound = sampler.bind(one); !bound) return subjects.broken(bound.error());
    return {};
  });
}

// Other builds in this process do as the first.
void CaseParts::keep_choice(Subject& subject) {
  subject.result.choice = printable(subject.kernel->choice());
  if (planned.choice.empty()) planned.choice = subject.result.choice;
}

std::size_t CaseParts::workspace_bytes() const {
  std::size_t most = 0;
  for (const Subject& one : subjects)
    if (!one.over) most = std::max(most, one.kernel->workspace_bytes());
  return most;
}

tl::expected<Finding, Ending> CaseParts::check(Subject& subject) {
  if (const Status got = allocation.download_outputs(subject.problem, carried.outputs); !got)
    return subjects.broken(got.error());
  return verify(*subject.workload, planned.params, subject.problem, *inputs, carried.outputs);
}

}  // namespace harness

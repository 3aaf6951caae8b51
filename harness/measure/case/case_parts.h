// Everything that the stages of measuring one case in one process share. prepare_case.h, sample_case.h and
// measure_case.cpp work on it, one after the other.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "harness/measure/case/sampler.h"
#include "harness/measure/case/subjects.h"
#include "harness/measure/rules/pacer.h"
#include "harness/measure/schedule/carried.h"
#include "harness/measure/tensors/allocation.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/measure/tensors/verify.h"
#include "harness/measure/worker/phases.h"

namespace harness {

// The purpose of a process.
enum class Purpose {
  measure,
  look,      // reads launches, checks a few elements of the first result, and takes no sample
  counters,  // reads hardware counters of one call instead of launches; otherwise like a look
};

struct CaseParts {
  CaseParts(Device& on, const PlannedCase& plan, int number, Purpose of_process, Carried& from_before);

  Device& device;
  PlannedCase planned;  // with the way of timing and the variant's choice, once they are settled
  const int process;
  const Purpose purpose;
  const Seconds began;
  Seconds sampling_began = 0;
  Carried& carried;
  Phases phases;
  std::shared_ptr<const CaseInputs> inputs = {};
  Allocation allocation;
  Pacer pacer;
  Sampler sampler;
  Subjects subjects;  // after the buffers that kernels point into: destroyed first

  [[nodiscard]] int placements() const { return std::max(1, planned.sampling.placements); }
  // Tells the device where it is; -1: nothing is sampled.
  void enter(int placement) { device.profiler().enter({planned.id, process, placement}); }

  // Takes buffers for all subjects and binds their kernels. `moved`: as for a placement (allocation.h), with
  // the further sets of buffers that the modes ask for.
  void place(bool moved);
  // The largest workspace that a subject asks for.
  [[nodiscard]] std::size_t workspace_bytes() const;
  // Fetches the outputs as the last call left them and checks them.
  tl::expected<Finding, Ending> check(Subject& subject);
  // The same before and after timing. Outputs whose right values may be the poison are filled with another
  // byte, and `call` follows: elements that hold the poison both times were not written.
  tl::expected<Finding, Ending> check_twice(Subject& subject, const std::function<Status()>& call);
  // The same for one set of buffers that holds these inputs.
  tl::expected<Finding, Ending> check(Subject& subject, const Allocation& set, const CaseInputs& held,
                                      const Checking& how);
  // The same for copies of the outputs, in the order of Problem::tensors.
  tl::expected<Finding, Ending> check(Subject& subject, std::span<const std::unique_ptr<Buffer>> outputs,
                                      const CaseInputs& held, const Checking& how);

 private:
  Status settle_choice(Subject& subject);
  tl::expected<Finding, Ending> verified(Subject& subject, const CaseInputs& held, const Checking& how);
};

}  // namespace harness

#include "harness/measure/case/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/base/text.h"
#include "harness/measure/case/subject.h"
#include "harness/measure/tensors/allocation.h"
#include "harness/measure/tensors/stated_inputs.h"
#include "harness/measure/worker/phases.h"

namespace harness {
namespace {

constexpr int process = 1;

class Replay {
 public:
  Replay(Device& device, const PlannedCase& planned)
      : device_(device),
        planned_(planned),
        phases_(device),
        allocation_(device, input_seed(planned.id, planned.params, planned.sampling.seed, process), 0) {}

  Result<Replayed> run(const Catalog& catalog) {
    subject_.catalog = &catalog;
    if (const Step found = find(subject_, planned_, device_.traits()); !found) {
      if (found.error().outcome == Outcome::skipped) return Replayed{found.error().cause, 0};
      return fail(ErrorKind::environment,
                  fmt::format("this program knows no variant `{}` of a workload `{}`",
                              printable(planned_.variant), printable(planned_.workload)));
    }
    device_.profiler().enter({planned_.id, process, -1});
    if (Status done = prepare(); !done) return fail(std::move(done.error()));
    return calls();
  }

 private:
  Status prepare() {
    subject_.problem = subject_.workload->problem(planned_.params);
    load(*subject_.variant, phases_, planned_.params, device_.traits());
    {
      const auto phase = phases_.run("construct");
      subject_.kernel = subject_.variant->make(planned_.params, subject_.problem, device_.traits());
    }
    if (!subject_.kernel) return fail(ErrorKind::environment, "the variant made no kernel");
    {
      const auto phase = phases_.run("inputs");
      const std::uint64_t seed =
          input_seed(planned_.workload, planned_.params, planned_.sampling.seed, process);
      const std::optional<StatedInputs> stated = StatedInputs::of(planned_, subject_.problem);
      inputs_ = cache_.get(*subject_.workload, planned_.params, subject_.problem, seed,
                           InputCache::Answers::few, stated ? stated->usual(seed) : InputsRecipe{});
    }
    const auto phase = phases_.run("allocate");
    if (Status placed =
            allocation_.place(subject_.problem, *inputs_, subject_.kernel->workspace_bytes(), false);
        !placed)
      return placed;
    subject_.kernel->bind(allocation_.buffers());
    return {};
  }

  Status call() {
    device_.timer().queue([&](sdk::Stream stream) { subject_.kernel->run(stream); });
    return device_.timer().synchronize();
  }

  Result<Replayed> calls() {
    {
      const auto phase = phases_.run("first_call");
      if (Status done = call(); !done) return fail(std::move(done.error()));
    }
    Replayed replayed;
    device_.profiler().enter({planned_.id, process, 0});
    const auto phase = phases_.run("calls");
    for (; replayed.calls < std::max(1, planned_.sampling.warmup); ++replayed.calls)
      if (Status done = call(); !done) return fail(std::move(done.error()));
    return replayed;
  }

  Device& device_;
  const PlannedCase& planned_;
  Phases phases_;
  InputCache cache_;
  std::shared_ptr<const CaseInputs> inputs_;
  Allocation allocation_;
  Subject subject_;  // after the buffers that its kernel points into: destroyed first
};

}  // namespace

Result<Replayed> replay_case(Device& device, const Catalog& catalog, const PlannedCase& planned) {
  try {
    const PlannedCase own = as_workload_sees(planned, catalog);
    return Replay(device, own).run(catalog);
  } catch (const sdk::Unsupported& reason) {
    return Replayed{cause_with_why(CauseCode::unsupported, printable(reason.what())), 0};
  } catch (const std::exception& problem) {
    return fail(ErrorKind::environment, fmt::format("the case threw `{}`", printable(problem.what())));
  }
}

}  // namespace harness

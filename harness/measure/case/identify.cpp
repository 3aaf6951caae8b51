#include "harness/measure/case/identify.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/measure/case/look.h"
#include "harness/model/code/shifted_process.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"

namespace harness {
namespace {

CaseCalls calls_of(const CaseParts& parts, const Subject& subject) {
  CaseCalls calls;
  calls.call = [&subject](sdk::Stream stream) { subject.kernel->run(stream); };
  const sdk::Buffers buffers = parts.allocation.buffers();
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i)
    calls.buffers.push_back({buffers.tensors[i], subject.problem.tensors[i].bytes()});
  if (buffers.workspace != nullptr) calls.buffers.push_back({buffers.workspace, parts.workspace_bytes()});
  calls.code = subject.variant->code;
  return calls;
}

// Outputs and workspace start with the same poison, so their sizes describe them.
std::string memory_text(const Subject& subject) {
  std::string text;
  for (const sdk::TensorSpec& tensor : subject.problem.tensors)
    if (tensor.role == sdk::Role::output) text += tensor_text(tensor);
  return text + fmt::format("workspace {}\n", subject.kernel->workspace_bytes());
}

std::unique_ptr<sdk::Kernel> make_another(CaseParts& parts, const Subject& subject) {
  std::unique_ptr<sdk::Kernel> kernel =
      subject.variant->make(parts.planned.params, subject.problem, parts.device.traits());
  if (!kernel) return nullptr;
  const std::string& choice = subject.result.choice;
  if (!choice.empty() && !kernel->take_choice(choice)) return nullptr;
  kernel->bind(parts.allocation.buffers());
  return kernel;
}

// Equal digests are to have equal peaks. The digest of a variant that takes nothing stays as it is. One whose
// memory could not be counted has the digest of no counted one.
void add_own_memory(Subject& subject) {
  auto& identity = subject.result.identity;
  if (subject.own_bytes == 0U || !identity || identity->digest.empty()) return;
  const std::string own = subject.own_bytes ? std::to_string(*subject.own_bytes) : "unknown";
  identity->digest = extended_digest(identity->digest, fmt::format("own {}\n", own));
}

}  // namespace

Step count_own_memory(CaseParts& parts, Subject& subject) {
  const std::vector<std::string>& metrics = parts.planned.metrics;
  if (std::find(metrics.begin(), metrics.end(), peak_memory_metric.name) == metrics.end()) return {};
  const Since<std::size_t> peak = parts.device.memory().watch_peak();
  if (!peak()) return {};
  const auto phase = parts.phases.run("memory");
  Timer& timer = parts.device.timer();
  try {
    if (const std::unique_ptr<sdk::Kernel> another = make_another(parts, subject)) {
      timer.queue([&](sdk::Stream stream) { another->run(stream); });
      if (const Status done = timer.synchronize(); !done) return parts.subjects.broken(done.error());
      subject.own_bytes = peak();
    }
  } catch (const std::exception&) {  // there may be no room for two
    subject.own_bytes.reset();
  }
  if (const Status alive = timer.synchronize(); !alive) return parts.subjects.broken(alive.error());
  add_own_memory(subject);
  return {};
}

Step identify(CaseParts& parts, Subject& subject) {
  if (!tells_code(parts.process) || parts.purpose == Purpose::counters) return {};
  if (subject.problem.gpus > 1 && is_gpu_kind(parts.planned.device)) {
    subject.result.identity = Identity{"", Cause{CauseCode::several_gpus}};
    return {};
  }
  parts.subjects.begin_step(CaseStep::look_at_kernels);
  const auto phase = parts.phases.run("identify");
  Result<Launches> seen = parts.device.profiler().launches(calls_of(parts, subject));
  if (!seen) return parts.subjects.broken(seen.error());
  if (const Status alive = parts.device.timer().synchronize(); !alive)
    return parts.subjects.broken(alive.error());
  if (parts.purpose == Purpose::look || !times_kernels(parts.planned, parts.process)) {
    subject.result.kernels = std::move(seen->kernels);
    for (KernelUse& one : subject.result.kernels) one.us = 0;  // of a single call, before the device was warm
  }
  subject.result.identity = seen->identity;
  if (!subject.result.identity || subject.result.identity->digest.empty()) return {};
  std::string& digest = subject.result.identity->digest;
  digest = extended_digest(digest, parts.carried.inputs.digest(*parts.inputs) + "\n" + memory_text(subject));
  if (parts.stated)
    digest = extended_digest(digest, "timed " + parts.carried.inputs.digest(*parts.timed) + "\n");
  return {};
}

}  // namespace harness

#include "harness/measure/case/identify.h"

#include <fmt/format.h>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {

constexpr int first_process = 1;

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

}  // namespace

Step identify(CaseParts& parts, Subject& subject) {
  if (parts.process > first_process) return {};
  parts.subjects.begin_step(CaseStep::look_at_kernels);
  const auto phase = parts.phases.run("identify");
  Result<Launches> seen = parts.device.profiler().launches(calls_of(parts, subject));
  if (!seen) return parts.subjects.broken(seen.error());
  if (const Status alive = parts.device.timer().synchronize(); !alive)
    return parts.subjects.broken(alive.error());
  if (parts.purpose == Purpose::look) subject.result.kernels = std::move(seen->kernels);
  subject.result.identity = std::move(seen->identity);
  if (!subject.result.identity || subject.result.identity->digest.empty()) return {};
  std::string& digest = subject.result.identity->digest;
  digest =
      content_hash(digest + "\n" + parts.carried.inputs.digest(*parts.inputs) + "\n" + memory_text(subject));
  return {};
}

}  // namespace harness

#include "harness/measure/case/own_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/files.h"
#include "harness/model/known_metrics.h"

namespace harness {
namespace {

std::unique_ptr<sdk::Kernel> make_another(CaseParts& parts, const Subject& subject) {
  std::unique_ptr<sdk::Kernel> kernel =
      subject.variant->make(parts.planned.params, subject.problem, parts.device.traits());
  if (!kernel) return nullptr;
  const std::string& choice = subject.result.choice;
  if (!choice.empty() && !kernel->take_choice(choice)) return nullptr;
  kernel->bind(parts.allocation.buffers());
  return kernel;
}

// So that equal digests have equal peaks. Those of variants that take nothing stay as they are.
void add_to_digest(Subject& subject) {
  auto& identity = subject.result.identity;
  if (subject.own_bytes.value_or(0) == 0 || !identity || identity->digest.empty()) return;
  identity->digest = content_hash(fmt::format("{}\nown {}\n", identity->digest, *subject.own_bytes));
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
    const std::unique_ptr<sdk::Kernel> another = make_another(parts, subject);
    if (!another) return {};
    timer.queue([&](sdk::Stream stream) { another->run(stream); });
    if (const Status done = timer.synchronize(); !done) return parts.subjects.broken(done.error());
    subject.own_bytes = peak();
  } catch (const std::exception&) {  // there may be no room for two
    subject.own_bytes.reset();
  }
  if (const Status alive = timer.synchronize(); !alive) return parts.subjects.broken(alive.error());
  add_to_digest(subject);
  return {};
}

}  // namespace harness

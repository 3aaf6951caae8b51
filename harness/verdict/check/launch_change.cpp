#include "harness/verdict/check/launch_change.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/results/findings.h"
#include "harness/model/results/program_trace.h"

namespace harness {
namespace {

using Kernels = std::vector<KernelUse>;

// The first process that read what it launches, or null.
const ProcessResult* reader_of(const CaseRecord& record) {
  const auto found = std::find_if(record.processes.begin(), record.processes.end(), [](const auto& process) {
    return process.identity && !process.kernels.empty();
  });
  return found == record.processes.end() ? nullptr : &*found;
}

Kernels kernels_of(const ProcessResult* process) {
  return process == nullptr ? Kernels{} : process->kernels;
}

Kernels setup_of(const ProcessResult* process) {
  return process == nullptr ? Kernels{} : process->identity->setup;
}

bool differ_in_frames(const ProcessResult* before, const ProcessResult* after) {
  return before != nullptr && after != nullptr && before->identity->frame != after->identity->frame;
}

// Words may differ between starts of one build, so they explain nothing where the frames differ.
void forget_arguments(Kernels& kernels) {
  for (KernelUse& one : kernels)
    if (!one.words.empty()) one.arguments.clear();
}

bool same_launch(const KernelUse& one, const KernelUse& other) {
  return one.name == other.name && one.grid == other.grid && one.block == other.block;
}

std::optional<LaunchChange> change_of(const KernelUse& before, const KernelUse& after) {
  if (before.code != after.code) return LaunchChange::code;
  if (before.launches != after.launches) return LaunchChange::count;
  if (before.arguments != after.arguments) return LaunchChange::arguments;
  if (before.dynamic_shared_bytes != after.dynamic_shared_bytes) return LaunchChange::shape;
  return std::nullopt;
}

using Changes = std::vector<std::pair<LaunchChange, std::string>>;

// Pairs equal shapes first, then equal names.
Changes changes_between(Kernels before, const Kernels& after) {
  Changes changes;
  Kernels fresh;
  const auto take = [&](const auto& like) {
    const auto found = std::find_if(before.begin(), before.end(), like);
    std::optional<KernelUse> taken;
    if (found != before.end()) {
      taken = std::move(*found);
      before.erase(found);
    }
    return taken;
  };
  for (const KernelUse& one : after) {
    const auto old = take([&](const KernelUse& other) { return same_launch(one, other); });
    if (!old) fresh.push_back(one);
    if (const auto change = old ? change_of(*old, one) : std::nullopt)
      changes.emplace_back(*change, one.name);
  }
  for (const KernelUse& one : fresh) {
    const auto old = take([&](const KernelUse& other) { return one.name == other.name; });
    changes.emplace_back(old ? LaunchChange::shape : LaunchChange::added, one.name);
  }
  for (const KernelUse& one : before) changes.emplace_back(LaunchChange::removed, one.name);
  return changes;
}

}  // namespace

Figures launch_change(const CaseRecord& baseline, const CaseRecord& current) {
  if (!current.program || current.program->reads != trace_format) return {};
  const ProcessResult *one = reader_of(baseline), *other = reader_of(current);
  const bool frames = differ_in_frames(one, other);
  const auto changes_in = [&](Kernels before, Kernels after) {
    if (frames)
      for (Kernels* kernels : {&before, &after}) forget_arguments(*kernels);
    return changes_between(std::move(before), after);
  };
  const Changes changes = changes_in(kernels_of(one), kernels_of(other));
  if (changes.empty()) {
    if (const Changes around = changes_in(setup_of(one), setup_of(other)); !around.empty())
      return {{"change", std::string(name_of(LaunchChange::setup))},
              {"kernel", around.front().second},
              {"kernels", around.size()}};
    const LaunchChange rest = is_traced_kernel(current) ? LaunchChange::elsewhere : LaunchChange::order;
    return {{"change", std::string(name_of(rest))}};
  }
  return {{"change", std::string(name_of(changes.front().first))},
          {"kernel", changes.front().second},
          {"kernels", changes.size()}};
}

}  // namespace harness

#include "harness/verdict/read/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "harness/base/text.h"

namespace harness {
namespace {

using Kernels = std::vector<KernelUse>;

const ProcessResult* first_with_kernels(const CaseRecord& record) {
  for (const ProcessResult& process : record.processes)
    if (!process.kernels.empty()) return &process;
  return nullptr;
}

void note_inconsistent(std::vector<Diagnostic>& notes, const char* side, const CaseRecord& record,
                       const ProcessResult& first) {
  std::vector<int> others;
  for (const ProcessResult& process : record.processes)
    if (!process.kernels.empty() && !same_launches(process.kernels, first.kernels))
      others.push_back(process.process);
  if (others.empty()) return;
  notes.push_back({DiagnosticCode::other_kernels,
                   {{"side", side},
                    {"processes", fmt::format("{}", fmt::join(others, ", "))},
                    {"first", first.process}}});
}

struct Pair {
  const KernelUse* before = nullptr;
  const KernelUse* after = nullptr;
};

// Pairs what is left on both sides by `name_of`, in launch order.
template <class Name>
void pair_by(std::vector<const KernelUse*>& before, std::vector<const KernelUse*>& after,
             std::vector<Pair>& pairs, Name name_of) {
  for (const KernelUse*& one : after) {
    const auto found = std::find_if(before.begin(), before.end(), [&](const KernelUse* other) {
      return other != nullptr && name_of(*other) == name_of(*one);
    });
    if (found == before.end()) continue;
    pairs.push_back({*found, one});
    *found = nullptr;
    one = nullptr;
  }
  std::erase(before, nullptr);
  std::erase(after, nullptr);
}

std::vector<Pair> pair_kernels(const Kernels& baseline, const Kernels& current) {
  std::vector<const KernelUse*> before, after;
  for (const KernelUse& one : baseline) before.push_back(&one);
  for (const KernelUse& one : current) after.push_back(&one);
  std::vector<Pair> pairs;
  pair_by(before, after, pairs, [](const KernelUse& one) { return std::string_view(one.name); });
  pair_by(before, after, pairs, [](const KernelUse& one) { return base_name(one.name); });
  for (const KernelUse* one : before) pairs.push_back({one, nullptr});
  for (const KernelUse* one : after) pairs.push_back({nullptr, one});
  return pairs;
}

// Equal in everything but the time and the machine code.
bool same_shape(const KernelUse& one, const KernelUse& other) {
  const auto shape = [](const KernelUse& kernel) {
    return std::tie(kernel.name, kernel.registers, kernel.static_shared_bytes, kernel.dynamic_shared_bytes,
                    kernel.local_bytes, kernel.grid, kernel.block, kernel.launches);
  };
  return shape(one) == shape(other);
}

double change_of(const Pair& pair) {
  return (pair.after != nullptr ? time_of(*pair.after) : 0) -
         (pair.before != nullptr ? time_of(*pair.before) : 0);
}

// Share of the change of all kernels, where it says something; 0 otherwise.
double share_of(double change, double total) {
  const double share = total != 0 ? change / total : 0;
  return share > 0.005 && share <= 2 ? share : 0;
}

bool moved(const Pair& pair, double margin) {
  const double before = time_of(*pair.before), after = time_of(*pair.after);
  return before > 0 && after > 0 && std::abs(std::log(after / before)) > std::log1p(margin);
}

// The pairs that differ, largest share of the change first.
std::vector<KernelChange> changes_of(std::vector<Pair> pairs, double margin) {
  double total = 0;
  for (const Pair& pair : pairs) total += change_of(pair);
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& one, const Pair& other) {
    return std::abs(change_of(one)) > std::abs(change_of(other));
  });
  std::vector<KernelChange> found;
  for (const Pair& pair : pairs) {
    const double share = share_of(change_of(pair), total);
    if (pair.before == nullptr)
      found.push_back({KernelChange::Kind::appeared, {}, *pair.after, share});
    else if (pair.after == nullptr)
      found.push_back({KernelChange::Kind::vanished, *pair.before, {}, share});
    else if (!same_shape(*pair.before, *pair.after))
      found.push_back({KernelChange::Kind::reshaped, *pair.before, *pair.after, share});
    else if (moved(pair, margin))
      found.push_back({KernelChange::Kind::moved, *pair.before, *pair.after, share});
  }
  return found;
}

bool have_same_code(const std::vector<Pair>& pairs) {
  const auto known = [](const Pair& pair) {
    return pair.before != nullptr && pair.after != nullptr &&
           (is_memory_operation(*pair.after) || !pair.after->code.empty()) &&
           pair.before->code == pair.after->code && same_shape(*pair.before, *pair.after);
  };
  return std::all_of(pairs.begin(), pairs.end(), known) &&
         std::any_of(pairs.begin(), pairs.end(),
                     [](const Pair& pair) { return !is_memory_operation(*pair.after); });
}

// Kernels with other machine code of the same shape whose time did not move; changes_of() has the rest.
std::vector<std::string> recompiled(const std::vector<Pair>& pairs, double margin) {
  std::vector<std::string> names;
  for (const Pair& pair : pairs)
    if (pair.before != nullptr && pair.after != nullptr && !may_be_same_code(*pair.before, *pair.after) &&
        same_shape(*pair.before, *pair.after) && !moved(pair, margin))
      names.push_back(pair.after->name);
  return names;
}

}  // namespace

bool is_memory_operation(const KernelUse& kernel) {
  return kernel.name.starts_with('[');
}

PairedKernels paired_kernels(const CaseRecord& baseline, const CaseRecord& current) {
  const Kernels old = kernels_of(baseline), now = kernels_of(current);
  if (old.empty() || now.empty()) return {};
  PairedKernels paired;
  paired.timed = are_timed(old) && are_timed(now);
  for (const Pair& pair : pair_kernels(old, now)) {
    KernelSides& sides = paired.pairs.emplace_back();
    if (pair.before != nullptr) sides.baseline = *pair.before;
    if (pair.after != nullptr) sides.current = *pair.after;
  }
  return paired;
}

std::string differing_launch(const std::vector<KernelUse>& one, const std::vector<KernelUse>& other) {
  std::vector<const KernelUse*> left;
  for (const KernelUse& kernel : other) left.push_back(&kernel);
  for (const KernelUse& kernel : one) {
    const auto same = std::find_if(
        left.begin(), left.end(), [&](const KernelUse* candidate) { return same_shape(kernel, *candidate); });
    if (same == left.end()) return kernel.name;
    left.erase(same);
  }
  return left.empty() ? "" : left.front()->name;
}

std::string base_name(std::string_view kernel) {
  constexpr std::string_view anonymous = "(anonymous";  // of "(anonymous namespace)"
  std::string kept;
  int depth = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (depth == 0 && kernel.substr(i).starts_with(anonymous)) {
      kept += "anonymous";
      i = std::min(kernel.find(')', i), kernel.size() - 1);
    } else if (kernel[i] == '<') {
      ++depth;
    } else if (kernel[i] == '>') {
      depth = std::max(0, depth - 1);
    } else if (depth == 0 && kernel[i] == '(') {
      break;
    } else if (depth == 0) {
      kept += kernel[i];
    }
  }
  const std::string_view name = trim(kept);
  const std::size_t space = name.rfind(' ');
  return std::string(space == std::string_view::npos ? name : name.substr(space + 1));
}

KernelComparison compare_kernels(const CaseRecord& baseline, const CaseRecord& current, double margin) {
  KernelComparison result;
  const ProcessResult* before = first_with_kernels(baseline);
  const ProcessResult* after = first_with_kernels(current);
  if (before != nullptr) note_inconsistent(result.notes, "baseline", baseline, *before);
  if (after != nullptr) note_inconsistent(result.notes, "current", current, *after);
  if (before == nullptr || after == nullptr) return result;
  Kernels old = kernels_of(baseline), now = kernels_of(current);
  if (!are_timed(old) || !are_timed(now))
    for (Kernels* const side : {&old, &now})
      for (KernelUse& one : *side) one.us = 0;
  std::vector<Pair> pairs = pair_kernels(old, now);
  result.same_code = have_same_code(pairs);
  if (const std::vector<std::string> other = recompiled(pairs, margin); !other.empty())
    result.notes.push_back({DiagnosticCode::recompiled, {{"kernels", join(other, ", ")}}});
  result.changes = changes_of(std::move(pairs), margin);
  return result;
}

}  // namespace harness

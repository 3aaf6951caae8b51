#include "harness/verdict/read/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"

namespace harness {
namespace {

using Kernels = std::vector<KernelUse>;

double time_of(const KernelUse& kernel) {
  return kernel.us * kernel.launches;
}

const ProcessResult* first_with_kernels(const CaseRecord& record) {
  for (const ProcessResult& process : record.processes)
    if (!process.kernels.empty()) return &process;
  return nullptr;
}

// Copies and fills of memory have no code of ours.
bool is_memory_operation(const KernelUse& kernel) {
  return kernel.name.starts_with('[');
}

// Unknown code is no other code: it is looked up in a run's first process.
bool may_be_same_code(const KernelUse& one, const KernelUse& other) {
  return one.code.empty() || other.code.empty() || one.code == other.code;
}

// Whether two processes launched the same kernels; their times may differ.
bool same_launches(const Kernels& one, const Kernels& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const KernelUse& a, const KernelUse& b) {
                      return a.name == b.name && a.grid == b.grid && a.block == b.block &&
                             a.launches == b.launches && may_be_same_code(a, b);
                    });
}

void note_inconsistent(std::vector<std::string>& notes, const char* side, const CaseRecord& record,
                       const ProcessResult& first) {
  std::vector<int> others;
  for (const ProcessResult& process : record.processes)
    if (!process.kernels.empty() && !same_launches(process.kernels, first.kernels))
      others.push_back(process.process);
  if (others.empty()) return;
  notes.push_back(fmt::format(
      "{}: process {} launched other kernels than process {}: something is chosen anew in each process "
      "(autotuning, heuristics), so fix the choice; the kernels shown are those of process {}",
      side, fmt::join(others, ", "), first.process, first.process));
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

std::string bytes_text(std::int64_t bytes) {
  return bytes >= 1024 && bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024)
                                            : fmt::format("{} B", bytes);
}

std::string shape_text(const std::array<std::int64_t, 3>& shape) {
  return fmt::format("{}x{}x{}", shape[0], shape[1], shape[2]);
}

// "registers 64 -> 96, dynamic shared memory 48 KiB -> 100 KiB": everything but the time.
std::vector<std::string> shape_changes(const KernelUse& before, const KernelUse& after) {
  std::vector<std::string> found;
  const auto note = [&](const char* what, const auto& old, const auto& now, auto text) {
    if (old != now) found.push_back(fmt::format("{} {} -> {}", what, text(old), text(now)));
  };
  const auto plain = [](auto value) { return fmt::to_string(value); };
  if (before.name != after.name) found.push_back(fmt::format("was `{}`", before.name));
  note("registers", before.registers, after.registers, plain);
  note("static shared memory", before.static_shared_bytes, after.static_shared_bytes, bytes_text);
  note("dynamic shared memory", before.dynamic_shared_bytes, after.dynamic_shared_bytes, bytes_text);
  note("local memory", before.local_bytes, after.local_bytes, bytes_text);
  note("grid", before.grid, after.grid, shape_text);
  note("block", before.block, after.block, shape_text);
  note("launches a call", before.launches, after.launches, plain);
  return found;
}

// ", 92 % of the case's change", where that says something.
std::string share_text(double change, double total) {
  const double share = total != 0 ? change / total : 0;
  if (!(share > 0.005) || share > 2) return {};
  return fmt::format(", {:.0f} % of the change of all kernels", share * 100);
}

class KernelComparer {
 public:
  KernelComparer(const Kernels& before, const Kernels& after, double margin)
      : pairs_(pair_kernels(before, after)), margin_(margin) {
    for (const Pair& pair : pairs_) total_ += change_of(pair);
  }

  std::vector<KernelChange> changes() {
    std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& one, const Pair& other) {
      return std::abs(change_of(one)) > std::abs(change_of(other));
    });
    std::vector<KernelChange> found;
    for (const Pair& pair : pairs_) add(pair, found);
    return found;
  }

  [[nodiscard]] bool same_code() const {
    const auto known = [](const Pair& pair) {
      return pair.before != nullptr && pair.after != nullptr &&
             (is_memory_operation(*pair.after) || !pair.after->code.empty()) &&
             pair.before->code == pair.after->code && shape_changes(*pair.before, *pair.after).empty();
    };
    return std::all_of(pairs_.begin(), pairs_.end(), known) &&
           std::any_of(pairs_.begin(), pairs_.end(),
                       [](const Pair& pair) { return !is_memory_operation(*pair.after); });
  }

  // Kernels with other machine code of the same shape whose time did not move; changes() tells of the rest.
  [[nodiscard]] std::vector<std::string> recompiled() const {
    std::vector<std::string> names;
    for (const Pair& pair : pairs_)
      if (pair.before != nullptr && pair.after != nullptr && !may_be_same_code(*pair.before, *pair.after) &&
          shape_changes(*pair.before, *pair.after).empty() && !moved(pair))
        names.push_back(fmt::format("`{}`", pair.after->name));
    return names;
  }

 private:
  static double change_of(const Pair& pair) {
    return (pair.after != nullptr ? time_of(*pair.after) : 0) -
           (pair.before != nullptr ? time_of(*pair.before) : 0);
  }

  [[nodiscard]] bool moved(const Pair& pair) const {
    const double before = time_of(*pair.before), after = time_of(*pair.after);
    return before > 0 && after > 0 && std::abs(std::log(after / before)) > std::log1p(margin_);
  }

  void add(const Pair& pair, std::vector<KernelChange>& found) const {
    const std::string share = share_text(change_of(pair), total_);
    if (pair.before == nullptr) {
      found.push_back({pair.after->name, KernelChange::Kind::appeared, 0,
                       fmt::format("{:.4g} us a call{}", time_of(*pair.after), share)});
      return;
    }
    if (pair.after == nullptr) {
      found.push_back({pair.before->name, KernelChange::Kind::vanished, 0,
                       fmt::format("{:.4g} us a call{}", time_of(*pair.before), share)});
      return;
    }
    const double before = time_of(*pair.before), after = time_of(*pair.after);
    const double ratio = before > 0 && after > 0 ? after / before : 0;
    std::vector<std::string> what = shape_changes(*pair.before, *pair.after);
    if (what.empty() && !moved(pair)) return;
    const auto kind = what.empty() ? KernelChange::Kind::moved : KernelChange::Kind::reshaped;
    if (what.empty() && !pair.before->code.empty() && !pair.after->code.empty())
      what.emplace_back(pair.before->code == pair.after->code ? "same machine code" : "other machine code");
    what.insert(what.begin(), fmt::format("{:.4g} -> {:.4g} us a call{}", before, after, share));
    found.push_back({pair.after->name, kind, ratio, join(what, ", ")});
  }

  std::vector<Pair> pairs_;
  double margin_;
  double total_ = 0;  // change of all kernels together, us a call
};

}  // namespace

std::string base_name(std::string_view kernel) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  std::string kept;
  int depth = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (depth == 0 && kernel.substr(i).starts_with(anonymous)) {
      kept += "anonymous";
      i += anonymous.size() - 1;
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
  KernelComparer comparer(before->kernels, after->kernels, margin);
  result.same_code = comparer.same_code();
  result.changes = comparer.changes();
  if (const std::vector<std::string> other = comparer.recompiled(); !other.empty())
    result.notes.push_back(
        fmt::format("other machine code in {}, whose time did not move", join(other, ", ")));
  return result;
}

}  // namespace harness

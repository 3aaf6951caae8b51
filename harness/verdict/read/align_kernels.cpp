#include "harness/verdict/read/align_kernels.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/model/results/program_trace.h"

namespace harness {
namespace {

using KernelCases = std::vector<const CaseRecord*>;  // of one program, in the order of their first launch

constexpr std::size_t most_kernels = 2000;  // on a side; beyond it an alignment takes too long
constexpr int same_case = 8;
constexpr int same_name = 4;
constexpr int same_beginning = 2;
constexpr int as_often = 1;

const KernelUse* use_of(const CaseRecord& one) {
  for (const ProcessResult& process : one.processes)
    if (!process.kernels.empty()) return &process.kernels.front();
  return nullptr;
}

// Whether half of the shorter name begins both: variants of one kernel of a library.
bool begin_alike(std::string_view one, std::string_view other) {
  const std::size_t shorter = std::min(one.size(), other.size());
  const auto differ =
      std::mismatch(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(shorter), other.begin()).first;
  return 2 * static_cast<std::size_t>(differ - one.begin()) >= shorter;
}

// How well two kernels fit; 0: they do not. `lone`: neither has a case of its own name on the other side.
int fit(const CaseRecord& before, const CaseRecord& after, bool lone) {
  if (before.id == after.id) return same_case;
  const KernelUse *old = use_of(before), *now = use_of(after);
  if (!lone || old == nullptr || now == nullptr) return 0;
  if (old->name == now->name) return same_name;
  if (old->launches != now->launches) return 0;
  return begin_alike(old->name, now->name) ? same_beginning : as_often;
}

std::map<std::string, KernelCases> kernels_by_program(const Record& record) {
  std::map<std::string, KernelCases> found;
  for (const CaseRecord& one : record.cases)
    if (is_traced_kernel(one)) found[one.program->name].push_back(&one);
  return found;
}

std::unordered_set<std::string_view> ids_of(const KernelCases& kernels) {
  std::unordered_set<std::string_view> ids;
  for (const CaseRecord* one : kernels) ids.insert(one->id);
  return ids;
}

// The best alignment of two sequences (Needleman and Wunsch, with gaps that cost nothing).
void align(const KernelCases& before, const KernelCases& after,
           std::map<const CaseRecord*, const CaseRecord*>& pairs) {
  if (before.size() > most_kernels || after.size() > most_kernels) return;
  const std::unordered_set<std::string_view> old_ids = ids_of(before), new_ids = ids_of(after);
  const std::size_t rows = before.size(), columns = after.size();
  std::vector<int> best((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return best[i * (columns + 1) + j]; };
  const auto fits = [&](std::size_t i, std::size_t j) {
    return fit(*before[i], *after[j], !new_ids.contains(before[i]->id) && !old_ids.contains(after[j]->id));
  };
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t j = columns; j-- > 0;) {
      const int together = fits(i, j);
      at(i, j) = std::max({at(i + 1, j), at(i, j + 1), together > 0 ? together + at(i + 1, j + 1) : 0});
    }
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    const int together = fits(i, j);
    if (together > 0 && at(i, j) == together + at(i + 1, j + 1)) {
      if (before[i]->id != after[j]->id) pairs.emplace(after[j], before[i]);
      ++i, ++j;
    } else if (at(i, j) == at(i + 1, j)) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

std::map<const CaseRecord*, const CaseRecord*> aligned_kernels(const Record& baseline,
                                                               const Record& current) {
  std::map<const CaseRecord*, const CaseRecord*> pairs;
  const std::map<std::string, KernelCases> before = kernels_by_program(baseline);
  for (const auto& [program, after] : kernels_by_program(current))
    if (const auto old = before.find(program); old != before.end()) align(old->second, after, pairs);
  return pairs;
}

}  // namespace harness

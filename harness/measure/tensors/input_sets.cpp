#include "harness/measure/tensors/input_sets.h"

#include <algorithm>
#include <cstdint>

namespace harness {
namespace {

constexpr std::uint64_t unmoved = 0;  // these sets draw no padding

}  // namespace

int input_sets_needed(std::size_t set_bytes, std::size_t cache_bytes) {
  const std::size_t wanted = 2 * cache_bytes / std::max<std::size_t>(set_bytes, 1) + 1;
  return static_cast<int>(std::clamp<std::size_t>(wanted, 2, most_input_sets));
}

bool fits_in_cache(int sets, std::size_t set_bytes, std::size_t cache_bytes) {
  return static_cast<std::size_t>(sets) * set_bytes <= cache_bytes;
}

Status InputSets::place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
                        int count, const Allocation& first) {
  clear();
  Result<SharedBlocks> blocks =
      SharedBlocks::take(device_.memory(), buffers_of(problem, workspace_bytes), count);
  if (!blocks) return fail(blocks.error());
  for (int i = 0; i < count; ++i) {
    Allocation& one = sets_.emplace_back(device_, unmoved);
    // Without padding between: these sets lie beside each other, and the first alone is sure to move.
    if (Status placed = one.place_in(*blocks, problem, inputs, workspace_bytes, first); !placed)
      return placed;
  }
  return {};
}

}  // namespace harness

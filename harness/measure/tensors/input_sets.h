// InputSets: further sets of buffers with equal values. Calls take turns with them, so that each finds its
// data outside the cache without a flush. The first set is the case's own Allocation. Owns the device's
// buffers; one thread uses it.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/measure/tensors/allocation.h"

namespace harness {

// More would take longer to allocate and to bind than to measure.
inline constexpr int most_input_sets = 256;

// How many sets of `set_bytes` exceed twice the cache: at least 2, at most most_input_sets. A
// least-recently-used cache then never holds the next set. `cache_bytes` 0: unknown.
int input_sets_needed(std::size_t set_bytes, std::size_t cache_bytes);

// Whether a set would come round before the cache has evicted it.
bool fits_in_cache(int sets, std::size_t set_bytes, std::size_t cache_bytes);

class InputSets {
 public:
  explicit InputSets(Device& device) : device_(device) {}

  // Gives up what is held and places `count` sets in shared blocks, with the inputs of `first`.
  Status place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes, int count,
               const Allocation& first);
  void clear() { sets_.clear(); }

  [[nodiscard]] std::size_t size() const { return sets_.size(); }
  [[nodiscard]] Allocation& at(std::size_t index) { return sets_[index]; }
  [[nodiscard]] sdk::Buffers buffers(std::size_t index) const { return sets_[index].buffers(); }

 private:
  Device& device_;
  std::vector<Allocation> sets_;
};

}  // namespace harness

// HostOutputs: the outputs of a call in the host's memory, where they are checked. One thread uses it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/device/device.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/sdk/workload.h"

namespace harness {

// The next outputs take the memory of the last. Large ones are locked for their device, so that a download
// needs no second copy on the host. Locking takes no more memory than they have, but the host cannot swap
// them out.
class HostOutputs {
 public:
  // `most_locked`: bytes of all together that may be locked.
  explicit HostOutputs(std::size_t most_locked = kept_memory_limit({}, {})) : most_locked_(most_locked) {}
  HostOutputs(HostOutputs&&) = default;
  HostOutputs(const HostOutputs&) = delete;
  // It would free memory before its lock ends.
  HostOutputs& operator=(HostOutputs&&) = delete;
  HostOutputs& operator=(const HostOutputs&) = delete;
  ~HostOutputs() = default;
  [[nodiscard]] std::span<const sdk::HostTensor> tensors() const { return tensors_; }
  // The memory that output number `index` comes to. `device` must outlive this.
  std::span<std::byte> take(std::size_t index, const sdk::TensorSpec& spec, Memory& device);
  // There are so many outputs.
  void end(std::size_t count);

 private:
  struct Lock {
    Scope scope;
    std::size_t bytes = 0;
  };
  [[nodiscard]] bool may_lock(std::size_t bytes) const;

  std::size_t most_locked_;
  std::vector<sdk::HostTensor> tensors_;
  std::vector<Lock> locks_;  // of each tensor, ended before its memory is given back
};

}  // namespace harness

// Allocation: one set of buffers of a case, a placement: its tensors, its workspace, and while it lives
// the padding that made it land elsewhere. Owns the device's buffers; one thread uses it.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "harness/device/device.h"
#include "harness/measure/inputs.h"
#include "harness/sdk/variant.h"

namespace harness {

class Allocation {
 public:
  // `seed`: of the padding's sizes.
  Allocation(Device& device, std::uint64_t seed) : device_(device), random_(seed) {}

  // Gives up the buffers that are held and takes new ones, between blocks of random size when `padded`,
  // so that they land elsewhere. Inputs are uploaded, outputs and workspace poisoned.
  Status place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
               bool padded);

  Status poison_outputs(const sdk::Problem& problem);
  Result<std::vector<sdk::HostTensor>> download_outputs(const sdk::Problem& problem) const;

  [[nodiscard]] sdk::Buffers buffers() const {
    return {addresses_, workspace_ ? workspace_->data() : nullptr};
  }
  // Of the tensors, without workspace and padding.
  [[nodiscard]] std::size_t tensor_bytes() const;

 private:
  void pad(std::size_t like);
  void release();

  Device& device_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Buffer>> padding_;
  std::vector<std::unique_ptr<Buffer>> tensors_;
  std::unique_ptr<Buffer> workspace_;
  std::vector<void*> addresses_;
};

}  // namespace harness

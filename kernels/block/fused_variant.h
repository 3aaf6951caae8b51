// FusedBlock: the block by our own kernels, as a variant: five launches for few tokens, else seven. Compiled
// in one file, because each file has kernels of its own: what one file allows a kernel, another has not.
#pragma once

#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/block/block.h"

namespace transformer_block {

class FusedBlock : public harness::sdk::Kernel {
 public:
  FusedBlock(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
             const harness::sdk::DeviceTraits& traits);
  ~FusedBlock() override;

  [[nodiscard]] std::size_t workspace_bytes() const override;
  void bind(const harness::sdk::Buffers& buffers) override;
  void run(harness::sdk::Stream stream) override;

 private:
  class Launches;

  Shape shape_;
  std::unique_ptr<Launches> launches_;
};

}  // namespace transformer_block

// LibraryNetwork: the networks by a call of a library or a kernel an operation, as a variant of each
// workload: cuBLASLt's first choice for products, cuDNN for attention and convolutions, own kernels for relu,
// sums and norms. Convolutions may be im2col and products of cuBLAS instead.
#pragma once

#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/backends/network.h"

namespace backends {

enum class Convolutions { cudnn, im2col };

class LibraryNetwork : public harness::sdk::Kernel {
 public:
  LibraryNetwork(const Shape& shape, const harness::sdk::DeviceTraits& traits, Convolutions convolutions);
  ~LibraryNetwork() override;

  [[nodiscard]] std::size_t workspace_bytes() const override;
  void bind(const harness::sdk::Buffers& buffers) override;
  void run(harness::sdk::Stream stream) override;
  // The host's time is part of a call's, as in Python's variants.
  [[nodiscard]] bool synchronises() const override { return true; }

 private:
  class Operations;

  std::unique_ptr<Operations> operations_;
};

template <Network network, Convolutions convolutions = Convolutions::cudnn>
class LibraryVariant final : public LibraryNetwork {
 public:
  LibraryVariant(const harness::sdk::Params& params, const harness::sdk::Problem&,
                 const harness::sdk::DeviceTraits& traits)
      : LibraryNetwork(shape_of(network, params), traits, convolutions) {}
};

}  // namespace backends

// LibraryNetwork: the networks by a call of a library or a kernel an operation, as a variant of each
// workload: cuBLASLt's first choice for products, cuDNN for attention and convolutions, own kernels for relu,
// sums and norms. Convolutions may be im2col and products of cuBLAS instead, and products may be in FP8.
#pragma once

#include <memory>
#include <optional>

#include "harness/sdk/registry.h"
#include "kernels/backends/network.h"

namespace backends {

enum class Convolutions { cudnn, im2col };

enum class Products {
  f16,
  fp8,          // x is rounded before each
  fp8_chained,  // of an mlp: x is rounded once; a product's epilogue has relu and rounds its result
};

class LibraryNetwork : public harness::sdk::Kernel {
 public:
  LibraryNetwork(const Shape& shape, const harness::sdk::DeviceTraits& traits, Convolutions convolutions,
                 Products products, harness::sdk::Tolerance of_workload);
  ~LibraryNetwork() override;

  [[nodiscard]] std::size_t workspace_bytes() const override;
  void bind(const harness::sdk::Buffers& buffers) override;
  void run(harness::sdk::Stream stream) override;
  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override { return tolerance_; }
  [[nodiscard]] std::optional<harness::sdk::DType> multiplies() const override;
  // The host's time is part of a call's, as in Python's variants.
  [[nodiscard]] bool synchronises() const override { return true; }

 private:
  class Operations;

  std::unique_ptr<Operations> operations_;
  std::optional<harness::sdk::Tolerance> tolerance_;  // in FP8
};

template <Network network, Convolutions convolutions = Convolutions::cudnn, Products products = Products::f16>
class LibraryVariant : public LibraryNetwork {
 public:
  static_assert(products != Products::fp8_chained || network == Network::mlp);

  LibraryVariant(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
                 const harness::sdk::DeviceTraits& traits)
      : LibraryNetwork(shape_of(network, params), traits, convolutions, products, problem.tolerance) {}

  // Loads the libraries.
  static void prepare(const harness::sdk::Params&, const harness::sdk::DeviceTraits& traits) {
    static bool loaded = false;
    if (loaded) return;
    const LibraryNetwork small(small_shape(network), traits, convolutions, products, {});
    loaded = true;
  }
};

template <Products products>
using Fp8Mlp = LibraryVariant<Network::mlp, Convolutions::cudnn, products>;

}  // namespace backends

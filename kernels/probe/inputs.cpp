#include "kernels/probe/inputs.h"

#include <stdexcept>

#include "kernels/fill.h"

namespace probe {

void fill_uniform(harness::sdk::HostTensor& tensor, std::uint64_t seed, std::uint64_t number, float scale) {
  using harness::sdk::DType;
  if (tensor.spec.dtype != DType::f32 && tensor.spec.dtype != DType::f16)
    throw std::invalid_argument("probes draw f32 and f16 only");
  // Records know their inputs, so each version draws the same. A probe's elements are one later in a stream.
  kernels::fill_uniform(tensor, seed, number, scale, -1);
}

}  // namespace probe

// RungKernel<Rung, Elements...>: a rung of the ladder as the harness runs it, on the host: checks that the
// rung multiplies the case's elements, plans the launch and enqueues it. Owns nothing on the device.
#pragma once

#include <functional>
#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/launch.cuh"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/rungs/rung.cuh"

namespace matmul {

template <class Element>
constexpr Arithmetic arithmetic_of() {
  if constexpr (std::is_same_v<Element, ptx::F16>) return Arithmetic::f16;
  if constexpr (std::is_same_v<Element, ptx::BF16>) return Arithmetic::bf16;
  if constexpr (std::is_same_v<Element, ptx::TF32>) return Arithmetic::tf32;
  return Arithmetic::f32;
}

// Calls act(Element{}) for the one of Elements that `shape` has; otherwise throws Unsupported, saying `why`.
template <class... Elements, class Act>
void with_element(const Shape& shape, const char* why, Act act) {
  const bool found =
      ((arithmetic_of<Elements>() == shape.arithmetic ? (act(Elements{}), true) : false) || ...);
  if (!found) throw harness::sdk::Unsupported(why);
}

template <class Element>
gemm::Problem<Element> problem_of(const Shape& shape) {
  gemm::Problem<Element> problem;
  problem.m = static_cast<int>(shape.m);
  problem.n = static_cast<int>(shape.n);
  problem.k = static_cast<int>(shape.k);
  return problem;
}

template <class Rung, class... Elements>
class RungKernel : public harness::sdk::Kernel {
 public:
  RungKernel(const harness::sdk::Params& params, const harness::sdk::DeviceTraits& traits, const char* why)
      : shape_(shape_of(params)) {
    require_32_bit_extents(shape_);
    with_element<Elements...>(shape_, why, [&](auto element) { make<decltype(element)>(traits); });
  }

  void bind(const harness::sdk::Buffers& buffers) override { bind_(buffers); }
  void run(harness::sdk::Stream stream) override { run_(static_cast<cudaStream_t>(stream.handle)); }

 private:
  template <class Element>
  void make(const harness::sdk::DeviceTraits& traits) {
    using Storage = typename Element::Storage;
    auto problem = std::make_shared<gemm::Problem<Element>>(problem_of<Element>(shape_));
    if constexpr (requires { Rung::refusal(*problem); })
      if (const char* const why = Rung::refusal(*problem); why != nullptr)
        throw harness::sdk::Unsupported(why);
    const Launch<Element> launch = Rung::template plan<Element>(*problem, traits.multiprocessors);
    if (launch.grid.y > 65535) throw harness::sdk::Unsupported("n is too large for this grid");
    kernels::allow_shared_memory(launch.kernel, static_cast<std::size_t>(launch.shared_bytes), traits);
    bind_ = [problem](const harness::sdk::Buffers& buffers) {
      problem->x = buffers.as<Storage>(a_index);
      problem->w = buffers.as<Storage>(b_index);
      problem->y = buffers.as<Storage>(c_index);
    };
    run_ = [problem, launch](cudaStream_t stream) {
      launch.kernel<<<launch.grid, launch.threads, static_cast<std::size_t>(launch.shared_bytes), stream>>>(
          *problem);
      kernels::check(cudaGetLastError(), "launch");
    };
  }

  Shape shape_;
  std::function<void(const harness::sdk::Buffers&)> bind_;
  std::function<void(cudaStream_t)> run_;
};

}  // namespace matmul

// Registers a rung of kernels/matmul: its name, its struct, one line on it, why it refuses other elements,
// and the elements that it multiplies.
#define MATMUL_RUNG(name_, Rung_, summary_, why_, ...)                              \
  namespace matmul {                                                                \
  namespace {                                                                       \
  class Rung_##Kernel final : public RungKernel<Rung_, __VA_ARGS__> {               \
   public:                                                                          \
    Rung_##Kernel(const harness::sdk::Params& params, const harness::sdk::Problem&, \
                  const harness::sdk::DeviceTraits& traits)                         \
        : RungKernel(params, traits, why_) {}                                       \
  };                                                                                \
  }                                                                                 \
  }                                                                                 \
  HARNESS_VARIANT(matmul, name_, cuda, summary_, matmul::Rung_##Kernel)

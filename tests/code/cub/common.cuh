// The part of the SDK that a plugin needs, for one algorithm of CUB a variant.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace harness::sdk {

struct Kernel {
  virtual ~Kernel() = default;
  virtual void bind(void* const* tensors) = 0;
  virtual void run(cudaStream_t stream) = 0;
};

struct Registry {
  using Make = Kernel* (*)(int n);
  void add(const char* workload, const char* variant, Make make);
};

}  // namespace harness::sdk

// `Algorithm::call` is of CUB's form: (temporary, bytes, in, out, n, stream).
template <class Algorithm>
class CubKernel : public harness::sdk::Kernel {
 public:
  explicit CubKernel(int n) : n_(n) {
    check(Algorithm::call(nullptr, bytes_, nullptr, nullptr, n_, nullptr));
    check(cudaMalloc(&temporary_, bytes_));
  }
  ~CubKernel() override { cudaFree(temporary_); }
  void bind(void* const* tensors) override {
    in_ = static_cast<const std::uint32_t*>(tensors[0]);
    out_ = static_cast<std::uint32_t*>(tensors[1]);
  }
  void run(cudaStream_t stream) override {
    check(Algorithm::call(temporary_, bytes_, in_, out_, n_, stream));
  }

 private:
  static void check(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
  }

  int n_;
  void* temporary_ = nullptr;
  std::size_t bytes_ = 0;
  const std::uint32_t* in_ = nullptr;
  std::uint32_t* out_ = nullptr;
};

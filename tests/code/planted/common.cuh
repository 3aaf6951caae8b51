// The part of the SDK that a plugin needs, and code that several variants share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace harness::sdk {

struct Kernel {
  virtual ~Kernel() = default;
  virtual void bind(void* const* tensors) = 0;
  virtual void run(cudaStream_t stream) = 0;
  virtual int choice() const { return 1; }
};

struct Registry {
  using Make = Kernel* (*)(int n);
  void add(const char* workload, const char* variant, Make make);
};

}  // namespace harness::sdk

constexpr int tile = 128;

int blocks_of(int n);            // table.cpp: a and c
int stages_of(int n);            // table.cpp: b
void check(cudaError_t result);  // table.cpp: all

extern "C" int helper_rounds(int n);  // helper.cpp, a library of its own: c

struct Arguments {
  float* out;
  const float* in;
  int n;
  float factor;
};

#ifdef __CUDACC__
__device__ inline float bend(float x) {
  return x * 0.5f + 1.0f;
}

template <int Tile>
__global__ void scaled(Arguments arguments) {
  const int i = blockIdx.x * Tile + threadIdx.x;
  if (i < arguments.n) arguments.out[i] = bend(arguments.in[i]) * arguments.factor;
}
#endif

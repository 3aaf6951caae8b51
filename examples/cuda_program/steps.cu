// An ordinary CUDA program: steps of three kernels. Nothing in it is made for the harness; the NVTX range is
// what any profiler shows.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>

__global__ void scale(float* x, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

__global__ void add(float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}

__global__ void smooth(float* out, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

int main(int count, char** words) {
  const int steps = count > 1 ? std::atoi(words[1]) : 100;
  const int n = 1 << 24, threads = 256, blocks = n / threads;
  float *x, *y, *z;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&z, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  for (int i = 0; i < steps; ++i) {
    nvtxRangePushA("step");
    scale<<<blocks, threads>>>(x, n, 0.5f);
    add<<<blocks, threads>>>(x, y, n);
    smooth<<<blocks, threads>>>(z, x, n);
    nvtxRangePop();
  }
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%d steps: %s\n", steps, cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}

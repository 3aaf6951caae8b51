// An ordinary program of NVBench: nothing in it is made for the harness.
#include <thrust/device_vector.h>
#include <nvbench/nvbench.cuh>

__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i];
}

void scale_vector(nvbench::state& state) {
  const int n = static_cast<int>(state.get_int64("n"));
  thrust::device_vector<float> x(n, 1.0F), y(n);
  state.exec([&](nvbench::launch& launch) {
    scale<<<(n + 255) / 256, 256, 0, launch.get_stream()>>>(x.data().get(), y.data().get(), n);
  });
}
NVBENCH_BENCH(scale_vector).add_int64_power_of_two_axis("n", {20, 24});

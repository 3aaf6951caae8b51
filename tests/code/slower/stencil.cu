// A stencil of five points, and a histogram.
__global__ void __launch_bounds__(256) points(const float* in, float* out, int n) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1) return;
  const float* at = in + y * n + x;
  out[y * n + x] = 0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-n] + at[n]);
}

__global__ void __launch_bounds__(256) bins(const unsigned char* in, unsigned* counts, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    atomicAdd(&own[in[i]], 1U);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

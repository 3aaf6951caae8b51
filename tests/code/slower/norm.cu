// Layer normalisation of rows of 1024 values, a row a block, and GELU on pairs of 16 bit values.
#include <cuda_fp16.h>

constexpr int threads = 128, each = 8;

__device__ float of_block(float x, float* part) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffU, x, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  const float all = part[0] + part[1] + part[2] + part[3];
  __syncthreads();
  return all;
}

__global__ void __launch_bounds__(threads) norm(const float4* in, float4* out, const float4* gain) {
  __shared__ float part[4];
  float4 kept[each / 4];
  float sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < each / 4; ++i) {
    const float4 x = kept[i] = in[blockIdx.x * 256 + i * threads + threadIdx.x];
    sum += x.x + x.y + x.z + x.w;
    squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
  }
  const float mean = of_block(sum, part) / 1024, mean_square = of_block(squares, part) / 1024;
  const float scale = rsqrtf(mean_square - mean * mean + 1e-5f);
#pragma unroll
  for (int i = 0; i < each / 4; ++i) {
    const float4 x = kept[i], g = gain[i * threads + threadIdx.x];
    out[blockIdx.x * 256 + i * threads + threadIdx.x] = {(x.x - mean) * scale * g.x, (x.y - mean) * scale * g.y,
                                                         (x.z - mean) * scale * g.z, (x.w - mean) * scale * g.w};
  }
}

__global__ void __launch_bounds__(256) gelu(const __half2* in, __half2* out, int n) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const float2 x = __half22float2(in[i]);
    const float left = x.x / (1 + __expf(-1.702f * x.x)), right = x.y / (1 + __expf(-1.702f * x.y));
    out[i] = __floats2half2_rn(left, right);
  }
}

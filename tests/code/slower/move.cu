// A transposition by tiles, a gathering of rows by their numbers, and a convolution of eleven taps.
__global__ void __launch_bounds__(256) turned(const float* in, float* out, int n) {
  __shared__ float held[32][33];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * 32, row = static_cast<int>(blockIdx.y) * 32;
#pragma unroll
  for (int i = 0; i < 32; i += 8) held[y + i][x] = in[(row + y + i) * n + column + x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) out[(column + y + i) * n + row + x] = held[x][y + i];
}

__global__ void __launch_bounds__(128) gathered(const float4* table, const int* numbers, float4* out, int wide) {
  const int from = numbers[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < wide; i += 128) {
    const float4 x = table[from * wide + i];
    out[blockIdx.x * wide + i] = x;
  }
}

__constant__ float taps[11];

__global__ void __launch_bounds__(256) convolved(const float* in, float* out, int n) {
  __shared__ float near[256 + 10];
  const int at = static_cast<int>(blockIdx.x) * 256 + static_cast<int>(threadIdx.x);
  near[threadIdx.x] = in[at];
  if (threadIdx.x < 10) near[256 + threadIdx.x] = in[at + 256];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 11; ++k) sum += taps[k] * near[threadIdx.x + k];
  out[at] = sum;
}

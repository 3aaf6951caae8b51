// A kernel that keeps much in registers: sums of many columns a thread.
constexpr int columns = 32;

__global__ void __launch_bounds__(256)
    many(const float* in, const float* weights, float* out, int n, int pick) {
  float sum[columns] = {};
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < n; ++k) {
    const float x = in[k * n + row];
#pragma unroll
    for (int c = 0; c < columns; ++c) sum[c] += x * weights[k * columns + c];
  }
#pragma unroll
  for (int c = 0; c < columns; ++c) out[c * n + row] = sum[c];
}

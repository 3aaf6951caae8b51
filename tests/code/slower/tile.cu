// A product of matrices by tiles in shared memory.
constexpr int tile = 16;
using Sum = float;

__global__ void __launch_bounds__(256) product(const float* a, const float* b, float* c, int n) {
  __shared__ float left[tile][tile + 1], right[tile][tile + 1];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * tile + y, column = static_cast<int>(blockIdx.x) * tile + x;
  Sum sum = 0;
  for (int at = 0; at < n; at += tile) {
    left[y][x] = a[row * n + at + x];
    right[y][x] = b[(at + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += static_cast<Sum>(left[y][k]) * static_cast<Sum>(right[k][x]);
    __syncthreads();
  }
  c[row * n + column] = static_cast<float>(sum);
}

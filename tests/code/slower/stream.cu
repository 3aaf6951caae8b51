// A kernel that only moves memory, sixteen bytes at a time.
constexpr int width = 4;

template <int Width>
struct alignas(4 * Width) Pack {
  float at[Width];
};

__device__ float bent(float x, float factor) {
  return x * factor + 0.25f;
}

__global__ void __launch_bounds__(256)
    scale(const Pack<width>* in, Pack<width>* out, float factor, int n, int* count) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    Pack<width> pack = in[i];
    for (float& x : pack.at) x = bent(x, factor);
    out[i] = pack;
  }
}

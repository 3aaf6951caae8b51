// linear_gelu/wmma_fused: one kernel of our own on the Tensor Cores (mma.sync) whose epilogue adds the bias
// and applies GELU in registers. The algorithm is in fused_tile.h; here are the instructions it stands on
// (compute capability 8.0) and the launch.
#include <cuda_runtime.h>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/linear_gelu/cuda_element.cuh"
#include "kernels/linear_gelu/fused_tile.h"

namespace linear_gelu {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::DType;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;
using harness::sdk::Unsupported;
using kernels::check;

__device__ __forceinline__ void multiply_fragments(F16, float (&sums)[4], const std::uint32_t (&x)[4],
                                                   const std::uint32_t (&w)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(w[0]), "r"(w[1]));
}

__device__ __forceinline__ void multiply_fragments(BF16, float (&sums)[4], const std::uint32_t (&x)[4],
                                                   const std::uint32_t (&w)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(w[0]), "r"(w[1]));
}

// The Lane of fused_tile.h on the hardware. Offsets are bytes from the start of the shared memory.
template <class Element, Gelu Form>
class DeviceLane {
 public:
  __device__ __forceinline__ explicit DeviceLane(unsigned char* memory)
      : memory_(memory), address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory))) {}

  __device__ __forceinline__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ void* shared(int offset) const { return memory_ + offset; }

  // Copies `bytes` (16 or 0) and fills the rest of 16 with zeros, past the L1 cache, asynchronously.
  __device__ __forceinline__ void copy_piece(int offset, const std::uint16_t* from, int bytes) const {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address_ + offset),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes)
                 : "memory");
  }
  __device__ __forceinline__ void end_copy_group() const {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  template <int Pending>
  __device__ __forceinline__ void wait_for_copies() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
  }
  __device__ __forceinline__ void sync_block() const { __syncthreads(); }
  __device__ __forceinline__ void sync_warp() const { __syncwarp(); }

  __device__ __forceinline__ void load_matrices(int offset, std::uint32_t (&to)[4]) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address_ + offset)
                 : "memory");
  }
  __device__ __forceinline__ void load_matrices_transposed(int offset, std::uint32_t (&to)[4]) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address_ + offset)
                 : "memory");
  }
  __device__ __forceinline__ void multiply(float (&sums)[4], const std::uint32_t (&x)[4],
                                           const std::uint32_t (&w)[2]) const {
    multiply_fragments(Element{}, sums, x, w);
  }

  __device__ __forceinline__ float widen(std::uint16_t bits) const { return Element::widen(bits); }
  __device__ __forceinline__ std::uint32_t narrow(float low, float high) const {
    return Element::narrow(low, high);
  }
  __device__ __forceinline__ float gelu(float value) const { return gelu_of<Form>(value); }

 private:
  unsigned char* memory_;
  std::uint32_t address_;
};

template <class Tile, bool Aligned, class Element, Gelu Form>
__global__ void __launch_bounds__(Tile::threads)
    fused_kernel(FusedArguments problem, int tiles_down, int tiles_across) {
  extern __shared__ __align__(128) unsigned char memory[];
  using Lane = DeviceLane<Element, Form>;
  Lane lane(memory);
  FusedTile<Tile, Aligned, Lane>::run(lane, problem,
                                      tile_position(static_cast<int>(blockIdx.x), tiles_down, tiles_across));
}

// One instantiation, ready to launch.
struct Launch {
  void (*kernel)(FusedArguments, int, int) = nullptr;
  int threads = 0;
  int shared_bytes = 0;
  int tiles_down = 0;
  int tiles_across = 0;
};

template <class Tile, bool Aligned>
Launch make_launch(const Shape& shape) {
  Launch launch;
  if (shape.dtype == DType::f16)
    launch.kernel = shape.gelu == Gelu::erf_form ? fused_kernel<Tile, Aligned, F16, Gelu::erf_form>
                                                 : fused_kernel<Tile, Aligned, F16, Gelu::tanh_form>;
  else
    launch.kernel = shape.gelu == Gelu::erf_form ? fused_kernel<Tile, Aligned, BF16, Gelu::erf_form>
                                                 : fused_kernel<Tile, Aligned, BF16, Gelu::tanh_form>;
  launch.threads = Tile::threads;
  launch.shared_bytes = Tile::shared_bytes;
  launch.tiles_down = static_cast<int>(tiles_of(shape.m, Tile::block_rows));
  launch.tiles_across = static_cast<int>(tiles_of(shape.n, Tile::block_columns));
  return launch;
}

Launch make_launch(const Shape& shape, int multiprocessors) {
  switch (choose_tiling(shape.m, shape.n, shape.k, multiprocessors)) {
    case TilingChoice::wide: return make_launch<WideTiling, true>(shape);
    case TilingChoice::square: return make_launch<SquareTiling, true>(shape);
    case TilingChoice::small: return make_launch<SmallTiling, true>(shape);
    case TilingChoice::small_unaligned: return make_launch<SmallTiling, false>(shape);
  }
  throw std::logic_error("a tiling without a kernel");
}

class WmmaFused final : public harness::sdk::Kernel {
 public:
  WmmaFused(const Params& params, const Problem&, const DeviceTraits& traits) : shape_(shape_of(params)) {
    require_half_precision(shape_);
    if (traits.compute_major < 8)
      throw Unsupported("needs compute capability 8.0 or newer; this device has " +
                        std::to_string(traits.compute_major) + "." + std::to_string(traits.compute_minor));
    launch_ = make_launch(shape_, traits.multiprocessors);
    if (static_cast<std::size_t>(launch_.shared_bytes) > traits.shared_memory_per_block)
      throw Unsupported("needs " + std::to_string(launch_.shared_bytes) +
                        " bytes of shared memory a block; this device has " +
                        std::to_string(traits.shared_memory_per_block));
    if (static_cast<std::int64_t>(launch_.tiles_down) * launch_.tiles_across >
        std::numeric_limits<int>::max())
      throw Unsupported("more tiles than one launch can hold");
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(launch_.kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize, launch_.shared_bytes),
          "cudaFuncSetAttribute");
  }

  void bind(const Buffers& buffers) override {
    problem_.x = buffers.as<std::uint16_t>(x_index);
    problem_.w = buffers.as<std::uint16_t>(w_index);
    problem_.bias = buffers.as<std::uint16_t>(bias_index);
    problem_.y = buffers.as<std::uint16_t>(y_index);
    problem_.m = static_cast<int>(shape_.m);
    problem_.n = static_cast<int>(shape_.n);
    problem_.k = static_cast<int>(shape_.k);
  }

  void run(Stream stream) override {
    const auto blocks = static_cast<unsigned>(launch_.tiles_down * launch_.tiles_across);
    launch_
        .kernel<<<blocks, static_cast<unsigned>(launch_.threads),
                  static_cast<std::size_t>(launch_.shared_bytes), static_cast<cudaStream_t>(stream.handle)>>>(
            problem_, launch_.tiles_down, launch_.tiles_across);
    check(cudaGetLastError(), "launch of fused_kernel");
  }

 private:
  Shape shape_;
  Launch launch_;
  FusedArguments problem_;
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, wmma_fused, cuda, "own mma.sync kernel; bias and GELU in registers",
                linear_gelu::WmmaFused)

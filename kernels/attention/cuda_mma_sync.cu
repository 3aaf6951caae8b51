// attention/mma_sync: both products on the Tensor Cores by mma.sync, scores in registers only.
#include "kernels/attention/mma_kernel.cuh"
#include "kernels/attention/own_kernel.cuh"

namespace attention {
namespace {

using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

// One instantiation, ready to launch.
struct Launch {
  void (*kernel)(Arguments) = nullptr;
  int queries = 0;  // of a block
  int threads = 0;
  std::size_t shared_bytes = 0;
};

template <class Tiling>
Launch make_launch(bool f16) {
  return {f16 ? mma_kernel<Tiling, ptx::F16> : mma_kernel<Tiling, ptx::BF16>, Tiling::queries,
          Tiling::threads, Tiling::shared_bytes};
}

template <int D>
Launch make_launch(MmaChoice choice, bool f16) {
  switch (choice) {
    case MmaChoice::large: return make_launch<MmaLarge<D>>(f16);
    case MmaChoice::small: return make_launch<MmaSmall<D>>(f16);
    case MmaChoice::wide: return make_launch<MmaWide<D>>(f16);
  }
  throw std::logic_error("a tiling without a kernel");
}

class MmaSync final : public OwnKernel {
 public:
  MmaSync(const Params& params, const Problem&, const DeviceTraits& traits) : OwnKernel(params) {
    require_common_head(shape_);
    require_compute_capability(traits, 8);
    const MmaChoice choice = choose_mma(shape_.matrices(), shape_.sequence, traits.multiprocessors);
    launch_ = shape_.dimension == 32   ? make_launch<32>(choice, is_f16())
              : shape_.dimension == 64 ? make_launch<64>(choice, is_f16())
                                       : make_launch<128>(choice, is_f16());
    kernels::allow_shared_memory(launch_.kernel, launch_.shared_bytes, traits);
  }

  void run(Stream stream) override {
    const dim3 grid(blocks_of(shape_.sequence, launch_.queries), matrices());
    launch_.kernel<<<grid, static_cast<unsigned>(launch_.threads), launch_.shared_bytes, queue_of(stream)>>>(
        problem_);
    kernels::check(cudaGetLastError(), "launch of mma_kernel");
  }

 private:
  Launch launch_;
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, mma_sync, cuda, "own mma.sync kernel; scores and weights in registers",
                attention::MmaSync)

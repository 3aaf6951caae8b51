// attention/wgmma: warps that specialise on Hopper: copy engine, wgmma, softmax between products.
#include "kernels/attention/own_kernel.cuh"
#include "kernels/attention/wgmma_kernel.cuh"
#include "kernels/ptx/tensor_map.cuh"

namespace attention {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

// One instantiation, ready to launch: one of the two kernels.
struct Launch {
  void (*kernel)(Arguments, ptx::TensorMap, ptx::TensorMap, ptx::TensorMap) = nullptr;
  void (*queue)(QueuedArguments, ptx::TensorMap, ptx::TensorMap, ptx::TensorMap, ptx::TensorMap) = nullptr;
  int queries = 0;  // of a block
  int keys = 0;     // of a tile
  int result_rows = 0;
  int threads = 0;
  std::size_t shared_bytes = 0;

  [[nodiscard]] const void* function() const {
    return queue != nullptr ? reinterpret_cast<const void*>(queue) : reinterpret_cast<const void*>(kernel);
  }
};

template <class Tiling>
Launch make_launch(bool f16) {
  Launch launch{.queries = Tiling::queries,
                .keys = Tiling::keys,
                .result_rows = Tiling::result_rows,
                .threads = Tiling::threads,
                .shared_bytes = Tiling::shared_bytes};
  if constexpr (Tiling::is_queue)
    launch.queue = f16 ? wgmma_queue_kernel<Tiling, ptx::F16> : wgmma_queue_kernel<Tiling, ptx::BF16>;
  else
    launch.kernel = f16 ? wgmma_kernel<Tiling, ptx::F16> : wgmma_kernel<Tiling, ptx::BF16>;
  return launch;
}

class WgmmaVariant final : public OwnKernel {
 public:
  WgmmaVariant(const Params& params, const Problem&, const DeviceTraits& traits) : OwnKernel(params) {
    require_common_head(shape_);
    kernels::require_hopper(traits);
    static_assert(Wgmma64::queries == Wgmma128::queries && Queue64::queries == Wgmma64::queries &&
                  Queue128::queries == Wgmma64::queries);
    const std::int64_t blocks = std::int64_t{blocks_of(shape_.sequence, Wgmma64::queries)} * matrices();
    const bool queue =
        takes_queue(shape_.sequence, shape_.dimension, shape_.causal, blocks, traits.multiprocessors);
    multiprocessors_ = static_cast<unsigned>(traits.multiprocessors);
    const auto launch_of = [&]<class Own, class Queue>(Own, Queue) {
      return queue ? make_launch<Queue>(is_f16()) : make_launch<Own>(is_f16());
    };
    launch_ = shape_.dimension == 32   ? make_launch<Wgmma32>(is_f16())
              : shape_.dimension == 64 ? launch_of(Wgmma64{}, Queue64{})
                                       : launch_of(Wgmma128{}, Queue128{});
    kernels::allow_shared_memory(launch_.function(), launch_.shared_bytes, traits);
  }

  void bind(const Buffers& buffers) override {
    OwnKernel::bind(buffers);
    q_map_ = map_of(problem_.q, launch_.queries);
    k_map_ = map_of(problem_.k, launch_.keys);
    v_map_ = map_of(problem_.v, launch_.keys);
    o_map_ = map_of(problem_.o, launch_.result_rows);
  }

  void run(Stream stream) override {
    const auto threads = static_cast<unsigned>(launch_.threads);
    if (launch_.queue != nullptr) {
      launch_.queue<<<multiprocessors_, threads, launch_.shared_bytes, queue_of(stream)>>>(
          {problem_, static_cast<int>(matrices())}, q_map_, k_map_, v_map_, o_map_);
    } else {
      const dim3 grid(blocks_of(shape_.sequence, launch_.queries), matrices());
      launch_.kernel<<<grid, threads, launch_.shared_bytes, queue_of(stream)>>>(problem_, q_map_, k_map_,
                                                                                v_map_);
    }
    kernels::check(cudaGetLastError(), "launch of wgmma_kernel");
  }

 private:
  [[nodiscard]] ptx::TensorMap map_of(const std::uint16_t* tensor, int rows) const {
    const ptx::TensorLayout layout =
        wgmma_layout(problem_.dimension, problem_.sequence, static_cast<int>(shape_.matrices()), rows);
    return is_f16() ? ptx::make_tensor_map<ptx::F16>(tensor, layout)
                    : ptx::make_tensor_map<ptx::BF16>(tensor, layout);
  }

  Launch launch_;
  unsigned multiprocessors_ = 0;
  ptx::TensorMap q_map_ = {};
  ptx::TensorMap k_map_ = {};
  ptx::TensorMap v_map_ = {};
  ptx::TensorMap o_map_ = {};
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, wgmma, cuda, "warp-specialised: copy engine, wgmma, softmax between products",
                attention::WgmmaVariant)

// spectral_convolution/threads: planes on all threads, transformed by the definition, only what is kept.
#include "harness/sdk/registry.h"
#include "kernels/cpu_pool.h"
#include "kernels/operators/spectral_convolution/spectral.h"

namespace operators::spectral {
namespace {

class ThreadsSpectral final : public harness::sdk::Kernel {
 public:
  ThreadsSpectral(const harness::sdk::Params& params, const harness::sdk::Problem&,
                  const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        pool_(kernels::usable_threads(traits.multiprocessors)),
        kept_(static_cast<std::size_t>(shape_.planes() * shape_.frequencies())),
        mixed_(static_cast<std::size_t>(pool_.threads()),
               std::vector<std::complex<float>>(static_cast<std::size_t>(shape_.frequencies()))),
        transforms_(static_cast<std::size_t>(pool_.threads()), Transform<float>(shape_)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(x_index);
    w_ = buffers.as<float>(w_index);
    y_ = buffers.as<float>(y_index);
  }

  void run(harness::sdk::Stream) override {
    const std::int64_t frequencies = shape_.frequencies();
    pool_.for_each(shape_.planes(), [&](std::int64_t plane, int worker) {
      transforms_[static_cast<std::size_t>(worker)].forward(x_ + plane * shape_.points(),
                                                            kept_.data() + plane * frequencies);
    });
    pool_.for_each(shape_.planes(), [&](std::int64_t plane, int worker) {
      std::vector<std::complex<float>>& mixed = mixed_[static_cast<std::size_t>(worker)];
      mix(shape_, kept_.data() + plane / shape_.channels * shape_.channels * frequencies, w_,
          plane % shape_.channels, mixed.data());
      transforms_[static_cast<std::size_t>(worker)].inverse(mixed.data(), y_ + plane * shape_.points());
    });
  }

 private:
  Shape shape_;
  kernels::Pool pool_;
  std::vector<std::complex<float>> kept_;
  std::vector<std::vector<std::complex<float>>> mixed_;  // by worker
  std::vector<Transform<float>> transforms_;             // likewise
  const float* x_ = nullptr;
  const float* w_ = nullptr;
  float* y_ = nullptr;
};

}  // namespace
}  // namespace operators::spectral

HARNESS_VARIANT(spectral_convolution, threads, cpu, "planes on all threads; only frequencies that are kept",
                operators::spectral::ThreadsSpectral)

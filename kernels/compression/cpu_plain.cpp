#include "harness/sdk/registry.h"
#include "kernels/compression/compression.h"

namespace compression {
namespace {

class Plain final : public harness::sdk::Kernel {
 public:
  Plain(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : n_(static_cast<std::size_t>(params.integer("n"))), compressor_(settings_of(params)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    residual_ = {buffers.as<float>(residual_index), n_};
    gradient_ = {buffers.as<const float>(gradient_index), n_};
    restored_ = {buffers.as<float>(restored_index), n_};
  }
  void run(harness::sdk::Stream) override { compressor_.run(residual_, gradient_, restored_); }
  void report(harness::sdk::MetricSink& sink) const override {
    sink.report("ratio", 4 * static_cast<double>(n_) / std::max(compressor_.bytes(), 1.0));
  }

 private:
  std::size_t n_;
  PlainCompressor compressor_;
  std::span<float> residual_;
  std::span<const float> gradient_;
  std::span<float> restored_;
};

}  // namespace
}  // namespace compression

HARNESS_VARIANT(compression, plain, cpu, "one thread; the threshold by nth_element", compression::Plain)

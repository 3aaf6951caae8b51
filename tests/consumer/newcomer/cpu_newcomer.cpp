// The first variant of a newcomer: one variant of linear_gelu in one file.
#include "harness/sdk/registry.h"
#include "kernels/linear_gelu/linear_gelu.h"

namespace {

using namespace linear_gelu;

class Newcomer final : public harness::sdk::Kernel {
 public:
  Newcomer(const harness::sdk::Params& params, const harness::sdk::Problem&,
           const harness::sdk::DeviceTraits&)
      : shape_(shape_of(params)) {
    if (shape_.dtype != harness::sdk::DType::f32) throw harness::sdk::Unsupported("runs on f32 only");
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<const float>(x_index);
    w_ = buffers.as<const float>(w_index);
    bias_ = buffers.as<const float>(bias_index);
    y_ = buffers.as<float>(y_index);
  }

  void run(harness::sdk::Stream) override {
    for (std::int64_t row = 0; row < shape_.m; ++row)
      for (std::int64_t column = 0; column < shape_.n; ++column) {
        double sum = bias_[column];
        for (std::int64_t p = 0; p < shape_.k; ++p)
          sum += static_cast<double>(x_[row * shape_.k + p]) * static_cast<double>(w_[p * shape_.n + column]);
        y_[row * shape_.n + column] = static_cast<float>(gelu(sum, shape_.gelu));
      }
  }

 private:
  Shape shape_;
  const float* x_ = nullptr;
  const float* w_ = nullptr;
  const float* bias_ = nullptr;
  float* y_ = nullptr;
};

}  // namespace

HARNESS_VARIANT(linear_gelu, newcomer, cpu, "three loops", Newcomer)

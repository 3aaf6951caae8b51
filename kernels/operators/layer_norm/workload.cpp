// layer_norm: Ba, Kiros and Hinton, "Layer Normalization" (2016), equation 3.
#include <cmath>

#include "harness/sdk/registry.h"
#include "kernels/operators/row_workload.h"

namespace operators {
namespace {

class LayerNormWorkload final : public RowWorkload {
 public:
  [[nodiscard]] std::string_view name() const override { return "layer_norm"; }
  [[nodiscard]] std::string_view summary() const override {
    return "y = (x - mean) / sqrt(variance + 1e-5) * weight + bias, row by row";
  }

 protected:
  [[nodiscard]] std::vector<Input> inputs_of(const Rows& shape) const override {
    return {{"x", {shape.rows, shape.columns}}, {"weight", {shape.columns}}, {"bias", {shape.columns}}};
  }
  [[nodiscard]] Known learn(Inputs inputs, const Rows& shape, std::int64_t row) const override {
    const auto count = static_cast<double>(shape.columns);
    double sum = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c) sum += inputs[0].at(row * shape.columns + c);
    const double mean = sum / count;
    double squares = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c)
      squares += std::pow(inputs[0].at(row * shape.columns + c) - mean, 2);
    return {mean, std::sqrt(squares / count + 1e-5)};
  }
  [[nodiscard]] double answer(Inputs inputs, const Rows& shape, std::int64_t row, std::int64_t column,
                              const Known& known) const override {
    return (inputs[0].at(row * shape.columns + column) - known[0]) / known[1] * inputs[1].at(column) +
           inputs[2].at(column);
  }
};

}  // namespace
}  // namespace operators

HARNESS_WORKLOAD(layer_norm, operators::LayerNormWorkload)

// rms_norm: Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019), equation 4.
#include <cmath>

#include "harness/sdk/registry.h"
#include "kernels/operators/row_workload.h"

namespace operators {
namespace {

class RmsNormWorkload final : public RowWorkload {
 public:
  [[nodiscard]] std::string_view name() const override { return "rms_norm"; }
  [[nodiscard]] std::string_view summary() const override {
    return "y = x / sqrt(mean(x^2) + 1e-5) * weight, row by row";
  }

 protected:
  [[nodiscard]] std::vector<Input> inputs_of(const Rows& shape) const override {
    return {{"x", {shape.rows, shape.columns}}, {"weight", {shape.columns}}};
  }
  [[nodiscard]] Known learn(Inputs inputs, const Rows& shape, std::int64_t row) const override {
    double squares = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      const double x = inputs[0].at(row * shape.columns + c);
      squares += x * x;
    }
    return {std::sqrt(squares / static_cast<double>(shape.columns) + 1e-5), 0};
  }
  [[nodiscard]] double answer(Inputs inputs, const Rows& shape, std::int64_t row, std::int64_t column,
                              const Known& known) const override {
    return inputs[0].at(row * shape.columns + column) / known[0] * inputs[1].at(column);
  }
};

}  // namespace
}  // namespace operators

HARNESS_WORKLOAD(rms_norm, operators::RmsNormWorkload)

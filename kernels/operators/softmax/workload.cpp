// softmax: the largest element of a row is taken off first, so that no exponential overflows.
#include <algorithm>
#include <cmath>

#include "harness/sdk/registry.h"
#include "kernels/operators/row_workload.h"

namespace operators {
namespace {

class SoftmaxWorkload final : public RowWorkload {
 public:
  [[nodiscard]] std::string_view name() const override { return "softmax"; }
  [[nodiscard]] std::string_view summary() const override { return "y = e^x / sum of e^x, row by row"; }

 protected:
  [[nodiscard]] std::vector<Input> inputs_of(const Rows& shape) const override {
    return {{"x", {shape.rows, shape.columns}}};
  }
  [[nodiscard]] Known learn(Inputs inputs, const Rows& shape, std::int64_t row) const override {
    double largest = inputs[0].at(row * shape.columns);
    for (std::int64_t c = 1; c < shape.columns; ++c)
      largest = std::max(largest, inputs[0].at(row * shape.columns + c));
    double sum = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c)
      sum += std::exp(inputs[0].at(row * shape.columns + c) - largest);
    return {largest, sum};
  }
  [[nodiscard]] double answer(Inputs inputs, const Rows& shape, std::int64_t row, std::int64_t column,
                              const Known& known) const override {
    return std::exp(inputs[0].at(row * shape.columns + column) - known[0]) / known[1];
  }
};

}  // namespace
}  // namespace operators

HARNESS_WORKLOAD(softmax, operators::SoftmaxWorkload)

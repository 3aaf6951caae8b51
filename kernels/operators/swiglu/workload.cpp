// swiglu: Shazeer, "GLU Variants Improve Transformer" (2020), without the products.
#include <cmath>

#include "harness/sdk/registry.h"
#include "kernels/operators/row_workload.h"

namespace operators {
namespace {

class SwiGluWorkload final : public RowWorkload {
 public:
  [[nodiscard]] std::string_view name() const override { return "swiglu"; }
  [[nodiscard]] std::string_view summary() const override {
    return "y = silu(gate) up; a row of x is gate, then up";
  }

 protected:
  [[nodiscard]] std::vector<Input> inputs_of(const Rows& shape) const override {
    return {{"x", {shape.rows, 2 * shape.columns}}};
  }
  [[nodiscard]] Known learn(Inputs, const Rows&, std::int64_t) const override { return {}; }
  [[nodiscard]] double answer(Inputs inputs, const Rows& shape, std::int64_t row, std::int64_t column,
                              const Known&) const override {
    const double gate = inputs[0].at(row * 2 * shape.columns + column);
    return gate / (1 + std::exp(-gate)) * inputs[0].at((row * 2 + 1) * shape.columns + column);
  }
};

}  // namespace
}  // namespace operators

HARNESS_WORKLOAD(swiglu, operators::SwiGluWorkload)

// RowVariant: an operation on rows as one pass (fused) or as a pass for each statistic and one for the result
// (separate), on an engine that runs passes: CpuRows or CudaRows. Host code.
#pragma once

#include "harness/sdk/registry.h"
#include "kernels/operators/row_operations.h"
#include "kernels/operators/rows.h"

namespace operators {

enum class Steps { fused, separate };

inline constexpr int every_stage = -1;  // all statistics and the result in one pass

// An engine has run<Operation>(arguments, dtype, stage, stream). Stage s computes statistic s and stores it;
// the stage after the last statistic computes the result from stored ones.
template <class Operation, Steps steps, class Engine>
class RowVariant final : public harness::sdk::Kernel {
 public:
  RowVariant(const harness::sdk::Params& params, const harness::sdk::Problem&,
             const harness::sdk::DeviceTraits& traits)
      : shape_(rows_of(params)), engine_(traits) {
    engine_.template require_possible<Operation>(shape_);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    if (steps == Steps::fused) return 0;
    const auto rows = static_cast<std::size_t>(shape_.rows);
    if (Operation::paired)
      return rows * static_cast<std::size_t>(shape_.columns) * harness::sdk::size_of(shape_.dtype);
    return rows * Operation::statistics * sizeof(float);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    std::size_t next = 0;
    arguments_.rows = shape_.rows;
    arguments_.columns = shape_.columns;
    arguments_.x = buffers.as<void>(next++);
    arguments_.x_stride = shape_.columns;
    if constexpr (Operation::paired) {  // the halves of a row
      arguments_.x_stride = arguments_.second_stride = 2 * shape_.columns;
      arguments_.second = static_cast<const char*>(arguments_.x) +
                          shape_.columns * static_cast<std::int64_t>(harness::sdk::size_of(shape_.dtype));
    }
    if constexpr (Operation::weighted) arguments_.weight = buffers.as<void>(next++);
    if constexpr (Operation::biased) arguments_.bias = buffers.as<void>(next++);
    arguments_.y = buffers.as<void>(next++);
    workspace_ = buffers.workspace;
    arguments_.statistics = static_cast<float*>(workspace_);
  }

  void run(harness::sdk::Stream stream) override {
    if constexpr (steps == Steps::fused) {
      engine_.template run<Operation, every_stage>(arguments_, shape_.dtype, stream);
    } else if constexpr (Operation::paired) {
      RowArguments first = arguments_, then = arguments_;
      first.y = workspace_;
      then.x = workspace_;
      then.x_stride = shape_.columns;
      engine_.template run<Silu, every_stage>(first, shape_.dtype, stream);
      engine_.template run<Multiply, every_stage>(then, shape_.dtype, stream);
    } else {
      engine_.template run<Operation, 0>(arguments_, shape_.dtype, stream);
      engine_.template run<Operation, 1>(arguments_, shape_.dtype, stream);
      if constexpr (Operation::statistics == 2)
        engine_.template run<Operation, 2>(arguments_, shape_.dtype, stream);
    }
  }

 private:
  Rows shape_;
  Engine engine_;
  RowArguments arguments_;
  void* workspace_ = nullptr;
};

}  // namespace operators

// CpuRows: passes over rows on the CPU's threads, each row widened to float32 in a thread's own memory.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cpu/blocked_product.h"
#include "kernels/cpu_pool.h"
#include "kernels/operators/row_variant.h"

namespace operators {

class CpuRows {
 public:
  explicit CpuRows(const harness::sdk::DeviceTraits& traits)
      : pool_(kernels::usable_threads(traits.multiprocessors)),
        scratch_(static_cast<std::size_t>(pool_.threads())) {}

  template <class>
  static void require_possible(const Rows&) {}

  template <class Operation, int stage>
  void run(const RowArguments& arguments, harness::sdk::DType dtype, harness::sdk::Stream) {
    const auto columns = static_cast<std::size_t>(arguments.columns);
    for (Scratch& one : scratch_)
      for (std::vector<float>* each : {&one.x, &one.second, &one.y}) each->resize(columns);
    weight_.assign(columns, 0.0F);
    bias_.assign(columns, 0.0F);
    if (Operation::weighted) widen(dtype, arguments.weight, 0, weight_);
    if (Operation::biased) widen(dtype, arguments.bias, 0, bias_);
    pool_.for_each(arguments.rows, [&](std::int64_t row, int worker) {
      of_row<Operation, stage>(arguments, dtype, row, scratch_[static_cast<std::size_t>(worker)]);
    });
  }

 private:
  struct Scratch {
    std::vector<float> x, second, y;
  };

  template <class Operation>
  static float statistic(int number, const std::vector<float>& x, const float* known) {
    const bool sum = Operation::totals[number] == Total::sum;
    float total = sum ? 0.0F : -std::numeric_limits<float>::infinity();
    for (const float one : x) {
      const float part = Operation::part(number, one, known);
      total = sum ? total + part : std::max(total, part);
    }
    return Operation::finish(number, total, static_cast<float>(x.size()));
  }

  template <class Operation, int stage>
  void of_row(const RowArguments& arguments, harness::sdk::DType dtype, std::int64_t row,
              Scratch& scratch) const {
    widen(dtype, arguments.x, row * arguments.x_stride, scratch.x);
    if (Operation::paired) widen(dtype, arguments.second, row * arguments.second_stride, scratch.second);
    float known[2] = {};
    for (int s = 0; s < Operation::statistics; ++s) {
      float* const stored = arguments.statistics + s * arguments.rows + row;
      if (stage == every_stage)
        known[s] = statistic<Operation>(s, scratch.x, known);
      else if (stage == s)
        *stored = statistic<Operation>(s, scratch.x, known);
      else if (s < stage)
        known[s] = *stored;
    }
    if (stage != every_stage && stage < Operation::statistics) return;
    for (std::size_t i = 0; i < scratch.x.size(); ++i)
      scratch.y[i] = Operation::value({scratch.x[i], scratch.second[i], weight_[i], bias_[i]}, known);
    kernels::narrow(isa_, dtype, scratch.y.data(), arguments.columns, arguments.y, row * arguments.columns);
  }

  void widen(harness::sdk::DType dtype, const void* from, std::int64_t first, std::vector<float>& to) const {
    kernels::widen(isa_, dtype, from, first, std::ssize(to), to.data());
  }

  const kernels::Isa& isa_ = kernels::best_isa();
  kernels::Pool pool_;
  std::vector<Scratch> scratch_;  // by worker
  std::vector<float> weight_, bias_;
};

template <class Operation>
using CpuFused = RowVariant<Operation, Steps::fused, CpuRows>;
template <class Operation>
using CpuSeparate = RowVariant<Operation, Steps::separate, CpuRows>;

}  // namespace operators

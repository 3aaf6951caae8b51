// CpuStep: passes over the tensors on the CPU's threads.
#pragma once

#include <algorithm>

#include "kernels/adamw/adamw_variant.h"
#include "kernels/cpu_pool.h"

namespace adamw {

class CpuStep {
 public:
  explicit CpuStep(const harness::sdk::DeviceTraits& traits)
      : pool_(kernels::usable_threads(traits.multiprocessors)) {}

  template <Part part>
  void run(const Arguments& all, harness::sdk::Stream) {
    constexpr std::int64_t stretch = 4096;
    pool_.for_each((all.elements + stretch - 1) / stretch, [&](std::int64_t index, int) {
      const std::int64_t last = std::min(all.elements, (index + 1) * stretch);
      for (std::int64_t i = index * stretch; i < last; ++i) step_element<part>(all, i);
    });
  }

 private:
  kernels::Pool pool_;
};

}  // namespace adamw

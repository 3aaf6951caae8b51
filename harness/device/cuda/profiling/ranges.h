// NVTX ranges: a timeline in Nsight Systems shows suite, process, case, placement and phase, in the domain
// "harness". Without a profiler attached a call costs nanoseconds.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <memory>
#include <string_view>

#include "harness/device/range_stack.h"

namespace harness::cuda {

class Ranges {
 public:
  Ranges();
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;
  ~Ranges();  // closes what is open

  void enter(const Place& place) { stack_->enter(place); }
  void open(std::string_view name) { stack_->open(name); }
  void close() { stack_->close(); }

 private:
  nvtxDomainHandle_t domain_;
  std::unique_ptr<RangeStack> stack_;
};

}  // namespace harness::cuda

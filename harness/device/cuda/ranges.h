// NVTX ranges, so that a timeline in Nsight Systems reads like the suite: one range a case and
// process, inside it one a placement. Without a profiler attached a call costs nanoseconds.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

#include "harness/device/device.h"

namespace harness::cuda {

class Ranges {
 public:
  Ranges();
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;
  ~Ranges();  // closes what is open

  // Closes the ranges of the place before and opens those of `place`.
  void enter(const Place& place);

 private:
  void leave();

  nvtxDomainHandle_t domain_;
  std::string case_;
  int process_ = 0;
  int depth_ = 0;  // 0: none open, 1: the case's, 2: the placement's too
};

}  // namespace harness::cuda

// Profiling: everything of the CUDA device that uses CUPTI. It watches which machine code a case loads, from
// the moment the case is entered to the end of its first call, and looks at kernels and hardware counters
// when asked. CUPTI is detached whenever it is not at one of these. One thread uses it.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/device/code/code_book.h"
#include "harness/device/cuda/profiling/kernel_trace.h"
#include "harness/device/device.h"

namespace harness::cuda {

class Profiling {
 public:
  // Begins to watch a case's loads, in the run's first process: machine code is the same in all of them, and
  // attaching CUPTI takes time. Silent where it cannot: whoever asks for kernels hears why.
  void enter(const Place& place);
  void turn(std::string_view side) { book_.turn(side); }
  void end_watch();  // before anything is timed

  // From now on CUPTI is another's: nothing attaches it any more.
  void leave_to_others() { left_ = true; }

  Result<std::vector<KernelUse>> kernels(const TracedWork& work);
  Result<std::vector<CounterValue>> counters(const TracedWork& work, CUcontext context, int ordinal,
                                             const std::vector<std::string>& names);

 private:
  [[nodiscard]] Result<const Cupti*> library() const;
  Subscription::OnModule into_book();

  CodeBook book_;
  std::unique_ptr<Subscription> watch_;
  std::string case_;
  bool left_ = false;
};

}  // namespace harness::cuda

// CodeWatch: learns which machine code a case loads, through CUPTI, from the moment the case is entered to
// the end of its first call. CUPTI is detached before anything is timed. One thread uses it; CUPTI's threads
// hand images in.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/device/code/code_book.h"
#include "harness/device/cuda/profiling/subscription.h"
#include "harness/device/profiler.h"

namespace harness::cuda {

class CodeWatch {
 public:
  // `profiled_from_outside`: CUPTI belongs to another profiler, and is never attached here.
  explicit CodeWatch(bool profiled_from_outside) : outside_(profiled_from_outside) {}

  // Begins to watch, in the run's first process only: all processes load the same code, and attaching CUPTI
  // takes time. Silent where CUPTI is not available: kernels() says why.
  void enter(const Place& place);
  void turn(std::string_view side) { book_.turn(side); }
  void end();

  // CUPTI, for whoever attaches it next; an Error when it is not to be had.
  [[nodiscard]] Result<const Cupti*> library() const;
  [[nodiscard]] Subscription::OnModule into_book();
  // The hashes of all code that was loaded so far.
  [[nodiscard]] CodeHashes hashes();

 private:
  CodeBook book_;
  std::unique_ptr<Subscription> watch_;
  std::string case_;
  bool outside_;
};

}  // namespace harness::cuda

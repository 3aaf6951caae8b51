// LaunchReader: reads a kernel's launch from CUPTI's callback, with its function, attributes and arguments.
// Any thread may call it.
#pragma once

#include <cupti.h>

#include "harness/device/code/case_recorder.h"
#include "harness/device/code/code_book.h"
#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/launch_words.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::cuda {

class LaunchReader {
 public:
  LaunchReader(const Driver& driver, CaseRecorder& recorder, CodeBook& book)
      : driver_(driver), recorder_(recorder), book_(book) {}

  // Records a launch, or a gap. False for a call that is none.
  bool begin(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  // In whichever way the launch was asked for.
  struct Launch {
    CUfunction function = nullptr;
    CUstream stream = nullptr;
    void** parameters = nullptr;  // addresses of arguments
    void** extra = nullptr;       // or all of them in one buffer
  };

  void add_launch(DriverCall call, const Launch& launch);
  void add_modules(DriverCall& call, const Launch& launch);
  bool add_attributes(DriverCall& call, const CUlaunchConfig& config) const;
  void add_function(DriverCall& call, CUfunction function) const;
  bool add_arguments(DriverCall& call, const Launch& launch) const;
  void add_words(DriverCall& call, const void* bytes, std::size_t count) const;
  [[nodiscard]] CUfunction function_of(CUfunction handle) const;

  const Driver& driver_;
  CaseRecorder& recorder_;
  CodeBook& book_;
};

}  // namespace harness::cuda

// CallReader: reads the host's calls of the driver from CUPTI's callbacks, and passes them to a CaseRecorder:
// each call as it begins, an allocation as it ends. Calls that change nothing about a case are left out; an
// unknown call is a gap. Passes loaded modules to a CodeBook, always. Any thread may call it.
#pragma once

#include <cupti.h>

#include "harness/device/code/case_recorder.h"
#include "harness/device/code/code_book.h"
#include "harness/device/cuda/profiling/calls/graph_reader.h"
#include "harness/device/cuda/profiling/calls/launch_reader.h"
#include "harness/device/cuda/profiling/calls/memory_reader.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::cuda {

class CallReader {
 public:
  CallReader(const Driver& driver, CaseRecorder& recorder, CodeBook& book)
      : recorder_(recorder),
        book_(book),
        launches_(driver, recorder, book),
        memory_(driver, recorder),
        graphs_(recorder) {}

  // A callback of domain DRIVER_API.
  void take(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  void begin(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_order(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void follow_load(CUpti_CallbackId id, const CUpti_CallbackData& data);

  CaseRecorder& recorder_;
  CodeBook& book_;
  LaunchReader launches_;
  MemoryReader memory_;
  GraphReader graphs_;
};

}  // namespace harness::cuda

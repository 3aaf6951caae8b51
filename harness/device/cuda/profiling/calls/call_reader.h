// CallReader: reads the host's calls of the driver from CUPTI's callbacks, and passes them to a CaseRecorder:
// each call as it begins, an allocation as it ends. Calls that change nothing about a case are left out; an
// unknown call is a gap. Passes loaded modules to a CodeBook, always. Any thread may call it.
#pragma once

#include <cupti.h>

#include <optional>
#include <string_view>

#include "harness/device/code/case_recorder.h"
#include "harness/device/code/code_book.h"
#include "harness/device/cuda/profiling/calls/launch_reader.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::cuda {

class CallReader {
 public:
  CallReader(const Driver& driver, CaseRecorder& recorder, CodeBook& book)
      : driver_(driver), recorder_(recorder), book_(book), launches_(driver, recorder, book) {}

  // A callback of domain DRIVER_API.
  void take(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  void begin(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void end(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_copy(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_fill(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_order(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_graph(CUpti_CallbackId id, const CUpti_CallbackData& data);

  void follow_load(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void follow_graph(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void add_copy(const char* name, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                std::optional<CUstream> stream);
  void add_upload(const char* name, CUdeviceptr to, const void* from, std::size_t bytes,
                  std::optional<CUstream> stream);
  void add_fetch(const char* name, CUdeviceptr from, std::size_t bytes, std::optional<CUstream> stream);
  void add_fill(const char* name, CUdeviceptr to, unsigned value, std::size_t count,
                std::optional<CUstream> stream);

  const Driver& driver_;
  CaseRecorder& recorder_;
  CodeBook& book_;
  LaunchReader launches_;
};

// Whether a driver function neither queues work nor changes what a kernel finds. "cuMemGetInfo_v2": true.
bool is_harmless(std::string_view function);

}  // namespace harness::cuda

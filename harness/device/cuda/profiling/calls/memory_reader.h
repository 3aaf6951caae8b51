// MemoryReader: reads copies, fills and allocations of the device's memory from CUPTI's callbacks. Any thread
// may call it.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <optional>

#include "harness/device/code/case_recorder.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::cuda {

class MemoryReader {
 public:
  MemoryReader(const Driver& driver, CaseRecorder& recorder) : driver_(driver), recorder_(recorder) {}

  // Records a call that begins. False for a call that has nothing to do with memory.
  bool begin(CUpti_CallbackId id, const CUpti_CallbackData& data);
  // Records an allocation that ends, with its address.
  void end(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  bool begin_copy(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_fill(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_allocation(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void add_copy(const char* name, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                std::optional<CUstream> stream);
  void add_upload(const char* name, CUdeviceptr to, const void* from, std::size_t bytes,
                  std::optional<CUstream> stream);
  void add_fetch(const char* name, const void* to, CUdeviceptr from, std::size_t bytes,
                 std::optional<CUstream> stream);
  void add_fill(const char* name, CUdeviceptr to, unsigned value, std::size_t count,
                std::optional<CUstream> stream);
  void add_free(const char* name, CUdeviceptr memory, std::optional<CUstream> stream);

  const Driver& driver_;
  CaseRecorder& recorder_;
};

}  // namespace harness::cuda

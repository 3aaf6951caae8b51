// CallReader: reads what the host asks of the driver, from CUPTI's callbacks, and tells a CaseRecorder. Each
// call is read as it begins, and an allocation as it ends. Calls that change nothing about a case are left
// out; a call that it does not know is a gap. Tells a CodeBook which modules are loaded, whether a case is
// recorded or not. Any thread may call it.
#pragma once

#include <cupti.h>

#include <optional>
#include <string_view>

#include "harness/device/code/case_recorder.h"
#include "harness/device/code/code_book.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::cuda {

class CallReader {
 public:
  CallReader(const Driver& driver, CaseRecorder& recorder, CodeBook& book)
      : driver_(driver), recorder_(recorder), book_(book) {}

  // A callback of domain DRIVER_API.
  void take(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  // A kernel's launch, in whichever way it was asked for.
  struct Launch {
    CUfunction function = nullptr;
    CUstream stream = nullptr;
    void** parameters = nullptr;  // addresses of arguments
    void** extra = nullptr;       // or all of them in one buffer
  };

  void begin(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void end(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_launch(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_copy(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_fill(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool begin_order(CUpti_CallbackId id, const CUpti_CallbackData& data);

  void follow_load(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void add_launch(DriverCall call, const Launch& launch);
  void add_modules(DriverCall& call, const Launch& launch);
  bool add_attributes(DriverCall& call, const CUlaunchConfig& config) const;
  void add_function(DriverCall& call, CUfunction function) const;
  bool add_arguments(DriverCall& call, const Launch& launch) const;
  void add_copy(const char* name, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                std::optional<CUstream> stream);
  void add_upload(const char* name, CUdeviceptr to, const void* from, std::size_t bytes,
                  std::optional<CUstream> stream);
  void add_fetch(const char* name, CUdeviceptr from, std::size_t bytes, std::optional<CUstream> stream);
  void add_fill(const char* name, CUdeviceptr to, unsigned value, std::size_t count,
                std::optional<CUstream> stream);
  void add_words(DriverCall& call, const void* bytes, std::size_t count) const;
  [[nodiscard]] Word word(std::uint64_t value) const;
  [[nodiscard]] CUfunction function_of(CUfunction handle) const;

  const Driver& driver_;
  CaseRecorder& recorder_;
  CodeBook& book_;
};

// Whether a driver function neither queues work nor changes what a kernel finds. "cuMemGetInfo_v2": true.
bool is_harmless(std::string_view function);

}  // namespace harness::cuda

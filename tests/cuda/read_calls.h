// Calls of the driver, as the stand-in for libcupti reports them to the reader, with a driver of the test's
// own.
#pragma once

#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "harness/device/cuda/profiling/calls/call_reader.h"
#include "harness/device/cuda/profiling/subscription.h"
#include "stand_in.h"

namespace harness::cuda {

// The memory and the kernels that the test's driver knows.
struct World {
  std::map<std::uint64_t, std::pair<std::size_t, int>> memory;  // begin: size, type; 0: managed
  std::vector<std::size_t> parameters{8, 4};                    // sizes of a kernel's
  bool is_kernel = false;                                       // handles are CUkernels
  bool tells_parameters = true;
  bool finds_function = true;  // of a CUkernel
  int registers = 32;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
};
inline World world;

inline CUfunction const function = reinterpret_cast<CUfunction>(0x1000);
inline CUfunction const resolved = reinterpret_cast<CUfunction>(0x2000);

inline CUresult pointer_attributes(unsigned, CUpointer_attribute*, void** data, CUdeviceptr pointer) {
  auto found = world.memory.upper_bound(pointer);
  if (found == world.memory.begin()) return CUDA_SUCCESS;
  --found;
  const auto& [bytes, type] = found->second;
  if (pointer >= found->first + bytes) return CUDA_SUCCESS;
  *static_cast<unsigned*>(data[0]) =
      type == 0 ? static_cast<unsigned>(CU_MEMORYTYPE_DEVICE) : static_cast<unsigned>(type);
  *static_cast<unsigned*>(data[1]) = type == 0 ? 1 : 0;
  *static_cast<std::uint64_t*>(data[2]) = found->first / 16;
  *static_cast<std::uint64_t*>(data[3]) = found->first;
  *static_cast<std::uint64_t*>(data[4]) = bytes;
  return CUDA_SUCCESS;
}

inline bool is_function(CUfunction handle) {
  return !world.is_kernel || handle == resolved;
}

inline CUresult function_attribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  if (!is_function(handle)) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute > CU_FUNC_ATTRIBUTE_NUM_REGS) return CUDA_ERROR_INVALID_VALUE;
  *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? world.registers : 7;
  return CUDA_SUCCESS;
}

inline CUresult parameter(std::size_t index, std::size_t* offset, std::size_t* bytes) {
  if (!world.tells_parameters) return CUDA_ERROR_NOT_SUPPORTED;
  if (index >= world.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = index * 8;
  *bytes = world.parameters[index];
  return CUDA_SUCCESS;
}

inline CUresult function_parameter(CUfunction handle, std::size_t index, std::size_t* offset,
                                   std::size_t* bytes) {
  return is_function(handle) ? parameter(index, offset, bytes) : CUDA_ERROR_INVALID_HANDLE;
}

inline CUresult kernel_parameter(CUkernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return parameter(index, offset, bytes);
}

inline CUresult function_of_kernel(CUfunction* found, CUkernel) {
  if (!world.finds_function) return CUDA_ERROR_INVALID_CONTEXT;
  *found = resolved;
  return CUDA_SUCCESS;
}

inline CUresult module_of(CUmodule* module, CUfunction) {
  *module = reinterpret_cast<CUmodule>(0x3000);
  return CUDA_SUCCESS;
}

inline CUresult library_of(CUlibrary* library, CUkernel) {
  *library = reinterpret_cast<CUlibrary>(0x4000);
  return CUDA_SUCCESS;
}

inline CUresult current_context(CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(0x5000);
  return CUDA_SUCCESS;
}

inline CUresult stream_priority(CUstream, int* value) {
  *value = -1;
  return CUDA_SUCCESS;
}

inline CUresult stream_is_capturing(CUstream, CUstreamCaptureStatus* status) {
  *status = world.capture;
  return CUDA_SUCCESS;
}

// As the driver does with a captured stream.
inline CUresult stream_flags(CUstream, unsigned* value) {
  if (world.capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    world.capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  *value = 1;
  return CUDA_SUCCESS;
}

class ReadCalls : public StandIn {
 protected:
  ReadCalls() {
    world = {};
    world.memory[0x7f0000001000] = {4096, CU_MEMORYTYPE_DEVICE};
    driver_.PointerGetAttributes = pointer_attributes;
    driver_.FuncGetAttribute = function_attribute;
    driver_.FuncGetParamInfo = function_parameter;
    driver_.KernelGetFunction = function_of_kernel;
    driver_.KernelGetParamInfo = kernel_parameter;
    driver_.FuncGetModule = module_of;
    driver_.KernelGetLibrary = library_of;
    driver_.CtxGetCurrent = current_context;
    driver_.StreamGetPriority = stream_priority;
    driver_.StreamIsCapturing = stream_is_capturing;
    driver_.StreamGetFlags = stream_flags;
    auto opened = Subscription::open(
        cupti_, [](auto) {},
        [this](CUpti_CallbackId id, const CUpti_CallbackData& data) { reader_.take(id, data); });
    EXPECT_TRUE(opened);
    if (opened) subscription_ = std::move(*opened);
  }

  // The driver's function is called while the case is followed.
  void call(CUpti_CallbackId id, const char* name, const void* params, const char* kernel = nullptr,
            const std::function<void()>& work = {}) {
    const Scope followed = recorder_.record(CaseRecorder::Part::before);
    reinterpret_cast<FakeCuptiCall>(dlsym(library_, "fake_cupti_call"))(id, name, params, kernel, &work);
  }
  void unfollowed(CUpti_CallbackId id, const char* name, const void* params) {
    reinterpret_cast<FakeCuptiCall>(dlsym(library_, "fake_cupti_call"))(id, name, params, nullptr, nullptr);
  }
  DriverCall only() {
    const CallHistory history = recorder_.history();
    EXPECT_THAT(history.gaps, testing::IsEmpty());
    EXPECT_THAT(history.before, testing::SizeIs(1));
    return history.before.empty() ? DriverCall{} : history.before.front();
  }
  Cause gap() {
    const CallHistory history = recorder_.history();
    return history.gaps.empty() ? Cause{} : history.gaps.front();
  }
  void launch() {
    std::uint64_t pointer = 0x7f0000001010;
    int count = 5;
    std::array<void*, 2> arguments{&pointer, &count};
    const cuLaunchKernel_params params{
        function, 1, 2, 3, 4, 5, 6, 7, reinterpret_cast<CUstream>(0x99), arguments.data(), nullptr};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", &params, "_Z4gemmPfi");
  }
  void launch_with(std::vector<CUlaunchAttribute> attributes) {
    world.parameters.clear();
    CUlaunchConfig config{};
    config.gridDimX = 8;
    config.hStream = reinterpret_cast<CUstream>(0x99);
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    const cuLaunchKernelEx_params params{&config, function, nullptr, nullptr};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx", &params, "k");
  }

  Driver driver_;
  CaseRecorder recorder_;
  CodeBook book_;
  CallReader reader_{driver_, recorder_, book_};
  std::unique_ptr<Subscription> subscription_;
};

}  // namespace harness::cuda

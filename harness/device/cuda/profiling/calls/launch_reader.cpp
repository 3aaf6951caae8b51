#include "harness/device/cuda/profiling/calls/launch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/device/code/kernel_launches.h"

namespace harness::cuda {

bool LaunchReader::begin(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  DriverCall call{DriverCall::Kind::kernel, data.symbolName != nullptr ? data.symbolName : "", {}};
  const auto add_shape = [&](const auto& from) {
    add_figures(call, {{"grid_x", from.gridDimX},
                       {"grid_y", from.gridDimY},
                       {"grid_z", from.gridDimZ},
                       {"block_x", from.blockDimX},
                       {"block_y", from.blockDimY},
                       {"block_z", from.blockDimZ},
                       {"dynamic_shared_bytes", from.sharedMemBytes}});
  };
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto& from = params<cuLaunchKernel_params>(data);
      add_shape(from);
      add_launch(std::move(call), {from.f, from.hStream, from.kernelParams, from.extra});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& from = params<cuLaunchCooperativeKernel_params>(data);
      add_shape(from);
      add_figures(call, {{"cooperative", 1}});
      add_launch(std::move(call), {from.f, from.hStream, from.kernelParams, nullptr});
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& from = params<cuLaunchKernelEx_params>(data);
      add_shape(*from.config);
      if (!add_attributes(call, *from.config)) {
        recorder_.add_gap({CauseCode::call_not_followed, {{"call", std::string(data.functionName)}}});
        return true;
      }
      add_launch(std::move(call), {from.f, from.config->hStream, from.kernelParams, from.extra});
      return true;
    }
    default: return false;
  }
}

bool LaunchReader::add_attributes(DriverCall& call, const CUlaunchConfig& config) const {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& one = config.attrs[i];
    if (!add_attribute(call, one)) return false;
    if (one.id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
      call.words.push_back(word_of(driver_, handle(one.value.accessPolicyWindow.base_ptr)));
  }
  return true;
}

void LaunchReader::add_launch(DriverCall call, const Launch& launch) {
  call.stream = handle(static_cast<const void*>(launch.stream));
  CUcontext context = nullptr;
  if (driver_.CtxGetCurrent(&context) == CUDA_SUCCESS) call.context = handle(context);
  int value = 0;
  if (driver_.StreamGetPriority(launch.stream, &value) == CUDA_SUCCESS)
    call.figures.emplace_back("stream_priority", value);
  // Asking a stream that is captured for its flags ends the capture (CUDA 13.0).
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  unsigned flags = 0;
  if (driver_.StreamIsCapturing(launch.stream, &capturing) == CUDA_SUCCESS &&
      capturing == CU_STREAM_CAPTURE_STATUS_NONE &&
      driver_.StreamGetFlags(launch.stream, &flags) == CUDA_SUCCESS)
    call.figures.emplace_back("stream_flags", flags);
  add_modules(call, launch);
  add_function(call, function_of(launch.function));
  if (!add_arguments(call, launch))
    recorder_.add_gap({CauseCode::arguments_unread, {{"kernel", demangled(call.name)}}});
  recorder_.add(std::move(call));
}

// A CUkernel may stand for the function of the context at hand.
CUfunction LaunchReader::function_of(CUfunction handle) const {
  int value = 0;
  if (driver_.FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, handle) == CUDA_SUCCESS) return handle;
  CUfunction function = nullptr;
  if (driver_.KernelGetFunction(&function, reinterpret_cast<CUkernel>(handle)) == CUDA_SUCCESS)
    return function;
  return handle;
}

void LaunchReader::add_modules(DriverCall& call, const Launch& launch) {
  const CUfunction function = function_of(launch.function);
  CUmodule module = nullptr;
  if (driver_.FuncGetModule(&module, function) == CUDA_SUCCESS) {
    call.modules[0] = handle(module);
    book_.use(call.modules[0]);
  }
  CUlibrary library = nullptr;
  if (function != launch.function &&
      driver_.KernelGetLibrary(&library, reinterpret_cast<CUkernel>(launch.function)) == CUDA_SUCCESS)
    call.modules[1] = handle(library);
}

// Attributes that this driver does not know are left out; the driver's version is compared beside.
void LaunchReader::add_function(DriverCall& call, CUfunction function) const {
  for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; ++i) {
    if (i == CU_FUNC_ATTRIBUTE_PTX_VERSION) continue;  // of the source, not of the code
    int value = 0;
    if (driver_.FuncGetAttribute(&value, static_cast<CUfunction_attribute>(i), function) == CUDA_SUCCESS)
      call.figures.emplace_back(fmt::format("function_{}", i), value);
  }
}

bool LaunchReader::add_arguments(DriverCall& call, const Launch& launch) const {
  if (launch.extra != nullptr) {
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    for (void** one = launch.extra; *one != CU_LAUNCH_PARAM_END; one += 2) {
      if (*one == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = one[1];
      if (*one == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(one[1]);
    }
    if (buffer != nullptr) add_words(call, buffer, bytes);
    return buffer != nullptr || bytes == 0;
  }
  const CUfunction function = function_of(launch.function);
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    CUresult code = driver_.FuncGetParamInfo(function, i, &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_HANDLE)
      code = driver_.KernelGetParamInfo(reinterpret_cast<CUkernel>(launch.function), i, &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_VALUE) return true;  // there are no more
    if (code != CUDA_SUCCESS || launch.parameters == nullptr) return false;
    add_words(call, launch.parameters[i], bytes);
  }
}

// The last word is filled up with zeros.
void LaunchReader::add_words(DriverCall& call, const void* bytes, std::size_t count) const {
  call.figures.emplace_back("argument_bytes", static_cast<std::int64_t>(count));
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(bytes) + at, std::min(sizeof value, count - at));
    call.words.push_back(word_of(driver_, value));
  }
}

}  // namespace harness::cuda

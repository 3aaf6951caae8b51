#include "harness/device/cuda/profiling/calls/harmless_functions.h"

#include <algorithm>
#include <array>

namespace harness::cuda {
namespace {

// Functions beside those with "Get" in their name. Limits of the context and attributes of functions are read
// when a call is; descriptors of tensors are arguments.
constexpr auto harmless =
    std::to_array<std::string_view>({"cuCtxPopCurrent",
                                     "cuCtxPushCurrent",
                                     "cuCtxSetCurrent",
                                     "cuCtxSetLimit",
                                     "cuDeviceCanAccessPeer",
                                     "cuDeviceComputeCapability",
                                     "cuDevicePrimaryCtxRelease",
                                     "cuDevicePrimaryCtxRetain",
                                     "cuDeviceTotalMem",
                                     "cuEventCreate",
                                     "cuEventDestroy",
                                     "cuEventElapsedTime",
                                     "cuEventQuery",
                                     "cuFuncIsLoaded",
                                     "cuFuncLoad",
                                     "cuFuncSetAttribute",
                                     "cuInit",
                                     "cuKernelSetAttribute",
                                     "cuLibraryEnumerateKernels",
                                     "cuLibraryLoadData",
                                     "cuLibraryLoadFromFile",
                                     "cuLibraryUnload",
                                     "cuLinkAddData",
                                     "cuLinkAddFile",
                                     "cuLinkComplete",
                                     "cuLinkCreate",
                                     "cuLinkDestroy",
                                     "cuMemAllocHost",
                                     "cuMemAllocManaged",
                                     "cuMemFreeHost",
                                     "cuMemHostAlloc",
                                     "cuMemHostRegister",
                                     "cuMemHostUnregister",
                                     "cuModuleEnumerateFunctions",
                                     "cuModuleLoad",
                                     "cuModuleLoadData",
                                     "cuModuleLoadDataEx",
                                     "cuModuleLoadFatBinary",
                                     "cuModuleUnload",
                                     "cuOccupancyAvailableDynamicSMemPerBlock",
                                     "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                     "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                                     "cuOccupancyMaxActiveClusters",
                                     "cuOccupancyMaxPotentialBlockSize",
                                     "cuOccupancyMaxPotentialBlockSizeWithFlags",
                                     "cuOccupancyMaxPotentialClusterSize",
                                     "cuProfilerStart",
                                     "cuProfilerStop",
                                     "cuStreamCreate",
                                     "cuStreamCreateWithPriority",
                                     "cuStreamDestroy",
                                     "cuStreamIsCapturing",
                                     "cuStreamQuery",
                                     "cuTensorMapEncodeIm2col",
                                     "cuTensorMapEncodeIm2colWide",
                                     "cuTensorMapEncodeTiled",
                                     "cuTensorMapReplaceAddress",
                                     "cuThreadExchangeStreamCaptureMode",
                                     "cuUserObjectCreate",
                                     "cuUserObjectRelease",
                                     "cuUserObjectRetain"});

// "cuMemAlloc_v2_ptds" -> "cuMemAlloc".
std::string_view without_version(std::string_view function) {
  return function.substr(0, function.find('_'));
}

}  // namespace

bool is_harmless(std::string_view function) {
  const std::string_view name = without_version(function);
  return name.find("Get") != std::string_view::npos ||
         std::binary_search(harmless.begin(), harmless.end(), name);
}

}  // namespace harness::cuda

#include "harness/device/cuda/profiling/activity_records.h"

#include <fmt/format.h>

namespace harness::cuda {
namespace {

const char* copy_name(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD: return "[memcpy host to device]";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return "[memcpy device to host]";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD: return "[memcpy device to device]";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return "[memcpy peer to peer]";
    default: return "[memcpy]";
  }
}

}  // namespace

KernelLaunch launch_of(const CUpti_ActivityKernel10& record) {
  KernelLaunch launch;
  launch.name = record.name != nullptr ? record.name : "[kernel without a name]";
  launch.grid = {record.gridX, record.gridY, record.gridZ};
  launch.block = {record.blockX, record.blockY, record.blockZ};
  launch.registers = record.registersPerThread;
  launch.static_shared_bytes = record.staticSharedMemory;
  launch.dynamic_shared_bytes = record.dynamicSharedMemory;
  launch.local_bytes = record.localMemoryPerThread;
  launch.started = record.start;
  launch.ended = record.end;
  return launch;
}

KernelLaunch launch_of(const CUpti_ActivityMemcpy6& record) {
  KernelLaunch launch;
  launch.name = copy_name(record.copyKind);
  launch.started = record.start;
  launch.ended = record.end;
  return launch;
}

KernelLaunch launch_of(const CUpti_ActivityMemset4& record) {
  KernelLaunch launch;
  launch.name = "[memset]";
  launch.started = record.start;
  launch.ended = record.end;
  return launch;
}

Status append_launches(std::uint8_t* buffer, std::size_t bytes, NextRecord next,
                       std::vector<KernelLaunch>& launches) {
  if (bytes == 0) return {};
  CUpti_Activity* record = nullptr;
  CUptiResult code = CUPTI_SUCCESS;
  while ((code = next(buffer, bytes, &record)) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        launches.push_back(launch_of(*reinterpret_cast<const CUpti_ActivityKernel10*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        launches.push_back(launch_of(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        launches.push_back(launch_of(*reinterpret_cast<const CUpti_ActivityMemset4*>(record)));
        break;
      default: break;
    }
  }
  if (code == CUPTI_ERROR_MAX_LIMIT_REACHED) return {};
  return fail(ErrorKind::environment, fmt::format("the profiler's records end in the middle of a buffer ({})",
                                                  static_cast<int>(code)));
}

}  // namespace harness::cuda

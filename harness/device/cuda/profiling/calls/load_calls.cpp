#include "harness/device/cuda/profiling/calls/load_calls.h"

#include <elf.h>

#include <cstring>

#include "harness/device/cuda/profiling/calls/callback.h"

namespace harness::cuda {

const std::vector<CUpti_CallbackId>& load_calls() {
  static const std::vector<CUpti_CallbackId> all{
      CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,       CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
      CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
      CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,  CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile};
  return all;
}

bool is_load(CUpti_CallbackId id) {
  return is_in(load_calls(), id);
}

// A cubin is an ELF file, whose section headers come last.
std::span<const std::byte> image_to_load(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const void* image = nullptr;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData) image = params<cuModuleLoadData_params>(data).image;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx) image = params<cuModuleLoadDataEx_params>(data).image;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData) image = params<cuLibraryLoadData_params>(data).code;
  if (image == nullptr || std::memcmp(image, ELFMAG, SELFMAG) != 0) return {};
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return {static_cast<const std::byte*>(image),
          header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize};
}

// The first argument of each of these functions is where the handle goes.
std::uint64_t loaded_handle(const CUpti_CallbackData& data) {
  const void* const* const got = *static_cast<const void* const* const*>(data.functionParams);
  return got == nullptr ? 0 : handle(*got);
}

}  // namespace harness::cuda

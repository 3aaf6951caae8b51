// links: harness_code
// Files with device code and host code: any bytes give facts or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "harness/code/device_file.h"
#include "harness/code/fatbin.h"
#include "harness/code/host/host_code.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const harness::DeviceFile file = harness::read_device_file(bytes);
  if (!harness::compare_device_files("file", file, file).empty() != !file.kernels.empty()) std::abort();
  if (const auto images = harness::fatbin_images(bytes))
    for (const harness::FatbinImage& one : *images)
      if (const auto content = harness::content_of(one); content && content->size() != one.size) std::abort();
  harness::needed_libraries(bytes);
  if (const auto code = harness::HostCode::read(bytes))
    if (code->reach_of_outside({}).digest.empty()) std::abort();
  return 0;
}

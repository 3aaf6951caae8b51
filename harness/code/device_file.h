// The device code of a file: of an object, a program, a shared object, an archive, a fatbin, a cubin or PTX.
// Pure, but for leaving memory.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/code/kernel_code.h"

namespace harness {

struct DeviceFile {
  // By architecture ("sm_90a"; "compute_90" is PTX) and name. Several files of a program may hold one kernel
  // of a name: then the hashes are of all of them.
  std::map<std::pair<std::string, std::string>, KernelCode> kernels;
  std::string link_time_code;       // hash of images that are compiled at link time; "": none
  std::vector<std::string> faults;  // what cannot be read, and why
  std::string faulty;               // hash of the images that cannot be read

  [[nodiscard]] bool empty() const { return kernels.empty() && link_time_code.empty() && faults.empty(); }
};

// `used` is told of each part of the bytes that is not needed again.
using Used = std::function<void(std::span<const std::byte>)>;
DeviceFile read_device_file(std::span<const std::byte> bytes, const Used& used = {});

// Whether some part of the file may hold device code. Cheap.
bool may_hold_device_code(std::span<const std::byte> bytes);

// Both builds' kernels of a file.
std::vector<KernelCodeChange> compare_device_files(const std::string& file, const DeviceFile& before,
                                                   const DeviceFile& after);

}  // namespace harness

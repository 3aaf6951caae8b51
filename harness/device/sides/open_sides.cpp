// How each kind of device is shared: a CPU here, a GPU by the CUDA module.
#include <dlfcn.h>

#include <string>

#include "harness/device/open.h"
#include "harness/device/sides/sides.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// The function of the CUDA module that makes a side; it returns null with the reason in `error`.
template <class Side>
Result<std::unique_ptr<Side>> open_cuda_side(const char* function) {
  const Location where{cuda_module_path().lexically_normal().string()};
  void* const library = dlopen(where.file.c_str(), RTLD_NOW | RTLD_LOCAL);  // open_device() has loaded it
  if (library == nullptr)
    return fail(ErrorKind::environment, where, std::string("the CUDA module cannot be loaded: ") + dlerror());
  const auto open = reinterpret_cast<Side* (*)(Error * error)>(dlsym(library, function));
  if (open == nullptr)
    return fail(ErrorKind::environment, where, "this CUDA module cannot share a GPU",
                "rebuild it, or unset HARNESS_CUDA_MODULE");
  Error error;
  std::unique_ptr<Side> side(open(&error));
  if (!side) return fail(std::move(error));
  return side;
}

}  // namespace

Result<std::unique_ptr<RefereeSide>> open_referee_side(std::string_view device) {
  if (is_gpu_device(device)) return open_cuda_side<RefereeSide>("harness_cuda_referee_side");
  return host_referee_side();
}

Result<std::unique_ptr<PlayerSide>> open_player_side(std::string_view device) {
  if (is_gpu_device(device)) return open_cuda_side<PlayerSide>("harness_cuda_player_side");
  return host_player_side();
}

}  // namespace harness

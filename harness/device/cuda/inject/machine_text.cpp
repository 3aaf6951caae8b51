#include "harness/device/cuda/inject/machine_text.h"

#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <fstream>

namespace harness::inject {
namespace {

template <class Function>
Function* found(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void add(std::string& text, const std::string& part) {
  if (part.empty()) return;
  text += text.empty() ? part : "; " + part;
}

std::string gpu_text(void* library, int index) {
  const auto get_name = found<decltype(::cuDeviceGetName)>(library, "cuDeviceGetName");
  const auto get_attribute = found<decltype(::cuDeviceGetAttribute)>(library, "cuDeviceGetAttribute");
  std::array<char, 128> name{};
  int count = 0;
  if (get_name == nullptr ||
      get_name(name.data(), static_cast<int>(name.size()) - 1, index) != CUDA_SUCCESS ||
      get_attribute == nullptr ||
      get_attribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, index) != CUDA_SUCCESS)
    return {};
  return std::string(name.data()) + " with " + std::to_string(count) + " multiprocessors";
}

}  // namespace

std::string machine_text() {
  std::string text;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  int version = 0, gpus = 0;
  if (library != nullptr) {
    const auto get_version = found<decltype(::cuDriverGetVersion)>(library, "cuDriverGetVersion");
    if (get_version != nullptr && get_version(&version) == CUDA_SUCCESS)
      add(text, "CUDA " + std::to_string(version));
  }
  std::string driver;
  std::ifstream file("/proc/driver/nvidia/version");
  if (std::getline(file, driver)) add(text, driver);
  if (library == nullptr) return text;
  const auto get_count = found<decltype(::cuDeviceGetCount)>(library, "cuDeviceGetCount");
  if (get_count != nullptr && get_count(&gpus) == CUDA_SUCCESS)
    for (int i = 0; i < gpus; ++i) add(text, gpu_text(library, i));
  return text;
}

}  // namespace harness::inject

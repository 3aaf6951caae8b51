// variants FOLDER FILE...: makes one call of each case that the files name, a line each, as `harness list`
// writes it: matmul/wmma/dtype=bf16/m=2048/n=2048/k=2048. FOLDER has the modules of a build,
// libharness_kernels.so and libharness_cuda.so. A program to run under the library of alignment.cpp: buffers
// and inputs are those of the harness, and nothing is timed or checked.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"

namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Value;

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  const char* text = nullptr;
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) text = "unknown error";
  throw std::runtime_error(std::string(what) + ": " + text);
}

void load(const std::string& file, harness::sdk::Registry& registry) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto entry =
      reinterpret_cast<harness::sdk::ModuleFunction>(dlsym(library, harness::sdk::module_symbol));
  if (entry == nullptr || entry()->abi != harness::sdk::module_abi)
    throw std::runtime_error(file + " is no module of this build");
  entry()->register_all(registry);
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char one : text)
    if (one == '/')
      parts.emplace_back();
    else
      parts.back() += one;
  return parts;
}

Value value_of(const ParamSpec& spec, const std::string& text) {
  switch (spec.kind) {
    case harness::sdk::ParamKind::integer: return std::int64_t{std::stoll(text)};
    case harness::sdk::ParamKind::real: return std::stod(text);
    case harness::sdk::ParamKind::boolean: return text == "true";
    case harness::sdk::ParamKind::text: break;
  }
  return text;
}

Params params_of(const harness::sdk::Workload& workload, const std::vector<std::string>& parts) {
  Params params;
  for (const ParamSpec& spec : workload.params()) {
    bool given = false;
    for (std::size_t i = 2; i < parts.size(); ++i)
      if (parts[i].starts_with(spec.name + "=")) {
        params.set(spec.name, value_of(spec, parts[i].substr(spec.name.size() + 1)));
        given = true;
      }
    if (!given && spec.fallback.empty()) throw std::runtime_error("there is no " + spec.name);
    if (!given) params.set(spec.name, spec.fallback.front());
  }
  return params;
}

// Memory of the GPU until the end of a case.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    for (const CUdeviceptr one : all_) (void)cuMemFree(one);
  }
  // Filled with what no tensor should keep.
  void* allocate(std::size_t bytes) {
    CUdeviceptr memory = 0;
    check(cuMemAlloc(&memory, bytes > 0 ? bytes : 1), "cuMemAlloc");
    all_.push_back(memory);
    check(cuMemsetD8(memory, 0xff, bytes), "cuMemsetD8");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver keeps addresses as numbers
    return reinterpret_cast<void*>(memory);
  }

 private:
  std::vector<CUdeviceptr> all_;
};

harness::sdk::DeviceTraits traits_of(CUdevice device) {
  harness::sdk::DeviceTraits traits;
  traits.kind = "cuda";
  const auto attribute = [&](CUdevice_attribute one) {
    int value = 0;
    check(cuDeviceGetAttribute(&value, one, device), "cuDeviceGetAttribute");
    return value;
  };
  traits.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  traits.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  traits.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  traits.shared_memory_per_block =
      static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  return traits;
}

void call(const harness::sdk::Registry& registry, const harness::sdk::DeviceTraits& traits,
          const std::string& id) {
  const std::vector<std::string> parts = parts_of(id);
  const harness::sdk::Workload* workload = nullptr;
  for (const auto& one : registry.workloads)
    if (one->name() == parts.front()) workload = one.get();
  const harness::sdk::Variant* variant = nullptr;
  for (const auto& one : registry.variants)
    if (parts.size() > 1 && one.workload == parts[0] && one.name == parts[1] && one.make) variant = &one;
  if (workload == nullptr || variant == nullptr) throw std::runtime_error("no such variant in the modules");
  const Params params = params_of(*workload, parts);
  const harness::sdk::Problem problem = workload->problem(params);
  std::vector<HostTensor> inputs;
  for (const auto& spec : problem.tensors)
    if (harness::sdk::is_input(spec.role)) inputs.emplace_back(spec);
  workload->fill(params, 1, inputs);

  Memory memory;
  std::vector<void*> tensors;
  std::size_t next = 0;
  for (const auto& spec : problem.tensors) {
    tensors.push_back(memory.allocate(spec.bytes()));
    if (!harness::sdk::is_input(spec.role)) continue;
    const HostTensor& input = inputs[next++];
    check(cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(tensors.back()), input.data.data(), input.data.size()),
          "cuMemcpyHtoD");
  }
  if (variant->prepare) variant->prepare(params, traits);
  const auto kernel = variant->make(params, problem, traits);
  const harness::sdk::Buffers buffers{tensors, memory.allocate(kernel->workspace_bytes())};
  (void)kernel->choose(buffers);
  kernel->bind(buffers);
  CUstream stream = nullptr;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  check(cuCtxSynchronize(), "inputs");
  kernel->run({stream});
  check(cuCtxSynchronize(), "the call");
  (void)cuStreamDestroy(stream);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: variants FOLDER FILE...\n", stderr);
    return 2;
  }
  int failed = 0;
  try {
    check(cuInit(0), "cuInit");
    CUdevice device = 0;
    CUcontext context = nullptr;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    // Never destroyed: modules stay loaded until the process ends.
    auto& registry = *new harness::sdk::Registry;
    load(std::string(argv[1]) + "/libharness_kernels.so", registry);
    load(std::string(argv[1]) + "/libharness_cuda.so", registry);
    const harness::sdk::DeviceTraits traits = traits_of(device);
    for (int i = 2; i < argc; ++i) {
      std::ifstream file(argv[i]);
      if (!file) throw std::runtime_error(std::string(argv[i]) + " cannot be read");
      for (std::string id; std::getline(file, id);) {
        if (id.empty() || id.front() == '#') continue;
        try {
          call(registry, traits, id);
        } catch (const std::exception& error) {
          std::fprintf(stderr, "variants: %s: %s\n", id.c_str(), error.what());
          failed = 1;
        }
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "variants: %s\n", error.what());
    return 1;
  }
  return failed;
}

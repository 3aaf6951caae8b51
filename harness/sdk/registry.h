// Registry: holds workloads and variants, added by explicit calls in a fixed order. No static initialiser
// registers anything, because a linker may drop the object that holds it.
//
// A plugin is a shared library that exports HARNESS_MODULE(name, register_function).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "harness/sdk/variant.h"
#include "harness/sdk/workload.h"

namespace harness::sdk {

class Registry {
 public:
  void add(std::unique_ptr<Workload> workload) { workloads.push_back(std::move(workload)); }
  void add(Variant variant) { variants.push_back(std::move(variant)); }

  std::vector<std::unique_ptr<Workload>> workloads;
  std::vector<Variant> variants;
};

// Raised whenever a class or struct in harness/sdk/ changes its layout or its virtual functions.
inline constexpr std::uint32_t module_abi = 10;

// The exports of a module. Modules and the harness share C++ types, so both must be built with the same C++
// ABI; `compiler` is compared and a difference is an error that names both.
struct Module {
  std::uint32_t abi;
  const char* compiler;
  const char* name;
  void (*register_all)(Registry&);
};

#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* compiler_abi = "libstdc++ cxx11";
#elif defined(_LIBCPP_VERSION)
inline constexpr const char* compiler_abi = "libc++";
#else
inline constexpr const char* compiler_abi = "unknown";
#endif

inline constexpr const char* module_symbol = "harness_module";
using ModuleFunction = const Module* (*)();

// Variant::prepare by a static prepare(params, traits) of the kernel's class, where it has one.
template <class Kernel>
std::function<void(const Params&, const DeviceTraits&)> prepare_of() {
  if constexpr (requires(const Params& params, const DeviceTraits& traits) {
                  Kernel::prepare(params, traits);
                })
    return &Kernel::prepare;
  else
    return nullptr;
}

}  // namespace harness::sdk

// Defines `void register_variant_<workload>_<name>(harness::sdk::Registry&)`, which the list that
// CMake generates calls.
#define HARNESS_VARIANT(workload_, name_, device_, summary_, Class_)                            \
  void register_variant_##workload_##_##name_(harness::sdk::Registry& registry) {               \
    static constexpr auto make =                                                                \
        [](const harness::sdk::Params& params, const harness::sdk::Problem& problem,            \
           const harness::sdk::DeviceTraits& traits) -> std::unique_ptr<harness::sdk::Kernel> { \
      return std::make_unique<Class_>(params, problem, traits);                                 \
    };                                                                                          \
    harness::sdk::Variant variant{#workload_, #name_, #device_, summary_, make};                \
    variant.prepare = harness::sdk::prepare_of<Class_>();                                       \
    variant.code = reinterpret_cast<const void*>(+make);                                        \
    registry.add(std::move(variant));                                                           \
  }

// Defines `void register_workload_<name>(harness::sdk::Registry&)`.
#define HARNESS_WORKLOAD(name_, Class_)                              \
  void register_workload_##name_(harness::sdk::Registry& registry) { \
    registry.add(std::make_unique<Class_>());                        \
  }

// Exports a plugin's entry point.
#define HARNESS_MODULE(name_, register_function_)                                                      \
  extern "C" __attribute__((visibility("default"))) const harness::sdk::Module* harness_module() {     \
    static constexpr harness::sdk::Module module{harness::sdk::module_abi, harness::sdk::compiler_abi, \
                                                 name_, register_function_};                           \
    return &module;                                                                                    \
  }

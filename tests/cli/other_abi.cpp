// A module as another version of the SDK would make it: its ABI number is not ours.
#include "harness/sdk/registry.h"

namespace {
void register_nothing(harness::sdk::Registry&) {}
constexpr harness::sdk::Module other{harness::sdk::module_abi + 1, harness::sdk::compiler_abi, "other",
                                     register_nothing};
}  // namespace

extern "C" __attribute__((visibility("default"))) const harness::sdk::Module* harness_module() {
  return &other;
}

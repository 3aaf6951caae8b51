#include "harness/sdk/registry.h"

int apart_library_value();

namespace {
void register_nothing(harness::sdk::Registry&) {}
}  // namespace

extern "C" __attribute__((visibility("default"))) int count_call() {
  return apart_library_value();
}

HARNESS_MODULE("linked", register_nothing)

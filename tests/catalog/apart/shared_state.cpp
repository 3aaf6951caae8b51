// A module whose inline function has a variable: one for all libraries of the process, unless it is hidden.
#include "harness/sdk/registry.h"

inline int& calls_of_all_builds() {
  static int calls = 0;
  return calls;
}

namespace {
void register_nothing(harness::sdk::Registry&) {}
}  // namespace

extern "C" __attribute__((visibility("default"))) int count_call() {
  return ++calls_of_all_builds();
}

HARNESS_MODULE("shared state", register_nothing)

#include "common.cuh"

namespace {
struct Workload {
  virtual ~Workload() = default;
  virtual int elements(int n) const { return 4 * n; }
};
struct Plug : Workload {
  int elements(int n) const override { return 2 * n; }
};
}  // namespace

extern "C" int plug_elements(const void* workload, int n) {
  return static_cast<const Workload*>(workload)->elements(n);
}

void register_workload_plug(harness::sdk::Registry& registry) {
  static Plug plug;
  registry.add("plug", reinterpret_cast<const char*>(&plug), nullptr);
}

void register_variant_plug_a(harness::sdk::Registry&);
void register_variant_plug_b(harness::sdk::Registry&);
void register_variant_plug_c(harness::sdk::Registry&);

extern "C" void harness_module(harness::sdk::Registry& registry) {
  register_workload_plug(registry);
  register_variant_plug_a(registry);
  register_variant_plug_b(registry);
  register_variant_plug_c(registry);
}

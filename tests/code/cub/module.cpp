#include "common.cuh"

void register_workload_cub(harness::sdk::Registry& registry) {
  registry.add("cub", "", nullptr);
}

void register_variant_cub_reduce(harness::sdk::Registry&);
void register_variant_cub_scan(harness::sdk::Registry&);
void register_variant_cub_select(harness::sdk::Registry&);
void register_variant_cub_sort(harness::sdk::Registry&);

extern "C" __attribute__((visibility("default"))) void harness_module(harness::sdk::Registry& registry) {
  register_workload_cub(registry);
  register_variant_cub_reduce(registry);
  register_variant_cub_scan(registry);
  register_variant_cub_select(registry);
  register_variant_cub_sort(registry);
}

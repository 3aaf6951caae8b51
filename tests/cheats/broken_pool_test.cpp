// A pool that hands memory out twice is called incorrect, and the right pool is not.
#include <gtest/gtest.h>

#include "harness/measure/worker/worker.h"
#include "tests/kernels/early_pool.h"
#include "tests/measure/cases.h"

void register_workload_allocator(harness::sdk::Registry&);
void register_variant_allocator_host_pool(harness::sdk::Registry&);
void register_variant_allocator_host_malloc(harness::sdk::Registry&);
void register_variant_allocator_broken_early(harness::sdk::Registry&);
void register_variant_allocator_broken_rarely(harness::sdk::Registry&);

namespace allocator {
namespace {

// Only one block in 40 is a granule too short.
class RarelyShortPool : public HostPool {
 public:
  using HostPool::HostPool;
  Block take(std::size_t bytes) {
    return HostPool::take(++taken_ % 40 == 0 && bytes > 512 ? bytes - 512 : bytes);
  }

 private:
  int taken_ = 0;
};

}  // namespace
using BrokenEarly = ReplayVariant<EarlyPool, HostStamps>;
using BrokenRarely = ReplayVariant<RarelyShortPool, HostStamps>;
}  // namespace allocator

HARNESS_VARIANT(allocator, broken_early, cpu, "frees at once", allocator::BrokenEarly)
HARNESS_VARIANT(allocator, broken_rarely, cpu, "some blocks are short", allocator::BrokenRarely)

namespace harness {
namespace {

ProcessResult measured_with(const std::string& variant) {
  const auto register_all = [](sdk::Registry& registry) {
    register_workload_allocator(registry);
    register_variant_allocator_host_pool(registry);
    register_variant_allocator_host_malloc(registry);
    register_variant_allocator_broken_early(registry);
    register_variant_allocator_broken_rarely(registry);
  };
  Catalog catalog;
  EXPECT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "pools", register_all}));
  PlannedCase planned = planned_line(variant);
  planned.workload = "allocator";
  planned.params = {};
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
           {"d", 64}, {"heads", 2}, {"layers", 2}, {"s", 32}, {"batch", 2}, {"vocabulary", 96}, {"steps", 2}})
    planned.params.set(name, value);
  planned.id = "allocator/" + variant;
  return measure_case(*scripted(R"({"version": 1, "default": {"us": 90}})"), catalog, planned, 1);
}

TEST(BrokenPool, IsIncorrect) {
  for (const char* const variant : {"broken_early", "broken_rarely"}) {
    const ProcessResult result = measured_with(variant);
    EXPECT_EQ(result.outcome, Outcome::incorrect) << variant;
  }
}

TEST(BrokenPool, IsNotCalledSoWhereItIsRight) {
  for (const char* const variant : {"host_malloc", "host_pool"}) {
    const ProcessResult result = measured_with(variant);
    EXPECT_EQ(result.outcome, Outcome::measured) << variant << ": " << result.reason;
  }
}

}  // namespace
}  // namespace harness

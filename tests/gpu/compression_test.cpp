// Every CUDA variant of compression by the worker's own check, because the residual changes in place. Also
// what sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

class Compression : public GpuTest {
 protected:
  static void expect_right(const std::string& form, std::int64_t n) {
    PlannedCase planned;
    planned.workload = "compression";
    planned.variant = "passes";
    planned.device = "cuda";
    planned.params.set("form", form);
    planned.params.set("n", n);
    planned.id = fmt::format("compression/passes/{}", planned.params.text_id());
    planned.sampling.placements = 2;
    planned.sampling.samples = 5;
    planned.sampling.preheat = 0;
    trying(planned.id);
    expect_measured(measure_case(device(), catalog(), planned, 1), planned.id);
  }
};

TEST_F(Compression, IsRightOnAFewSmallShapes) {
  for (const char* const form : {"top_1", "top_10", "int8"})
    for (const std::int64_t n : {2, 255, 257, 5000, 100003}) expect_right(form, n);
}

TEST_F(Compression, IsRightOnALargeGradient) {
  for (const char* const form : {"top_1", "top_10", "int8"}) expect_right(form, 20000003);
}

}  // namespace
}  // namespace harness::gpu

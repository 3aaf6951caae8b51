// Shared by the GPU tests: the opened device, a catalog with every CUDA variant and the probe plugin, and a
// variant bound to buffers of its own. One device a process, opened by the first test that asks.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness::gpu {

// Where the modules are: beside the test program, or what HARNESS_CUDA_MODULE (HARNESS_GPU_TEST_MODULE)
// says.
std::filesystem::path cuda_module();
std::filesystem::path probe_module();

// Why there is no GPU to test, or "". Opens the device.
std::string obstacle();

// HARNESS_REQUIRE_GPU=1: a machine without a usable GPU is a failure.
bool gpu_is_required();

Device& device();
Timer& timer();
Memory& memory();
Profiler& profiler();
Sensors& sensors();
Catalog& catalog();

// Skips (or fails, when a GPU is required) with the reason.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
};

// Measured and verified. Beside others under compute-sanitizer (HARNESS_GPU_SANITIZED) a call takes
// milliseconds at random, so an audit of its times counts for nothing there.
void expect_measured(const ProcessResult& result, const std::string& case_id);

// Runs one case twice, each time on fresh poison, and holds its output to the variant's tolerance, at most
// `checked` elements of it. False when the variant does not support the case.
bool is_right(const std::string& workload, const std::string& variant, const sdk::Params& params,
              std::int64_t checked = 4096);

// Every CUDA variant of one workload that this build can run here; a test of none fails.
class VariantsTest : public GpuTest {
 protected:
  explicit VariantsTest(std::string workload) : workload_(std::move(workload)) {}
  void SetUp() override;

  [[nodiscard]] const std::vector<std::string>& variants() const { return variants_; }

  bool is_right(const std::string& variant, const sdk::Params& params, std::int64_t checked = 4096) const {
    return gpu::is_right(workload_, variant, params, checked);
  }

 private:
  std::string workload_;
  std::vector<std::string> variants_;
};

sdk::Params probe_params(std::int64_t elements);

// A case of the probe plugin: two placements of ten samples.
PlannedCase planned_probe(const std::string& variant, std::int64_t elements);

// Prints at once what is tried next, so that the last line names whatever never comes to an end.
void trying(const std::string& what);

// Whether a variant is a vendor's library, whose kernels are not ours to look at with sanitizers.
bool is_library(const std::string& variant);

// One variant at one set of parameters with its buffers: inputs uploaded, outputs poisoned.
class Bound {
 public:
  Bound(Device& device, const Catalog& catalog, const std::string& workload, const std::string& variant,
        sdk::Params params);

  void run(sdk::Stream stream) const { kernel_->run(stream); }
  [[nodiscard]] sdk::Kernel& kernel() { return *kernel_; }
  [[nodiscard]] std::string choose();  // as the variant does before it is bound
  [[nodiscard]] Work work() const {
    return [this](sdk::Stream stream) { run(stream); };
  }
  // Changes an element of the first input, there and on the device.
  void set_first_input(std::int64_t element, double value);
  // Changes the sign of the input called `index` among the inputs, there and on the device.
  void negate_input(std::size_t index);
  // The output called `index` among the outputs, as it is on the device now.
  sdk::HostTensor output(std::size_t index = 0);
  [[nodiscard]] Buffer& output_buffer(std::size_t index = 0) { return *buffers_[outputs_[index]]; }
  void poison_outputs();
  // ||out - ref|| / ||ref|| of an output over at most `checked` elements spread over it; NaN if an
  // output is not finite.
  double error(std::int64_t checked = 4096, std::size_t output = 0);
  [[nodiscard]] const sdk::Problem& problem() const { return problem_; }

  // One ungated call, then the median of `samples` in seconds, none of which may be forced.
  double median(const TimingOptions& options, int samples = 50);

 private:
  [[nodiscard]] sdk::Buffers buffers() const;
  void upload_input(std::size_t index);

  Device& device_;
  const sdk::Workload& workload_;
  sdk::Params params_;
  sdk::Problem problem_;
  std::vector<sdk::HostTensor> inputs_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::size_t> outputs_;  // indices into buffers_
  std::vector<void*> addresses_;      // of buffers_
  std::unique_ptr<Buffer> workspace_;
  std::unique_ptr<sdk::Kernel> kernel_;
};

}  // namespace harness::gpu

#include "tests/gpu/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

#include "harness/base/process.h"
#include "harness/device/open.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t seed = 20;

fs::path module_path(const char* variable, const char* file) {
  const char* chosen = std::getenv(variable);
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return this_program().parent_path().parent_path() / "lib" / file;
}

// Never destroyed: a device must not outlive the driver, which ends in an order of its own.
struct Lab {
  OpenedDevice opened;
  Catalog catalog = Catalog::built_in();
  std::string obstacle;
};

void open(Lab& lab) {
  auto opened = open_device("cuda");
  if (!opened) {
    lab.obstacle = opened.error().text();
    return;
  }
  lab.opened = std::move(*opened);
  if (const Status added = lab.catalog.add(*lab.opened.module); !added) lab.obstacle = added.error().text();
  if (const Status added = lab.catalog.load_module(probe_module()); !added)
    lab.obstacle = added.error().text();
}

Lab& lab() {
  static Lab* const shared = [] {
    auto* fresh = new Lab;
    open(*fresh);
    return fresh;
  }();
  return *shared;
}

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

void require(const Status& status) {
  if (!status) throw std::runtime_error(status.error().text());
}

const sdk::Workload& find_workload(const Catalog& catalog, const std::string& name) {
  const sdk::Workload* workload = catalog.workload(name);
  if (workload == nullptr) throw std::runtime_error("no workload " + name);
  return *workload;
}

}  // namespace

fs::path cuda_module() {
  return module_path("HARNESS_CUDA_MODULE", "libharness_cuda.so");
}
fs::path probe_module() {
  return module_path("HARNESS_GPU_TEST_MODULE", "libharness_gpu_test.so");
}

std::string obstacle() {
  return lab().obstacle;
}
Device& device() {
  return *lab().opened.device;
}
Timer& timer() {
  return device().timer();
}
Memory& memory() {
  return device().memory();
}
Profiler& profiler() {
  return device().profiler();
}
Sensors& sensors() {
  return device().sensors();
}
Catalog& catalog() {
  return lab().catalog;
}

bool gpu_is_required() {
  const char* wanted = std::getenv("HARNESS_REQUIRE_GPU");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

void GpuTest::SetUp() {
  const std::string reason = obstacle();
  if (reason.empty()) return;
  if (gpu_is_required()) FAIL() << "HARNESS_REQUIRE_GPU=1, but: " << reason;
  GTEST_SKIP() << reason;
}

void VariantsTest::SetUp() {
  GpuTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  for (const std::string& name : catalog().variant_names(workload_)) {
    const sdk::Variant* variant = catalog().variant(workload_, name);
    if (variant->device == "cuda" && variant->make != nullptr) variants_.push_back(name);
  }
  ASSERT_FALSE(variants_.empty()) << "this build has no CUDA variant of " << workload_ << " for this GPU";
}

void expect_measured(const ProcessResult& result, const std::string& case_id) {
  const bool disturbed = std::getenv("HARNESS_GPU_SANITIZED") != nullptr && result.reason &&
                         (result.reason->code == CauseCode::clock_differs ||
                          result.reason->code == CauseCode::slower_when_audited);
  EXPECT_TRUE(disturbed || result.outcome == Outcome::measured) << case_id << ": " << result.reason;
  EXPECT_TRUE(result.verification) << case_id;
}

bool is_right(const std::string& workload, const std::string& variant, const sdk::Params& params,
              std::int64_t checked) {
  SCOPED_TRACE(workload + "/" + variant + "/" + params.text_id());
  try {
    Bound bound(device(), catalog(), workload, variant, params);
    for (int call = 1; call <= 2; ++call) {
      bound.poison_outputs();
      const auto elapsed = timer().time_first_call(bound.work());
      EXPECT_TRUE(elapsed) << elapsed.error().text();
      if (!elapsed) return true;
      const double error = bound.error(checked);
      const double allowed = bound.kernel().tolerance().value_or(bound.problem().tolerance).relative;
      EXPECT_TRUE(error <= allowed) << "call " << call << ": relative error " << error << ", allowed "
                                    << allowed;
    }
    return true;
  } catch (const sdk::Unsupported& reason) {
    if (is_library(variant))
      std::printf("%s skips %s: %s\n", variant.c_str(), params.text_id().c_str(), reason.what());
    return false;
  }
}

sdk::Params probe_params(std::int64_t elements) {
  sdk::Params params;
  params.set("n", elements);
  return params;
}

PlannedCase planned_probe(const std::string& variant, std::int64_t elements) {
  PlannedCase planned;
  planned.id = fmt::format("probe/{}/n={}", variant, elements);
  planned.workload = "probe";
  planned.variant = variant;
  planned.device = "cuda";
  planned.params = probe_params(elements);
  planned.sampling.placements = 2;
  planned.sampling.samples = 10;
  planned.sampling.timing = TimingMode::events;
  return planned;
}

void trying(const std::string& what) {
  std::printf("trying %s\n", what.c_str());
  std::fflush(stdout);
}

bool is_library(const std::string& variant) {
  return variant.starts_with("nccl") || variant.starts_with("cublas") || variant.starts_with("cudnn") ||
         variant.starts_with("cusparse");
}

Bound::Bound(Device& device, const Catalog& catalog, const std::string& workload, const std::string& variant,
             sdk::Params params)
    : device_(device), workload_(find_workload(catalog, workload)), params_(std::move(params)) {
  const sdk::Variant* found = catalog.variant(workload, variant);
  if (found == nullptr || found->make == nullptr) throw std::runtime_error("no variant " + variant);
  problem_ = workload_.problem(params_);
  kernel_ = found->make(params_, problem_, device_.traits());
  for (const sdk::TensorSpec& tensor : problem_.tensors)
    if (tensor.role == sdk::Role::input) inputs_.emplace_back(tensor);
  workload_.fill(params_, seed, inputs_);
  std::size_t next_input = 0;
  for (const sdk::TensorSpec& tensor : problem_.tensors) {
    buffers_.push_back(value_of(device_.memory().allocate_on(tensor.gpu, tensor.bytes())));
    addresses_.push_back(buffers_.back()->data());
    if (tensor.role == sdk::Role::input)
      require(device_.memory().upload(*buffers_.back(), inputs_[next_input++].data));
    else
      outputs_.push_back(buffers_.size() - 1);
  }
  poison_outputs();
  if (const std::size_t bytes = kernel_->workspace_bytes(); bytes > 0) {
    workspace_ = value_of(device_.memory().allocate(bytes));
    require(device_.memory().fill(*workspace_, 0xFF));
  }
  kernel_->bind(buffers());
}

sdk::Buffers Bound::buffers() const {
  return {addresses_, workspace_ ? workspace_->data() : nullptr};
}

std::string Bound::choose() {
  return kernel_->choose(buffers());
}

void Bound::set_first_input(std::int64_t element, double value) {
  inputs_.front().set(element, value);
  upload_input(0);
}

void Bound::negate_input(std::size_t index) {
  sdk::HostTensor& input = inputs_.at(index);
  for (std::int64_t i = 0; i < input.spec.elements(); ++i) input.set(i, -input.at(i));
  upload_input(index);
}

void Bound::upload_input(std::size_t index) {
  std::size_t tensor = 0;
  for (std::size_t before = 0; problem_.tensors[tensor].role != sdk::Role::input || before < index; ++tensor)
    before += problem_.tensors[tensor].role == sdk::Role::input ? 1 : 0;
  require(device_.memory().upload(*buffers_[tensor], inputs_[index].data));
}

void Bound::poison_outputs() {
  for (const std::size_t index : outputs_) require(device_.memory().fill(*buffers_[index], 0xFF));
}

sdk::HostTensor Bound::output(std::size_t index) {
  sdk::HostTensor tensor(problem_.tensors[outputs_.at(index)]);
  require(device_.memory().download(tensor.data, *buffers_[outputs_.at(index)]));
  return tensor;
}

double Bound::error(std::int64_t checked, std::size_t number) {
  const sdk::HostTensor result = output(number);
  const std::int64_t elements = result.spec.elements();
  for (std::int64_t i = 0; i < elements; ++i)
    if (!std::isfinite(result.at(i))) return std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int64_t> wanted;
  if (elements <= checked) {
    for (std::int64_t i = 0; i < elements; ++i) wanted.push_back(i);
  } else {
    // The two ends, where tiles are cut off, and a stride between that visits every column.
    for (std::int64_t i = 0; i < checked / 4; ++i) {
      wanted.push_back(i);
      wanted.push_back(elements - 1 - i);
    }
    const std::int64_t between = checked / 2;
    for (std::int64_t i = 0; i < between; ++i) wanted.push_back(i * elements / between);
  }
  std::vector<double> expected(wanted.size());
  workload_.reference(params_, inputs_, number, wanted, expected);
  double off = 0;
  double norm = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = result.at(wanted[i]) - expected[i];
    off += difference * difference;
    norm += expected[i] * expected[i];
  }
  return std::sqrt(off) / std::sqrt(norm);
}

double Bound::median(const TimingOptions& options, int samples) {
  (void)value_of(device_.timer().time_first_call(work()));
  std::vector<double> times;
  for (int i = -5; i < samples; ++i) {
    const Timing timing = value_of(device_.timer().time(work(), options));
    if (timing.gate_forced) throw std::runtime_error("a sample was forced by the gate's deadline");
    if (i >= 0) times.push_back(timing.elapsed);
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[static_cast<std::size_t>(samples / 2)];
}

}  // namespace harness::gpu

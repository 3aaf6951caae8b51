// Honest kernels of many kinds are never called incorrect, on scripted devices that are steady, noisy,
// disturbed or become slower, in each mode, for many nonces of the audits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using trial::Right;

constexpr double allowed_error = 1e-4;
constexpr float rare = 1e4F;  // one element in so many is large
constexpr std::int64_t apart = 997;

float right_of(float x, std::int64_t i) {
  return (i % apart == 5 ? rare : 1e-2F) * x;
}

// Few large elements among many small ones: few of them are checked, whose norm differs from that of all.
class Sparse : public trial::Line {
 public:
  [[nodiscard]] std::string_view name() const override { return "sparse"; }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    sdk::Problem problem = Line::problem(params);
    problem.tolerance.relative = allowed_error;
    return problem;
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expected[i] = (wanted[i] % apart == 5 ? double{rare} : 1e-2) * inputs[0].at(wanted[i]);
  }
};

// Bytes, so that many right values are the byte that an audit fills outputs with.
class Bytes : public trial::Line {
 public:
  [[nodiscard]] std::string_view name() const override { return "bytes"; }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    sdk::Problem problem = Line::problem(params);
    problem.tensors[1].dtype = sdk::DType::i8;
    problem.tolerance.relative = 0;
    return problem;
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expected[i] = static_cast<double>(static_cast<int>(120 * inputs[0].at(wanted[i])));
  }
};

// As inaccurate as the tolerance allows: every element is off by 90 % of it, by the norm of all.
class Inaccurate : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override {
    double squares = 0;
    for (std::int64_t i = 0; i < n_; ++i) squares += double{right_of(x_[i], i)} * right_of(x_[i], i);
    const auto off = static_cast<float>(0.9 * allowed_error * std::sqrt(squares / static_cast<double>(n_)));
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = right_of(x_[i], i) + off;
  }
};

class OfBytes : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i < n_; ++i)
      reinterpret_cast<signed char*>(y_)[i] = static_cast<signed char>(static_cast<int>(120 * double{x_[i]}));
  }
};

// Adds up in its outputs, in an order that varies, after it has set them to zero.
class Accumulates : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override {
    std::fill(y_, y_ + n_, 0.0F);
    const std::int64_t first = ++calls_ % n_;
    for (std::int64_t i = 0; i < n_; ++i) y_[(i + first) % n_] += 2 * x_[(i + first) % n_];
    for (std::int64_t i = 0; i < n_; ++i) y_[i] += 1;
  }

 private:
  std::int64_t calls_ = 0;
};

// Two phases through a workspace, with a counter there that goes on from call to call.
class ThroughAWorkspace : public Right {
 public:
  using Right::Right;
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return sizeof(float) * static_cast<std::size_t>(n_ + 1);
  }
  void bind(const sdk::Buffers& buffers) override {
    Right::bind(buffers);
    between_ = static_cast<float*>(buffers.workspace);
    between_[n_] = 0;
  }
  void run(sdk::Stream) override {
    between_[n_] += 1;
    for (std::int64_t i = 0; i < n_; ++i) between_[i] = 2 * x_[i];
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = between_[i] + 1;
  }

 private:
  float* between_ = nullptr;
};

// Chooses one of two ways by trying them, which calls it on the buffers before bind().
class Chooses : public Right {
 public:
  using Right::Right;
  std::string choose(const sdk::Buffers& buffers) override {
    Right::bind(buffers);
    for (const bool backwards : {false, true}) {
      backwards_ = backwards;
      run({});
    }
    return "backwards";
  }
  bool take_choice(const std::string& choice) override {
    backwards_ = choice == "backwards";
    return backwards_;
  }
  void run(sdk::Stream stream) override {
    if (!backwards_) return Right::run(stream);
    for (std::int64_t i = n_; i-- > 0;) y_[i] = 2 * x_[i] + 1;
  }

 private:
  bool backwards_ = false;
};

class InThreads : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override {
    std::thread other([this] { part(0, n_ / 2); });
    part(n_ / 2, n_);
    other.join();
  }

 private:
  void part(std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) y_[i] = 2 * x_[i] + 1;
  }
};

class Waits : public Right {
 public:
  using Right::Right;
  [[nodiscard]] bool synchronises() const override { return true; }
};

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(std::make_unique<Sparse>());
  registry.add(std::make_unique<Bytes>());
  registry.add(trial::variant<Right>("right"));
  registry.add(trial::variant<Accumulates>("accumulates"));
  registry.add(trial::variant<ThroughAWorkspace>("through_a_workspace"));
  registry.add(trial::variant<Chooses>("chooses"));
  registry.add(trial::variant<InThreads>("in_threads"));
  registry.add(trial::variant<Waits>("waits"));
  sdk::Variant inaccurate = trial::variant<Inaccurate>("inaccurate");
  inaccurate.workload = "sparse";
  registry.add(std::move(inaccurate));
  sdk::Variant of_bytes = trial::variant<OfBytes>("of_bytes");
  of_bytes.workload = "bytes";
  registry.add(std::move(of_bytes));
}

const Catalog& catalog() {
  static const Catalog made = [] {
    Catalog empty;
    EXPECT_TRUE(empty.add({sdk::module_abi, sdk::compiler_abi, "honest", register_all}));
    return empty;
  }();
  return made;
}

constexpr std::array scripts{
    R"({"version": 1, "cache_bytes": 4000, "default": {"us": 5, "batch_us": 3}})",
    R"({"version": 1, "cache_bytes": 4000, "default": {"us": 90, "sample_sd": 0.5, "outliers": 0.3, "outlier_factor": 100}})",
    R"({"version": 1, "cache_bytes": 4000, "default": {"us": 60, "warmup_factor": 50, "warmup_calls": 30}})",
    R"({"version": 1, "cache_bytes": 4000, "default": {"us": 50000}})",
    R"({"version": 1, "cache_bytes": 4000, "default": {"us": 9, "samples": [10, 10, 90000, 90000], "gate_forced_every": 2}})"};

PlannedCase planned_of(const char* workload, const char* variant, std::int64_t n) {
  PlannedCase planned = planned_line(variant, n);
  planned.workload = workload;
  planned.id = std::string(workload) + "/" + variant;
  planned.sampling.samples = 4;
  return planned;
}

void expect_measured(PlannedCase planned, int nonces) {
  for (const char* script : scripts)
    for (const TimingMode timing : {TimingMode::events, TimingMode::batch})
      for (const CacheMode cache : {CacheMode::hot, CacheMode::cold, CacheMode::rotate})
        for (int nonce = 0; nonce < nonces; ++nonce) {
          planned.sampling.timing = timing;
          planned.sampling.cache = cache;
          planned.sampling.placements = 1 + nonce % 5;
          // Batches whose times come from such scripts are no line.
          if (timing == TimingMode::batch && script != scripts[0]) continue;
          Carried carried;
          carried.nonce = static_cast<std::uint64_t>(nonce);
          const ProcessResult result = measure_case(*scripted(script), catalog(), planned, 1, carried);
          EXPECT_EQ(result.outcome, Outcome::measured) << planned.id << " " << script << " " << result.reason;
        }
}

class Honest : public testing::TestWithParam<const char*> {};

TEST_P(Honest, KernelsAreMeasured) {
  expect_measured(planned_of("line", GetParam(), 100), 10);
}

INSTANTIATE_TEST_SUITE_P(, Honest,
                         testing::Values("right", "accumulates", "through_a_workspace", "chooses",
                                         "in_threads", "waits"),
                         [](const auto& one) { return std::string(one.param); });

TEST(HonestOutputs, MayHaveFewLargeElementsAndTheWholeTolerance) {
  expect_measured(planned_of("sparse", "inaccurate", 5000), 5);
}

TEST(HonestOutputs, MayHoldAnyByte) {
  expect_measured(planned_of("bytes", "of_bytes", 3000), 5);
}

}  // namespace
}  // namespace harness

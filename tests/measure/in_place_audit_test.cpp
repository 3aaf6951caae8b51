// Audits of a workload that changes a tensor in place: a call finds what the call before left, so only a call
// on values that were just written can be verified.
#include <gtest/gtest.h>

#include <optional>

#include "harness/device/scripted/scripted_device.h"
#include "harness/measure/case/measure_case.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

// v = v / 2 + x.
class Halves : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "line"; }
  [[nodiscard]] std::string_view summary() const override { return "v = v / 2 + x"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    return {{{"v", sdk::Role::in_place, sdk::DType::f32, {n}}, {"x", sdk::Role::input, sdk::DType::f32, {n}}},
            {},
            {1e-6}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expected[i] = inputs[0].at(wanted[i]) / 2 + inputs[1].at(wanted[i]);
  }
};

class Honest : public sdk::Kernel {
 public:
  Honest(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&)
      : n_(params.integer("n")) {}
  void bind(const sdk::Buffers& buffers) override {
    v_ = buffers.as<float>(0);
    x_ = buffers.as<float>(1);
  }
  void run(sdk::Stream) override { work(); }

 protected:
  void work() {
    for (std::int64_t i = 0; i < n_; ++i) v_[i] = v_[i] / 2 + x_[i];
  }

  std::int64_t n_;
  float* v_ = nullptr;
  float* x_ = nullptr;
};

// Works on the first values of the checks alone, which it has seen in its first call.
class KnowsTheFirstValues : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream) override {
    if (!known_) known_ = v_[0];
    if (v_[0] == *known_) work();
  }

 private:
  std::optional<float> known_;
};

class MarksInputs : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream) override {
    work();
    x_[n_ - 1] = 7;
  }
};

// Tells kernels where a batch begins and ends, as a capture would.
constexpr int outside = -1'000'000;
int calls_of_batch = outside;
class TellingDevice final : public ScriptedDevice {
 public:
  using ScriptedDevice::ScriptedDevice;
  Result<std::unique_ptr<Batch>> record(int calls, NumberedWork work) override {
    auto made = ScriptedDevice::record(calls, std::move(work));
    if (!made) return made;
    return std::make_unique<Telling>(std::move(*made));
  }

 private:
  struct Telling final : Batch {
    explicit Telling(std::unique_ptr<Batch> batch) : told(std::move(batch)) {}
    Result<Timing> time(const TimingOptions& options) override {
      calls_of_batch = 0;
      Result<Timing> timing = told->time(options);
      calls_of_batch = outside;
      return timing;
    }
    Result<Timing> watch(const TimingOptions& options, const WatchedCall& watched) override {
      calls_of_batch = 0;
      Result<Timing> timing = told->watch(options, watched);
      calls_of_batch = outside;
      return timing;
    }
    void queue(sdk::Stream stream) override { told->queue(stream); }
    std::unique_ptr<Batch> told;
  };
};

template <class Kernel>
ProcessResult measured(std::uint64_t nonce, CacheMode cache = CacheMode::hot,
                       TimingMode timing = TimingMode::events) {
  Catalog catalog;
  EXPECT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", [](sdk::Registry& registry) {
                             registry.add(std::make_unique<Halves>());
                             registry.add(
                                 {"line",
                                  "one",
                                  "cpu",
                                  "",
                                  [](const sdk::Params& params, const sdk::Problem& problem,
                                     const sdk::DeviceTraits& traits) -> std::unique_ptr<sdk::Kernel> {
                                    return std::make_unique<Kernel>(params, problem, traits);
                                  },
                                  {}});
                           }}));
  TellingDevice device(
      *parse_script(R"({"version": 1, "default": {"us": 100, "overhead_us": 0}})", "script"));
  PlannedCase planned = planned_line("one", 64);
  planned.sampling.processes = 1;  // which is audited, then
  planned.sampling.placements = 4;
  planned.sampling.cache = cache;
  planned.sampling.timing = timing;
  Carried carried;
  carried.nonce = nonce;
  return measure_case(device, catalog, planned, 1, carried);
}

TEST(InPlaceAudit, AnHonestKernelIsMeasured) {
  for (std::uint64_t nonce = 0; nonce < 20; ++nonce)
    for (const CacheMode cache : {CacheMode::hot, CacheMode::cold, CacheMode::rotate}) {
      const ProcessResult result = measured<Honest>(nonce, cache);
      EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
    }
}

// Tensors hold what the last call of a batch has left, so one call alone can be checked.
TEST(InPlaceAudit, AnHonestKernelIsMeasuredInBatches) {
  for (std::uint64_t nonce = 0; nonce < 20; ++nonce)
    for (const CacheMode cache : {CacheMode::hot, CacheMode::cold, CacheMode::rotate}) {
      const ProcessResult result = measured<Honest>(nonce, cache, TimingMode::batch);
      ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
      EXPECT_EQ(result.timing, TimingMode::batch);
      EXPECT_LT(result.verification->after, 1e-6);
    }
}

class WorksInTheFirstCallOfABatch : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream) override {
    if (calls_of_batch++ <= 0) work();
  }
};

TEST(InPlaceAudit, AKernelThatWorksInTheFirstCallOfABatchAloneIsWrong) {
  for (std::uint64_t nonce = 0; nonce < 20; ++nonce) {
    const ProcessResult result =
        measured<WorksInTheFirstCallOfABatch>(nonce, CacheMode::hot, TimingMode::batch);
    ASSERT_EQ(result.outcome, Outcome::incorrect) << nonce;
    EXPECT_EQ(result.reason->count("audited"), 1);
  }
}

// It works in the first calls of a process, and in none after them.
class WorksInTheFirstCalls : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream) override {
    if (calls_++ < 2) work();
  }

 private:
  int calls_ = 0;
};

TEST(InPlaceAudit, AKernelThatStoppedWorkingIsFoundInBatches) {
  const ProcessResult result = measured<WorksInTheFirstCalls>(1, CacheMode::hot, TimingMode::batch);
  ASSERT_EQ(result.outcome, Outcome::incorrect);
  EXPECT_EQ(result.reason->count("audited") + result.reason->count("after_timing"), 1);
}

// An audit writes values that no call has seen.
TEST(InPlaceAudit, AKernelThatKnowsTheFirstValuesIsWrong) {
  for (std::uint64_t nonce = 0; nonce < 20; ++nonce)
    for (const CacheMode cache : {CacheMode::hot, CacheMode::rotate}) {
      const ProcessResult result = measured<KnowsTheFirstValues>(nonce, cache);
      ASSERT_EQ(result.outcome, Outcome::incorrect) << nonce;
      EXPECT_EQ(result.reason->count("audited"), 1);
    }
}

TEST(InPlaceAudit, OtherInputsMayNotBeChanged) {
  const ProcessResult result = measured<MarksInputs>(1);
  ASSERT_EQ(result.outcome, Outcome::incorrect);
}

}  // namespace
}  // namespace harness

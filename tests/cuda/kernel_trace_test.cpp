// The pass that looks at kernels, against the stand-in for libcupti.
#include "harness/device/cuda/profiling/kernel_trace.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "stand_in.h"

namespace harness::cuda {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class KernelTrace : public StandIn {
 protected:
  Result<std::vector<KernelUse>> trace(std::function<void()> call, int calls = 3) {
    const TracedWork work{.call = std::move(call),
                          .before_call = [this]() -> Status {
                            execute("[memset]", 500);
                            return {};
                          },
                          .synchronize = [this]() -> Status {
                            ++waits_;
                            return {};
                          }};
    return trace_kernels(
        cupti_, work, calls, [](auto) {},
        [](const std::string& kernel) { return kernel == "_Z3addPfPKfi" ? "c0de" : ""; });
  }
  std::string refusal(std::function<void()> call) {
    const auto traced = trace(std::move(call));
    return traced ? "" : traced.error().message;
  }
  int waits_ = 0;
};

TEST_F(KernelTrace, GivesTheKernelsOfOneCallWithoutTheFlushBeforeIt) {
  int calls = 0;
  const auto uses = trace([&] {
    ++calls;
    execute("_Z3addPfPKfi", calls == 1 ? 9000 : 700);
    execute("gemm", 2000);
    execute("gemm", 2000);
  });
  ASSERT_TRUE(uses) << uses.error().text();
  EXPECT_EQ(calls, 4) << "one more, to warm up";
  ASSERT_EQ(uses->size(), 2u);
  EXPECT_EQ(uses->at(0).name, "add(float*, float const*, int)");
  EXPECT_EQ(uses->at(0).code, "c0de");
  EXPECT_DOUBLE_EQ(uses->at(0).us, 0.7) << "the call that warms up is not among them";
  EXPECT_EQ(uses->at(0).launches, 1);
  EXPECT_EQ(uses->at(1).launches, 2);
  EXPECT_EQ(uses->at(1).block, (std::array<std::int64_t, 3>{256, 1, 1}));
  expect_detached();
}

TEST_F(KernelTrace, OfALongCallTakesNoMoreRoundsThanItNeeds) {
  for (const auto& [milliseconds, expected] : {std::pair{300, 1}, {200, 2}, {100, 3}, {1, 4}}) {
    fake_->finalized = 0;
    int calls = 0;
    const auto uses = trace([&] {
      ++calls;
      execute("gemm", static_cast<std::uint64_t>(milliseconds) * 1'000'000);
    });
    ASSERT_TRUE(uses) << uses.error().text();
    EXPECT_EQ(calls, expected) << milliseconds;
    ASSERT_EQ(uses->size(), 1u);
    EXPECT_EQ(uses->at(0).launches, 1);
    EXPECT_DOUBLE_EQ(uses->at(0).us, milliseconds * 1e3);
    expect_detached();
  }
}

TEST_F(KernelTrace, SeesAFillThatTheCallItselfMakes) {
  const auto uses = trace([&] { execute("[memset]", 30); });
  ASSERT_TRUE(uses) << uses.error().text();
  ASSERT_EQ(uses->size(), 1u);
  EXPECT_DOUBLE_EQ(uses->at(0).us, 0.03);
}

TEST_F(KernelTrace, GivesNothingRatherThanAPartWhenRecordsWereDropped) {
  fake_->dropped = 2;
  EXPECT_THAT(refusal([&] { execute("gemm", 100); }), HasSubstr("2 of "));
  expect_detached();
}

TEST_F(KernelTrace, GivesNothingRatherThanAPartWhenItsBuffersAreFull) {
  EXPECT_THAT(refusal([&] {
                for (int i = 0; i < 60'000; ++i) execute("gemm", 1);
              }),
              HasSubstr("the profiler dropped "));
  expect_detached();
  fake_->finalized = 0;
  const auto again = trace([&] { execute("gemm", 100); });
  ASSERT_TRUE(again) << "the buffers are back: " << again.error().text();
  EXPECT_EQ(again->size(), 1u) << "and hold nothing of the time before";
}

TEST_F(KernelTrace, GivesNothingRatherThanAGuessWhenALaunchHasNoTime) {
  EXPECT_THAT(refusal([&] { execute("gemm", 100, false); }), HasSubstr("4 of 8"));
  expect_detached();
}

TEST_F(KernelTrace, OfACallWithoutKernelsIsEmpty) {
  const auto uses = trace([] {});
  ASSERT_TRUE(uses);
  EXPECT_THAT(*uses, IsEmpty());
}

TEST_F(KernelTrace, DetachesWhateverGoesWrong) {
  for (const char* function : {"ActivityRegisterCallbacks", "ActivityEnable", "ActivityFlushAll",
                               "GetTimestamp", "ActivityGetNextRecord", "EnableCallback"}) {
    *fake_ = FakeCupti{};
    fake_->failures[function] = CUPTI_ERROR_UNKNOWN;
    EXPECT_NE(refusal([&] { execute("gemm", 100); }), "") << function;
    expect_detached();
  }
}

TEST_F(KernelTrace, DetachesFromAnIdleDeviceWhenTheCallThrows) {
  EXPECT_THROW((void)trace([&]() -> void { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(waits_, 3) << "before it all, after the flush, and after the exception";
  expect_detached();
}

TEST_F(KernelTrace, IsRefusedWhileAnotherProfilerHoldsCupti) {
  fake_->holder = "Nsight Systems";
  int calls = 0;
  EXPECT_EQ(refusal([&] { ++calls; }), "`Nsight Systems` holds CUPTI in this process");
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace harness::cuda

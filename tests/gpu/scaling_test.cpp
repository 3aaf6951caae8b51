// Variants that use several GPUs, on as many as there are: right on each GPU, joined, timed, and placed. A
// test for more GPUs than this machine has is skipped and says so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "harness/device/open.h"
#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

using sdk::Params;
using sdk::Value;

Params sums_of(std::int64_t gpus, std::int64_t n) {
  return Params({{"gpus", Value{gpus}}, {"n", Value{n}}});
}

Params ring_of(const std::string& dtype, std::int64_t gpus, std::int64_t h, std::int64_t s, std::int64_t d) {
  return Params(
      {{"dtype", Value{dtype}}, {"gpus", Value{gpus}}, {"h", Value{h}}, {"s", Value{s}}, {"d", Value{d}}});
}

// The device with the parameter's number of GPUs.
class Scaling : public GpuTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    OpenOptions options;
    for (int gpu = 1; gpu < GetParam(); ++gpu) options.peers.push_back(fmt::format("cuda:{}", gpu));
    auto opened = open_device("cuda:0", options);
    if (!opened) GTEST_SKIP() << GetParam() << " GPUs are needed: " << opened.error().text();
    device_ = opened->device.release();  // never destroyed, as that of the lab
  }

  // Two calls on fresh poison; every output of both. False where the variant does not support the case.
  bool is_right(const std::string& workload, const std::string& variant, const Params& params,
                std::int64_t checked = 4096) {
    SCOPED_TRACE(workload + "/" + variant + "/" + params.text_id());
    trying(workload + "/" + variant + "/" + params.text_id());
    try {
      Bound bound(*device_, catalog(), workload, variant, params);
      const auto gpus = static_cast<std::size_t>(bound.problem().gpus);
      for (int call = 1; call <= 2; ++call) {
        bound.poison_outputs();
        const auto elapsed = device_->timer().time_first_call(bound.work());
        EXPECT_TRUE(elapsed) << elapsed.error().text();
        if (!elapsed) return true;
        for (std::size_t output = 0; output < gpus; ++output)
          EXPECT_LE(bound.error(checked, output), bound.problem().tolerance.relative)
              << "call " << call << ", GPU " << output;
      }
      return true;
    } catch (const sdk::Unsupported& reason) {
      std::printf("%s skips %s: %s\n", variant.c_str(), params.text_id().c_str(), reason.what());
      return false;
    }
  }

  Device* device_ = nullptr;
};

TEST_P(Scaling, AllReduceIsRight) {
  for (const std::int64_t n : {1024, 1000 * 32, 1 << 22, 1 << 24}) {
    EXPECT_TRUE(is_right("all_reduce", "direct", sums_of(GetParam(), n)));
    EXPECT_EQ(is_right("all_reduce", "pushed", sums_of(GetParam(), n)), GetParam() > 1);
    (void)is_right("all_reduce", "nccl", sums_of(GetParam(), n));  // which may not be installed
  }
}

TEST_P(Scaling, RingAttentionIsRight) {
  const sdk::DeviceTraits& traits = device_->traits();
  for (const char* variant : {"pulled", "pulled_serial", "gathered"}) {
    bool any = is_right("ring_attention", variant, ring_of("bf16", GetParam(), 2, 1024, 128));
    any = is_right("ring_attention", variant, ring_of("f16", GetParam(), 3, 4 * 333, 64)) || any;
    any = is_right("ring_attention", variant, ring_of("bf16", GetParam(), 1, 16384, 128), 64) || any;
    EXPECT_TRUE(any || traits.compute_major != 9) << variant;
  }
}

// Many calls one after the other, each of which must find the last one's copies and kernels done on all GPUs.
TEST_P(Scaling, CallsFollowEachOther) {
  for (const char* variant : {"direct", "pushed", "nccl"}) {
    try {
      Bound bound(*device_, catalog(), "all_reduce", variant, sums_of(GetParam(), 1 << 24));
      bound.poison_outputs();
      for (int call = 0; call < 50; ++call) device_->timer().queue(bound.work());
      ASSERT_TRUE(device_->timer().synchronize());
      for (std::size_t output = 0; output < static_cast<std::size_t>(GetParam()); ++output)
        EXPECT_LE(bound.error(4096, output), 1e-6) << variant;
      EXPECT_GT(bound.median({.cache = CacheMode::hot}), 0) << variant;
      EXPECT_GT(bound.median({.cache = CacheMode::cold}, 10), 0) << variant;
    } catch (const sdk::Unsupported& reason) {
      std::printf("%s: %s\n", variant, reason.what());
    }
  }
}

// Flags tell a running kernel what has arrived. It must not take what the call before left for that, so what
// other GPUs send changes between calls. Many heads of few keys: a kernel needs the keys of others before
// they can have come.
TEST_P(Scaling, ACallTakesNothingOfTheOneBefore) {
  const auto gpus = static_cast<std::size_t>(GetParam());
  const Params ring = ring_of("bf16", GetParam(), 132, 128 * GetParam(), 128);
  for (const auto& [workload, variant, params] :
       {std::tuple{"all_reduce", "pushed", sums_of(GetParam(), 1 << 22)},
        {"all_reduce", "direct", sums_of(GetParam(), 1 << 22)},
        {"ring_attention", "pulled", ring},
        {"ring_attention", "gathered", ring}}) {
    try {
      Bound bound(*device_, catalog(), workload, variant, params);
      const std::size_t changing =
          (gpus - 1) * (std::string(workload) == "all_reduce" ? 1 : 3) +
          (std::string(workload) == "all_reduce" ? 0 : 2);  // the values of the last GPU
      for (int call = 1; call <= 4; ++call) {
        bound.negate_input(changing);
        bound.poison_outputs();
        const auto elapsed = device_->timer().time_first_call(bound.work());
        ASSERT_TRUE(elapsed) << elapsed.error().text();
        for (std::size_t output = 0; output < gpus; ++output)
          EXPECT_LE(bound.error(1024, output), bound.problem().tolerance.relative)
              << variant << ", call " << call << ", GPU " << output;
      }
    } catch (const sdk::Unsupported& reason) {
      std::printf("%s: %s\n", variant, reason.what());
    }
  }
}

// Short calls are recorded in a graph, unless a variant cannot be.
TEST_P(Scaling, ShortCallsAreMeasured) {
  for (const auto& [workload, variant, params] :
       {std::tuple{"all_reduce", "direct", sums_of(GetParam(), 1 << 16)},
        {"all_reduce", "pushed", sums_of(GetParam(), 1 << 16)},
        {"ring_attention", "gathered", ring_of("bf16", GetParam(), 1, 128 * GetParam(), 64)}}) {
    PlannedCase planned;
    planned.workload = workload;
    planned.variant = variant;
    planned.device = "cuda";
    planned.params = params;
    planned.id = fmt::format("{}/{}/{}", workload, variant, params.text_id());
    planned.gpus = GetParam();
    planned.sampling.placements = 2;
    planned.sampling.samples = 10;
    const ProcessResult result = measure_case(*device_, catalog(), planned, 1);
    if (result.outcome != Outcome::skipped) expect_measured(result, planned.id);
  }
}

// The slowest GPU decides: what a call leaves on a peer is in its time.
TEST_P(Scaling, ACallWaitsForItsPeers) {
  if (GetParam() < 2) GTEST_SKIP() << "there is no peer";
  const Bound own(*device_, catalog(), "all_reduce", "direct", sums_of(GetParam(), 1 << 26));
  const auto all = device_->timer().time(own.work(), {.cache = CacheMode::hot});
  ASSERT_TRUE(all) << all.error().text();
  const auto link = device_->sensors().measure_link();
  ASSERT_TRUE(link) << link.error().text();
  const double least = own.problem().work.link_bytes / *link;
  EXPECT_GT(all->elapsed, 0.7 * least) << "faster than the link";
}

TEST_P(Scaling, TheLinkHasACeilingWherePeersAre) {
  const auto link = device_->sensors().measure_link();
  ASSERT_TRUE(link) << link.error().text();
  if (GetParam() == 1)
    EXPECT_EQ(*link, 0);
  else
    EXPECT_GT(*link, 1e9);
}

// Pieces of 16 MiB are staged in memory of the GPU that they belong to.
TEST_P(Scaling, LargeBuffersOfEachGpuComeBackAsTheyWere) {
  std::mt19937_64 random(7);
  std::vector<std::byte> sent((std::size_t{40} << 20) + 3);
  for (std::byte& byte : sent) byte = static_cast<std::byte>(random());
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (int gpu = 0; gpu < GetParam(); ++gpu) {
    auto buffer = device_->memory().allocate_on(gpu, sent.size());
    ASSERT_TRUE(buffer) << buffer.error().text();
    sent.front() = static_cast<std::byte>(gpu);
    ASSERT_TRUE(device_->memory().upload(**buffer, sent));
    buffers.push_back(std::move(*buffer));
  }
  for (int gpu = GetParam(); gpu-- > 0;) {
    std::vector<std::byte> received(sent.size());
    ASSERT_TRUE(device_->memory().download(received, *buffers[static_cast<std::size_t>(gpu)]));
    sent.front() = static_cast<std::byte>(gpu);
    EXPECT_TRUE(received == sent) << gpu;
  }
}

// As a worker measures it: placements, checks, audits, and a look at the kernels.
TEST_P(Scaling, CasesAreMeasured) {
  for (const auto& [workload, variant, params] :
       {std::tuple{"all_reduce", "direct", sums_of(GetParam(), 1 << 20)},
        {"all_reduce", "pushed", sums_of(GetParam(), 1 << 20)},
        {"all_reduce", "nccl", sums_of(GetParam(), 1 << 20)},
        {"ring_attention", "pulled", ring_of("bf16", GetParam(), 1, 8192, 128)},
        {"ring_attention", "gathered", ring_of("bf16", GetParam(), 1, 8192, 128)}}) {
    PlannedCase planned;
    planned.workload = workload;
    planned.variant = variant;
    planned.device = "cuda";
    planned.params = params;
    planned.id = fmt::format("{}/{}/{}", workload, variant, params.text_id());
    planned.gpus = GetParam();
    planned.sampling.placements = 2;
    planned.sampling.samples = 10;
    planned.sampling.timing = TimingMode::events;
    const ProcessResult result = measure_case(*device_, catalog(), planned, 1);
    if (result.outcome == Outcome::skipped) continue;  // not on this GPU
    expect_measured(result, planned.id);
    if (GetParam() > 1) {
      ASSERT_TRUE(result.identity);
      EXPECT_EQ(result.identity->gap->code, CauseCode::several_gpus);
    }
  }
}

TEST_P(Scaling, ACaseOfMoreGpusThanTheWorkerOwnsIsSkipped) {
  PlannedCase planned;
  planned.workload = "all_reduce";
  planned.variant = "direct";
  planned.device = "cuda";
  planned.params = sums_of(GetParam() + 1, 1024);
  planned.id = "all_reduce/direct/more";
  planned.gpus = GetParam() + 1;
  const ProcessResult result = measure_case(*device_, catalog(), planned, 1);
  EXPECT_EQ(result.outcome, Outcome::skipped);
  ASSERT_TRUE(result.reason);
  EXPECT_EQ(result.reason->code, CauseCode::too_few_gpus);
}

INSTANTIATE_TEST_SUITE_P(Gpus, Scaling, testing::Values(1, 2, 4),
                         [](const auto& one) { return std::to_string(one.param); });

}  // namespace
}  // namespace harness::gpu

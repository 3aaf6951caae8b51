// The identity of calls on a GPU, as worker processes find it: each look is a process of its own, whose
// memory lies elsewhere.
#include <gmock/gmock.h>

#include <map>

#include "harness/base/process.h"
#include "harness/measure/schedule/run.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t elements = 1 << 16;

class Identities : public GpuTest {
 protected:
  using Looked = std::map<std::string, ProcessResult>;  // by variant

  static Looked look(const std::vector<std::string>& variants, std::int64_t n = elements) {
    Plan plan;
    plan.modules = {probe_module().string()};
    for (const std::string& variant : variants) plan.cases.push_back(planned_probe(variant, n));
    Looked looked;
    RunOptions options;
    options.look = true;
    options.worker_command = {(this_program().parent_path() / "harness").string(), "worker"};
    options.on_result = [&](EncodedResult one) -> Status {
      for (const PlannedCase& planned : plan.cases)
        if (planned.id == one.result.case_id) looked[planned.variant] = std::move(one.result);
      return {};
    };
    const auto report = run_plan(plan, options);
    EXPECT_TRUE(report) << report.error().text();
    return looked;
  }
  static std::string digest(const Looked& looked, const std::string& variant) {
    const ProcessResult& one = looked.at(variant);
    EXPECT_EQ(one.outcome, Outcome::looked_at) << variant << ": " << one.reason;
    if (!one.identity) return "none";
    if (one.identity->gap) ADD_FAILURE() << variant << ": " << *one.identity->gap;
    return one.identity->digest;
  }
};

TEST_F(Identities, AreTheSameInTwoProcesses) {
  const std::vector<std::string> variants{"copy", "elsewhere", "partly_by_default", "waits", "allocates"};
  std::vector<std::string> backwards(variants.rbegin(), variants.rend());
  const Looked first = look(variants), second = look(backwards);
  for (const std::string& variant : variants) {
    EXPECT_NE(digest(first, variant), "");
    EXPECT_EQ(digest(first, variant), digest(second, variant)) << variant;
  }
}

TEST_F(Identities, DifferWithKernelStreamOrderAndSize) {
  const std::vector<std::string> variants{"copy",  "by_default", "elsewhere", "partly_by_default",
                                          "waits", "lazy",       "lazy_too",  "allocates"};
  const Looked looked = look(variants);
  std::map<std::string, std::string> seen;
  for (const std::string& variant : variants) {
    const auto [other, is_new] = seen.emplace(digest(looked, variant), variant);
    EXPECT_TRUE(is_new) << variant << " and " << other->second;
  }
  EXPECT_NE(digest(look({"copy"}, 2 * elements), "copy"), digest(looked, "copy"));
}

TEST_F(Identities, ComeWithTheKernels) {
  const Looked looked = look({"copy"});
  const std::vector<KernelUse>& kernels = looked.at("copy").kernels;
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].launches, 1);
  EXPECT_NE(kernels[0].code, "");
}

TEST_F(Identities, AreUnknownWhereACallIsNotFollowed) {
  const Looked looked = look({"persists"});
  ASSERT_TRUE(looked.at("persists").identity);
  EXPECT_THAT(looked.at("persists").identity->digest, IsEmpty());
  ASSERT_TRUE(looked.at("persists").identity->gap);
  EXPECT_THAT(looked.at("persists").identity->gap->text("call"), HasSubstr("cuStreamSetAttribute"));
}

// Reading the arguments of a launch leaves the capture alone that it is part of, and the graph is known by
// them.
TEST_F(Identities, LeaveACaptureInBindAlone) {
  const Looked first = look({"captured", "copy"});
  const Looked second = look({"captured"});
  EXPECT_EQ(first.at("captured").outcome, Outcome::looked_at) << first.at("captured").reason;
  EXPECT_EQ(first.at("captured").kernels.size(), 1U);
  EXPECT_NE(digest(first, "captured"), "");
  EXPECT_EQ(digest(first, "captured"), digest(second, "captured"));
  EXPECT_NE(digest(first, "captured"), digest(first, "copy"));
  EXPECT_NE(digest(look({"captured"}, 2 * elements), "captured"), digest(first, "captured"));
}

}  // namespace
}  // namespace harness::gpu

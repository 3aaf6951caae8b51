// Proof by build: it holds where launches cannot be read and both sides are of one build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digests.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/judge_pair.h"

namespace harness {
namespace {

using testing::SizeIs;

// The side of a case that nobody ran, because a record of its build stands for it.
CaseRecord taken_over(const std::string& digest) {
  CaseRecord record = looked(digest);
  record.processes.front().identity->same_build = "r0";
  return record;
}

// Two records of one build.
class ByBuild : public testing::Test {
 protected:
  ByBuild() { before_.finished = "2026-11-27T08:00:00Z"; }

  ComparisonRow row() {
    before_.build = before_build_;
    after_.build = after_build_;
    return only_row(compare(before_, after_, {}));
  }
  [[nodiscard]] CaseRecord& before() { return before_.cases.front(); }
  [[nodiscard]] CaseRecord& after() { return after_.cases.front(); }
  // Whether the row lacks a proof of either kind, and fails.
  bool is_unproven() {
    const ComparisonRow found = row();
    return !found.proven && !found.by_build && found.verdict == Verdict::missing;
  }

  // The proven case, if its launch_time has to be measured all the same.
  std::set<std::string> gated_launch_time() {
    PlannedCase planned;
    planned.id = after().id;
    planned.device = after().device;
    planned.metrics = {"launch_time"};
    Plan plan;
    plan.cases.push_back(planned);
    return gated_beyond_proof(proofs_of(before_, after_), before_, after_, plan);
  }

  BuildParts before_build_{{"environment", "image 1"}, {"program", "p1"}}, after_build_ = before_build_;
  Record before_ = record_of({measured(about(20), "")}), after_ = record_of({taken_over("")});
};

TEST_F(ByBuild, ACaseIsProvenThoughItsLaunchesCannotBeRead) {
  const ComparisonRow found = row();
  EXPECT_EQ(found.verdict, Verdict::identical);
  EXPECT_TRUE(found.proven && found.by_build);
  EXPECT_EQ(found.reason.code, ReasonCode::same_build);
  EXPECT_EQ(found.unproven->why.code, ProofGapCode::unreadable);
  const Proofs proofs = proofs_of(before_, after_);
  EXPECT_THAT(proofs.proven, testing::ElementsAre("c"));
  EXPECT_THAT(proofs.by_build, testing::ElementsAre("c"));
  EXPECT_THAT(proofs.gaps, testing::IsEmpty());
}

TEST_F(ByBuild, ALookThatWasTakenOverProvesToo) {
  before() = taken_over("");
  EXPECT_EQ(row().verdict, Verdict::identical);
}

TEST_F(ByBuild, EqualLaunchesAreTheBetterProof) {
  before() = measured(about(20), "a");
  after() = taken_over("a");
  EXPECT_EQ(row().reason.code, ReasonCode::proven);
  EXPECT_FALSE(row().by_build);
  EXPECT_THAT(proofs_of(before_, after_).by_build, testing::IsEmpty());
  EXPECT_THAT(proofs_of(before_, after_).of_one_build, testing::ElementsAre("c"));
}

TEST_F(ByBuild, NeedsOneBuildThatIsKnown) {
  after_build_["environment"] = "image 2";
  EXPECT_TRUE(is_unproven());
  after_build_.clear();
  EXPECT_TRUE(is_unproven());
  before_build_.clear();
  EXPECT_TRUE(is_unproven()) << "both are unknown";
}

TEST_F(ByBuild, ThePoolTellsTheBuildOfEachCase) {
  before().build = BuildParts{{"environment", "image 0"}};
  EXPECT_TRUE(is_unproven()) << "the case comes from another record than the header";
  before().build = after_build_;
  before_build_.clear();
  EXPECT_EQ(row().verdict, Verdict::identical);
}

TEST_F(ByBuild, KnownLaunchesThatDifferAreNotHidden) {
  before() = measured(about(20), "a");
  after() = taken_over("b");
  EXPECT_TRUE(is_unproven());
  EXPECT_EQ(row().unproven->why.code, ProofGapCode::other_launches);
}

TEST_F(ByBuild, ProcessesThatDifferAreToldBesideTheProof) {
  before() = with_digest(measured(about(20), "a"), "b", 2);
  EXPECT_EQ(row().verdict, Verdict::identical);
  EXPECT_EQ(row().unproven->why.code, ProofGapCode::disagree);
}

TEST_F(ByBuild, ALookThatSomebodyTookProvesNothing) {
  after() = looked("");
  EXPECT_TRUE(is_unproven());
}

TEST_F(ByBuild, SamplesDecideWhereBothSidesWereMeasured) {
  after() = measured(about(30), "");
  after().processes.front().identity->same_build = "r0";
  EXPECT_EQ(row().verdict, Verdict::regressed);
}

TEST_F(ByBuild, NeedsARightAndFinishedBaseline) {
  before_.finished.clear();
  EXPECT_TRUE(is_unproven());
  before_.finished = "2026-11-27T08:00:00Z";
  before().outcome = Outcome::incorrect;
  EXPECT_TRUE(is_unproven());
  EXPECT_FALSE(proven_by_build(ProofGap{{ProofGapCode::unreadable}}, before_, before(), after_, after()));
}

TEST_F(ByBuild, NeedsTheSameMachineInTheSameState) {
  after_.machines["cuda"].ceilings["copy_bytes_per_s"] = 4e12;  // measured anew in each run
  EXPECT_EQ(row().verdict, Verdict::identical);
  after_.machines["cuda"].fields.back().value = "docker";  // it only informs
  EXPECT_TRUE(is_unproven());
  after_.machines["cuda"] = before_.machines["cuda"];
  after_.machines["cuda"].device_uuid = "GPU-2";
  EXPECT_TRUE(is_unproven());
}

TEST_F(ByBuild, NeedsTheSameParametersAndSampling) {
  const CaseRecord same = after();
  after().sampling.processes = 7;  // each does the same
  EXPECT_EQ(row().verdict, Verdict::identical);
  after().sampling.seed = 7;
  EXPECT_TRUE(is_unproven());
  after() = same;
  after().sampling.warmup += 1;
  EXPECT_TRUE(is_unproven());
  after() = same;
  after().params.set("n", sdk::Value{std::int64_t{64}});
  EXPECT_TRUE(is_unproven());
  after() = same;
  after().gpus = 2;
  EXPECT_TRUE(is_unproven());
}

TEST_F(ByBuild, AProgramIsNotProven) {
  before().program = after().program = Program{};
  EXPECT_TRUE(is_unproven());
}

// The code of the host is of the same build, too. So its times are as identical as those of the device.
TEST_F(ByBuild, CoversTimesOfTheHost) {
  for (const std::string digest : {"", "a"}) {
    before() = gated(measured(about(20), digest), "launch_time");
    before().series.push_back(series_at(about(3), "launch_time"));
    after() = taken_over(digest);
    before_.build = after_.build = before_build_;
    const Comparison comparison = compare(before_, after_, {});
    ASSERT_THAT(comparison.rows, SizeIs(2));
    for (const ComparisonRow& one : comparison.rows) {
      EXPECT_EQ(one.verdict, Verdict::identical) << one.metric;
      EXPECT_EQ(one.by_build, digest.empty() || one.metric == "launch_time");
    }
    EXPECT_THAT(comparison.remarks, testing::IsEmpty()) << "no metric is left out";
    EXPECT_THAT(gated_launch_time(), testing::IsEmpty());
    after_.build["program"] = "p2";
    EXPECT_NE(exit_code(compare(before_, after_, {})), 0);
    EXPECT_EQ(gated_launch_time().contains("c"), !digest.empty());
  }
}

TEST_F(ByBuild, AGatedMetricThatTheBaselineLacksNeedsSamples) {
  before() = gated(measured(about(20), "a"), "launch_time");
  after() = taken_over("a");
  before_.build = after_.build = before_build_;
  EXPECT_TRUE(gated_launch_time().contains("c"));
  before().outcome = Outcome::looked_at;
  EXPECT_THAT(gated_launch_time(), testing::IsEmpty()) << "a look measures none";
}

TEST_F(ByBuild, AMetricThatTheRecordToldIsIdentical) {
  before() = gated(before(), "loss");
  before().series.push_back(series_at({0.5, 0.6, 0.4, 0.5, 0.5}, "loss", "nats"));
  before_.build = after_.build = before_build_;
  for (const double loss : {0.5, 0.7}) {
    after_.cases = {telling(taken_over(""), loss)};
    const Comparison comparison = compare(before_, after_, {});
    ASSERT_THAT(comparison.rows, SizeIs(2));
    EXPECT_EQ(exit_code(comparison) == 0, loss == 0.5);
    EXPECT_EQ(comparison.rows[1].by_build, true);
  }
}

}  // namespace
}  // namespace harness

// The cases of a campaign as earlier records know them.
#include "harness/cli/farm/known_cases.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/store/store.h"

namespace harness {
namespace {

using testing::IsEmpty;

class KnownCasesOfAStore : public testing::Test {
 protected:
  KnownCasesOfAStore() {
    plan_.suite.name = "demo";
    for (const char* id : {"a", "b"}) {
      PlannedCase& planned = plan_.cases.emplace_back();
      planned.id = id;
      planned.device = "cuda";
    }
    store_ = std::move(*Store::open((folder_.path() / "r.db").string()));
  }

  // A record of one case, whose processes had these phases and times.
  Record record(const std::string& id, const std::string& started, std::size_t place,
                const std::vector<std::vector<Phase>>& phases, const std::vector<double>& times) {
    Record record;
    record.id = id;
    record.suite = plan_.suite;
    record.started = record.finished = started;
    CaseRecord one = planned_record(plan_.cases.at(place));
    for (std::size_t i = 0; i < phases.size(); ++i) {
      ProcessResult result;
      result.case_id = one.id;
      result.process = static_cast<int>(i) + 1;
      result.outcome = Outcome::measured;
      result.phases = phases[i];
      if (i < times.size()) {
        Series series{"gpu_time", "us"};
        series.processes = {{result.process, {Placement{{times[i]}}}}};
        result.series = {series};
      }
      add_result(one, result);
    }
    record.cases = {one};
    return record;
  }
  void put(const Record& record) { EXPECT_TRUE(store_->put_record(record)); }
  KnownCases known() { return known_cases(*store_, plan_).value(); }

  TemporaryFolder folder_;
  Plan plan_;
  std::unique_ptr<Store> store_;
};

const std::vector<Phase> two_seconds{{"process_start", 8}, {"load", 16}, {"inputs", 0.5}, {"sampling", 1.5}};
const std::vector<Phase> four_seconds{{"sampling", 4}};

TEST_F(KnownCasesOfAStore, CostAProcessWithoutWhatItStartsAndLoadsOnce) {
  put(record("r1", "2026-11-01T00:00:00Z", 0, {two_seconds, four_seconds}, {100, 110}));
  const KnownCases all = known();
  ASSERT_EQ(all.size(), 1u);
  const KnownCase& one = all.at("a");
  EXPECT_DOUBLE_EQ(one.cost.value(), 3);
  EXPECT_NEAR(one.sd.value(), std::log(1.1) / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(one.measured, "2026-11-01T00:00:00Z");
}

TEST_F(KnownCasesOfAStore, CostHalfOfAProcessThatMeasuredTwoBuilds) {
  Record both = record("r1", "2026-11-01T00:00:00Z", 0, {four_seconds}, {100});
  both.pairing = Pairing{"pair", Pairing::Kind::process};
  put(both);
  EXPECT_DOUBLE_EQ(known().at("a").cost.value(), 2);
  EXPECT_FALSE(known().at("a").sd) << "one process";
}

TEST_F(KnownCasesOfAStore, AreOfTheNewestRecordThatMeasuredThem) {
  put(record("old", "2026-11-01T00:00:00Z", 0, {four_seconds}, {100}));
  put(record("new", "2026-11-02T00:00:00Z", 0, {two_seconds}, {100}));
  put(record("newest", "2026-11-03T00:00:00Z", 1, {four_seconds}, {100}));
  EXPECT_DOUBLE_EQ(known().at("a").cost.value(), 2);
  EXPECT_DOUBLE_EQ(known().at("b").cost.value(), 4);
}

TEST_F(KnownCasesOfAStore, AreNoneWhereNothingWasMeasured) {
  EXPECT_THAT(known(), IsEmpty());
  put(record("r1", "2026-11-01T00:00:00Z", 0, {}, {}));
  EXPECT_THAT(known(), IsEmpty());
}

}  // namespace
}  // namespace harness

// Hardware counters: names and passes from CUPTI's own library, which needs no GPU for that, and the
// collection against its stand-in.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "harness/device/cuda/profiling/counter_session.h"
#include "stand_in.h"

namespace harness::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- The toolkit's library ---

class RealLibrary : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("HARNESS_CUPTI");
    auto loaded = load_cupti();
    if (!loaded) GTEST_SKIP() << loaded.error().text();
    cupti_ = *loaded;
  }
  int passes(const std::vector<std::string>& names) {
    auto host = CounterHost::open(cupti_, "GH100");
    if (!host) return ADD_FAILURE() << host.error().text(), 0;
    auto configuration = host->configure(names);
    if (!configuration) return ADD_FAILURE() << configuration.error().text(), 0;
    return host->passes(*configuration).value_or(0);
  }
  Cupti cupti_;
};

TEST_F(RealLibrary, TellsHowManyReplaysCountersOfAChipTakeTogether) {
  EXPECT_EQ(passes({"dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum"}), 1);
  EXPECT_GT(passes({"sm__throughput.avg.pct_of_peak_sustained_elapsed"}), 1);
}

TEST_F(RealLibrary, KnowsTheNamesOfAChipAndTheNearestToAMisspeltOne) {
  auto host = CounterHost::open(cupti_, "GH100");
  ASSERT_TRUE(host) << host.error().text();
  EXPECT_TRUE(host->unknown({"dram__bytes_read.sum", "lts__t_sector_hit_rate.pct"}).empty());
  const auto nearest = [&](const std::string& name) {
    const std::vector<UnknownCounter> unknown = host->unknown({name});
    return unknown.empty() ? "" : unknown.front().nearest;
  };
  EXPECT_EQ(nearest("dram__bytes_raed.sum"), "dram__bytes_read.sum");
  EXPECT_EQ(nearest("dram__bytes_read.smu"), "dram__bytes_read.sum");
  EXPECT_EQ(nearest("dram__bytes_read"), "dram__bytes_read.sum");
  EXPECT_EQ(nearest("lts__t_sector_hit_rate.sum"), "lts__t_sector_hit_rate.pct");
  EXPECT_EQ(nearest("nonsense.at.all"), "");
  EXPECT_EQ(host->unit("dram__bytes_read.sum"), "bytes");
  EXPECT_EQ(host->unit("lts__t_sector_hit_rate.pct"), "%");
  EXPECT_EQ(host->unit("gpu__time_duration.sum"), "ns");
}

TEST_F(RealLibrary, RefusesAChipThatItDoesNotKnow) {
  const auto host = CounterHost::open(cupti_, "GX9000");
  ASSERT_FALSE(host);
  EXPECT_THAT(host.error().message, HasSubstr("`GX9000`"));
  EXPECT_THAT(host.error().advice, HasSubstr("GH100"));
}

// --- The stand-in ---

class Counters : public StandIn {
 protected:
  Result<std::vector<CounterValue>> read(const std::vector<std::string>& names) {
    const TracedWork work{.call =
                              [this] {
                                ++calls_;
                                outside_ += fake_->in_range ? 0 : 1;
                              },
                          .before_call = [this]() -> Status {
                            ++flushes_;
                            outside_ += fake_->in_range ? 1 : 0;
                            return {};
                          },
                          .synchronize = [this]() -> Status {
                            if (lost_) return fail(ErrorKind::environment, "lost");
                            return {};
                          }};
    return read_counters(cupti_, nullptr, 0, work, names);
  }
  std::vector<std::string> reasons(const std::vector<std::string>& names) {
    std::vector<std::string> all;
    const auto values = read(names);
    if (!values) return {values.error().message};
    for (const CounterValue& one : *values) {
      EXPECT_FALSE(one.value) << one.name;
      all.push_back(one.missing ? one.missing->text("problem") : "");
    }
    return all;
  }
  int calls_ = 0;
  int flushes_ = 0;
  int outside_ = 0;  // calls outside of the range, and flushes inside
  bool lost_ = false;
};

TEST_F(Counters, AreReadByReplayingTheCallAsOftenAsTheyTake) {
  fake_->passes = 3;
  fake_->counters = {{"dram__bytes_read.sum", 4096}, {"lts__t_sector_hit_rate.pct", 12.5}};
  const auto values = read({"lts__t_sector_hit_rate.pct", "dram__bytes_read.sum"});
  ASSERT_TRUE(values) << values.error().text();
  ASSERT_EQ(values->size(), 2u);
  EXPECT_EQ(values->at(0).name, "lts__t_sector_hit_rate.pct");
  EXPECT_EQ(values->at(0).value, 12.5);
  EXPECT_EQ(values->at(0).unit, "%");
  EXPECT_EQ(values->at(1).value, 4096);
  EXPECT_EQ(values->at(1).unit, "bytes");
  EXPECT_EQ(calls_, 3);
  EXPECT_EQ(flushes_, 3);
  EXPECT_EQ(outside_, 0);
  expect_detached();
}

TEST_F(Counters, ThatAreUnknownOrNoNumberAreMissingAndTheOthersStandWhereTheyStood) {
  fake_->counters = {{"dram__bytes_read.sum", 1},
                     {"sm__cycles_elapsed.max", std::numeric_limits<double>::quiet_NaN()},
                     {"dram__bytes_write.sum", 3}};
  const auto values = read(
      {"dram__bytes_raed.sum", "dram__bytes_read.sum", "sm__cycles_elapsed.max", "dram__bytes_write.sum"});
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_EQ(values->at(0).value, std::nullopt);
  EXPECT_EQ(values->at(0).missing,
            (CounterFact{CounterCode::unknown_counter, {{"nearest", "dram__bytes_read.sum"}}}));
  EXPECT_EQ(values->at(1).value, 1);
  EXPECT_EQ(values->at(2).missing, CounterFact{CounterCode::not_finite});
  EXPECT_EQ(values->at(3).value, 3);
}

TEST_F(Counters, ThatAreForAdministratorsAreMissingWithThatReason) {
  for (const char* function : {"ProfilerGetCounterAvailability", "RangeProfilerEnable"}) {
    *fake_ = FakeCupti{};
    fake_->failures[function] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    EXPECT_THAT(reasons({"dram__bytes_read.sum", "sm__cycles_elapsed.max"}),
                testing::Each(testing::AllOf(HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"),
                                             HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"))));
    expect_detached();
  }
}

TEST_F(Counters, OfARangeThatWasNotMeasuredWholeAreMissing) {
  fake_->dropped_ranges = 1;
  EXPECT_THAT(reasons({"dram__bytes_read.sum"}), ElementsAre(HasSubstr("dropped the range")));
  *fake_ = FakeCupti{};
  fake_->ranges = 2;
  EXPECT_THAT(reasons({"dram__bytes_read.sum"}), ElementsAre(HasSubstr("2 ranges")));
  expect_detached();
}

TEST_F(Counters, ThatNeverGetEnoughReplaysAreMissing) {
  fake_->passes = 1'000'000;
  EXPECT_THAT(reasons({"dram__bytes_read.sum"}), ElementsAre(HasSubstr("1000")));
  expect_detached();
}

TEST_F(Counters, WhileAnotherProfilerHoldsCuptiNameIt) {
  fake_->holder = "Nsight Compute";
  EXPECT_THAT(reasons({"dram__bytes_read.sum"}), ElementsAre(HasSubstr("`Nsight Compute`")));
  EXPECT_EQ(calls_, 0);
}

TEST_F(Counters, OfALostDeviceAreAnError) {
  lost_ = true;
  EXPECT_FALSE(read({"dram__bytes_read.sum"}));
}

}  // namespace
}  // namespace harness::cuda

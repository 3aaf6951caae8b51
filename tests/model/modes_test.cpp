#include "harness/model/sampling_modes.h"

#include <gmock/gmock.h>

#include "harness/model/codec.h"
#include "harness/model/record.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Modes, AreReadByTheNamesThatTheyAreWrittenBy) {
  for (const CacheMode mode : {CacheMode::cold, CacheMode::hot, CacheMode::rotate})
    EXPECT_EQ(parse_name<CacheMode>(name_of(mode)), mode);
  for (const TimingMode mode : {TimingMode::events, TimingMode::batch})
    EXPECT_EQ(parse_name<TimingMode>(name_of(mode)), mode);
  EXPECT_FALSE(parse_name<CacheMode>("tepid"));
  EXPECT_FALSE(parse_name<TimingMode>("cold"));
}

TEST(Modes, AsAxesAreNoParametersOfTheWorkload) {
  sdk::Params params;
  params.set("n", std::int64_t{4});
  params.set("cache", std::string("hot"));
  params.set("timing", std::string("batch"));
  sdk::ParamSpec n, cache;
  n.name = "n";
  cache.name = "cache";
  EXPECT_EQ(workload_params(params, std::vector{n}).text_id(), "n=4");
  EXPECT_EQ(workload_params(params, std::vector{n, cache}).text_id(), "n=4/cache=hot")
      << "a parameter of the workload by that name is its own";
}

CaseRecord case_with(const Sampling& sampling) {
  CaseRecord one;
  one.id = "w/v";
  one.sampling = sampling;
  return one;
}

TEST(Modes, GoThroughARecordAndBack) {
  Sampling sampling;
  sampling.cache = CacheMode::rotate;
  sampling.timing = TimingMode::batch;
  sampling.batch_nodes = {100, 400};
  const std::string text = encode_case(case_with(sampling));
  const Result<CaseRecord> back = decode_case(text, "t");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->sampling, sampling);
  EXPECT_EQ(encode_case(*back), text);
}

// Records from before there was a choice were timed by events and without pauses, whatever is usual today.
TEST(Modes, OfOldLeaveNoTraceInARecord) {
  Sampling old;
  old.timing = TimingMode::events;
  old.power = PowerMode::sustained;
  const std::string text = encode_case(case_with(old));
  for (const char* name : {"timing", "batch_nodes", "power"}) EXPECT_THAT(text, Not(HasSubstr(name)));
  const Result<CaseRecord> back = decode_case(text, "t");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->sampling, old);
}

TEST(Modes, OfTodayAreSaidInARecord) {
  EXPECT_EQ(Sampling{}.timing, TimingMode::automatic);
  EXPECT_EQ(Sampling{}.power, PowerMode::boost);
  const std::string text = encode_case(case_with({}));
  const Result<CaseRecord> back = decode_case(text, "t");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->sampling, Sampling{});
}

TEST(Modes, AControlOfBeforePairsWereTimedHasNone) {
  ProcessResult result;
  result.case_id = "w/v";
  result.control = Control{2.69, 0.5};
  const std::string text = encode(result);
  EXPECT_THAT(text, Not(HasSubstr("pair")));
  const Result<ProcessResult> back = decode_process_result(text, "t");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->control, result.control);
}

TEST(Modes, WhatTheInstrumentReadGoesThroughAResultAndBack) {
  ProcessResult result;
  result.case_id = "w/v";
  result.process = 2;
  result.control = Control{2.69, 0.5, 1.25};
  result.batching = Batching{{100, 200, 400}, 3.5, 0.001};
  result.input_sets = 81;
  result.multiplies = sdk::DType::i8;
  const std::string text = encode(result);
  const Result<ProcessResult> back = decode_process_result(text, "t");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, result);
  ProcessResult without;
  without.case_id = "w/v";
  const Result<ProcessResult> plain = decode_process_result(encode(without), "t");
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_FALSE(plain->control || plain->batching);
  EXPECT_EQ(plain->input_sets, 1);
  EXPECT_FALSE(plain->multiplies);
}

}  // namespace
}  // namespace harness

// Every struct of a record and a plan: its list names every member, and every field survives writing and
// reading.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../schema/filled.h"
#include "../schema/member_count.h"
#include "harness/base/files.h"
#include "harness/model/codec.h"
#include "harness/model/pin/figures.h"
#include "harness/model/pin/pin_codec.h"
#include "harness/model/record_fields.h"
#include "harness/model/results/comparison_fields.h"

namespace harness {
namespace {

using testing::IsEmpty;

template <class... Structs>
constexpr bool each_lists_every_member() {
  return (lists_every_member<Structs>() && ...);
}

static_assert(each_lists_every_member<Location, Sampling, MetricGate, Gate, SuiteIdentity, Program,
                                      PlannedCase, Plan>());
static_assert(each_lists_every_member<ConditionFigures, ProcessFigures, SeriesFigures>());
static_assert(each_lists_every_member<Conditions, Placement, ProcessSamples, Series, Verification, Phase,
                                      KernelUse, Control, Batching, Identity, ProcessResult, CaseRecord>());
static_assert(each_lists_every_member<MachineField, Machine, Revision, Promotion, Pairing, Record>());

static_assert(each_lists_every_member<Speedup, Summary, Waiver, LearnedSpread>());
static_assert(each_lists_every_member<Side, LookState, LoosenedGate, ProposedGate, UnitChange, Difference,
                                      MachineDifference, KernelChange, RecordSource, PolicyFact>());
static_assert(Described<Policy>::fields.size + 1 == member_count<Policy>(), "all but the waivers");
static_assert(Described<ComparisonRow>::fields.size + 2 == member_count<ComparisonRow>(),
              "all but the kernels and the causes");
static_assert(waiver_outcome.size + 1 == member_count<WaiverUse>(), "all but the waiver");
static_assert(lists_each_member_once<Policy>() && lists_each_member_once<ComparisonRow>());

// As it is inside a record: a case's result has no samples, and belongs to that case.
Record filled_record() {
  Record record = filled<Record>();
  for (CaseRecord& one : record.cases)
    for (ProcessResult& result : one.processes) {
      result.case_id = one.id;
      result.series.clear();
    }
  return record;
}

TEST(EveryField, SurvivesInAPin) {
  const Record record = filled_record();
  const auto again = decode_pin(encode_pin(record), "p");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, record);
}

TEST(EveryField, SurvivesInARecord) {
  const Record record = filled_record();
  EXPECT_THAT(fields_with_default(record), IsEmpty());
  EXPECT_THAT(fields_with_default(record.cases[0]), IsEmpty());
  EXPECT_THAT(fields_with_default(record.cases[0].sampling), IsEmpty());
  const auto again = decode_record(encode(record), "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, record);
}

TEST(EveryField, SurvivesInTheParts) {
  const auto result = filled<ProcessResult>();
  EXPECT_EQ(decode_process_result(encode(result), "r").value(), result);
  const auto machine = filled<Machine>();
  EXPECT_EQ(decode_machine(encode(machine), "r").value(), machine);
  auto planned = filled<CaseRecord>();
  planned.processes.clear();
  planned.series.clear();
  planned.alone.clear();
  planned.build.reset();
  EXPECT_EQ(decode_case(encode_case(planned), "r").value(), planned);
  Record header = filled<Record>();
  header.cases.clear();
  EXPECT_EQ(decode_header(encode_header(header), "r").value(), header);
}

TEST(EveryField, OfAPolicyAndItsWaiversSurvives) {
  const auto policy = filled<Policy>();
  const std::string text = to_json(Described<Policy>::fields, policy, JsonLayout::lines);
  const auto again = from_json(Described<Policy>::fields, text, "p");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(to_json(Described<Policy>::fields, *again, JsonLayout::lines), text);
  EXPECT_THAT(fields_with_default(*again), IsEmpty());
  const auto waiver = filled<Waiver>();
  EXPECT_EQ(
      from_json(Described<Waiver>::fields, to_json(Described<Waiver>::fields, waiver, JsonLayout::line), "w")
          .value(),
      waiver);
}

TEST(PinnedBaselines, AreWrittenBackByteForByte) {
  int seen = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(HARNESS_SOURCE_DIR) + "/baselines")) {
    if (entry.path().extension() != ".json" || entry.path().parent_path().filename() == "tuned") continue;
    ++seen;
    const std::string text = read_file(entry.path().string()).value();
    const auto record = decode_record(text, entry.path().string());
    ASSERT_TRUE(record) << record.error().text();
    EXPECT_TRUE(encode_pin(*record) == text) << entry.path();
    EXPECT_TRUE(lacks_samples(*record)) << entry.path();
  }
  EXPECT_GT(seen, 3);
}

}  // namespace
}  // namespace harness

#include "harness/model/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../schema/place_of.h"
#include "example_record.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The text with `from` (which must be there) replaced by `to`, once.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The member that is refused: "cases[0].sampling.cache".
std::string refused(const std::string& text) {
  const auto record = decode_record(text, "base.json");
  EXPECT_FALSE(record) << "was accepted";
  return record ? "" : place_of(record.error());
}

// Where text is no JSON.
Location malformed_at(const std::string& text) {
  const auto record = decode_record(text, "base.json");
  EXPECT_FALSE(record) << "was accepted";
  return record ? Location{} : record.error().where;
}

TEST(RecordText, ReadsBackAsTheSameRecord) {
  const Record record = example_record();
  const auto again = decode_record(encode(record), "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, record);
}

TEST(RecordText, KeepsWhatIsKnownOfLaunches) {
  Record record = example_record();
  ProcessResult& result = record.cases[0].processes[0];
  KernelUse kernel;
  kernel.name = "init";
  kernel.launches = 3;
  kernel.words = "0123abcd";
  for (const Identity& identity :
       {Identity{"d1g3st", {}, "fr4me", "", {kernel}, Inputs{{{4096, 2, "h4sh"}, {0, 7, "r3st"}}}},
        Identity{"d1g3st", {}, "fr4me", "", {}, Inputs{{}, Cause{CauseCode::inputs_shared, {{"bytes", 64}}}}},
        Identity{"d1g3st", {}, "fr4me"}, Identity{"", Cause{CauseCode::several_gpus}},
        Identity{"", Cause{CauseCode::processes_differ}, "", "r0"}}) {
    result.identity = identity;
    const auto again = decode_process_result(encode(result), "r");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again->identity, identity);
    const auto whole = decode_record(encode(record), "r");
    ASSERT_TRUE(whole) << whole.error().text();
    EXPECT_EQ(*whole, record);
  }
}

TEST(RecordText, EncodeDecodeEncodeIsTheIdentity) {
  for (const Record& record : {example_record(), Record{}}) {
    const std::string text = encode(record);
    const auto again = decode_record(text, "r");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(encode(*again), text);
  }
}

TEST(RecordText, HasOneLineAPlacement) {
  const std::string text = encode(example_record());
  EXPECT_THAT(text, HasSubstr("\n                {\"forced_gates\": 3, \"clock_ghz\": 1.98, "
                              "\"started\": 1763618400.125, \"conditions\": {"));
  EXPECT_THAT(
      text,
      HasSubstr("\"other_processes\": 1}, \"stopped\": \"width\", \"samples\": [23.7, 23.648, 23.616]},\n"));
  EXPECT_EQ(text.back(), '\n');
}

TEST(RecordText, KeepsOddNames) {
  Record record = example_record();
  for (const std::string& odd :
       {std::string("µs \"quoted\" back\\slash /"), std::string("a\nb\tc\x01\x7f"),
        std::string("zero\0in", 7), std::string("\xF0\x9F\x98\x80 \u202e"), std::string()}) {
    record.cases[0].workload = odd;
    record.cases[0].tags = {odd, odd};
    record.machines["cuda"].fields[0].value = odd;
    record.cases[0].series[0].metric = "m" + odd;
    const std::string text = encode(record);
    const auto again = decode_record(text, "r");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, record);
    EXPECT_EQ(encode(*again), text);
  }
}

TEST(RecordText, ReplacesBytesThatAreNotUtf8) {
  for (const std::string& bad : {std::string("\xff"), std::string("\xc0\xaf"), std::string("\xed\xa0\x80"),
                                 std::string("\xe2\x82"), std::string("\xf5\x80\x80\x80")}) {
    Record record = example_record();
    record.suite.name = "a" + bad + "b";
    const auto again = decode_record(encode(record), "r");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_THAT(again->suite.name, StartsWith("a\xEF\xBF\xBD"));
    EXPECT_EQ(again->suite.name.back(), 'b');
  }
}

TEST(RecordText, KeepsTheKindOfEveryParameter) {
  CaseRecord one = example_record().cases[0];
  one.params = sdk::Params({{"integer", std::int64_t{1}},
                            {"real", 1.0},
                            {"text", std::string("1")},
                            {"flag", true},
                            {"least", std::numeric_limits<std::int64_t>::min()},
                            {"most", std::numeric_limits<std::int64_t>::max()},
                            {"huge", 1e300},
                            {"beyond", 1e22},
                            {"negative_zero", -0.0}});
  const auto again = decode_case(encode_case(one), "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->params, one.params);
  EXPECT_TRUE(std::signbit(again->params.real("negative_zero")));
}

TEST(RecordText, KeepsEveryDigitOfASample) {
  Placement placement;
  double value = 0.1;
  for (int i = 0; i < 2000; ++i) placement.samples.push_back(value = std::nextafter(value * 1.37, 1e9));
  placement.samples.insert(placement.samples.end(), {0.0, -0.0, 5e-324, 2.2250738585072011e-308,
                                                     std::numeric_limits<double>::max(), 1e21});
  ProcessResult result{"c", 1, Outcome::measured, {}, {}, {{"t", "us", {}, {{1, {placement}}}}}, {}};
  const auto again = decode_process_result(encode(result), "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, result);
  EXPECT_TRUE(std::signbit(again->series[0].processes[0].placements[0].samples[2001]));
}

TEST(RecordText, ReadsNumbersInEverySpelling) {
  const auto read = [](const std::string& number) {
    const auto result = decode_process_result(
        R"({"case": "c", "process": 1, "outcome": "measured", "metrics": [{"metric": "m", "unit": "x", "processes":
           [{"process": 1, "placements": [{"samples": [)" +
            number + "]}]}]}]}",
        "r");
    EXPECT_TRUE(result) << number << ": " << result.error().text();
    return result ? result->series[0].processes[0].placements[0].samples[0] : std::nan("");
  };
  EXPECT_EQ(read("0e300"), 0.0);
  EXPECT_EQ(read("1e-400"), 0.0) << "too small is zero";
  EXPECT_EQ(read("-0"), 0.0);
  EXPECT_EQ(read("1E+2"), 100.0);
  EXPECT_EQ(read("18446744073709551615"), 18446744073709551615.0);
  EXPECT_EQ(read("123456789012345678901234567890"), 123456789012345678901234567890.0);
  EXPECT_EQ(read("9007199254740993.0"), 9007199254740992.0) << "half to even";
  EXPECT_EQ(read("2.2250738585072011e-308"), 2.2250738585072011e-308);
  EXPECT_EQ(read("179769313486231570000.0e288"), std::numeric_limits<double>::max());
}

TEST(RecordText, HoldsEmptySeriesAndPlacements) {
  Record record = example_record();
  record.cases[0].series[0].processes[0].placements[0].samples.clear();
  record.cases[0].series[0].processes[1].placements.clear();
  record.cases[1].series = {{"m", "us", Direction::higher_is_better, {}}};
  const auto again = decode_record(encode(record), "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, record);
}

TEST(RecordText, OfAnOlderVersionHoldsTheFirstCallBesideTheSamples) {
  const std::string text =
      R"({"case": "c", "process": 3, "outcome": "measured", "metrics": [
          {"metric": "gpu_time", "unit": "us", "direction": "lower", "processes": [
            {"process": 3, "first_call": 93.5, "placements": [{"samples": [23.5]}]}]},
          {"metric": "clock", "unit": "GHz", "direction": "higher", "processes": [
            {"process": 3, "placements": [{"samples": [1.98]}]}]}]})";
  const auto read = decode_process_result(text, "old");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->series.size(), 3U);
  const Series& calls = read->series[2];
  EXPECT_EQ(calls.metric, "first_call");
  EXPECT_EQ(calls.unit, "us");
  ASSERT_EQ(calls.processes.size(), 1U);
  EXPECT_EQ(calls.processes[0].process, 3);
  EXPECT_EQ(calls.processes[0].placements.at(0).samples, std::vector<double>{93.5});
  EXPECT_EQ(encode(*decode_process_result(encode(*read), "new")), encode(*read));
}

TEST(RecordText, KeepsEveryOutcome) {
  for (const Outcome outcome :
       {Outcome::measured, Outcome::incorrect, Outcome::failed, Outcome::timed_out, Outcome::skipped}) {
    const ProcessResult result{"c", 2, outcome, told_cause("because"), {}, {}, {told_note("a note")}};
    const auto again = decode_process_result(encode(result), "r");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, result);
  }
}

TEST(RecordText, KeepsAnErrorThatIsNotFiniteAsNotANumber) {
  ProcessResult result{"c", 1, Outcome::incorrect, told_cause("wrong"), Verification{}, {}, {}};
  result.verification->before = std::numeric_limits<double>::infinity();
  result.verification->after = std::nan("");
  const std::string text = encode(result);
  EXPECT_THAT(text, HasSubstr(R"("before": null, "after": null)"));
  const auto again = decode_process_result(text, "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(std::isnan(again->verification->before));
  EXPECT_TRUE(std::isnan(again->verification->after));
  EXPECT_EQ(encode(*again), text);
}

TEST(RecordText, RefusesASampleThatIsNotANumber) {
  Record record = example_record();
  record.cases[0].series[0].processes[1].placements[0].samples[2] = std::nan("");
  EXPECT_EQ(refused(encode(record)), "cases[0].metrics[0].processes[1].placements[0].samples[2]");
}

// The gate and the sampling of a case are not read again where they have the words of those before.
Record record_with_alike_cases() {
  Record record = example_record();
  const CaseRecord one = record.cases[0];
  record.cases.assign(6, one);
  for (std::size_t i = 0; i < record.cases.size(); ++i) {
    record.cases[i].id = "case " + std::to_string(i);
    for (ProcessResult& result : record.cases[i].processes) result.case_id = record.cases[i].id;
  }
  record.cases[2].sampling.seed = 77;
  record.cases[3].gate.margin = 0.25;
  record.cases[3].gate.metrics = {{"gpu_memory", 0.1, {}}};
  return record;
}

TEST(RecordText, KeepsTheGateAndTheSamplingOfEachCase) {
  const Record record = record_with_alike_cases();
  const auto again = decode_record(encode(record), "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, record);
}

// The text with `from` in the case with this id replaced by `to`.
std::string with_in_case(const std::string& text, const std::string& id, std::string_view from,
                         std::string_view to) {
  const std::size_t at = text.find("\"" + id + "\"");
  return text.substr(0, at) + with(text.substr(at), from, to);
}

TEST(RecordErrors, AreFoundBesideAGateAndASamplingThatWereReadBefore) {
  const std::string text = encode(record_with_alike_cases());
  const std::string gate = "\"gate\": {", sampling = "\"sampling\": {";
  for (const auto& [from, to] : {std::pair<std::string, std::string>("\"outcome\"", gate + "}, \"outcome\""),
                                 {"\"outcome\"", sampling + "}, \"outcome\""},
                                 {"\"outcome\"", "\"g\\u0061te\": {}, \"outcome\""},
                                 {gate, gate + "}, " + gate},
                                 {gate, "\"x\": " + gate},
                                 {",", " "},
                                 {"\"case 5\",", "\"case 5, "}})
    EXPECT_NE(malformed_at(with_in_case(text, "case 5", from, to)).line, 0) << from << " -> " << to;
  EXPECT_EQ(refused(with_in_case(text, "case 5", sampling, "\"sampling\": [], \"other\": {")),
            "cases[5].sampling");
  EXPECT_EQ(refused(with_in_case(text, "case 5", "\"outcome\": \"", "\"outcome\": \"un")),
            "cases[5].outcome");
}

TEST(RecordText, PartsReadBackTheSame) {
  const Record record = example_record();
  Record header = record;
  header.cases.clear();
  EXPECT_EQ(decode_header(encode_header(record), "r").value(), header);
  CaseRecord planned = record.cases[0];
  planned.processes.clear();
  planned.series.clear();
  EXPECT_EQ(decode_case(encode_case(record.cases[0]), "r").value(), planned);
  const Machine& machine = record.machines.at("cuda");
  EXPECT_EQ(decode_machine(encode(machine), "r").value(), machine);
  for (const std::string& part : {encode_header(record), encode_case(planned), encode(machine)})
    EXPECT_EQ(part.find('\n'), std::string::npos) << part;
}

TEST(RecordText, KeepsWhatSetsARunApart) {
  Record record = example_record();
  EXPECT_EQ(encode(record).find("partial"), std::string::npos);
  EXPECT_EQ(encode(record).find("calibration"), std::string::npos);
  EXPECT_EQ(encode(record).find("changes"), std::string::npos);
  EXPECT_EQ(encode(record).find("pairing"), std::string::npos);
  record.partial = true;
  record.calibration = true;
  EXPECT_EQ(encode(record).find("\"session\""), std::string::npos) << "records without one stay as they were";
  record.session = "monday";
  record.pairing = Pairing{"5f0c2b1e-0000-4000-8000-000000000001", Pairing::Kind::process};
  record.revision.dirty = true;
  record.revision.changes = "89abcdef";
  const auto again = decode_record(encode(record), "r");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, record);
}

TEST(RecordErrors, RefuseAPairingThatIsNone) {
  Record record = example_record();
  record.pairing = Pairing{"run", Pairing::Kind::session};
  std::string text = encode(record);
  const std::string kind = "\"session\"";
  text.replace(text.find(kind), kind.size(), "\"sideways\"");
  const auto unknown = decode_record(text, "r");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(place_of(unknown.error()), "pairing.kind");
  record.pairing->id = "";
  EXPECT_FALSE(decode_record(encode(record), "r"));
}

TEST(RecordErrors, RefuseACommitThatIsNone) {
  const std::string text = encode(example_record());
  const std::string commit(40, '1');
  for (const std::string& bad : {std::string("HEAD"), std::string("1; touch x"), std::string(39, '1'),
                                 std::string(41, '1'), std::string(40, 'A'), std::string(39, '1') + "g"})
    EXPECT_EQ(refused(with(text, commit, bad)), "revision.commit") << bad;
  EXPECT_TRUE(decode_record(with(text, commit, ""), "r")) << "outside a repository";
}

TEST(RecordText, IgnoresUnknownFields) {
  const std::string text = encode(example_record());
  const auto record = decode_record(with(text, "\"tool\"", "\"later\": [{\"x\": [[null]]}], \"tool\""), "r");
  ASSERT_TRUE(record) << record.error().text();
  EXPECT_EQ(*record, example_record());
}

TEST(RecordErrors, NameTheLineAndColumnOfMalformedText) {
  EXPECT_EQ(malformed_at("{\n  \"format\": oops\n}"), (Location{"base.json", 2, 13}));
}

TEST(RecordErrors, RefuseAnotherFormatAndAnotherVersion) {
  const std::string text = encode(example_record());
  EXPECT_EQ(refused(with(text, "harness-record", "holiday-photo")), "format");
  EXPECT_EQ(refused(with(text, "\"version\": 1", "\"version\": 2")), "version");
  EXPECT_EQ(refused(with(text, "\"version\": 1", "\"version\": 0")), "version");
  EXPECT_EQ(refused(with(text, "\"version\": 1", "\"version\": 1.0")), "version");
  EXPECT_EQ(refused("{}"), "");
  EXPECT_EQ(refused("[]"), "");
}

TEST(RecordErrors, NameThePathOfWhatIsWrong) {
  const std::string text = encode(example_record());
  EXPECT_EQ(refused(with(text, "\"process\": 2,\n", "\"process\": \"2\",\n")),
            "cases[0].metrics[0].processes[1].process");
  EXPECT_EQ(refused(with(text, "\"process\": 2,\n", "\"process\": 1,\n")),
            "cases[0].metrics[0].processes[1]");
  EXPECT_EQ(refused(with(text, "\"process\": 2,\n", "\"process\": -2,\n")),
            "cases[0].metrics[0].processes[1].process");
  EXPECT_EQ(refused(with(text, "\"process\": 2,\n", "\"process\": 4294967297,\n")),
            "cases[0].metrics[0].processes[1].process");
  EXPECT_EQ(refused(with(text, "\"samples\": [23.7", "\"sample\": [23.7")),
            "cases[0].metrics[0].processes[0].placements[0]");
  const std::string huge = with(text, "23.648", "1e999");
  EXPECT_EQ(malformed_at(huge).line, 1 + std::count(huge.begin(), huge.begin() + huge.find("1e999"), '\n'));
  EXPECT_EQ(refused(with(text, "\"kind\": \"block\"", "\"kind\": \"blok\"")), "machines.cuda.fields[0].kind");
  EXPECT_EQ(refused(with(text, "\"outcome\": \"incorrect\"", "\"outcome\": \"incorect\"")),
            "cases[1].outcome");
  EXPECT_EQ(refused(with(text, "\"cache\": \"hot\"", "\"cache\": \"hott\"")), "cases[0].sampling.cache");
  const std::string twice = with(text, "\"m\": 512", "\"dtype\": 512");
  EXPECT_EQ(malformed_at(twice).line,
            1 + std::count(twice.begin(), twice.begin() + twice.find("\"dtype\": 512"), '\n'));
  EXPECT_EQ(refused(with(text, "\"m\": 512", "\"m\": 9223372036854775808")), "cases[0].params.m");
  EXPECT_EQ(refused(with(text, "\"m\": 512", "\"m\": [512]")), "cases[0].params.m");
}

TEST(RecordErrors, RefuseRepeatedCasesAndMetrics) {
  Record record = example_record();
  record.cases.push_back(record.cases[0]);
  EXPECT_EQ(refused(encode(record)), "cases[3]");
  record = example_record();
  record.cases[0].series.push_back(record.cases[0].series[0]);
  EXPECT_EQ(refused(encode(record)), "cases[0].metrics[2]");
}

TEST(RecordErrors, ControlCharactersInAPathAreEscaped) {
  const std::string text = with(encode(example_record()), "\"m\": 512", "\"\\u001b[31m\": []");
  EXPECT_EQ(refused(text), "cases[0].params.\\u001b[31m");
}

TEST(RecordErrors, DeepNestingIsNoCrash) {
  EXPECT_EQ(malformed_at(std::string(1'000'000, '[')).line, 1);
  EXPECT_EQ(malformed_at(std::string("{}\0{}", 5)), (Location{"base.json", 1, 3}));
  const auto ignored = [](std::size_t levels) {
    const std::string nested = std::string(levels, '[') + std::string(levels, ']');
    return with(encode(example_record()), "\"tool\"", "\"x\": " + nested + ", \"tool\"");
  };
  EXPECT_TRUE(decode_record(ignored(200), "r"));
  EXPECT_GT(malformed_at(ignored(100'000)).column, 200);
}

TEST(Codec, WritesNothingOfAdaptiveSamplingWhereThereIsNone) {
  Record record = example_record();
  record.cases.resize(1);
  CaseRecord& one = record.cases[0];
  one.sampling = {};
  one.gate = {};
  for (Series& series : one.series)
    for (ProcessSamples& process : series.processes)
      for (Placement& placement : process.placements) placement.stopped = Stop::unknown;
  const std::string text = encode(record);
  for (const char* name : {"\"width\"", "width_samples", "preheat_most", "\"steady\"", "stopped"})
    EXPECT_THAT(text, Not(HasSubstr(name))) << "a record as versions before wrote it";
  const Result<Record> back = decode_record(text, "r");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->cases[0], one);
}

TEST(Codec, LoadsARecordThatSaysWhyItStoppedInWordsOfALaterVersion) {
  std::string text = encode(example_record());
  const std::string known = "\"stopped\": \"width\"";
  ASSERT_NE(text.find(known), std::string::npos);
  text.replace(text.find(known), known.size(), "\"stopped\": \"boredom\"");
  const Result<Record> back = decode_record(text, "r");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->cases[0].series[0].processes[0].placements[0].stopped, Stop::unknown);
}

}  // namespace
}  // namespace harness

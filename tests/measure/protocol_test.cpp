#include <gmock/gmock.h>

#include "../schema/filled.h"
#include "../schema/member_count.h"
#include "harness/measure/worker/worker.h"
#include "harness/model/codec.h"
#include "harness/model/record_fields.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Job sample_job() {
  Job job;
  job.device = "scripted:/tmp/a \"quoted\" path";
  job.process = 3;
  job.modules = {"/plugins/liba.so"};
  job.measure_ceilings = true;
  PlannedCase& planned = job.cases.emplace_back();
  planned.id = "w/v/n=1";
  planned.workload = "w";
  planned.variant = "v";
  planned.device = "cuda";
  planned.params.set("n", std::int64_t{1} << 60);
  planned.params.set("ratio", 1.0);
  planned.params.set("flag", true);
  planned.params.set("text", std::string("x\ny"));
  planned.sampling = {.processes = 2,
                      .placements = 3,
                      .samples = 4,
                      .min_samples = 1,
                      .width = 0.003,
                      .width_samples = 30,
                      .warmup = 6,
                      .cache = CacheMode::hot,
                      .preheat = 0.1,
                      .preheat_most = 0.7,
                      .steady = 0.01,
                      .max_time = 0.2,
                      .timeout = 0.3,
                      .gate_deadline = 0.4,
                      .seed = ~std::uint64_t{0},
                      .timing = TimingMode::batch,
                      .batch_nodes = {7, 70}};
  planned.metrics = {"time", "loss"};
  return job;
}

TEST(Protocol, CarriesAJob) {
  const Job job = sample_job();
  const Result<Job> back = decode_job(encode(job));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->device, job.device);
  EXPECT_EQ(back->process, 3);
  EXPECT_EQ(back->modules, job.modules);
  EXPECT_TRUE(back->measure_ceilings);
  ASSERT_EQ(back->cases.size(), 1U);
  EXPECT_EQ(back->cases[0].id, "w/v/n=1");
  EXPECT_EQ(back->cases[0].workload, "w");
  EXPECT_EQ(back->cases[0].variant, "v");
  EXPECT_EQ(back->cases[0].device, "cuda");
  EXPECT_EQ(back->cases[0].params, job.cases[0].params);  // 1.0 stays a real number, and the order stays
  EXPECT_EQ(back->cases[0].sampling, job.cases[0].sampling);
  EXPECT_EQ(back->cases[0].metrics, job.cases[0].metrics);
  EXPECT_EQ(encode(*back), encode(job));
}

TEST(Protocol, CarriesALook) {
  Job job = sample_job();
  EXPECT_EQ(encode(job).find("look"), std::string::npos);
  job.look = true;
  job.process = 0;
  const Result<Job> back = decode_job(encode(job));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_TRUE(back->look);
  EXPECT_FALSE(back->counters);
  EXPECT_EQ(back->process, 0);
  job.counters = true;
  EXPECT_TRUE(decode_job(encode(job)).value().counters);
}

TEST(Protocol, CarriesTheModulesOfTwoBuilds) {
  Job job = sample_job();
  EXPECT_EQ(encode(job).find("pair"), std::string::npos);
  job.pair = PairedBuilds{{"/a", "/a/kernels.so", "/a/cuda.so", {"/a/p.so", "/a/q.so"}}, {"/b", "", "", {}}};
  const Result<Job> back = decode_job(encode(job));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->pair, job.pair);
  const std::string start =
      R"({"format": "harness-worker", "version": 2, "device": "cpu", "process": 1, "cases": [])";
  EXPECT_EQ(decode_job(start + "}").value().device, "cpu");
  EXPECT_FALSE(decode_job(start + R"(, "pair": {"baseline": {"root": "/a"}}})"));
}

TEST(Protocol, CarriesTheResultsOfTwoBuilds) {
  PairResult pair;
  pair.baseline.case_id = pair.current.case_id = "w/v";
  pair.baseline.process = pair.current.process = 2;
  pair.current.outcome = Outcome::incorrect;
  pair.current.reason = Cause{CauseCode::not_finite, {{"got", "nan"}, {"expected", 1.0}, {"at", "[3]"}}};
  const Result<Message> back = decode_message(encode(Message(pair)));
  ASSERT_TRUE(back) << back.error().text();
  ASSERT_TRUE(std::holds_alternative<PairResult>(*back));
  EXPECT_EQ(std::get<PairResult>(*back).baseline, pair.baseline);
  EXPECT_EQ(std::get<PairResult>(*back).current, pair.current);
  pair.baseline.process = 1;
  EXPECT_FALSE(decode_message(encode(Message(pair))));
}

TEST(Protocol, KeepsPhasesInTheirOrder) {
  ProcessResult result;
  result.case_id = "w/v";
  result.phases = {{"inputs", 0.5}, {"construct", 0.25}, {"allocate", 0.125}};
  const Result<Message> back = decode_message(encode(Message{result}));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(std::get<ProcessResult>(*back).phases, result.phases);
}

TEST(Protocol, WritesOneLineAMessage) {
  for (const Message& message : {Message{Hello{"cpu", {}}}, Message{Begin{"a\nb"}}, Message{ProcessResult{}},
                                 Message{Refusal{"no\ndevice"}}, Message{Done{}}}) {
    const std::string line = encode(message);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Result<Message> back = decode_message(line);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->index(), message.index());
    EXPECT_EQ(encode(*back), line);
  }
}

TEST(Protocol, CarriesAMachineAndAResult) {
  Hello hello{"cuda:0", {}};
  hello.machine.machine_class = "nvidia-h200";
  hello.machine.device_uuid = "GPU-1";
  hello.machine.fields = {{"driver", "580", FieldClass::warn}};
  hello.machine.ceilings = {{"copy_bytes_per_s", 4.1e12}};
  const Result<Message> hello_back = decode_message(encode(Message{hello}));
  ASSERT_TRUE(hello_back);
  EXPECT_EQ(std::get<Hello>(*hello_back).machine, hello.machine);
  EXPECT_EQ(std::get<Hello>(*hello_back).device, "cuda:0");

  ProcessResult result{
      "a", 2, Outcome::measured, {}, Verification{1e-7, 2e-7, 1e-3, 4096}, {}, {told_note("a note")}};
  result.series.push_back({"gpu_time", "us", Direction::lower_is_better, {{2, {{{1.25, 0.032}, 1, 1.98}}}}});
  const Result<Message> result_back = decode_message(encode(Message{result}));
  ASSERT_TRUE(result_back);
  EXPECT_EQ(std::get<ProcessResult>(*result_back), result);
}

TEST(Protocol, ReplacesBytesThatAreNoText) {
  const Result<Message> back = decode_message(encode(Message{Refusal{"bad \xff byte"}}));
  ASSERT_TRUE(back);
  EXPECT_THAT(std::get<Refusal>(*back).reason, HasSubstr("bad "));
}

TEST(Protocol, ExplainsWhatItCannotRead) {
  const auto message_of = [](const char* line) { return decode_message(line).error().message; };
  EXPECT_FALSE(decode_message("begin {"));
  EXPECT_FALSE(decode_message("begin []"));
  EXPECT_THAT(message_of("bye {}"), AllOf(HasSubstr("`bye`"), HasSubstr(" 1 ")));
  EXPECT_THAT(message_of(""), AllOf(HasSubstr("``"), HasSubstr(" 0 ")));
  EXPECT_THAT(message_of("pair {}"), AllOf(HasSubstr("`pair`"), HasSubstr(" 1 ")));
  EXPECT_THAT(message_of("begin {}"), HasSubstr("`case`"));
  EXPECT_THAT(message_of(R"(hello {"format": "harness-worker", "version": 1})"),
              AllOf(HasSubstr("version"), HasSubstr(" 1;"), HasSubstr(" 2")));
  EXPECT_THAT(decode_job("{}").error().message, HasSubstr("`format`"));
}

TEST(Protocol, CarriesTheTextOfAResultAsItIs) {
  const auto result = filled<ProcessResult>();
  ProcessResult other = result;
  other.reason = told_cause("a\tb");
  const std::string one = encode(Message{result}), two = encode(Message{PairResult{result, other}});
  EXPECT_THAT(payloads_of(one), ElementsAre(encode(result)));
  EXPECT_THAT(payloads_of(two), ElementsAre(encode(result), encode(other)));
  EXPECT_THAT(payloads_of("done"), IsEmpty());
}

TEST(Protocol, CarriesEveryFieldOfACase) {
  static_assert(member_count<Job>() == 13, "the tests of this file check each member of a job");
  Job job = sample_job();
  job.device_uuid = "GPU-1";
  job.suite = "fusion";
  job.audit_draw = 7;
  job.key = "secret";
  job.peers = {"cuda:1", "cuda:2"};
  job.cases = {filled<PlannedCase>()};
  const Result<Job> back = decode_job(encode(job));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_THAT(fields_with_default(back->cases[0]), IsEmpty());
  for_each_field<PlannedCase>([&](const auto& field) {
    EXPECT_EQ(back->cases[0].*field.member, job.cases[0].*field.member) << field.name;
  });
  EXPECT_EQ(back->device_uuid, "GPU-1");
  EXPECT_EQ(back->suite, "fusion");
  EXPECT_EQ(back->audit_draw, 7);
  EXPECT_EQ(back->key, "secret");
  EXPECT_EQ(back->peers, job.peers);
  EXPECT_EQ(encode(*back), encode(job));
}

TEST(Protocol, ChecksEveryMemberOfAJob) {
  const std::string good = encode(sample_job());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return decode_job(text);
  };
  EXPECT_TRUE(replaced("\"process\": 3", "\"process\": 4"));
  EXPECT_FALSE(replaced("\"process\": 3", "\"process\": 3.5"));
  EXPECT_FALSE(replaced("\"process\": 3", "\"process\": 1e300"));
  EXPECT_FALSE(replaced("\"process\": 3", "\"process\": -1"));
  EXPECT_FALSE(replaced("\"samples\": 4", "\"samples\": \"4\""));
  EXPECT_FALSE(replaced("\"cache\": \"hot\"", "\"cache\": \"tepid\""));
  EXPECT_FALSE(replaced("\"timing\": \"batch\"", "\"timing\": \"guess\""));
  EXPECT_FALSE(replaced("[7, 70]", "[0, 70]"));
  EXPECT_FALSE(replaced("[7, 70]", "[\"7\"]"));
  EXPECT_TRUE(replaced("[7, 70]", "[]"));
  EXPECT_FALSE(replaced("\"flag\": true", "\"flag\": [true]"));
  EXPECT_FALSE(replaced("\"flag\": true", "\"flag\": null"));
  EXPECT_FALSE(replaced("\"seed\": 18446744073709551615", "\"seed\": -1"));
  EXPECT_FALSE(replaced("\"measure_ceilings\": true", "\"measure_ceilings\": 1"));
  EXPECT_FALSE(replaced("[\"/plugins/liba.so\"]", "[7]"));
}

}  // namespace
}  // namespace harness

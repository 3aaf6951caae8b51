// The worker protocol as text; README.md of harness/measure describes it.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/measure/schedule/paired_builds_fields.h"
#include "harness/measure/worker/worker.h"
#include "harness/model/codec.h"
#include "harness/model/record_fields.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<Job> {
  static constexpr auto fields = list_fields<Job>(
      JsonLayout::line, field("device", &Job::device).required(),
      field("process", &Job::process).required().at_least(0),
      field("device_uuid", &Job::device_uuid).unless_default(), field("modules", &Job::modules),
      field("cases", &Job::cases).required(), field("measure_ceilings", &Job::measure_ceilings),
      field("look", &Job::look).unless_default(), field("counters", &Job::counters).unless_default(),
      field("suite", &Job::suite).unless_default(), field("key", &Job::key).unless_default(),
      field("audit_draw", &Job::audit_draw).unless_default(), field("peers", &Job::peers).unless_default(),
      field("pair", &Job::pair).unless_default(), field("alone", &Job::alone).unless_default());
};

template <>
struct Described<Hello> {
  static constexpr auto fields =
      list_fields<Hello>(JsonLayout::line, field("device", &Hello::device).required(),
                         field("machine", &Hello::machine).required());
};

template <>
struct Described<Begin> {
  static constexpr auto fields =
      list_fields<Begin>(JsonLayout::line, field("case", &Begin::case_id).required());
};

template <>
struct Described<Refusal> {
  static constexpr auto fields =
      list_fields<Refusal>(JsonLayout::line, field("reason", &Refusal::reason).required());
};

namespace {

constexpr const char* source = "worker protocol";
constexpr char between_payloads = '\t';  // JSON has none outside of escapes

template <class T>
std::string to_line(const T& value, const DocumentFormat* format = nullptr) {
  return to_json(Described<T>::fields, value, JsonLayout::line, format);
}

struct Encoder {
  std::string operator()(const Hello& m) const { return "hello " + to_line(m, &formats::worker); }
  std::string operator()(const Begin& m) const { return "begin " + to_line(m); }
  std::string operator()(const ProcessResult& m) const { return "result " + encode(m); }
  std::string operator()(const PairResult& m) const {
    return "pair " + encode(m.baseline) + between_payloads + encode(m.current);
  }
  std::string operator()(const Refusal& m) const { return "refusal " + to_line(m); }
  std::string operator()(const Done& /*m*/) const { return "done"; }
};

tl::unexpected<Error> refused(std::string_view what, const Error& error) {
  return fail(ErrorKind::internal, error.where, fmt::format("{}: {}", what, error.message),
              "the worker and this program must be of the same version");
}

template <class T>
Result<T> from_text(std::string_view text, const DocumentFormat* format = nullptr) {
  return from_json(Described<T>::fields, text, source, format);
}

Result<Message> to_pair(std::string_view baseline, std::string_view current) {
  Result<ProcessResult> before = from_text<ProcessResult>(baseline);
  if (!before) return fail(before.error());
  Result<ProcessResult> after = from_text<ProcessResult>(current);
  if (!after) return fail(after.error());
  if (before->case_id != after->case_id || before->process != after->process)
    return fail(ErrorKind::internal, Location{source}, "the sides of a pair are not of one case and process");
  return PairResult{std::move(*before), std::move(*after)};
}

Result<Message> to_message(std::string_view line) {
  const std::string_view type = line.substr(0, line.find(' '));
  const std::vector<std::string_view> payloads = payloads_of(line);
  if (type == "pair" && payloads.size() == 2) return to_pair(payloads[0], payloads[1]);
  if (type == "done" && payloads.empty()) return Done{};
  if (payloads.size() == 1) {
    if (type == "hello") return from_text<Hello>(payloads[0], &formats::worker);
    if (type == "begin") return from_text<Begin>(payloads[0]);
    if (type == "result") return from_text<ProcessResult>(payloads[0]);
    if (type == "refusal") return from_text<Refusal>(payloads[0]);
  }
  return fail(ErrorKind::internal, Location{source},
              fmt::format("no message is `{}` with {} texts", printable(type), payloads.size()));
}

// A worker of an older build would time such cases on drawn inputs: it refuses this version.
bool states_inputs(const Job& job) {
  return std::any_of(job.cases.begin(), job.cases.end(), [](const PlannedCase& one) {
    return one.sampling.inputs != name_of(InputsMode::drawn);
  });
}

}  // namespace

std::string encode(const Job& job) {
  return to_line(job, states_inputs(job) ? &formats::worker_inputs : &formats::worker);
}

Result<Job> decode_job(std::string_view document) {
  Result<Job> job = from_text<Job>(document, &formats::worker);
  if (job) return job;
  Result<Job> stated = from_text<Job>(document, &formats::worker_inputs);
  return stated && states_inputs(*stated) ? stated : refused("a job", job.error());
}

std::string encode(const Message& message) {
  return std::visit(Encoder{}, message);
}

Result<Message> decode_message(std::string_view line) {
  Result<Message> message = to_message(line);
  if (!message) return refused("a message", message.error());
  return message;
}

std::vector<std::string_view> payloads_of(std::string_view line) {
  std::vector<std::string_view> payloads;
  for (std::size_t end = line.find(' '); end != std::string_view::npos;) {
    const std::size_t begin = end + 1;
    end = line.find(between_payloads, begin);
    payloads.push_back(line.substr(begin, end == std::string_view::npos ? end : end - begin));
  }
  return payloads;
}

}  // namespace harness

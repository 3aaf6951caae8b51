// The worker protocol, version 1, as JSON text; README.md describes it.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "harness/base/text.h"
#include "harness/measure/worker/worker.h"
#include "harness/model/codec.h"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;  // the phases of a result are in order

constexpr int protocol_version = 1;
constexpr const char* source = "worker protocol";

// Names from suites and plugins may hold bytes that are not UTF-8; they are replaced, not thrown at.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const sdk::Params& params) {
  Json list = Json::array();
  for (const auto& [name, value] : params.entries()) {
    Json entry = Json::array({name});
    std::visit([&](const auto& typed) { entry.push_back(typed); }, value);
    list.push_back(std::move(entry));
  }
  return list;
}

Json to_json(const Sampling& s) {
  return {{"processes", s.processes},
          {"placements", s.placements},
          {"samples", s.samples},
          {"min_samples", s.min_samples},
          {"warmup", s.warmup},
          {"cache", name_of(s.cache)},
          {"width", s.width},
          {"width_samples", s.width_samples},
          {"preheat_s", s.preheat},
          {"preheat_most_s", s.preheat_most},
          {"steady", s.steady},
          {"max_time_s", s.max_time},
          {"timeout_s", s.timeout},
          {"gate_deadline_s", s.gate_deadline},
          {"seed", s.seed},
          {"timing", name_of(s.timing)},
          {"batch_nodes", s.batch_nodes}};
}

Json to_json(const PlannedCase& c) {
  return {{"id", c.id},          {"workload", c.workload},      {"variant", c.variant},
          {"device", c.device},  {"params", to_json(c.params)}, {"sampling", to_json(c.sampling)},
          {"metrics", c.metrics}};
}

// What is wrong with a document, on its way to the edge of this file.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

const Json& member(const Json& object, const char* name) {
  if (!object.is_object()) throw Malformed(fmt::format("expected an object with `{}`", name));
  const auto found = object.find(name);
  if (found == object.end()) throw Malformed(fmt::format("`{}` is missing", name));
  return *found;
}

std::string text(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) throw Malformed(fmt::format("`{}` is not a string", name));
  return value.get<std::string>();
}

int integer(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number_integer() || value < -1 || value > 1'000'000'000)
    throw Malformed(fmt::format("`{}` is not a whole number in range", name));
  return value.get<int>();
}

double real(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number()) throw Malformed(fmt::format("`{}` is not a number", name));
  return value.get<double>();
}

const Json& list(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_array()) throw Malformed(fmt::format("`{}` is not a list", name));
  return value;
}

std::vector<std::string> texts(const Json& object, const char* name) {
  std::vector<std::string> out;
  for (const Json& value : list(object, name)) {
    if (!value.is_string()) throw Malformed(fmt::format("`{}` is not a list of strings", name));
    out.push_back(value.get<std::string>());
  }
  return out;
}

sdk::Value to_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  throw Malformed("a parameter is neither a number, a flag nor a string");
}

sdk::Params to_params(const Json& json) {
  sdk::Params params;
  for (const Json& entry : json) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string())
      throw Malformed("`params` is not a list of [name, value]");
    params.set(entry[0].get<std::string>(), to_value(entry[1]));
  }
  return params;
}

Sampling to_sampling(const Json& json) {
  Sampling s;
  s.processes = integer(json, "processes");
  s.placements = integer(json, "placements");
  s.samples = integer(json, "samples");
  s.min_samples = integer(json, "min_samples");
  s.warmup = integer(json, "warmup");
  const std::optional<CacheMode> cache = parse_name<CacheMode>(text(json, "cache"));
  if (!cache) throw Malformed("`cache` is neither cold, hot nor rotate");
  s.cache = *cache;
  s.width = real(json, "width");
  s.width_samples = integer(json, "width_samples");
  s.preheat = real(json, "preheat_s");
  s.preheat_most = real(json, "preheat_most_s");
  s.steady = real(json, "steady");
  s.max_time = real(json, "max_time_s");
  s.timeout = real(json, "timeout_s");
  s.gate_deadline = real(json, "gate_deadline_s");
  const Json& seed = member(json, "seed");
  if (!seed.is_number_unsigned()) throw Malformed("`seed` is not a whole number");
  s.seed = seed.get<std::uint64_t>();
  const std::optional<TimingMode> timing = parse_name<TimingMode>(text(json, "timing"));
  if (!timing) throw Malformed("`timing` is neither events nor batch");
  s.timing = *timing;
  for (const Json& calls : list(json, "batch_nodes")) {
    if (!calls.is_number_integer() || calls < 1 || calls > most_batch_nodes)
      throw Malformed("`batch_nodes` is not a list of whole numbers in range");
    s.batch_nodes.push_back(calls.get<int>());
  }
  return s;
}

PlannedCase to_case(const Json& json) {
  PlannedCase c;
  c.id = text(json, "id");
  c.workload = text(json, "workload");
  c.variant = text(json, "variant");
  c.device = text(json, "device");
  c.params = to_params(list(json, "params"));
  c.sampling = to_sampling(member(json, "sampling"));
  c.metrics = texts(json, "metrics");
  return c;
}

Json to_json(const BuildModules& b) {
  return {{"root", b.root}, {"kernels", b.kernels}, {"cuda", b.cuda}, {"plugins", b.plugins}};
}

BuildModules to_modules(const Json& json) {
  return {text(json, "root"), text(json, "kernels"), text(json, "cuda"), texts(json, "plugins")};
}

Job to_job(const Json& json) {
  if (integer(json, "version") != protocol_version) throw Malformed("`version` is not 1");
  Job job;
  job.device = text(json, "device");
  job.process = integer(json, "process");
  job.modules = texts(json, "modules");
  for (const Json& one : list(json, "cases")) job.cases.push_back(to_case(one));
  const Json& ceilings = member(json, "measure_ceilings");
  if (!ceilings.is_boolean()) throw Malformed("`measure_ceilings` is neither true nor false");
  job.measure_ceilings = ceilings.get<bool>();
  if (json.contains("suite")) job.suite = text(json, "suite");
  if (const auto pair = json.find("pair"); pair != json.end())
    job.pair =
        PairedBuilds{to_modules(member(*pair, baseline_side)), to_modules(member(*pair, current_side))};
  return job;
}

// Records and machines have a codec of their own; their text is embedded as it is.
template <class T>
Json embedded(const T& value) {
  return Json::parse(encode(value), nullptr, false);
}

struct Encoder {
  Json operator()(const Hello& m) const {
    return {{"type", "hello"},
            {"version", protocol_version},
            {"device", m.device},
            {"machine", embedded(m.machine)}};
  }
  Json operator()(const Begin& m) const { return {{"type", "begin"}, {"case", m.case_id}}; }
  Json operator()(const ProcessResult& m) const { return {{"type", "result"}, {"result", embedded(m)}}; }
  Json operator()(const PairResult& m) const {
    return {{"type", "pair"}, {baseline_side, embedded(m.baseline)}, {current_side, embedded(m.current)}};
  }
  Json operator()(const Refusal& m) const { return {{"type", "refusal"}, {"reason", m.reason}}; }
  Json operator()(const Done&) const { return {{"type", "done"}}; }
};

ProcessResult to_result(const Json& json) {
  Result<ProcessResult> result = decode_process_result(dump(json), source);
  if (!result) throw Malformed(result.error().message);
  return std::move(*result);
}

PairResult to_pair(const Json& json) {
  PairResult pair{to_result(member(json, baseline_side)), to_result(member(json, current_side))};
  if (pair.baseline.case_id != pair.current.case_id || pair.baseline.process != pair.current.process)
    throw Malformed("the sides of a pair are not of one case and process");
  return pair;
}

Message to_message(const Json& json) {
  const std::string type = text(json, "type");
  if (type == "hello") {
    if (integer(json, "version") != protocol_version) throw Malformed("`version` is not 1");
    const Result<Machine> machine = decode_machine(dump(member(json, "machine")), source);
    if (!machine) throw Malformed(machine.error().message);
    return Hello{text(json, "device"), *machine};
  }
  if (type == "begin") return Begin{text(json, "case")};
  if (type == "result") return to_result(member(json, "result"));
  if (type == "pair") return to_pair(json);
  if (type == "refusal") return Refusal{text(json, "reason")};
  if (type == "done") return Done{};
  throw Malformed(fmt::format("message type `{}` is not known", printable(type)));
}

template <class Decode>
auto decode(std::string_view text, std::string_view what, Decode&& to_value_of)
    -> Result<decltype(to_value_of(Json()))> {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return fail(ErrorKind::internal, Location{source}, fmt::format("{} is not JSON", what));
  try {
    return to_value_of(json);
  } catch (const Malformed& problem) {
    return fail(ErrorKind::internal, Location{source}, fmt::format("{}: {}", what, problem.what()),
                "the worker and this program must be of the same version");
  }
}

}  // namespace

std::string encode(const Job& job) {
  Json cases = Json::array();
  for (const PlannedCase& one : job.cases) cases.push_back(to_json(one));
  Json json{{"version", protocol_version}, {"device", job.device},
            {"process", job.process},      {"modules", job.modules},
            {"cases", std::move(cases)},   {"measure_ceilings", job.measure_ceilings}};
  if (!job.suite.empty()) json["suite"] = job.suite;
  if (job.pair)
    json["pair"] = {{baseline_side, to_json(job.pair->baseline)}, {current_side, to_json(job.pair->current)}};
  return dump(json);
}

Result<Job> decode_job(std::string_view document) {
  return decode(document, "a job", to_job);
}

std::string encode(const Message& message) {
  return dump(std::visit(Encoder{}, message));
}

Result<Message> decode_message(std::string_view line) {
  return decode(line, "a message", to_message);
}

}  // namespace harness

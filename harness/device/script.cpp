// Reading a script of the scripted device; the format is in scripted.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/device/scripted.h"

namespace harness {
namespace {

using Json = nlohmann::json;

// Reads members of one object; keeps the first error and does nothing after it.
class Reader {
 public:
  Reader(const Json& object, std::string path, const std::string& source, std::optional<Error>& error)
      : object_(object), path_(std::move(path)), source_(source), error_(error) {
    if (!object.is_object()) complain(path_, "an object");
  }

  const Json* member(const std::string& name) {
    known_.push_back(name);
    if (error_ || !object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  void number(const std::string& name, double& out, double least) {
    const Json* value = member(name);
    if (value != nullptr) number_at(*value, path_ + "/" + name, out, least);
  }
  void number(const std::string& name, std::optional<double>& out, double least) {
    double value = 0;
    const bool given = member(name) != nullptr;
    number(name, value, least);
    if (given) out = value;
  }
  void numbers(const std::string& name, std::vector<double>& out, double least) {
    const Json* list = member(name);
    if (list == nullptr) return;
    if (!list->is_array()) return complain(path_ + "/" + name, "a list of numbers");
    for (const Json& value : *list) {
      const std::string path = fmt::format("{}/{}/{}", path_, name, out.size());
      number_at(value, path, out.emplace_back(), least);
    }
  }
  template <class Integer>
  void integer(const std::string& name, Integer& out) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_number_integer() || *value < -1 || *value > 1'000'000'000)
      return complain(path_ + "/" + name, "a whole number");
    out = value->get<Integer>();
  }
  void text(const std::string& name, std::string& out) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_string()) return complain(path_ + "/" + name, "a string");
    out = value->get<std::string>();
  }

  // Complains of members that nobody asked for.
  void finish() {
    if (error_ || !object_.is_object()) return;
    for (const auto& [name, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        return complain(path_ + "/" + printable(name), "no such member", suggestion(name, known_));
  }

  void complain(const std::string& path, const std::string& expected, std::string advice = {}) {
    if (!error_)
      error_ = Error{ErrorKind::usage, fmt::format("{}: expected {}", path.empty() ? "/" : path, expected),
                     Location{source_}, std::move(advice)};
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void number_at(const Json& value, const std::string& path, double& out, double least) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < least)
      return complain(path, fmt::format("a number of at least {:g}", least));
    out = value.get<double>();
  }

  const Json& object_;
  std::string path_;
  const std::string& source_;
  std::optional<Error>& error_;
  std::vector<std::string> known_;
};

constexpr double positive = 1e-6;  // the shortest time that a script may ask for, in us

struct Context {
  const std::string& source;
  std::optional<Error>& error;
};

ScriptedCase read_case(const Json& json, const std::string& path, const Context& context) {
  ScriptedCase c;
  Reader reader(json, path, context.source, context.error);
  reader.text("match", c.match);
  reader.number("us", c.us, positive);
  reader.number("hot_us", c.hot_us, positive);
  reader.numbers("process_us", c.process_us, positive);
  reader.number("process_sd", c.process_sd, 0);
  reader.number("placement_sd", c.placement_sd, 0);
  reader.number("sample_sd", c.sample_sd, 0);
  reader.numbers("samples", c.samples, positive);
  reader.number("outliers", c.outliers, 0);
  reader.number("outlier_factor", c.outlier_factor, positive);
  reader.number("first_call_us", c.first_call_us, positive);
  reader.number("overhead_us", c.overhead_us, 0);
  reader.number("warmup_factor", c.warmup_factor, positive);
  reader.number("warmup_calls", c.warmup_calls, positive);
  reader.integer("gate_forced_every", c.gate_forced_every);
  if (const Json* error = reader.member("error")) {
    Reader inner(*error, path + "/error", context.source, context.error);
    c.error.emplace();
    inner.integer("process", c.error->process);
    inner.integer("placement", c.error->placement);
    inner.integer("sample", c.error->sample);
    inner.text("message", c.error->message);
    inner.finish();
  }
  reader.finish();
  return c;
}

MachineField read_field(const std::string& name, const Json& json, const Context& context) {
  MachineField field{name, {}, FieldClass::info};
  if (json.is_string()) {
    field.value = json.get<std::string>();
    return field;
  }
  Reader reader(json, "/fields/" + name, context.source, context.error);
  reader.text("value", field.value);
  std::string kind = "info";
  reader.text("class", kind);
  const std::map<std::string, FieldClass> kinds{
      {"block", FieldClass::block}, {"warn", FieldClass::warn}, {"info", FieldClass::info}};
  if (const auto found = kinds.find(kind); found != kinds.end())
    field.kind = found->second;
  else
    reader.complain("/fields/" + name + "/class", "block, warn or info");
  reader.finish();
  return field;
}

Script read_script(const Json& json, const Context& context) {
  Script script;
  script.machine.machine_class = "scripted";
  script.machine.device_uuid = "scripted-device";
  Reader reader(json, "", context.source, context.error);
  int version = 0;
  reader.integer("version", version);
  if (version != 1) reader.complain("/version", "1, the only version there is");
  reader.integer("seed", script.seed);
  reader.text("machine_class", script.machine.machine_class);
  reader.text("device_uuid", script.machine.device_uuid);
  reader.number("clock_ghz", script.clock_ghz, 0);
  if (const Json* fields = reader.member("fields")) {
    if (!fields->is_object()) reader.complain("/fields", "an object");
    for (const auto& [name, value] : fields->items())
      script.machine.fields.push_back(read_field(name, value, context));
  }
  if (const Json* ceilings = reader.member("ceilings")) {
    Reader inner(*ceilings, "/ceilings", context.source, context.error);
    if (ceilings->is_object())
      for (const auto& [name, value] : ceilings->items())
        inner.number(name, script.machine.ceilings[name], 0);
  }
  if (const Json* cases = reader.member("cases")) {
    if (!cases->is_array()) reader.complain("/cases", "a list");
    for (const Json& one : *cases)
      script.cases.push_back(read_case(one, fmt::format("/cases/{}", script.cases.size()), context));
  }
  if (const Json* fallback = reader.member("default"))
    script.fallback = read_case(*fallback, "/default", context);
  reader.finish();
  return script;
}

}  // namespace

Result<Script> parse_script(std::string_view text, const std::string& source) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail(ErrorKind::usage, Location{source}, "is not valid JSON");
  std::optional<Error> error;
  Script script = read_script(json, {source, error});
  if (error) return fail(std::move(*error));
  return script;
}

}  // namespace harness

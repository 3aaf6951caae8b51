// Reads a script of the scripted device; script.md describes the format.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/device/scripted/scripted_device.h"

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
  void integer(const std::string& name, Integer& out, int least = -1) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_number_integer() || *value < least || *value > 1'000'000'000)
      return complain(path_ + "/" + name,
                      least < 0 ? "a whole number" : "a whole number that is not negative");
    out = value->get<Integer>();
  }
  template <class Integer>
  void count(const std::string& name, Integer& out) {
    integer(name, out, 0);
  }
  void text(const std::string& name, std::string& out) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_string()) return complain(path_ + "/" + name, "a string");
    out = value->get<std::string>();
  }

  void texts(const std::string& name, std::vector<std::string>& out) {
    const Json* list = member(name);
    if (list == nullptr) return;
    if (!list->is_array()) return complain(path_ + "/" + name, "a list of strings");
    for (const Json& value : *list) {
      if (!value.is_string()) return complain(fmt::format("{}/{}/{}", path_, name, out.size()), "a string");
      out.push_back(value.get<std::string>());
    }
  }
  // Three whole numbers: blocks or threads along x, y and z.
  void extent(const std::string& name, std::array<std::int64_t, 3>& out) {
    const Json* list = member(name);
    if (list == nullptr) return;
    const bool three = list->is_array() && list->size() == out.size();
    for (std::size_t i = 0; three && i < out.size(); ++i) {
      const Json& value = (*list)[i];
      if (!value.is_number_integer() || value < 0 || value > 4'000'000'000)
        return complain(fmt::format("{}/{}/{}", path_, name, i), "a whole number");
      out.at(i) = value.get<std::int64_t>();
    }
    if (!three) complain(path_ + "/" + name, "a list of three whole numbers");
  }
  // Calls `read` with each element of a list and its path.
  template <class Read>
  void each(const std::string& name, Read&& read) {
    const Json* list = member(name);
    if (list == nullptr) return;
    if (!list->is_array()) return complain(path_ + "/" + name, "a list");
    std::size_t index = 0;
    for (const Json& value : *list) read(value, fmt::format("{}/{}/{}", path_, name, index++));
  }

  // Complains of unknown members.
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

constexpr double any_number = std::numeric_limits<double>::lowest();
constexpr double positive = 1e-6;  // the shortest time that a script may ask for, in us

struct Context {
  const std::string& source;
  std::optional<Error>& error;
};

ScriptedConditions read_conditions(const Json& json, const std::string& path, const Context& context) {
  ScriptedConditions read;
  Conditions& conditions = read.conditions;
  Reader reader(json, path, context.source, context.error);
  reader.integer("process", read.process);
  reader.integer("placement", read.placement);
  reader.number("sm_clock_mhz", conditions.sm_clock_mhz, 0);
  reader.number("memory_clock_mhz", conditions.memory_clock_mhz, 0);
  reader.number("power_w", conditions.power_w, 0);
  reader.number("temperature_c", conditions.temperature_c, any_number);
  reader.texts("throttled", conditions.throttled);
  const Json* others = reader.member("other_processes");
  read.tells_processes = others == nullptr || !others->is_null();  // null: the device does not tell
  if (read.tells_processes) reader.count("other_processes", conditions.other_processes);
  reader.finish();
  return read;
}

KernelUse read_kernel(const Json& json, const std::string& path, const Context& context) {
  KernelUse kernel;
  kernel.launches = 1;
  Reader reader(json, path, context.source, context.error);
  reader.text("name", kernel.name);
  if (kernel.name.empty()) reader.complain(path + "/name", "the name of a kernel");
  reader.extent("grid", kernel.grid);
  reader.extent("block", kernel.block);
  reader.count("registers", kernel.registers);
  reader.count("static_shared_bytes", kernel.static_shared_bytes);
  reader.count("dynamic_shared_bytes", kernel.dynamic_shared_bytes);
  reader.count("launches", kernel.launches);
  reader.number("us", kernel.us, 0);
  reader.text("code", kernel.code);
  reader.count("local_bytes", kernel.local_bytes);
  reader.finish();
  return kernel;
}

CounterValue read_counter(const Json& json, const std::string& path, const Context& context) {
  CounterValue counter;
  Reader reader(json, path, context.source, context.error);
  reader.text("name", counter.name);
  if (counter.name.empty()) reader.complain(path + "/name", "the name of a counter");
  reader.number("value", counter.value, 0);
  reader.text("unit", counter.unit);
  std::string missing;
  reader.text("missing", missing);
  reader.finish();
  if (!missing.empty()) counter.missing = {CounterCode::refused, {{"problem", missing}}};
  return counter;
}

Identity read_identity(const Json& json, const std::string& path, const Context& context) {
  Identity identity;
  std::string gap;
  Reader reader(json, path, context.source, context.error);
  reader.text("digest", identity.digest);
  reader.text("gap", gap);
  reader.finish();
  if (identity.digest.empty() == gap.empty()) reader.complain(path, "a digest or a gap");
  if (!gap.empty()) identity.gap = Cause{CauseCode::launches_unseen, {{"problem", gap}}};
  return identity;
}

ScriptedCase read_case(const Json& json, const std::string& path, const Context& context) {
  ScriptedCase c;
  Reader reader(json, path, context.source, context.error);
  reader.text("match", c.match);
  reader.number("us", c.us, positive);
  reader.number("hot_us", c.hot_us, positive);
  reader.numbers("process_us", c.process_us, positive);
  reader.number("alone_us", c.alone_us, positive);
  reader.number("process_sd", c.process_sd, 0);
  reader.number("placement_sd", c.placement_sd, 0);
  reader.number("sample_sd", c.sample_sd, 0);
  reader.numbers("samples", c.samples, positive);
  reader.number("outliers", c.outliers, 0);
  reader.text("side", c.side);
  if (!c.side.empty() && c.side != "baseline" && c.side != "current")
    reader.complain(path + "/side", "baseline or current");
  reader.number("outlier_factor", c.outlier_factor, positive);
  reader.number("first_call_us", c.first_call_us, positive);
  reader.number("load_us", c.load_us, 0);
  reader.number("setup_us", c.setup_us, 0);
  reader.number("overhead_us", c.overhead_us, 0);
  reader.number("warmup_factor", c.warmup_factor, positive);
  reader.number("warmup_calls", c.warmup_calls, positive);
  reader.number("batch_us", c.batch_us, positive);
  reader.number("batch_overhead_us", c.batch_overhead_us, 0);
  reader.integer("gate_forced_every", c.gate_forced_every);
  reader.number("launch_us", c.launch_us, 0);
  reader.numbers("call_ghz", c.call_ghz, positive);
  reader.number("boost_duty", c.boost_duty, positive);
  reader.number("slow_ghz", c.slow_ghz, positive);
  reader.number("takes_bytes", c.takes_bytes, 0);
  reader.number("watts", c.watts, 0);
  reader.number("sustained_us", c.sustained_us, positive);
  reader.number("round_pause_us", c.round_pause_us, 0);
  reader.each("conditions", [&](const Json& one, const std::string& where) {
    c.conditions.push_back(read_conditions(one, where, context));
  });
  reader.each("kernels", [&](const Json& one, const std::string& where) {
    c.kernels.push_back(read_kernel(one, where, context));
  });
  reader.texts("process_code", c.process_code);
  reader.numbers("process_launches", c.process_launches, 1);
  reader.each("counters", [&](const Json& one, const std::string& where) {
    c.counters.push_back(read_counter(one, where, context));
  });
  if (const Json* identity = reader.member("identity"))
    c.identity = read_identity(*identity, path + "/identity", context);
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

ScriptedEnergy read_energy(const Json& json, const Context& context) {
  constexpr double one_us = 1, one_ms = 1;  // shorter ones would be very many in a watch
  ScriptedEnergy energy;
  Reader reader(json, "/energy", context.source, context.error);
  reader.number("idle_watts", energy.idle_watts, 0);
  if (json.is_object() && json.contains("step_ms")) energy.step_ms.clear();
  reader.numbers("step_ms", energy.step_ms, one_ms);
  reader.number("reading_us", energy.reading_us, one_us);
  reader.number("back_after_ms", energy.back_after_ms, 0);
  reader.number("cap_watts", energy.cap_watts, 0);
  reader.finish();
  return energy;
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
  if (const Json* clock = reader.member("clock_ghz"); clock != nullptr && clock->is_array())
    reader.numbers("clock_ghz", script.clock_ghz, 0);
  else if (clock != nullptr)
    reader.number("clock_ghz", script.clock_ghz.emplace_back(), 0);
  reader.number("memory_bytes", script.memory_bytes, 0);
  reader.number("started", script.started, 0);
  reader.number("process_apart_s", script.process_apart_s, 0);
  reader.count("cache_bytes", script.cache_bytes);
  std::string obstacle;
  reader.text("gate_obstacle", obstacle);
  if (const auto code = parse_name<NoteCode>(obstacle))
    script.gate_obstacle = Note{*code};
  else if (!obstacle.empty())
    reader.complain("/gate_obstacle", "the code of a note");
  if (const Json* energy = reader.member("energy")) script.energy = read_energy(*energy, context);
  reader.number("batch_below_us", script.batch_below_us, 0);
  if (const Json* control = reader.member("control")) {
    script.control.emplace();
    Reader inner(*control, "/control", context.source, context.error);
    inner.number("call", script.control->call, 0);
    inner.number("batched", script.control->batched, 0);
    if (control->contains("pair")) inner.number("pair", script.control->pair.emplace(), 0);
    inner.finish();
  }
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

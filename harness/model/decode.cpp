// The reading half of codec.h. The writing half is encode.cpp; README.md describes the format.
#include <array>
#include <limits>
#include <set>

#include "harness/model/codec.h"
#include "harness/schema/json_reader.h"

namespace harness {
namespace {

constexpr std::array<Pairing::Kind, 2> pairing_kinds{Pairing::Kind::session, Pairing::Kind::process};
constexpr std::array<Outcome, 5> outcomes{Outcome::measured, Outcome::incorrect, Outcome::failed,
                                          Outcome::timed_out, Outcome::skipped};
constexpr std::array<Direction, 2> directions{Direction::lower_is_better, Direction::higher_is_better};
constexpr std::array<CacheMode, 3> cache_modes{CacheMode::cold, CacheMode::hot, CacheMode::rotate};
constexpr std::array<TimingMode, 2> timing_modes{TimingMode::events, TimingMode::batch};
constexpr std::array<FieldClass, 3> field_classes{FieldClass::block, FieldClass::warn, FieldClass::info};

// The enumerator that the node's text names; the fallback when the node is absent.
template <class Enum, std::size_t n>
Enum read_enum(const JsonNode& node, const std::array<Enum, n>& values, Enum fallback) {
  if (!node.present()) return fallback;
  std::array<std::string_view, n> names;
  for (std::size_t i = 0; i < n; ++i) names[i] = name_of(values[i]);
  return values[node.choice(names)];
}

std::vector<int> read_counts(const JsonNode& node) {
  std::vector<int> counts;
  node.each_element([&](const JsonNode& one) { counts.push_back(one.integer<int>(0, 1)); });
  return counts;
}

// Calls `read(name, node)` for each member and refuses a name that comes twice.
template <class Read>
void each_unique_member(const JsonNode& node, Read read) {
  std::set<std::string_view> seen;
  node.each_member([&](std::string_view name, const JsonNode& member) {
    if (!seen.insert(name).second) member.problem("is there twice");
    read(name, member);
  });
}

std::optional<double> read_optional(const JsonNode& node) {
  if (!node.present()) return std::nullopt;
  return node.number();
}

sdk::Params read_params(const JsonNode& node) {
  std::vector<std::pair<std::string, sdk::Value>> entries;
  each_unique_member(node, [&](std::string_view name, const JsonNode& member) {
    if (auto value = member.scalar()) entries.emplace_back(name, std::move(*value));
  });
  return sdk::Params(std::move(entries));
}

Sampling read_sampling(const JsonNode& node) {
  Sampling sampling;
  if (!node.present()) return sampling;
  sampling.processes = node.find("processes").integer(sampling.processes, 0);
  sampling.placements = node.find("placements").integer(sampling.placements, 0);
  sampling.samples = node.find("samples").integer(sampling.samples, 0);
  sampling.min_samples = node.find("min_samples").integer(sampling.min_samples, 0);
  sampling.warmup = node.find("warmup").integer(sampling.warmup, 0);
  sampling.cache = read_enum(node.find("cache"), cache_modes, sampling.cache);
  sampling.width = node.find("width").number(sampling.width);
  sampling.width_samples = node.find("width_samples").integer(sampling.width_samples, 0);
  sampling.preheat = node.find("preheat").number(sampling.preheat);
  sampling.preheat_most = node.find("preheat_most").number(sampling.preheat_most);
  sampling.steady = node.find("steady").number(sampling.steady);
  sampling.max_time = node.find("max_time").number(sampling.max_time);
  sampling.timeout = node.find("timeout").number(sampling.timeout);
  sampling.gate_deadline = node.find("gate_deadline").number(sampling.gate_deadline);
  sampling.seed = node.find("seed").integer(sampling.seed);
  sampling.timing = read_enum(node.find("timing"), timing_modes, sampling.timing);
  sampling.batch_nodes = read_counts(node.find("batch_nodes"));
  return sampling;
}

Gate read_gate(const JsonNode& node) {
  Gate gate;
  if (!node.present()) return gate;
  gate.margin = node.find("margin").number(gate.margin);
  gate.alpha = node.find("alpha").number(gate.alpha);
  each_unique_member(node.find("metrics"), [&](std::string_view name, const JsonNode& member) {
    MetricGate one{std::string(name), read_optional(member.find("margin")),
                   read_optional(member.find("alpha")), member.find("informative").flag()};
    gate.metrics.push_back(std::move(one));
  });
  gate.throttled = node.find("throttled").number(gate.throttled);
  node.find("looks").each_element(
      [&](const JsonNode& look) { gate.looks.push_back(look.integer<int>(0, 0)); });
  return gate;
}

Location read_location(const JsonNode& node) {
  if (!node.present()) return {};
  return {node.find("file").text(), node.find("line").integer<int>(), node.find("column").integer<int>()};
}

std::optional<Conditions> read_conditions(const JsonNode& node) {
  if (!node.present()) return std::nullopt;
  return Conditions{
      read_optional(node.find("sm_clock_mhz")), read_optional(node.find("memory_clock_mhz")),
      read_optional(node.find("power_w")),      read_optional(node.find("temperature_c")),
      node.find("throttled").texts(),           node.find("other_processes").integer<int>(0, 0)};
}

Placement read_placement(const JsonNode& node) {
  Placement placement;
  placement.samples = node.require("samples").numbers();
  placement.forced_gates = node.find("forced_gates").integer<int>(0, 0);
  placement.clock_ghz = node.find("clock_ghz").number();
  placement.started = node.find("started").number();
  placement.conditions = read_conditions(node.find("conditions"));
  // A later version may know other reasons: a record that has one still loads.
  placement.stopped = parse_stop(node.find("stopped").text()).value_or(Stop::unknown);
  return placement;
}

ProcessSamples read_process_samples(const JsonNode& node) {
  ProcessSamples process;
  process.process = node.require("process").integer<int>(0, 0);
  if (const JsonNode first = node.find("first_call"); first.present()) process.first_call = first.number();
  const JsonNode placements = node.require("placements");
  process.placements.reserve(placements.size());
  placements.each_element([&](const JsonNode& one) { process.placements.push_back(read_placement(one)); });
  return process;
}

Series read_series(const JsonNode& node) {
  Series series;
  series.metric = node.require("metric").text();
  series.unit = node.require("unit").text();
  series.direction = read_enum(node.find("direction"), directions, Direction::lower_is_better);
  const JsonNode processes = node.require("processes");
  std::set<int> seen;
  series.processes.reserve(processes.size());
  processes.each_element([&](const JsonNode& one) {
    series.processes.push_back(read_process_samples(one));
    if (!seen.insert(series.processes.back().process).second)
      one.problem("repeats process " + std::to_string(series.processes.back().process));
  });
  return series;
}

std::vector<Series> read_all_series(const JsonNode& node) {
  std::vector<Series> all;
  std::set<std::string> seen;
  node.each_element([&](const JsonNode& one) {
    all.push_back(read_series(one));
    if (!seen.insert(all.back().metric).second) one.problem("repeats metric `" + all.back().metric + "`");
  });
  return all;
}

// An error of a wrong output can be infinite or not a number; both are null in JSON.
double read_relative_error(const JsonNode& node) {
  return node.is_null() ? std::numeric_limits<double>::quiet_NaN() : node.number();
}

std::optional<Verification> read_verification(const JsonNode& node) {
  if (!node.present()) return std::nullopt;
  Verification verification;
  verification.before = read_relative_error(node.require("before"));
  verification.after = read_relative_error(node.require("after"));
  verification.tolerance = node.require("tolerance").number();
  verification.elements = node.find("elements").integer<std::int64_t>(0, 0);
  return verification;
}

std::array<std::int64_t, 3> read_extent(const JsonNode& node) {
  std::array<std::int64_t, 3> extent{};
  std::size_t index = 0;
  node.each_element([&](const JsonNode& one) {
    if (index < extent.size())
      extent.at(index++) = one.integer<std::int64_t>(0, 0);
    else
      one.problem("is one too many; expected three extents");
  });
  return extent;
}

KernelUse read_kernel(const JsonNode& node) {
  KernelUse kernel;
  kernel.name = node.require("name").text();
  kernel.grid = read_extent(node.find("grid"));
  kernel.block = read_extent(node.find("block"));
  kernel.registers = node.find("registers").integer<int>(0, 0);
  kernel.static_shared_bytes = node.find("static_shared_bytes").integer<std::int64_t>(0, 0);
  kernel.dynamic_shared_bytes = node.find("dynamic_shared_bytes").integer<std::int64_t>(0, 0);
  kernel.launches = node.find("launches").integer<int>(0, 0);
  kernel.us = node.find("us").number();
  kernel.code = node.find("code").text();
  kernel.local_bytes = node.find("local_bytes").integer<std::int64_t>(0, 0);
  return kernel;
}

std::optional<Control> read_control(const JsonNode& node) {
  if (!node.present()) return std::nullopt;
  Control control{node.require("call").number(), node.require("batched").number()};
  if (const JsonNode pair = node.find("pair"); pair.present()) control.pair = pair.number();
  return control;
}

std::optional<Batching> read_batching(const JsonNode& node) {
  if (!node.present()) return std::nullopt;
  Batching batching;
  batching.calls = read_counts(node.require("calls"));
  batching.intercept = node.find("intercept").number();
  batching.off_line = node.find("off_line").number();
  return batching;
}

ProcessResult read_outcome(const JsonNode& node) {
  ProcessResult result;
  result.process = node.require("process").integer<int>(0, 0);
  result.outcome = read_enum(node.require("outcome"), outcomes, Outcome::failed);
  result.reason = node.find("reason").text();
  result.device_uuid = node.find("device").text();
  result.verification = read_verification(node.find("verification"));
  result.notes = node.find("notes").texts();
  each_unique_member(node.find("phases"), [&](std::string_view name, const JsonNode& duration) {
    result.phases.push_back({std::string(name), duration.number()});
  });
  node.find("kernels").each_element([&](const JsonNode& one) { result.kernels.push_back(read_kernel(one)); });
  result.control = read_control(node.find("control"));
  result.batching = read_batching(node.find("batching"));
  result.input_sets = node.find("input_sets").integer<int>(1, 1);
  return result;
}

Machine read_machine(const JsonNode& node) {
  Machine machine;
  machine.machine_class = node.require("class").text();
  machine.device_uuid = node.find("uuid").text();
  node.find("fields").each_element([&](const JsonNode& one) {
    machine.fields.push_back({one.require("name").text(), one.require("value").text(),
                              read_enum(one.find("kind"), field_classes, FieldClass::info)});
  });
  each_unique_member(node.find("ceilings"), [&](std::string_view name, const JsonNode& value) {
    machine.ceilings[std::string(name)] = value.number();
  });
  return machine;
}

CaseRecord read_planned(const JsonNode& node) {
  CaseRecord record;
  const JsonNode id = node.require("id");
  record.id = id.text();
  if (record.id.empty()) id.problem("is empty; expected the case's identity");
  record.workload = node.find("workload").text();
  record.variant = node.find("variant").text();
  record.device = node.find("device").text();
  record.params = read_params(node.find("params"));
  record.reference = node.find("reference").text();
  record.tags = node.find("tags").texts();
  record.gate = read_gate(node.find("gate"));
  record.sampling = read_sampling(node.find("sampling"));
  record.flops = node.find("flops").number();
  record.bytes = node.find("bytes").number();
  record.items = node.find("items").number();
  record.item_name = node.find("item_name").text();
  record.where = read_location(node.find("where"));
  record.outcome = read_enum(node.require("outcome"), outcomes, Outcome::failed);
  record.reason = node.find("reason").text();
  return record;
}

CaseRecord read_case(const JsonNode& node) {
  CaseRecord record = read_planned(node);
  std::set<int> seen;
  node.find("results").each_element([&](const JsonNode& one) {
    record.processes.push_back(read_outcome(one));
    record.processes.back().case_id = record.id;
    if (!seen.insert(record.processes.back().process).second)
      one.problem("repeats process " + std::to_string(record.processes.back().process));
  });
  record.series = read_all_series(node.require("metrics"));
  return record;
}

std::optional<Promotion> read_promotion(const JsonNode& node) {
  if (!node.present()) return std::nullopt;
  return Promotion{node.require("author").text(), node.require("reason").text(), node.find("date").text()};
}

std::optional<Pairing> read_pairing(const JsonNode& node) {
  if (!node.present()) return std::nullopt;
  Pairing pairing{node.require("id").text(), {}};
  if (pairing.id.empty()) node.problem("has an empty `id`; expected that of the A/B run");
  pairing.kind = read_enum(node.require("kind"), pairing_kinds, Pairing::Kind::session);
  return pairing;
}

// A commit goes into commands and advice, so nothing but a commit id will do.
std::string read_commit(const JsonNode& node) {
  const std::string commit = node.text();
  const bool hash = commit.size() == 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!commit.empty() && !hash) node.problem("is no commit id; expected 40 hexadecimal digits in lower case");
  return commit;
}

Revision read_revision(const JsonNode& node) {
  if (!node.present()) return {};
  return {read_commit(node.find("commit")), node.find("branch").text(), node.find("dirty").flag(),
          node.find("changes").text()};
}

Record read_header(JsonReader& reader) {
  Record record;
  reader.expect_format("harness-record", record_version);
  const JsonNode root = reader.root();
  record.id = root.require("id").text();
  record.tool = root.find("tool").text();
  const JsonNode suite = root.require("suite");
  record.suite = {suite.require("name").text(), suite.find("file").text(), suite.find("hash").text()};
  record.revision = read_revision(root.find("revision"));
  record.started = root.find("started").text();
  record.finished = root.find("finished").text();
  record.estimator = root.find("estimator").text(record.estimator);
  record.promotion = read_promotion(root.find("promotion"));
  record.partial = root.find("partial").flag();
  record.calibration = root.find("calibration").flag();
  record.pairing = read_pairing(root.find("pairing"));
  record.session = root.find("session").text();
  each_unique_member(root.find("machines"), [&](std::string_view kind, const JsonNode& machine) {
    record.machines[std::string(kind)] = read_machine(machine);
  });
  return record;
}

// Parses `text` and hands the reader to `read`; the first problem wins over what it returned.
template <class Read>
auto decode(std::string_view text, const std::string& source, Read read)
    -> Result<decltype(read(std::declval<JsonReader&>()))> {
  auto reader = JsonReader::parse(text, {source});
  if (!reader) return fail(reader.error());
  return (*reader)->finish(read(**reader));
}

}  // namespace

Result<Record> decode_record(std::string_view text, const std::string& source) {
  return decode(text, source, [](JsonReader& reader) {
    Record record = read_header(reader);
    const JsonNode root = reader.root();
    const JsonNode cases = root.require("cases");
    std::set<std::string> seen;
    record.cases.reserve(cases.size());
    cases.each_element([&](const JsonNode& one) {
      record.cases.push_back(read_case(one));
      if (!seen.insert(record.cases.back().id).second)
        one.problem("repeats case `" + record.cases.back().id + "`");
    });
    return record;
  });
}

Result<Record> decode_header(std::string_view text, const std::string& source) {
  return decode(text, source, [](JsonReader& reader) { return read_header(reader); });
}

Result<CaseRecord> decode_case(std::string_view text, const std::string& source) {
  return decode(text, source, [](JsonReader& reader) { return read_planned(reader.root()); });
}

Result<ProcessResult> decode_process_result(std::string_view text, const std::string& source) {
  return decode(text, source, [](JsonReader& reader) {
    const JsonNode root = reader.root();
    ProcessResult result = read_outcome(root);
    result.case_id = root.require("case").text();
    result.series = read_all_series(root.find("metrics"));
    return result;
  });
}

Result<Machine> decode_machine(std::string_view text, const std::string& source) {
  return decode(text, source, [](JsonReader& reader) { return read_machine(reader.root()); });
}

}  // namespace harness

// The writing half of codec.h. The reading half is decode.cpp; README.md describes the format.
#include "harness/model/codec.h"
#include "harness/schema/json_writer.h"

namespace harness {
namespace {

void write_text_unless_empty(JsonWriter& json, std::string_view key, std::string_view value) {
  if (!value.empty()) json.key(key).text(value);
}

void write_texts_unless_empty(JsonWriter& json, std::string_view key,
                              const std::vector<std::string>& values) {
  if (values.empty()) return;
  json.key(key).open_array(JsonLayout::line);
  for (const std::string& value : values) json.text(value);
  json.close();
}

void write_counts_unless_empty(JsonWriter& json, std::string_view key, const std::vector<int>& values) {
  if (values.empty()) return;
  json.key(key).open_array(JsonLayout::line);
  for (const int value : values) json.integer(value);
  json.close();
}

void write_params(JsonWriter& json, const sdk::Params& params) {
  json.open_object(JsonLayout::line);
  for (const auto& [name, value] : params.entries()) {
    json.key(name);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      json.integer(*integer);
    else if (const auto* real = std::get_if<double>(&value))
      json.real(*real);
    else if (const auto* flag = std::get_if<bool>(&value))
      json.flag(*flag);
    else
      json.text(std::get<std::string>(value));
  }
  json.close();
}

void write_sampling(JsonWriter& json, const Sampling& sampling) {
  json.open_object(JsonLayout::line);
  json.key("processes").integer(sampling.processes);
  json.key("placements").integer(sampling.placements);
  json.key("samples").integer(sampling.samples);
  json.key("min_samples").integer(sampling.min_samples);
  json.key("warmup").integer(sampling.warmup);
  json.key("cache").text(name_of(sampling.cache));
  if (sampling.width != 0)
    json.key("width").number(sampling.width).key("width_samples").integer(sampling.width_samples);
  json.key("preheat").number(sampling.preheat);
  if (sampling.preheat_most != Sampling{}.preheat_most)
    json.key("preheat_most").number(sampling.preheat_most);
  if (sampling.steady != Sampling{}.steady) json.key("steady").number(sampling.steady);
  json.key("max_time").number(sampling.max_time);
  json.key("timeout").number(sampling.timeout);
  json.key("gate_deadline").number(sampling.gate_deadline);
  json.key("seed").integer(sampling.seed);
  if (sampling.timing != TimingMode::events) json.key("timing").text(name_of(sampling.timing));
  write_counts_unless_empty(json, "batch_nodes", sampling.batch_nodes);
  json.close();
}

void write_gate(JsonWriter& json, const Gate& gate) {
  json.open_object(JsonLayout::line);
  json.key("margin").number(gate.margin).key("alpha").number(gate.alpha);
  if (!gate.metrics.empty()) {
    json.key("metrics").open_object(JsonLayout::line);
    for (const MetricGate& one : gate.metrics) {
      json.key(one.metric).open_object(JsonLayout::line);
      if (one.margin) json.key("margin").number(*one.margin);
      if (one.alpha) json.key("alpha").number(*one.alpha);
      if (one.informative) json.key("informative").flag(true);
      json.close();
    }
    json.close();
  }
  if (gate.throttled != Gate{}.throttled) json.key("throttled").number(gate.throttled);
  if (!gate.looks.empty()) {
    json.key("looks").open_array(JsonLayout::line);
    for (const int look : gate.looks) json.integer(look);
    json.close();
  }
  json.close();
}

void write_location(JsonWriter& json, const Location& where) {
  json.open_object(JsonLayout::line);
  json.key("file").text(where.file);
  json.key("line").integer(where.line).key("column").integer(where.column);
  json.close();
}

void write_conditions(JsonWriter& json, const Conditions& conditions) {
  json.open_object(JsonLayout::line);
  const auto number = [&](std::string_view key, const std::optional<double>& value) {
    if (value) json.key(key).number(*value);
  };
  number("sm_clock_mhz", conditions.sm_clock_mhz);
  number("memory_clock_mhz", conditions.memory_clock_mhz);
  number("power_w", conditions.power_w);
  number("temperature_c", conditions.temperature_c);
  write_texts_unless_empty(json, "throttled", conditions.throttled);
  if (conditions.other_processes != 0) json.key("other_processes").integer(conditions.other_processes);
  json.close();
}

void write_placement(JsonWriter& json, const Placement& placement) {
  json.open_object(JsonLayout::line);
  if (placement.forced_gates != 0) json.key("forced_gates").integer(placement.forced_gates);
  if (placement.clock_ghz != 0) json.key("clock_ghz").number(placement.clock_ghz);
  if (placement.started != 0) json.key("started").number(placement.started);
  if (placement.conditions) write_conditions(json.key("conditions"), *placement.conditions);
  if (placement.stopped != Stop::unknown) json.key("stopped").text(name_of(placement.stopped));
  json.key("samples").open_array(JsonLayout::line);
  for (const double sample : placement.samples) json.number(sample);
  json.close().close();
}

void write_series(JsonWriter& json, const Series& series) {
  json.open_object();
  json.key("metric").text(series.metric);
  json.key("unit").text(series.unit);
  json.key("direction").text(name_of(series.direction));
  json.key("processes").open_array();
  for (const ProcessSamples& process : series.processes) {
    json.open_object();
    json.key("process").integer(process.process);
    if (process.first_call) json.key("first_call").number(*process.first_call);
    json.key("placements").open_array();
    for (const Placement& placement : process.placements) write_placement(json, placement);
    json.close().close();
  }
  json.close().close();
}

void write_verification(JsonWriter& json, const Verification& verification) {
  json.open_object(JsonLayout::line);
  json.key("before").number(verification.before);
  json.key("after").number(verification.after);
  json.key("tolerance").number(verification.tolerance);
  json.key("elements").integer(verification.elements);
  json.close();
}

void write_extent(JsonWriter& json, const std::array<std::int64_t, 3>& extent) {
  json.open_array(JsonLayout::line);
  for (const std::int64_t one : extent) json.integer(one);
  json.close();
}

void write_kernel(JsonWriter& json, const KernelUse& kernel) {
  json.open_object(JsonLayout::line);
  json.key("name").text(kernel.name);
  write_extent(json.key("grid"), kernel.grid);
  write_extent(json.key("block"), kernel.block);
  json.key("registers").integer(kernel.registers);
  json.key("static_shared_bytes").integer(kernel.static_shared_bytes);
  json.key("dynamic_shared_bytes").integer(kernel.dynamic_shared_bytes);
  json.key("launches").integer(kernel.launches);
  json.key("us").number(kernel.us);
  write_text_unless_empty(json, "code", kernel.code);
  if (kernel.local_bytes != 0) json.key("local_bytes").integer(kernel.local_bytes);
  json.close();
}

void write_instrument(JsonWriter& json, const ProcessResult& result) {
  if (result.control) {
    json.key("control").open_object(JsonLayout::line);
    json.key("call").number(result.control->call).key("batched").number(result.control->batched);
    if (result.control->pair) json.key("pair").number(*result.control->pair);
    json.close();
  }
  if (result.batching) {
    json.key("batching").open_object(JsonLayout::line);
    json.key("calls").open_array(JsonLayout::line);
    for (const int calls : result.batching->calls) json.integer(calls);
    json.close();
    json.key("intercept").number(result.batching->intercept);
    json.key("off_line").number(result.batching->off_line).close();
  }
  if (result.input_sets > 1) json.key("input_sets").integer(result.input_sets);
}

// The fields of a result that stay with it once its samples are merged into the case.
void write_outcome(JsonWriter& json, const ProcessResult& result) {
  json.key("process").integer(result.process);
  json.key("outcome").text(name_of(result.outcome));
  write_text_unless_empty(json, "reason", result.reason);
  write_text_unless_empty(json, "device", result.device_uuid);
  if (result.verification) write_verification(json.key("verification"), *result.verification);
  write_texts_unless_empty(json, "notes", result.notes);
  if (!result.phases.empty()) {
    json.key("phases").open_object(JsonLayout::line);
    for (const Phase& phase : result.phases) json.key(phase.name).number(phase.duration);
    json.close();
  }
  write_instrument(json, result);
  if (result.kernels.empty()) return;
  json.key("kernels").open_array(JsonLayout::line);
  for (const KernelUse& kernel : result.kernels) write_kernel(json, kernel);
  json.close();
}

void write_machine(JsonWriter& json, const Machine& machine, JsonLayout layout = JsonLayout::lines) {
  json.open_object(layout);
  json.key("class").text(machine.machine_class);
  json.key("uuid").text(machine.device_uuid);
  json.key("fields").open_array();
  for (const MachineField& field : machine.fields) {
    json.open_object(JsonLayout::line);
    json.key("name").text(field.name).key("value").text(field.value);
    json.key("kind").text(name_of(field.kind));
    json.close();
  }
  json.close();
  json.key("ceilings").open_object();
  for (const auto& [name, value] : machine.ceilings) json.key(name).number(value);
  json.close().close();
}

void write_header(JsonWriter& json, const Record& record) {
  json.key("format").text("harness-record");
  json.key("version").integer(record.version);
  json.key("id").text(record.id);
  json.key("tool").text(record.tool);
  json.key("suite").open_object(JsonLayout::line);
  json.key("name").text(record.suite.name).key("file").text(record.suite.file);
  json.key("hash").text(record.suite.hash).close();
  json.key("revision").open_object(JsonLayout::line);
  json.key("commit").text(record.revision.commit).key("branch").text(record.revision.branch);
  json.key("dirty").flag(record.revision.dirty);
  write_text_unless_empty(json, "changes", record.revision.changes);
  json.close();
  json.key("started").text(record.started);
  json.key("finished").text(record.finished);
  json.key("estimator").text(record.estimator);
  if (record.promotion) {
    json.key("promotion").open_object();
    json.key("author").text(record.promotion->author);
    json.key("reason").text(record.promotion->reason);
    json.key("date").text(record.promotion->date).close();
  }
  if (record.partial) json.key("partial").flag(true);
  if (record.calibration) json.key("calibration").flag(true);
  if (record.pairing) {
    json.key("pairing").open_object(JsonLayout::line);
    json.key("id").text(record.pairing->id).key("kind").text(name_of(record.pairing->kind)).close();
  }
  write_text_unless_empty(json, "session", record.session);
  json.key("machines").open_object();
  for (const auto& [kind, machine] : record.machines) write_machine(json.key(kind), machine);
  json.close();
}

void write_planned(JsonWriter& json, const CaseRecord& planned) {
  json.key("id").text(planned.id);
  write_text_unless_empty(json, "workload", planned.workload);
  write_text_unless_empty(json, "variant", planned.variant);
  json.key("device").text(planned.device);
  if (!planned.params.empty()) write_params(json.key("params"), planned.params);
  write_text_unless_empty(json, "reference", planned.reference);
  write_texts_unless_empty(json, "tags", planned.tags);
  write_gate(json.key("gate"), planned.gate);
  write_sampling(json.key("sampling"), planned.sampling);
  if (planned.flops != 0) json.key("flops").number(planned.flops);
  if (planned.bytes != 0) json.key("bytes").number(planned.bytes);
  if (planned.items != 0) json.key("items").number(planned.items);
  write_text_unless_empty(json, "item_name", planned.item_name);
  if (planned.where != Location{}) write_location(json.key("where"), planned.where);
  json.key("outcome").text(name_of(planned.outcome));
  write_text_unless_empty(json, "reason", planned.reason);
}

void write_case(JsonWriter& json, const CaseRecord& record) {
  json.open_object();
  write_planned(json, record);
  json.key("results").open_array();
  for (const ProcessResult& result : record.processes) {
    json.open_object(JsonLayout::line);
    write_outcome(json, result);
    json.close();
  }
  json.close();
  json.key("metrics").open_array();
  for (const Series& series : record.series) write_series(json, series);
  json.close().close();
}

}  // namespace

std::string encode(const Record& record) {
  JsonWriter json;
  json.open_object();
  write_header(json, record);
  json.key("cases").open_array();
  for (const CaseRecord& one : record.cases) write_case(json, one);
  json.close().close();
  return json.take() + "\n";
}

std::string encode_header(const Record& record) {
  JsonWriter json;
  json.open_object(JsonLayout::line);
  write_header(json, record);
  json.close();
  return json.take();
}

std::string encode_case(const CaseRecord& planned) {
  JsonWriter json;
  json.open_object(JsonLayout::line);
  write_planned(json, planned);
  json.close();
  return json.take();
}

std::string encode(const ProcessResult& result) {
  JsonWriter json;
  json.open_object(JsonLayout::line);
  json.key("case").text(result.case_id);
  write_outcome(json, result);
  json.key("metrics").open_array();
  for (const Series& series : result.series) write_series(json, series);
  json.close().close();
  return json.take();
}

std::string encode(const Machine& machine) {
  JsonWriter json;
  write_machine(json, machine, JsonLayout::line);
  return json.take();
}

}  // namespace harness

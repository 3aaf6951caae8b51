// The fields of record.h's structs: this is the record's format (README.md has what does not fit here).
#pragma once

#include <algorithm>

#include "harness/model/fact_fields.h"
#include "harness/model/plan_fields.h"
#include "harness/model/record.h"
#include "harness/schema/json_fields.h"

namespace harness {

template <>
struct Described<HostLoad> {
  static constexpr auto fields = list_fields<HostLoad>(
      JsonLayout::line, field("cpus", &HostLoad::cpus).unless_default(),
      field("others", &HostLoad::others).unless_default(),
      field("stolen", &HostLoad::stolen).unless_default(), field("queue", &HostLoad::queue).unless_default(),
      field("stalled", &HostLoad::stalled).unless_default(), field("held", &HostLoad::held).unless_default());
};

template <>
struct Described<Conditions> {
  static constexpr auto fields = list_fields<Conditions>(
      JsonLayout::line, field("sm_clock_mhz", &Conditions::sm_clock_mhz).unless_default(),
      field("memory_clock_mhz", &Conditions::memory_clock_mhz).unless_default(),
      field("power_w", &Conditions::power_w).unless_default(),
      field("temperature_c", &Conditions::temperature_c).unless_default(),
      field("throttled", &Conditions::throttled).unless_default(),
      field("other_processes", &Conditions::other_processes).unless_default(),
      field("load", &Conditions::load).unless_default());
};

template <>
struct Described<Placement> {
  static constexpr auto fields = list_fields<Placement>(
      JsonLayout::line, field("forced_gates", &Placement::forced_gates).unless_default(),
      field("clock_ghz", &Placement::clock_ghz).unless_default(),
      field("started", &Placement::started).unless_default(),
      field("conditions", &Placement::conditions).unless_default(),
      field("stopped", &Placement::stopped).as<KnownNameOrDefault>().unless_default(),
      field("duty", &Placement::duty).unless_default(),
      field("slow_samples", &Placement::slow_samples).unless_default(),
      field("samples", &Placement::samples).required());
};

template <>
struct Described<ConditionFigures> {
  static constexpr auto fields = list_fields<ConditionFigures>(
      JsonLayout::line, field("clock_ghz", &ConditionFigures::clock_ghz).unless_default(),
      field("power_w", &ConditionFigures::power_w).unless_default(),
      field("temperature_c", &ConditionFigures::temperature_c).unless_default(),
      field("sm_clock_mhz", &ConditionFigures::sm_clock_mhz).unless_default(),
      field("memory_clock_mhz", &ConditionFigures::memory_clock_mhz).unless_default(),
      field("known", &ConditionFigures::known).unless_default(),
      field("named", &ConditionFigures::named).unless_default(),
      field("throttled", &ConditionFigures::throttled).unless_default(),
      field("throttled_samples", &ConditionFigures::throttled_samples).unless_default(),
      field("reasons", &ConditionFigures::reasons).unless_default(),
      field("shared", &ConditionFigures::shared).unless_default(),
      field("most_others", &ConditionFigures::most_others).unless_default(),
      field("loads", &ConditionFigures::loads).unless_default(),
      field("load", &ConditionFigures::load).unless_default());
};

template <>
struct Described<ProcessFigures> {
  static constexpr auto fields =
      list_fields<ProcessFigures>(JsonLayout::line, field("log", &ProcessFigures::log_value).required(),
                                  field("mean", &ProcessFigures::mean).required(),
                                  field("plain", &ProcessFigures::plain).unless_default(),
                                  field("median", &ProcessFigures::median).unless_default(),
                                  field("constant", &ProcessFigures::constant).unless_default(),
                                  field("slowing", &ProcessFigures::slowing).unless_default(),
                                  field("samples", &ProcessFigures::samples).required().at_least(1),
                                  field("placements", &ProcessFigures::placements).required().at_least(1),
                                  field("slow", &ProcessFigures::slow).unless_default(),
                                  field("mild", &ProcessFigures::mild).unless_default(),
                                  field("far", &ProcessFigures::far).unless_default(),
                                  field("forced_gates", &ProcessFigures::forced_gates).unless_default(),
                                  field("slow_samples", &ProcessFigures::slow_samples).unless_default(),
                                  field("duty", &ProcessFigures::duty).unless_default(),
                                  field("started", &ProcessFigures::started).unless_default(),
                                  field("conditions", &ProcessFigures::conditions).unless_default());
};

template <>
struct Described<SeriesFigures> {
  static constexpr auto fields = list_fields<SeriesFigures>(
      JsonLayout::line, field("samples", &SeriesFigures::samples), field("mean", &SeriesFigures::mean),
      field("sd", &SeriesFigures::sd), field("min", &SeriesFigures::min),
      field("median", &SeriesFigures::median), field("p95", &SeriesFigures::p95),
      field("p99", &SeriesFigures::p99), field("max", &SeriesFigures::max),
      field("step", &SeriesFigures::step).unless_default());
};

template <>
struct Described<ProcessSamples> {
  static constexpr auto fields =
      list_fields<ProcessSamples>(JsonLayout::lines, field("process", &ProcessSamples::process).required(),
                                  field("session", &ProcessSamples::session).unless_default(),
                                  field("placements", &ProcessSamples::placements).required(),
                                  field("figures", &ProcessSamples::figures).unless_default());
};

template <>
struct Described<Series> {
  static constexpr auto fields = list_fields<Series>(
      JsonLayout::lines, field("metric", &Series::metric).required(), field("unit", &Series::unit).required(),
      field("direction", &Series::direction), field("informs", &Series::informs).unless_default(),
      field("all", &Series::all).unless_default(),
      field("processes", &Series::processes)
          .required()
          .checked([](const JsonNode& node, const std::vector<ProcessSamples>& all) {
            expect_unique(node, all, &ProcessSamples::process, "process");
          }));
};

template <>
struct Described<ToolCase> {
  static constexpr auto fields =
      list_fields<ToolCase>(JsonLayout::line, field("name", &ToolCase::name).required(),
                            field("parameters", &ToolCase::parameters).unless_default(),
                            field("launch", &ToolCase::launch).unless_default(),
                            field("source", &ToolCase::source).unless_default());
};

template <>
struct Described<Verification> {
  static constexpr auto fields = list_fields<Verification>(
      JsonLayout::line, field("before", &Verification::before).as<MaybeNotFinite>().required(),
      field("after", &Verification::after).as<MaybeNotFinite>().required(),
      field("tolerance", &Verification::tolerance).required(), field("elements", &Verification::elements));
};

template <>
struct Described<Phase> {
  static constexpr auto fields = list_fields<Phase>(JsonLayout::line, field("name", &Phase::name),
                                                    field("duration", &Phase::duration).in(Unit::seconds));
};

template <>
struct Described<Caller> {
  static constexpr auto fields = list_fields<Caller>(
      JsonLayout::line, field("range", &Caller::range).unless_default(),
      field("python", &Caller::python).unless_default(), field("host", &Caller::host).unless_default(),
      field("launches", &Caller::launches));
};

template <>
struct Described<KernelUse> {
  static constexpr auto fields = list_fields<KernelUse>(
      JsonLayout::line, field("name", &KernelUse::name).required(), field("grid", &KernelUse::grid),
      field("block", &KernelUse::block), field("registers", &KernelUse::registers),
      field("static_shared_bytes", &KernelUse::static_shared_bytes),
      field("dynamic_shared_bytes", &KernelUse::dynamic_shared_bytes),
      field("launches", &KernelUse::launches), field("us", &KernelUse::us),
      field("code", &KernelUse::code).unless_default(),
      field("local_bytes", &KernelUse::local_bytes).unless_default(),
      field("arguments", &KernelUse::arguments).unless_default(),
      field("words", &KernelUse::words).unless_default(),
      field("callers", &KernelUse::callers).unless_default());
};

template <>
struct Described<Control> {
  static constexpr auto fields = list_fields<Control>(
      JsonLayout::line, field("call", &Control::call).required(),
      field("batched", &Control::batched).required(), field("pair", &Control::pair).unless_default());
};

template <>
struct Described<Batching> {
  static constexpr auto fields =
      list_fields<Batching>(JsonLayout::line, field("calls", &Batching::calls).required().at_least(1),
                            field("intercept", &Batching::intercept), field("off_line", &Batching::off_line));
};

template <>
struct Described<InputGroup> {
  static constexpr auto fields = list_fields<InputGroup>(
      JsonLayout::line, field("bytes", &InputGroup::bytes).unless_default(),
      field("copies", &InputGroup::copies).required(), field("hash", &InputGroup::hash).required());
};

template <>
struct Described<Inputs> {
  static constexpr auto fields =
      list_fields<Inputs>(JsonLayout::line, field("groups", &Inputs::groups).unless_default(),
                          field("gap", &Inputs::gap).unless_default());
};

template <>
struct Described<Identity> {
  static constexpr auto fields = list_fields<Identity>(
      JsonLayout::line, field("digest", &Identity::digest).unless_default(),
      field("gap", &Identity::gap).unless_default(), field("frame", &Identity::frame).unless_default(),
      field("same_build", &Identity::same_build).unless_default(),
      field("setup", &Identity::setup).unless_default(), field("inputs", &Identity::inputs).unless_default(),
      field("files", &Identity::files).unless_default());
};

// A result inside a record. Its samples are in the metrics of the case.
inline constexpr auto result_in_case =
    list_fields<ProcessResult>(JsonLayout::line, field("process", &ProcessResult::process).required(),
                               field("outcome", &ProcessResult::outcome).required(),
                               field("reason", &ProcessResult::reason).unless_default(),
                               field("device", &ProcessResult::device_uuid).unless_default(),
                               field("verification", &ProcessResult::verification).unless_default(),
                               field("notes", &ProcessResult::notes).unless_default(),
                               field("phases", &ProcessResult::phases).as<ByName>().unless_default(),
                               field("control", &ProcessResult::control).unless_default(),
                               field("batching", &ProcessResult::batching).unless_default(),
                               field("input_sets", &ProcessResult::input_sets).unless_default().at_least(1),
                               field("kernels", &ProcessResult::kernels).unless_default(),
                               field("identity", &ProcessResult::identity).unless_default(),
                               field("timing", &ProcessResult::timing).unless_default(),
                               field("choice", &ProcessResult::choice).unless_default(),
                               field("multiplies", &ProcessResult::multiplies).unless_default(),
                               field("tool_case", &ProcessResult::tool_case).unless_default());

// The series of a case. An older record holds the first call beside the samples of its time.
struct AsSeries {
  static void write(JsonWriter& json, const std::vector<Series>& all) { write_json(json, all); }
  static void read(const JsonNode& node, std::vector<Series>& all, std::int64_t least) {
    read_json(node, all, least);
    Series first{"first_call", "us", Direction::lower_is_better, {}};
    node.each_element([&](const JsonNode& series) {
      if (!first.processes.empty()) return;
      series.find("processes").each_element([&](const JsonNode& process) {
        const JsonNode call = process.find("first_call");
        if (call.present()) first.processes.push_back(single_process(process, call.number()));
      });
      if (!first.processes.empty()) first.unit = series.find("unit").text();
    });
    const bool held = std::any_of(all.begin(), all.end(),
                                  [&](const Series& series) { return series.metric == first.metric; });
    if (!held && !first.processes.empty()) all.push_back(std::move(first));
  }

 private:
  static ProcessSamples single_process(const JsonNode& node, double value) {
    ProcessSamples samples;
    samples.process = node.find("process").integer<int>(0, 0);
    samples.session = node.find("session").integer<int>(0, 0);
    samples.placements.emplace_back().samples = {value};
    return samples;
  }
};

inline constexpr auto expect_metrics_once = [](const JsonNode& node, const std::vector<Series>& all) {
  expect_unique(node, all, &Series::metric, "metric");
};

// A result by itself: a message of the worker and a row of the store.
template <>
struct Described<ProcessResult> {
  static constexpr auto fields =
      list_fields<ProcessResult>(JsonLayout::line, field("case", &ProcessResult::case_id).required()) +
      result_in_case +
      list_fields<ProcessResult>(
          JsonLayout::line,
          field("metrics", &ProcessResult::series).as<AsSeries>().checked(expect_metrics_once));
};

// The plan of a case: all but its results.
inline constexpr auto planned_part = list_fields<CaseRecord>(
    JsonLayout::lines,
    field("id", &CaseRecord::id).required().checked([](const JsonNode& node, const std::string& id) {
      if (id.empty()) node.problem("is empty; expected the case's identity");
    }),
    field("workload", &CaseRecord::workload).unless_default(),
    field("variant", &CaseRecord::variant).unless_default(), field("device", &CaseRecord::device),
    field("params", &CaseRecord::params).unless_default(),
    field("reference", &CaseRecord::reference).unless_default(),
    field("tags", &CaseRecord::tags).unless_default(), field("gate", &CaseRecord::gate),
    field("sampling", &CaseRecord::sampling),
    field("suite_sampling", &CaseRecord::suite_sampling).unless_default(),
    field("program", &CaseRecord::program).unless_default(),
    field("tool_case", &CaseRecord::tool_case).unless_default(),
    field("tuned", &CaseRecord::tuned).unless_default(), field("flops", &CaseRecord::flops).unless_default(),
    field("bytes", &CaseRecord::bytes).unless_default(), field("items", &CaseRecord::items).unless_default(),
    field("item_name", &CaseRecord::item_name).unless_default(),
    field("link_bytes", &CaseRecord::link_bytes).unless_default(),
    field("gpus", &CaseRecord::gpus).unless_default(), field("hides", &CaseRecord::hides).unless_default(),
    field("where", &CaseRecord::where).unless_default(), field("outcome", &CaseRecord::outcome).required(),
    field("reason", &CaseRecord::reason).unless_default());

template <>
struct Described<CaseRecord> {
  static constexpr auto fields =
      planned_part +
      list_fields<CaseRecord>(
          JsonLayout::lines,
          field("results", &CaseRecord::processes)
              .as<ListOf<result_in_case>>()
              .checked([](const JsonNode& node, const std::vector<ProcessResult>& all) {
                expect_unique(node, all, &ProcessResult::process, "process");
              }),
          field("build", &CaseRecord::build).unless_default(),
          field("metrics", &CaseRecord::series).required().as<AsSeries>().checked(expect_metrics_once),
          field("alone", &CaseRecord::alone).unless_default().as<AsSeries>().checked(expect_metrics_once));
};

template <>
struct Described<MachineField> {
  static constexpr auto fields = list_fields<MachineField>(
      JsonLayout::line, field("name", &MachineField::name).required(),
      field("value", &MachineField::value).required(), field("kind", &MachineField::kind));
};

template <>
struct Described<Machine> {
  static constexpr auto fields =
      list_fields<Machine>(JsonLayout::lines, field("class", &Machine::machine_class).required(),
                           field("uuid", &Machine::device_uuid), field("fields", &Machine::fields),
                           field("ceilings", &Machine::ceilings));
};

template <>
struct Described<Revision> {
  // A commit becomes part of commands and advice, so only a commit id is accepted.
  static void expect_commit(const JsonNode& node, const std::string& commit) {
    const bool is_hash =
        commit.size() == 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!commit.empty() && !is_hash)
      node.problem("is no commit id; expected 40 hexadecimal digits in lower case");
  }

  static constexpr auto fields =
      list_fields<Revision>(JsonLayout::line, field("commit", &Revision::commit).checked(expect_commit),
                            field("branch", &Revision::branch), field("dirty", &Revision::dirty),
                            field("changes", &Revision::changes).unless_default());
};

template <>
struct Described<Promotion> {
  static constexpr auto fields =
      list_fields<Promotion>(JsonLayout::lines, field("author", &Promotion::author).required(),
                             field("reason", &Promotion::reason).required(), field("date", &Promotion::date));
};

template <>
struct Described<Pairing> {
  static constexpr auto fields = list_fields<Pairing>(
      JsonLayout::line,
      field("id", &Pairing::id).required().checked([](const JsonNode& node, const std::string& id) {
        if (id.empty()) node.problem("is empty; expected the id of the A/B run");
      }),
      field("kind", &Pairing::kind).required(), field("side", &Pairing::side).unless_default(),
      field("alone", &Pairing::alone).unless_default());
};

// All of a record but its cases.
inline constexpr auto record_header = list_fields<Record>(
    JsonLayout::lines, field("id", &Record::id).required(), field("tool", &Record::tool),
    field("suite", &Record::suite).required(), field("revision", &Record::revision),
    field("started", &Record::started), field("finished", &Record::finished),
    field("estimator", &Record::estimator), field("promotion", &Record::promotion).unless_default(),
    field("partial", &Record::partial).unless_default(),
    field("calibration", &Record::calibration).unless_default(),
    field("pairing", &Record::pairing).unless_default(), field("session", &Record::session).unless_default(),
    field("build", &Record::build).unless_default(), field("machines", &Record::machines));

template <>
struct Described<Record> {
  static constexpr auto fields =
      record_header +
      list_fields<Record>(JsonLayout::lines,
                          field("cases", &Record::cases)
                              .required()
                              .checked([](const JsonNode& node, const std::vector<CaseRecord>& all) {
                                expect_unique(node, all, &CaseRecord::id, "case");
                              }));
};

}  // namespace harness

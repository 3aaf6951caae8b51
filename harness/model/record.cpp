#include "harness/model/record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace harness {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 5> outcome_names{
    {{Outcome::measured, "measured"},
     {Outcome::incorrect, "incorrect"},
     {Outcome::failed, "failed"},
     {Outcome::timed_out, "timed_out"},
     {Outcome::skipped, "skipped"}}};

constexpr std::array<std::pair<Stop, std::string_view>, 4> stop_names{
    {{Stop::unknown, ""}, {Stop::count, "count"}, {Stop::width, "width"}, {Stop::max_time, "max_time"}}};

int severity(Outcome outcome) {
  switch (outcome) {
    case Outcome::incorrect: return 4;
    case Outcome::failed: return 3;
    case Outcome::timed_out: return 2;
    case Outcome::measured: return 1;
    case Outcome::skipped: return 0;
  }
  return 0;
}

Series& series_named(std::vector<Series>& all, const Series& like) {
  for (Series& series : all)
    if (series.metric == like.metric) return series;
  all.push_back(Series{like.metric, like.unit, like.direction, {}});
  return all.back();
}

void forget_process(CaseRecord& record, int process) {
  std::erase_if(record.processes, [&](const ProcessResult& r) { return r.process == process; });
  for (Series& series : record.series)
    std::erase_if(series.processes, [&](const ProcessSamples& s) { return s.process == process; });
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  for (const auto& [value, name] : outcome_names)
    if (value == outcome) return name;
  return "?";
}

std::optional<Outcome> parse_outcome(std::string_view name) {
  for (const auto& [value, known] : outcome_names)
    if (known == name) return value;
  return std::nullopt;
}

std::string_view name_of(Stop stop) {
  for (const auto& [value, name] : stop_names)
    if (value == stop) return name;
  return "";
}

std::optional<Stop> parse_stop(std::string_view name) {
  for (const auto& [value, known] : stop_names)
    if (known == name) return value;
  return std::nullopt;
}

std::string_view name_of(Direction direction) {
  return direction == Direction::lower_is_better ? "lower" : "higher";
}

std::optional<Direction> parse_direction(std::string_view name) {
  if (name == "lower") return Direction::lower_is_better;
  if (name == "higher") return Direction::higher_is_better;
  return std::nullopt;
}

std::string_view name_of(FieldClass kind) {
  switch (kind) {
    case FieldClass::block: return "block";
    case FieldClass::warn: return "warn";
    case FieldClass::info: return "info";
  }
  return "?";
}

std::string_view name_of(Pairing::Kind kind) {
  return kind == Pairing::Kind::process ? "process" : "session";
}

Outcome worst_outcome(const std::vector<ProcessResult>& processes) {
  Outcome worst = Outcome::skipped;
  for (const ProcessResult& result : processes)
    if (severity(result.outcome) > severity(worst)) worst = result.outcome;
  return worst;
}

CaseRecord planned_record(const PlannedCase& planned) {
  CaseRecord record;
  record.id = planned.id;
  record.workload = planned.workload;
  record.variant = planned.variant;
  record.device = planned.device;
  record.params = planned.params;
  record.reference = planned.reference;
  record.tags = planned.tags;
  record.gate = planned.gate;
  record.sampling = planned.sampling;
  record.flops = planned.flops;
  record.bytes = planned.bytes;
  record.items = planned.items;
  record.item_name = planned.item_name;
  record.where = planned.where;
  record.outcome = Outcome::skipped;
  record.reason = planned.skip.empty() ? "not measured yet" : planned.skip;
  return record;
}

void add_result(CaseRecord& record, ProcessResult result) {
  forget_process(record, result.process);
  for (Series& part : result.series) {
    Series& whole = series_named(record.series, part);
    for (ProcessSamples& samples : part.processes) whole.processes.push_back(std::move(samples));
    std::sort(whole.processes.begin(), whole.processes.end(),
              [](const auto& a, const auto& b) { return a.process < b.process; });
  }
  result.series.clear();
  record.processes.push_back(std::move(result));
  std::sort(record.processes.begin(), record.processes.end(),
            [](const auto& a, const auto& b) { return a.process < b.process; });
  record.outcome = worst_outcome(record.processes);
  const auto worst = std::find_if(record.processes.begin(), record.processes.end(),
                                  [&](const ProcessResult& r) { return r.outcome == record.outcome; });
  record.reason = worst->reason;
}

}  // namespace harness

#include "harness/store/adapters/tool_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/store/adapters/known_units.h"

namespace harness {
namespace {

Series& series_of(CaseRecord& one, std::string_view metric, std::string_view unit) {
  const auto found = std::find_if(one.series.begin(), one.series.end(),
                                  [&](const Series& series) { return series.metric == metric; });
  if (found != one.series.end()) return *found;
  const UsualDirection usual = usual_direction(unit);
  return one.series.emplace_back(
      Series{std::string(metric), std::string(unit), usual.direction, {{1, {}}}, !usual.known});
}

}  // namespace

FieldClass kind_of_field(std::string_view name) {
  static const std::set<std::string, std::less<>> forbids{
      "gpu",    "gpu name",    "gpu model",    "cpu",        "cpu name",   "cpu model",
      "device", "device name", "device model", "build type", "accelerator"};
  static const std::set<std::string, std::less<>> own{"date",   "time",   "timestamp", "host", "hostname",
                                                      "node",   "commit", "revision",  "sha",  "hash",
                                                      "branch", "run",    "job",       "url",  "id"};
  std::string words;
  for (const char sign : name)
    words +=
        std::isalnum(static_cast<unsigned char>(sign)) != 0 ? static_cast<char>(std::tolower(sign)) : ' ';
  if (forbids.contains(words)) return FieldClass::block;
  for (const std::string& word : split(words, ' '))
    if (own.contains(word)) return FieldClass::info;
  return FieldClass::warn;
}

std::string key_of(const ToolCase& known) {
  std::string key = known.name;
  for (const Texts* texts : {&known.parameters, &known.launch})
    for (const auto& [name, value] : *texts) key += '\n' + name + '\n' + value;
  return key;
}

std::string key_of(const CaseRecord& one) {
  return one.tool_case ? key_of(*one.tool_case) : one.id;
}

CaseRecord& ToolFile::at(const ToolCase& known) {
  const auto [found, fresh] = index_.try_emplace(key_of(known), cases.size());
  if (!fresh) return cases[found->second];
  CaseRecord& added = cases.emplace_back();
  added.id = known.name;
  added.device = import_device;
  if (!(known == ToolCase{.name = known.name})) added.tool_case = known;
  ProcessResult& process = added.processes.emplace_back();
  process.case_id = known.name;
  process.process = 1;
  return added;
}

bool ToolFile::has(const ToolCase& known) const {
  return index_.contains(key_of(known));
}

Series& ToolFile::add(CaseRecord& one, std::string_view metric, std::string_view unit, Placement placement) {
  Series& series = series_of(one, metric, unit);
  if (const auto own = time_unit(series.unit), other = time_unit(unit); own && other && series.unit != unit)
    for (double& sample : placement.samples)
      sample = other->to_microseconds(sample) * own->divide / own->multiply;
  series.processes.front().placements.push_back(std::move(placement));
  return series;
}

void ToolFile::append(CaseRecord& one, std::string_view metric, std::string_view unit, double sample) {
  std::vector<Placement>& placements = series_of(one, metric, unit).processes.front().placements;
  if (placements.empty()) placements.emplace_back();
  placements.back().samples.push_back(sample);
}

void ToolFile::end(CaseRecord& one, Outcome outcome, Cause reason) {
  ProcessResult& result = one.processes.front();
  if (result.outcome == Outcome::failed || (result.outcome == Outcome::skipped && outcome != Outcome::failed))
    return;
  result.outcome = outcome;
  result.reason = std::move(reason);
}

void ToolFile::forget_lone(const std::string& name) {
  std::set<std::string_view> values;
  for (const CaseRecord& one : cases)
    if (one.tool_case)
      if (const auto found = one.tool_case->launch.find(name); found != one.tool_case->launch.end())
        values.insert(found->second);
  if (values.size() != 1) return;
  values.clear();
  for (CaseRecord& one : cases) {
    if (!one.tool_case) continue;
    one.tool_case->launch.erase(name);
    if (*one.tool_case == ToolCase{.name = one.tool_case->name}) one.tool_case.reset();
  }
}

void ToolFile::field(std::string_view name, std::string value, FieldClass kind) {
  if (!value.empty()) machine.fields.push_back({std::string(name), std::move(value), kind});
}

Status use_known_units(ToolFile& read, const std::string& file) {
  for (CaseRecord& one : read.cases)
    for (Series& series : one.series) {
      if (const std::optional<TimeUnit> unit = time_unit(series.unit)) {
        series.unit = "us";
        if (unit->multiply == unit->divide) continue;
        for (ProcessSamples& process : series.processes)
          for (Placement& placement : process.placements)
            for (double& sample : placement.samples) sample = unit->to_microseconds(sample);
      } else if (const std::string numerator = series.unit.substr(0, series.unit.find('/'));
                 is_named_time(series.metric) && !time_unit(numerator)) {
        return fail(ErrorKind::usage, Location{file},
                    fmt::format("metric `{}` of case `{}` has the unit `{}`, which is no unit of time",
                                printable(series.metric), printable(one.id), printable(series.unit)),
                    "write `s`, `ms`, `us` or `ns`; or give a metric that is no time another name");
      }
    }
  return {};
}

}  // namespace harness

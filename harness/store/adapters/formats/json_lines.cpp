// JSON Lines, version 1, the harness's own format for samples (manual/reference.md). One object a (case,
// metric, process, placement), samples in the order taken:
//   {"case": "gelu/mode=cold", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0,
//    "samples": [23.7, 23.6]}
// A leading {"machine": {...}, "session": "..."} object names the machine and the session.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/schema/json_reader.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/known_units.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

struct PlacementLine {
  int line = 0;
  std::optional<double> first_call;
  Placement placement;
};

// One metric of one case as the lines built it up: process -> placement number -> samples.
struct SeriesLines {
  int line = 0;  // that named it first
  std::string metric;
  std::string unit;
  UsualDirection direction;
  std::map<int, std::map<int, PlacementLine>> processes;
};

struct CaseLines {
  std::string id;
  std::vector<std::string> tags;
  std::vector<SeriesLines> series;
  std::vector<std::pair<int, Cause>> failed;  // by process: a value that is no time
};

class Importer {
 public:
  explicit Importer(const std::string& file) : file_(file) {}

  void take(std::string_view text, int line);
  Checked<ToolFile> finish();

 private:
  void take_header(const JsonNode& root);
  void take_machine(const JsonNode& node);
  void take_samples(const JsonNode& root, int line);
  void add_tags(CaseLines& one, std::vector<std::string> tags);
  SeriesLines& series_of(CaseLines& one, const JsonNode& root, int line);
  CaseLines& case_named(const std::string& id);

  std::string file_;
  std::string suite_;
  std::string session_;
  Machine machine_;
  std::vector<CaseLines> cases_;
  std::unordered_map<std::string, std::size_t> index_;
  SampleErrors errors_;
};

void Importer::take(std::string_view text, int line) {
  if (trim(text).empty()) return;
  auto reader = JsonReader::parse(text, {file_, line}, JsonNumbers::with_nan);
  if (!reader) return errors_.add(reader.error());
  const JsonNode root = (*reader)->root();
  bool header = false;
  for (const char* key : {"machine", "suite", "session", "format"}) header |= root.find(key).present();
  if (header && !root.find("case").present())
    take_header(root);
  else
    take_samples(root, line);
  if ((*reader)->error()) errors_.add(*(*reader)->error());
}

void Importer::take_header(const JsonNode& root) {
  if (!cases_.empty())
    return root.problem("describes the whole file, but comes after samples", "put it first");
  if (const JsonNode format = root.find("format"); format.present() && format.text() != formats::samples.name)
    format.problem(fmt::format("is not `{}`", formats::samples.name));
  if (const JsonNode version = root.find("version");
      version.present() && version.integer<int>() != formats::samples.version)
    version.problem("is not 1, the version that this harness reads");
  if (const JsonNode suite = root.find("suite"); suite.present()) suite_ = suite.text();
  if (const JsonNode session = root.find("session"); session.present()) session_ = session.text();
  if (const JsonNode machine = root.find("machine"); machine.present()) take_machine(machine);
}

void Importer::take_machine(const JsonNode& node) {
  const auto add = [&](std::string_view name, const JsonNode& value) {
    if (const auto scalar = value.scalar())
      machine_.fields.push_back({std::string(name), sdk::to_string(*scalar), kind_of_field(name)});
  };
  node.each_member([&](std::string_view name, const JsonNode& value) {
    if (name == "class")
      machine_.machine_class = value.text();
    else if (name == "uuid")
      machine_.device_uuid = value.text();
    else if (name == "fields")
      value.each_member(add);
    else
      add(name, value);
  });
}

CaseLines& Importer::case_named(const std::string& id) {
  const auto [known, fresh] = index_.try_emplace(id, cases_.size());
  if (fresh) cases_.push_back({id, {}, {}, {}});
  return cases_[known->second];
}

void Importer::add_tags(CaseLines& one, std::vector<std::string> tags) {
  for (std::string& tag : tags)
    if (std::find(one.tags.begin(), one.tags.end(), tag) == one.tags.end())
      one.tags.push_back(std::move(tag));
}

SeriesLines& Importer::series_of(CaseLines& one, const JsonNode& root, int line) {
  static constexpr std::array<std::string_view, 2> names{"lower", "higher"};
  const std::string metric = root.find("metric").text();
  const JsonNode unit = root.find("unit");
  const JsonNode direction = root.find("direction");
  UsualDirection wanted = usual_direction(unit.text());
  if (direction.present())
    wanted = {direction.choice(names) == 1 ? Direction::higher_is_better : Direction::lower_is_better, true};
  const auto known = std::find_if(one.series.begin(), one.series.end(),
                                  [&](const SeriesLines& series) { return series.metric == metric; });
  if (known == one.series.end())
    return one.series.emplace_back(SeriesLines{line, metric, unit.text(), wanted, {}});
  if (unit.text() != known->unit)
    unit.problem(fmt::format("is `{}`, but line {} says `{}` for this case and metric",
                             printable(unit.text()), known->line, printable(known->unit)));
  if (direction.present() && wanted.direction != known->direction.direction)
    direction.problem(fmt::format("is not what line {} says for this case and metric", known->line));
  return *known;
}

// A misspelt optional key would otherwise be ignored.
void check_spelling(const JsonNode& root) {
  static constexpr std::string_view always[] = {"case", "metric", "unit", "process", "samples", "tags"};
  static const std::vector<std::string> optional{"placement", "first_call", "direction", "forced_gates",
                                                 "clock_ghz"};
  root.each_member([&](std::string_view key, const JsonNode& value) {
    const auto is_key = [&](std::string_view known) { return known == key; };
    if (std::any_of(std::begin(always), std::end(always), is_key) ||
        std::any_of(optional.begin(), optional.end(), is_key))
      return;
    static constexpr std::string_view decide[] = {"status",           "error",           "failed",
                                                  "skipped",          "outcome",         "success",
                                                  "higher_is_better", "lower_is_better", "better"};
    if (std::find(std::begin(decide), std::end(decide), key) != std::end(decide))
      return value.problem(
          "is not read here, and could change what the line means",
          "leave out lines of runs that failed; write \"direction\": \"higher\" or \"lower\"");
    if (const auto near = nearest(key, optional))
      value.problem(fmt::format("is unknown; did you mean `{}`?", *near));
  });
}

// A time or rate of 0, NaN or Infinity, of which the first is kept. A negative one is a problem of the file.
void check_time(const JsonNode& node, bool is_time, std::optional<Cause>& unusable) {
  const double value = node.number();
  if (is_time && value < 0 && std::isfinite(value))
    node.problem(fmt::format("is {}; a time or a rate is above 0", value));
  else if (!std::isfinite(value) || (is_time && !(value > 0)))
    if (!unusable) unusable = unusable_time(node.path(), value);
}

void Importer::take_samples(const JsonNode& root, int line) {
  const JsonNode id = root.require("case");
  const JsonNode metric = root.require("metric");
  const JsonNode unit = root.require("unit");
  const int process = root.require("process").integer<int>(0, 0);
  const int placement = root.find("placement").integer<int>(0, 0);
  const JsonNode samples = root.require("samples");
  PlacementLine taken{line, {}, {}};
  taken.placement.samples = samples.numbers();
  taken.placement.forced_gates = root.find("forced_gates").integer<int>(0, 0);
  taken.placement.clock_ghz = root.find("clock_ghz").number();
  for (const JsonNode& name : {id, metric, unit})
    if (name.present() && name.text().empty()) name.problem("is empty");
  if (samples.present() && taken.placement.samples.empty())
    samples.problem("is empty; expected at least one number");
  std::optional<Cause> unusable;
  const bool is_time =
      time_unit(unit.text()) || usual_direction(unit.text()).direction == Direction::higher_is_better;
  samples.each_element([&](const JsonNode& sample) { check_time(sample, is_time, unusable); });
  if (const JsonNode first = root.find("first_call"); first.present()) {
    taken.first_call = first.number();
    check_time(first, is_time, unusable);
  }
  const std::vector<std::string> tags = root.find("tags").texts();
  check_spelling(root);
  if (!root.ok()) return;

  CaseLines& one = case_named(id.text());
  add_tags(one, tags);
  SeriesLines& series = series_of(one, root, line);
  if (unusable) {
    one.failed.emplace_back(process, std::move(*unusable));
    taken.placement.samples.clear();
    taken.first_call.reset();
  }
  const auto [known, fresh] = series.processes[process].try_emplace(placement, std::move(taken));
  if (!fresh)
    root.problem(fmt::format("repeats case `{}`, metric `{}`, process {}, placement {} of line {}",
                             printable(one.id), printable(series.metric), process, placement,
                             known->second.line));
}

// Moves the samples out of `lines`. First calls become a series of their own.
Series merged(SeriesLines& lines, Series& first_calls) {
  Series series{lines.metric, lines.unit, lines.direction.direction, {}, !lines.direction.known};
  series.processes.reserve(lines.processes.size());
  for (auto& [number, placements] : lines.processes) {
    ProcessSamples process{number, {}};
    std::optional<double> first_call;
    for (auto& [placement, taken] : placements) {
      if (!first_call) first_call = taken.first_call;
      if (!taken.placement.samples.empty()) process.placements.push_back(std::move(taken.placement));
    }
    if (!process.placements.empty()) series.processes.push_back(std::move(process));
    if (!first_call) continue;
    Placement called;
    called.samples = {*first_call};
    first_calls.processes.push_back({number, {std::move(called)}});
  }
  return series;
}

CaseRecord merged(CaseLines& lines) {
  CaseRecord record;
  record.id = lines.id;
  record.device = import_device;
  record.tags = std::move(lines.tags);
  std::map<int, ProcessResult> results;
  Series calls;  // the first ones, of the first metric that has any
  for (SeriesLines& series : lines.series) {
    for (const auto& [number, placements] : series.processes)
      results.try_emplace(number).first->second.process = number;
    Series first_calls{std::string(first_call_metric.name), series.unit, first_call_metric.direction, {}};
    record.series.push_back(merged(series, first_calls));
    if (!first_calls.processes.empty() && calls.processes.empty()) calls = std::move(first_calls);
  }
  if (!calls.processes.empty()) record.series.push_back(std::move(calls));
  for (auto& [number, result] : results) {
    result.case_id = lines.id;
    if (const auto failed = std::find_if(lines.failed.begin(), lines.failed.end(),
                                         [&](const auto& one) { return one.first == number; });
        failed != lines.failed.end()) {
      result.outcome = Outcome::failed;
      result.reason = failed->second;
    }
    record.processes.push_back(std::move(result));
  }
  return record;
}

Checked<ToolFile> Importer::finish() {
  if (cases_.empty() && errors_.errors().empty())
    errors_.add({ErrorKind::usage, "holds no samples", Location{file_},
                 "one JSON object a line: {\"case\": NAME, \"metric\": \"wall_time\", \"unit\": \"us\", "
                 "\"process\": 1, "
                 "\"samples\": [..]}"});
  if (!errors_.errors().empty()) return tl::unexpected(std::move(errors_).take(file_));
  ToolFile read;
  read.suite = std::move(suite_);
  read.session = std::move(session_);
  read.machine = std::move(machine_);
  read.cases.reserve(cases_.size());
  index_ = {};
  for (CaseLines& one : cases_) {
    read.cases.push_back(merged(one));
    one = {};  // so that no case is in memory twice
  }
  return read;
}

// A line with a case, or with what describes the whole file, among the first ones.
bool is_json_lines(std::string_view text) {
  text = beginning_of(text);
  bool found = false;
  each_line(text, [&](std::string_view line, int) {
    for (const char* key : {"\"case\"", "\"harness-samples\"", "{\"suite\"", "{\"machine\"", "{\"session\""})
      found |= line.find(key) != std::string_view::npos;
  });
  return found && (trim(text).starts_with('{') || trim(text).find("\n{") != std::string_view::npos);
}

Checked<ToolFile> read_lines(std::string_view text, const std::string& file, const ToolQuestions&) {
  Importer importer(file);
  each_line(text, [&](std::string_view line, int number) { importer.take(line, number); });
  return importer.finish();
}

}  // namespace

extern const ImportFormat json_lines_format;
const ImportFormat json_lines_format{"json_lines", "JSON Lines, one object a placement", is_json_lines,
                                     read_lines};

}  // namespace harness

// JSON Lines, version 1, the harness's own format for samples (manual/reference.md). One object a (case,
// metric, process, placement), samples in the order taken:
//   {"case": "gelu/mode=cold", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0,
//    "samples": [23.7, 23.6]}
// A leading {"machine": {...}, "session": "..."} object names the machine and the session.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <unordered_map>

#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/schema/json_reader.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/known_units.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr std::size_t lines_a_part = 256;     // that a thread reads at a time
constexpr std::size_t lines_at_once = 16384;  // in memory beside their text

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

// A line by itself, before it is known what others say.
struct SampleLine {
  enum class Kind { empty, wrong, header, samples };
  Kind kind = Kind::empty;
  std::optional<Error> error = {};  // of a wrong one
  std::string id = {}, metric = {}, unit = {};
  UsualDirection direction = {};
  bool names_direction = false;
  int process = 0, placement = 0;
  PlacementLine taken = {};
  std::vector<std::string> tags = {};
  std::optional<Cause> unusable = {};
};

// Direction and family of a unit. Most lines have that of the line before.
class UnitFacts {
 public:
  struct Told {
    UsualDirection direction;
    bool is_time = false;  // or a rate
  };
  const Told& of(const std::string& unit) {
    if (unit_ == unit) return told_;
    unit_ = unit;
    told_.direction = usual_direction(unit);
    told_.is_time = time_unit(unit) || told_.direction.direction == Direction::higher_is_better;
    return told_;
  }

 private:
  std::optional<std::string> unit_ = {};
  Told told_ = {};
};

class Importer {
 public:
  explicit Importer(const std::string& file) : file_(file) {}

  void take(std::string_view text, int line);
  Checked<ToolFile> finish();

 private:
  struct Line {
    std::string_view text;
    int number;
  };
  void take_lines();
  void take_header(const Line& line);
  void take_header(const JsonNode& root);
  void take_machine(const JsonNode& node);
  void add(SampleLine line);
  void add_tags(CaseLines& one, std::vector<std::string> tags);
  SeriesLines& series_of(CaseLines& one, const SampleLine& line);
  void problem(const SampleLine& line, std::string what);
  CaseLines& case_named(std::string id);

  std::string file_;
  std::vector<Line> waiting_ = {};
  std::size_t problems_ = 0;  // of lines beside each other
  std::string suite_;
  std::string session_;
  Machine machine_;
  std::deque<CaseLines> cases_;
  std::unordered_map<std::string_view, CaseLines*> index_;
  SampleErrors errors_;
};

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

void read_samples(const JsonNode& root, UnitFacts& units, SampleLine& line) {
  static constexpr std::array<std::string_view, 2> directions{"lower", "higher"};
  const JsonNode id = root.require("case");
  const JsonNode metric = root.require("metric");
  const JsonNode unit = root.require("unit");
  line.process = root.require("process").integer<int>(0, 0);
  line.placement = root.find("placement").integer<int>(0, 0);
  const JsonNode samples = root.require("samples");
  Placement& placement = line.taken.placement;
  placement.samples = samples.numbers();
  placement.forced_gates = root.find("forced_gates").integer<int>(0, 0);
  placement.clock_ghz = root.find("clock_ghz").number();
  for (const auto& [name, text] : {std::pair(&id, &line.id), {&metric, &line.metric}, {&unit, &line.unit}}) {
    *text = name->text();
    if (name->present() && text->empty()) name->problem("is empty");
  }
  if (samples.present() && placement.samples.empty())
    samples.problem("is empty; expected at least one number");
  const UnitFacts::Told& told = units.of(line.unit);
  samples.each_element([&](const JsonNode& sample) { check_time(sample, told.is_time, line.unusable); });
  if (const JsonNode first = root.find("first_call"); first.present()) {
    line.taken.first_call = first.number();
    check_time(first, told.is_time, line.unusable);
  }
  line.tags = root.find("tags").texts();
  check_spelling(root);
  line.direction = told.direction;
  if (!root.ok()) return;
  if (const JsonNode direction = root.find("direction"); direction.present()) {
    const bool higher = direction.choice(directions) == 1;
    line.direction = {higher ? Direction::higher_is_better : Direction::lower_is_better, true};
    line.names_direction = true;
  }
}

SampleLine read_line(std::string_view text, const Location& where, UnitFacts& units) {
  SampleLine line;
  if (trim(text).empty()) return line;
  const auto reader = JsonReader::parse(text, where, JsonNumbers::with_nan);
  if (!reader) return {SampleLine::Kind::wrong, reader.error()};
  const JsonNode root = (*reader)->root();
  bool header = false;
  for (const char* key : {"machine", "suite", "session", "format"}) header |= root.find(key).present();
  if (header && !root.find("case").present()) {
    line.kind = SampleLine::Kind::header;
    return line;
  }
  line.kind = SampleLine::Kind::samples;
  line.taken.line = where.line;
  read_samples(root, units, line);
  if ((*reader)->error()) return {SampleLine::Kind::wrong, (*reader)->error()};
  return line;
}

void Importer::take(std::string_view text, int line) {
  waiting_.push_back({text, line});
  if (waiting_.size() == lines_at_once) take_lines();
}

// Lines are read by several threads, and added one after the other.
void Importer::take_lines() {
  std::vector<SampleLine> read(waiting_.size());
  for_each_index((read.size() + lines_a_part - 1) / lines_a_part, 0, [&](std::size_t part) {
    UnitFacts units;
    const std::size_t end = std::min((part + 1) * lines_a_part, read.size());
    for (std::size_t i = part * lines_a_part; i < end; ++i)
      read[i] = read_line(waiting_[i].text, {file_, waiting_[i].number}, units);
  });
  for (std::size_t i = 0; i < read.size(); ++i)
    if (read[i].kind == SampleLine::Kind::wrong)
      errors_.add(std::move(*read[i].error));
    else if (read[i].kind == SampleLine::Kind::header)
      take_header(waiting_[i]);
    else if (read[i].kind == SampleLine::Kind::samples)
      add(std::move(read[i]));
  waiting_.clear();
}

void Importer::take_header(const Line& line) {
  const auto reader = JsonReader::parse(line.text, {file_, line.number}, JsonNumbers::with_nan);
  take_header((*reader)->root());
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

void Importer::problem(const SampleLine& line, std::string what) {
  ++problems_;
  errors_.add({ErrorKind::usage, std::move(what), Location{file_, line.taken.line}, {}});
}

CaseLines& Importer::case_named(std::string id) {
  if (const auto known = index_.find(id); known != index_.end()) return *known->second;
  CaseLines& one = cases_.emplace_back(CaseLines{std::move(id), {}, {}, {}});
  index_.emplace(one.id, &one);
  return one;
}

void Importer::add_tags(CaseLines& one, std::vector<std::string> tags) {
  for (std::string& tag : tags)
    if (std::find(one.tags.begin(), one.tags.end(), tag) == one.tags.end())
      one.tags.push_back(std::move(tag));
}

SeriesLines& Importer::series_of(CaseLines& one, const SampleLine& line) {
  const auto known = std::find_if(one.series.begin(), one.series.end(),
                                  [&](const SeriesLines& series) { return series.metric == line.metric; });
  if (known == one.series.end())
    return one.series.emplace_back(SeriesLines{line.taken.line, line.metric, line.unit, line.direction, {}});
  if (line.unit != known->unit)
    problem(line, fmt::format("unit: is `{}`, but line {} says `{}` for this case and metric",
                              printable(line.unit), known->line, printable(known->unit)));
  else if (line.names_direction && line.direction.direction != known->direction.direction)
    problem(line, fmt::format("direction: is not what line {} says for this case and metric", known->line));
  return *known;
}

void Importer::add(SampleLine line) {
  CaseLines& one = case_named(std::move(line.id));
  add_tags(one, std::move(line.tags));
  const std::size_t problems = problems_;
  SeriesLines& series = series_of(one, line);
  if (line.unusable) {
    one.failed.emplace_back(line.process, std::move(*line.unusable));
    line.taken.placement.samples.clear();
    line.taken.first_call.reset();
  }
  const auto [known, fresh] =
      series.processes[line.process].try_emplace(line.placement, std::move(line.taken));
  if (!fresh && problems == problems_)
    problem(line,
            fmt::format("the document repeats case `{}`, metric `{}`, process {}, placement {} of line {}",
                        printable(one.id), printable(series.metric), line.process, line.placement,
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
  record.series.reserve(lines.series.size());
  Series calls;  // the first ones, of the first metric that has any
  for (SeriesLines& series : lines.series) {
    for (const auto& [number, placements] : series.processes)
      results.try_emplace(number).first->second.process = number;
    Series first_calls{std::string(first_call_metric.name), series.unit, first_call_metric.direction, {}};
    record.series.push_back(merged(series, first_calls));
    if (!first_calls.processes.empty() && calls.processes.empty()) calls = std::move(first_calls);
  }
  if (!calls.processes.empty()) record.series.push_back(std::move(calls));
  record.processes.reserve(results.size());
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
  take_lines();
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
  for (; !cases_.empty(); cases_.pop_front())  // so that no case is in memory twice
    read.cases.push_back(merged(cases_.front()));
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

#include <cmath>
#include <map>
#include <utility>

#include "harness/model/pin/pin_codec.h"
#include "harness/model/pin/pin_fields.h"
#include "harness/schema/formats.h"

namespace harness {
namespace {

constexpr double digits_of_value = 1e-4;  // relative; a value has six digits
constexpr const char* pin_again = "write the pin again with `harness baseline promote`";

// Members that are there; the others keep their value. Their lists say elsewhere which of them a text must
// have.
template <class List>
void read_present(const JsonNode& node, const List& list, typename List::Struct& value) {
  for_each_field(list, [&](const auto& field) {
    const JsonNode member = node.find(field.name);
    if (!member.present()) return;
    std::remove_cvref_t<decltype(field)>::Shape::read(member, value.*field.member, field.least);
    if (field.check != nullptr) field.check(member, value.*field.member);
  });
}

// A sample of each process of the case.
void read_values(const JsonNode& series, const CaseRecord& one, std::vector<ProcessSamples>& processes) {
  const JsonNode same = series.find(same_value), each = series.find(value_each);
  const std::vector<int> numbers = timed_processes(one.processes);
  std::vector<double> values(numbers.size(), same.number());
  if (each.present()) values = each.numbers();
  if (values.size() != numbers.size())
    return each.problem(fmt::format("has {} values; expected {}, one for each process of the case",
                                    values.size(), numbers.size()),
                        pin_again);
  for (std::size_t i = 0; i < values.size(); ++i) {
    processes.emplace_back().process = numbers[i];
    processes.back().placements.push_back(Placement{{values[i]}});
  }
}

// The figures of processes as a table.
class TableReader {
 public:
  TableReader(const JsonNode& series, std::vector<ProcessSamples>& processes)
      : series_(series), processes_(processes) {}

  void read() {
    read_columns();
    const JsonNode each = series_.find("each");
    read_present(each, Described<ProcessFigures>::fields, common_);
    read_present(each, Described<ConditionFigures>::fields, common_.conditions);
    for (const char* name : {"log", "mean", "samples", "placements"})
      if (!columns_.contains(name) && !each.find(name).present())
        series_.problem(std::string("has no `") + name + "` of its processes", pin_again);
    if (!columns_.contains("process")) series_.problem("has no column `process`", pin_again);
    if (!series_.ok()) return;
    const JsonNode rows = series_.require("rows");
    rows.each_element([&](const JsonNode& row) { read_row(row); });
    if (series_.ok()) expect_unique(rows, processes_, &ProcessSamples::process, "process");
  }

 private:
  void read_columns() {
    const std::vector<std::string> names = series_.find("columns").texts();
    for (std::size_t i = 0; i < names.size(); ++i) columns_.emplace(names[i], i);
    width_ = names.size();
  }

  void read_row(const JsonNode& row) {
    std::vector<JsonNode> cells;
    row.each_element([&](const JsonNode& one) { cells.push_back(one); });
    if (cells.size() != width_)
      return row.problem(
          fmt::format("has {} values; expected one for each of {} columns", cells.size(), width_));
    ProcessSamples& process = processes_.emplace_back();
    ProcessFigures& figures = process.figures.emplace(common_);
    const auto cell = [&](std::string_view name) {
      const auto column = columns_.find(name);
      return column == columns_.end() ? no_column : column->second;
    };
    process.process = cells[cell("process")].integer<int>(0, 0);
    if (const std::size_t at = cell("session"); at != no_column)
      process.session = cells[at].integer<int>(0, 0);
    for_each_figure(figures, [&](const auto& field, auto& of) {
      const std::size_t at = cell(field.name);
      if (at == no_column) return;
      const JsonNode& value = cells[at];
      if (!value.is_null() || field.is_required)
        std::remove_cvref_t<decltype(field)>::Shape::read(value, of.*field.member, field.least);
    });
    if (const std::size_t at = cell(value_column); at != no_column && row.ok()) {
      const JsonNode& value = cells[at];
      const double held = std::exp(figures.log_value);
      if (!(std::abs(value.number() - held) <= digits_of_value * held))
        value.problem("is not the value that `log` is the logarithm of", pin_again);
    }
  }

  static constexpr std::size_t no_column = static_cast<std::size_t>(-1);
  const JsonNode& series_;
  std::vector<ProcessSamples>& processes_;
  std::map<std::string, std::size_t, std::less<>> columns_ = {};
  std::size_t width_ = 0;
  ProcessFigures common_ = {};
};

void read_series(const JsonNode& node, const CaseRecord& one, Series& series) {
  const bool values = node.find(value_each).present() || node.find(same_value).present();
  if (!values && !node.find("rows").present()) return read_json(node, series);
  for (const char* name : {"metric", "unit"})
    if (!node.require(name).present()) return;
  read_present(node, Described<Series>::fields, series);
  series.processes.clear();
  if (values)
    read_values(node, one, series.processes);
  else
    TableReader(node, series.processes).read();
}

void read_all_series(const JsonNode& node, const CaseRecord& one, std::vector<Series>& all) {
  node.each_element([&](const JsonNode& series) { read_series(series, one, all.emplace_back()); });
  if (node.ok()) expect_metrics_once(node, all);
}

// The kernels of a process of which only the times differ from the first process that read some.
void read_kernel_times(const JsonNode& node, const CaseRecord& one, std::vector<KernelUse>& kernels) {
  for (const ProcessResult& result : one.processes) {
    if (result.kernels.empty()) continue;
    const std::vector<double> times = node.numbers();
    if (times.size() != result.kernels.size())
      return node.problem(fmt::format("has {} times; expected {}, one for each kernel of process {}",
                                      times.size(), result.kernels.size(), result.process),
                          pin_again);
    std::vector<KernelUse> own = result.kernels;
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i].us = times[i];
      own[i].code.clear();
    }
    kernels = std::move(own);
    return;
  }
  node.problem("has times of kernels that no process names", pin_again);
}

void read_results(const JsonNode& node, CaseRecord& one) {
  const JsonNode processes = node.find("processes");
  ProcessResult common;
  const JsonNode each = node.find("each");
  read_present(each, result_in_case, common);
  std::map<int, std::size_t> places;
  processes.each_element([&](const JsonNode& number) {
    common.process = number.integer<int>(0, 0);
    common.case_id = one.id;
    if (!places.emplace(common.process, one.processes.size()).second)
      return number.problem(fmt::format("repeats process {}", common.process));
    one.processes.push_back(common);
  });
  node.find("results").each_element([&](const JsonNode& own) {
    const JsonNode number = own.require("process");
    const auto place = places.find(number.integer<int>(0, 0));
    if (place == places.end()) return number.problem("is none of the case's processes", pin_again);
    ProcessResult& result = one.processes[place->second];
    read_present(own, result_in_case, result);
    if (const JsonNode times = own.find("kernel_us"); times.present())
      read_kernel_times(times, one, result.kernels);
  });
}

void read_plan(const JsonNode& node, const CaseRecord& shared, CaseRecord& one) {
  for_each_field(planned_part, [&](const auto& field) {
    if (is_relative(field.name)) return;
    const JsonNode member = field.is_required ? node.require(field.name) : node.find(field.name);
    if (!member.present()) return;
    std::remove_cvref_t<decltype(field)>::Shape::read(member, one.*field.member, field.least);
    if (field.check != nullptr) field.check(member, one.*field.member);
  });
  one.gate = shared.gate;
  if (const JsonNode gate = node.find("gate"); gate.present()) {
    one.gate = Gate{};
    read_json(gate, one.gate);
  }
  one.sampling = shared.sampling;
  read_present(node.find("sampling"), Described<Sampling>::fields, one.sampling);
  if (const JsonNode suite = node.find("suite_sampling"); suite.present())
    read_present(suite, Described<Sampling>::fields, one.suite_sampling.emplace(one.sampling));
}

void read_pinned_case(const JsonNode& node, const CaseRecord& shared, CaseRecord& one) {
  read_plan(node, shared, one);
  read_results(node, one);
  if (const JsonNode build = node.find("build"); build.present()) read_json(build, one.build.emplace());
  if (const JsonNode all = node.find("metrics"); all.present()) read_all_series(all, one, one.series);
  if (const JsonNode all = node.find("alone"); all.present()) read_all_series(all, one, one.alone);
}

}  // namespace

bool is_pin(std::string_view text) {
  const std::string_view beginning = text.substr(0, 200);
  return beginning.find('"' + std::string(formats::pin.name) + '"') != std::string_view::npos;
}

Result<Record> decode_pin(std::string_view text, const std::string& source) {
  const auto reader = JsonReader::parse(text, {source});
  if (!reader) return fail(reader.error());
  (*reader)->expect_format(formats::pin);
  const JsonNode root = (*reader)->root();
  Record record;
  read_fields(root, record_header, record);
  CaseRecord shared;
  if (const JsonNode all = root.find("shared"); all.present()) read_fields(all, shared_by_cases, shared);
  const JsonNode cases = root.require("cases");
  cases.each_element(
      [&](const JsonNode& one) { read_pinned_case(one, shared, record.cases.emplace_back()); });
  if (cases.ok()) expect_unique(cases, record.cases, &CaseRecord::id, "case");
  return (*reader)->finish(std::move(record));
}

}  // namespace harness

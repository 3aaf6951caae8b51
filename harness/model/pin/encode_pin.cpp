#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/model/pin/pin_codec.h"
#include "harness/model/pin/pin_fields.h"
#include "harness/schema/formats.h"

namespace harness {
namespace {

// A member as it would be written on one line; "" where it is left out.
template <class Field>
std::string member_text(const Field& field, const typename Field::Struct& value) {
  if (left_out(field, value)) return {};
  JsonWriter json;
  json.open_array(JsonLayout::line);
  Field::Shape::write(json, value.*field.member);
  json.close();
  return json.take();
}

// The texts of a member in several structs: whether all are the same, and not left out.
class Common {
 public:
  void add(std::string text) {
    any_ = any_ || !text.empty();
    same_ = same_ && (count_ == 0 || text == first_);
    if (count_++ == 0) first_ = std::move(text);
  }
  [[nodiscard]] bool shared() const { return same_ && any_; }
  [[nodiscard]] bool differs() const { return !same_; }

 private:
  std::string first_ = {};
  std::size_t count_ = 0;
  bool any_ = false, same_ = true;
};

// The value that most cases have.
template <class Value>
Value most_common(const std::vector<CaseRecord>& cases, Value CaseRecord::*member) {
  std::map<std::string, std::pair<int, const CaseRecord*>> counts;
  const CaseRecord* found = nullptr;
  int most = 0;
  for (const CaseRecord& one : cases) {
    const std::string text = to_json(Described<Value>::fields, one.*member, JsonLayout::line);
    auto& [count, first] = counts.try_emplace(text, 0, &one).first->second;
    if (++count > most) std::tie(most, found) = std::pair(count, first);
  }
  return found == nullptr ? Value{} : found->*member;
}

CaseRecord shared_of(const std::vector<CaseRecord>& cases) {
  CaseRecord shared;
  shared.gate = most_common(cases, &CaseRecord::gate);
  shared.sampling = most_common(cases, &CaseRecord::sampling);
  return shared;
}

// The members in which a sampling differs from a known one.
void write_difference(JsonWriter& json, const Sampling& one, const Sampling& known) {
  json.open_object(JsonLayout::line);
  for_each_field<Sampling>([&](const auto& field) {
    if (one.*field.member != known.*field.member)
      std::remove_cvref_t<decltype(field)>::Shape::write(json.key(field.name), one.*field.member);
  });
  json.close();
}

void write_plan(JsonWriter& json, const CaseRecord& one, const CaseRecord& shared) {
  for_each_field(planned_part, [&](const auto& field) {
    if (!is_relative(field.name)) fields_detail::write_entry(json, field, one);
  });
  if (one.gate != shared.gate) write_json(json.key("gate"), one.gate);
  if (one.sampling != shared.sampling) write_difference(json.key("sampling"), one.sampling, shared.sampling);
  if (one.suite_sampling) write_difference(json.key("suite_sampling"), *one.suite_sampling, one.sampling);
}

// The kernels of the case's first process that read some, with the times of another and without code.
std::vector<KernelUse> retimed(std::vector<KernelUse> first, const std::vector<KernelUse>& times) {
  for (std::size_t i = 0; i < first.size() && i < times.size(); ++i) {
    first[i].us = times[i].us;
    first[i].code.clear();
  }
  return first;
}

// Results of the processes of a case: what all have in common, then each one's own.
class ResultWriter {
 public:
  explicit ResultWriter(const std::vector<ProcessResult>& results) : results_(results) {
    for_each_field(result_in_case, [&](const auto& field) {
      Common common;
      for (const ProcessResult& result : results) common.add(member_text(field, result));
      if (common.shared() && field.name != "process") shared_.insert(field.name);
    });
    for (const ProcessResult& result : results)
      if (first_ == nullptr && !result.kernels.empty()) first_ = &result;
  }

  void write(JsonWriter& json) const {
    if (results_.empty()) return;
    json.key("processes").open_array(JsonLayout::line);
    for (const ProcessResult& result : results_) json.integer(result.process);
    json.close();
    json.key("each").open_object(JsonLayout::line);
    for_each_field(result_in_case, [&](const auto& field) {
      if (shared_.contains(field.name)) fields_detail::write_entry(json, field, results_.front());
    });
    json.close();
    if (std::none_of(results_.begin(), results_.end(), [&](const auto& one) { return has_own(one); })) return;
    json.key("results").open_array();
    for (const ProcessResult& result : results_)
      if (has_own(result)) write_own(json, result);
    json.close();
  }

 private:
  [[nodiscard]] bool has_own(const ProcessResult& result) const {
    bool own = false;
    for_each_field(result_in_case, [&](const auto& field) {
      if (field.name != "process" && !shared_.contains(field.name))
        own = own || !member_text(field, result).empty();
    });
    return own;
  }

  void write_own(JsonWriter& json, const ProcessResult& result) const {
    const bool only_times = &result != first_ && !result.kernels.empty() && !shared_.contains("kernels") &&
                            retimed(first_->kernels, result.kernels) == result.kernels;
    json.open_object(JsonLayout::line);
    for_each_field(result_in_case, [&](const auto& field) {
      if (shared_.contains(field.name)) return;
      if (field.name != "kernels" || !only_times)
        fields_detail::write_entry(json, field, result);
      else {
        json.key("kernel_us").open_array();
        for (const KernelUse& kernel : result.kernels) json.number(kernel.us);
        json.close();
      }
    });
    json.close();
  }

  const std::vector<ProcessResult>& results_;
  std::set<std::string_view> shared_ = {};
  const ProcessResult* first_ = nullptr;
};

// A process of one sample and nothing else.
bool is_value(const ProcessSamples& process) {
  if (process.figures || process.session != 0 || process.placements.size() != 1) return false;
  const std::vector<double>& samples = process.placements.front().samples;
  return samples.size() == 1 && std::isfinite(samples.front()) &&
         process.placements.front() == Placement{samples};
}

bool is_row(const ProcessSamples& process) {
  return process.figures && process.placements.empty();
}

double only_sample(const ProcessSamples& process) {
  return process.placements.front().samples.front();
}

// Whether each process of the case has one sample of the series.
bool is_value_each(const std::vector<ProcessSamples>& processes, const std::vector<ProcessResult>& results) {
  std::vector<int> numbers, of_case = timed_processes(results);
  for (const ProcessSamples& process : processes)
    if (is_value(process)) numbers.push_back(process.process);
  return !processes.empty() && numbers.size() == processes.size() && numbers == of_case;
}

// The samples in the order of the case's processes, or the one that all have.
void write_values(JsonWriter& json, const std::vector<ProcessSamples>& processes) {
  const double first = only_sample(processes.front());
  const auto is_first = [&](const ProcessSamples& process) {
    return std::bit_cast<std::uint64_t>(only_sample(process)) == std::bit_cast<std::uint64_t>(first);
  };
  if (std::all_of(processes.begin(), processes.end(), is_first)) {
    json.key(same_value).number(first);
    return;
  }
  json.key(value_each).open_array(JsonLayout::line);
  for (const ProcessSamples& process : processes) json.number(only_sample(process));
  json.close();
}

double six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

// The figures of processes as a table: those that all have alike, the names of the others, a row a process.
void write_table(JsonWriter& json, const std::vector<ProcessSamples>& processes) {
  std::map<std::string_view, Common> common;
  Common sessions;
  for (const ProcessSamples& process : processes) {
    for_each_figure(*process.figures,
                    [&](const auto& one, const auto& of) { common[one.name].add(member_text(one, of)); });
    sessions.add(std::to_string(process.session));
  }
  const bool has_session = sessions.differs() || processes.front().session != 0;
  const auto for_each_column = [&](const ProcessSamples& process, auto visit) {
    for_each_figure(*process.figures, [&](const auto& one, const auto& of) {
      if (common[one.name].differs()) visit(one, of);
    });
  };
  json.key("each").open_object(JsonLayout::line);
  for_each_figure(*processes.front().figures, [&](const auto& one, const auto& of) {
    if (common[one.name].shared()) fields_detail::write_entry(json, one, of);
  });
  json.close();
  json.key("columns").open_array(JsonLayout::line).text("process").text(value_column);
  if (has_session) json.text("session");
  for_each_column(processes.front(), [&](const auto& one, const auto& /*of*/) { json.text(one.name); });
  json.close();
  json.key("rows").open_array();
  for (const ProcessSamples& process : processes) {
    json.open_array(JsonLayout::line).integer(process.process);
    json.number(six_digits(std::exp(process.figures->log_value)));
    if (has_session) json.integer(process.session);
    for_each_column(process, [&](const auto& one, const auto& of) {
      if constexpr (requires { (of.*one.member).has_value(); })
        if (!(of.*one.member).has_value()) {
          json.null();
          return;
        }
      std::remove_cvref_t<decltype(one)>::Shape::write(json, of.*one.member);
    });
    json.close();
  }
  json.close();
}

void write_series(JsonWriter& json, const Series& series, const std::vector<ProcessResult>& results) {
  const std::vector<ProcessSamples>& processes = series.processes;
  const bool values = is_value_each(processes, results);
  const bool table = !processes.empty() && std::all_of(processes.begin(), processes.end(), is_row);
  json.open_object(values ? JsonLayout::line : JsonLayout::lines);
  for_each_field<Series>([&](const auto& field) {
    if (field.name != "processes" || (!values && !table)) fields_detail::write_entry(json, field, series);
  });
  if (values) write_values(json, processes);
  if (table) write_table(json, processes);
  json.close();
}

void write_all_series(JsonWriter& json, const std::vector<Series>& all,
                      const std::vector<ProcessResult>& results) {
  json.open_array();
  for (const Series& series : all) write_series(json, series, results);
  json.close();
}

void write_pinned_case(JsonWriter& json, const CaseRecord& one, const CaseRecord& shared) {
  json.open_object();
  write_plan(json, one, shared);
  ResultWriter(one.processes).write(json);
  if (one.build) write_json(json.key("build"), *one.build);
  if (!one.series.empty()) write_all_series(json.key("metrics"), one.series, one.processes);
  if (!one.alone.empty()) write_all_series(json.key("alone"), one.alone, one.processes);
  json.close();
}

}  // namespace

std::string encode_pin(const Record& record) {
  JsonWriter json;
  json.open_object();
  write_format(json, formats::pin);
  write_fields(json, record_header, record);
  const CaseRecord shared = shared_of(record.cases);
  write_object(json.key("shared"), shared_by_cases, shared, JsonLayout::lines);
  json.key("cases").open_array();
  for (const CaseRecord& one : record.cases) write_pinned_case(json, one, shared);
  json.close().close();
  return json.take() + "\n";
}

}  // namespace harness

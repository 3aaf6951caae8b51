#include "harness/store/adapters/one_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr std::size_t error_limit = 50;
constexpr std::size_t sniffed_bytes = 64 << 10;

Error no_samples(const std::string& file) {
  return {ErrorKind::usage, "holds no samples", Location{file}, {}};
}

}  // namespace

void SampleErrors::add(Error error) {
  if (errors_.size() < error_limit)
    errors_.push_back(std::move(error));
  else
    ++more_;
}

std::vector<Error> SampleErrors::take(const std::string& file) && {
  if (more_ > 0)
    errors_.push_back({ErrorKind::usage, fmt::format("and {} more errors", more_), Location{file}, {}});
  return std::move(errors_);
}

Series& OneProcess::series(const std::string& id, std::string_view metric, std::string_view unit) {
  const auto [known, fresh] = index_.try_emplace(id, cases_.size());
  if (fresh) {
    CaseRecord& added = cases_.emplace_back();
    added.id = id;
    added.device = import_device;
    ProcessResult& process = added.processes.emplace_back();
    process.case_id = id;
    process.process = 1;
  }
  std::vector<Series>& all = cases_[known->second].series;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Series& one) { return one.metric == metric; });
  if (found != all.end()) return *found;
  return all.emplace_back(
      Series{std::string(metric), std::string(unit), Direction::lower_is_better, {{1, {}}}});
}

void OneProcess::add(const std::string& id, std::string_view metric, std::string_view unit,
                     Placement placement) {
  series(id, metric, unit).processes.front().placements.push_back(std::move(placement));
}

void OneProcess::append(const std::string& id, std::string_view metric, std::string_view unit,
                        double sample) {
  std::vector<Placement>& placements = series(id, metric, unit).processes.front().placements;
  if (placements.empty()) placements.emplace_back();
  placements.back().samples.push_back(sample);
}

Checked<Record> OneProcess::finish(const std::string& file) && {
  if (cases_.empty()) return fail_checked(no_samples(file));
  Record record;
  record.machines[std::string(import_device)] = std::move(machine);
  record.cases = std::move(cases_);
  return record;
}

Checked<Record> read_json(std::string_view text, const std::string& file, const TakeJson& take) {
  const auto reader = JsonReader::parse(text, {file, 1});
  if (!reader) return fail_checked(reader.error());
  OneProcess process;
  take((*reader)->root(), process);
  if ((*reader)->error()) return fail_checked(*(*reader)->error());
  return std::move(process).finish(file);
}

Checked<Record> read_json_lines(std::string_view text, const std::string& file, const TakeJson& take,
                                const std::function<void(OneProcess&)>& at_the_end) {
  OneProcess process;
  SampleErrors errors;
  each_line(text, [&](std::string_view line, int number) {
    if (trim(line).empty()) return;
    const auto reader = JsonReader::parse(line, {file, number});
    if (!reader) return errors.add(reader.error());
    take((*reader)->root(), process);
    if ((*reader)->error()) errors.add(*(*reader)->error());
  });
  if (!errors.errors().empty()) return tl::unexpected(std::move(errors).take(file));
  if (at_the_end) at_the_end(process);
  return std::move(process).finish(file);
}

void each_line(std::string_view text, const std::function<void(std::string_view, int)>& read) {
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    read(text.substr(begin, end - begin), number);
    begin = end + 1;
  }
}

bool begins_as_json(std::string_view text, std::string_view open,
                    std::initializer_list<std::string_view> keys) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  text = text.substr(0, sniffed_bytes);
  for (const char wanted : open) {
    text = trim(text);
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(1);
  }
  return std::all_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return text.find(fmt::format("\"{}\"", key)) != std::string_view::npos;
  });
}

double time_above_zero(const JsonNode& node) {
  const double value = node.number();
  if (node.present() && !(value > 0)) node.problem(fmt::format("is {}; a time is above 0", value));
  return value;
}

std::vector<double> times_above_zero(const JsonNode& array) {
  std::vector<double> times;
  times.reserve(array.size());
  array.each_element([&](const JsonNode& one) { times.push_back(time_above_zero(one)); });
  if (array.present() && times.empty()) array.problem("is empty; expected at least one number");
  return times;
}

std::string new_case_name(const JsonNode& node, const OneProcess& process, const std::string& advice) {
  std::string name = node.text();
  if (node.present() && name.empty()) node.problem("is empty");
  if (process.has(name))
    node.problem(fmt::format("is `{}`, a name that came before", printable(name)), advice);
  return name;
}

void add_fields(Machine& machine, const JsonNode& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const JsonNode member = object.find(name); member.present() && !member.is_null())
      if (const auto value = member.scalar())
        machine.fields.push_back({std::string(name), sdk::to_string(*value), FieldClass::info});
}

}  // namespace harness

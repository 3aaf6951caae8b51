#include "harness/report/media/page/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/comparison/comparison_remarks.h"
#include "harness/report/documents/run_remarks.h"
#include "harness/report/media/page/packed.h"
#include "harness/report/media/page/rounded_json.h"
#include "harness/report/media/report_json.h"
#include "harness/schema/formats.h"
#include "harness/stats/estimate/process_estimator.h"

namespace harness::report {
namespace {

constexpr int figure_digits = 7;     // of centres, intervals, p values
constexpr int placement_digits = 5;  // of a placement's value; of a kernel's time
constexpr int clock_digits = 4;      // read no better
constexpr int power_digits = 3;      // likewise
constexpr int phase_digits = 4;
constexpr std::size_t longest_title = 120;

using CaseNames = std::set<std::string, std::less<>>;

Json figure(double value, int digits) {
  return number(rounded(value, digits));
}

Json figure(const std::optional<double>& value, int digits) {
  return value ? figure(*value, digits) : Json(nullptr);
}

// One quantity of every placement of a process: a column, or one value where all are the same.
template <class Quantity>
void put_column(Json& columns, const char* name, std::size_t rows, Quantity quantity) {
  Json column = Json::array();
  for (std::size_t row = 0; row < rows; ++row) column.push_back(quantity(row));
  const bool same =
      std::all_of(column.begin(), column.end(), [&](const Json& one) { return one == column[0]; });
  if (same && rows > 0)
    columns["same"][name] = std::move(column[0]);
  else
    columns["each"][name] = std::move(column);
}

Json placements_json(const std::vector<Placement>& placements,
                     const std::vector<stats::ProcessEstimate>& estimates) {
  const std::size_t rows = placements.size();
  Json columns{{"rows", rows}, {"same", Json::object()}, {"each", Json::object()}};
  const auto put = [&](const char* name, auto quantity) {
    put_column(columns, name, rows, [&](std::size_t row) -> Json { return quantity(placements[row]); });
  };
  const auto condition = [&](const char* name, std::optional<double> Conditions::*member, int digits) {
    put(name, [=](const Placement& one) {
      return one.conditions ? figure((*one.conditions).*member, digits) : Json(nullptr);
    });
  };
  // Hundredths of a second say in which order placements were measured, and how far apart.
  put("started", [](const Placement& one) { return positive(std::round(one.started * 100) / 100); });
  put("count", [](const Placement& one) { return Json(one.samples.size()); });
  put_column(columns, "value", rows,
             [&](std::size_t row) { return figure(std::exp(estimates[row].log_value), placement_digits); });
  put("forced_gates", [](const Placement& one) { return Json(one.forced_gates); });
  put("clock_ghz", [](const Placement& one) { return positive(rounded(one.clock_ghz, clock_digits)); });
  condition("sm_clock_mhz", &Conditions::sm_clock_mhz, clock_digits);
  condition("memory_clock_mhz", &Conditions::memory_clock_mhz, clock_digits);
  condition("power_w", &Conditions::power_w, power_digits);
  condition("temperature_c", &Conditions::temperature_c, power_digits);
  put("throttled",
      [](const Placement& one) { return one.conditions ? Json(one.conditions->throttled) : Json::array(); });
  put("other_processes",
      [](const Placement& one) { return Json(one.conditions ? one.conditions->other_processes : 0); });
  return columns;
}

std::vector<stats::ProcessEstimate> placement_estimates(const ProcessSamples& process) {
  stats::ProcessEstimator estimator;
  estimator.begin(process.placements.size());
  for (std::size_t i = 0; i < process.placements.size(); ++i)
    estimator.add_placement(i, process.placements[i].samples);
  const auto estimates = estimator.finish();
  return {estimates.begin(), estimates.end()};
}

// The value of a process is the mean over its placements with samples, on the log scale
// (stats/estimate/estimator.h).
Json process_json(const ProcessSamples& process, std::optional<double> first_call,
                  const SampleDetail& detail) {
  const std::vector<stats::ProcessEstimate> estimates = placement_estimates(process);
  double sum = 0;
  std::size_t used = 0, count = 0;
  for (const stats::ProcessEstimate& estimate : estimates) {
    count += estimate.samples;
    if (estimate.samples == 0) continue;
    sum += estimate.log_value;
    ++used;
  }
  Json json{
      {"process", process.process},
      {"value", used == 0 ? Json(nullptr) : figure(std::exp(sum / static_cast<double>(used)), figure_digits)},
      {"first_call", figure(first_call, figure_digits)},
      {"count", count}};
  put_samples(json, process, detail);
  json["placements"] = placements_json(process.placements, estimates);
  return json;
}

// The first call of a process, beside the case's time.
std::optional<double> first_call_of(const CaseRecord& one, const Series& series, int process) {
  if (&series != &one.series.front()) return {};
  for (const Series& calls : one.series)
    if (calls.metric == first_call_metric.name && calls.unit == series.unit)
      for (const ProcessSamples& call : calls.processes)
        if (call.process == process && !call.placements.empty() && !call.placements[0].samples.empty())
          return call.placements[0].samples[0];
  return {};
}

Json series_json(const CaseRecord& one, const Series& series, const SampleDetail& detail) {
  Json json{{"metric", series.metric},
            {"unit", series.unit},
            {"direction", std::string(name_of(series.direction))},
            {"processes", Json::array()}};
  for (const ProcessSamples& process : series.processes)
    json["processes"].push_back(process_json(process, first_call_of(one, series, process.process), detail));
  return json;
}

// Mean seconds over the processes that tell phases, in the order in which phases first ended.
Json phases_json(const CaseRecord& one) {
  std::vector<Phase> sums;
  double processes = 0;
  for (const ProcessResult& result : one.processes) {
    processes += result.phases.empty() ? 0 : 1;
    for (const Phase& phase : result.phases) {
      const auto known =
          std::find_if(sums.begin(), sums.end(), [&](const Phase& sum) { return sum.name == phase.name; });
      if (known == sums.end())
        sums.push_back(phase);
      else
        known->duration += phase.duration;
    }
  }
  if (sums.empty()) return nullptr;
  Json seconds = Json::object();
  for (const Phase& sum : sums) seconds[sum.name] = figure(sum.duration / processes, phase_digits);
  return seconds;
}

Json kernels_json(const CaseRecord& one) {
  const std::vector<KernelUse> kernels = kernels_of(one);
  if (kernels.empty()) return nullptr;
  Json json = Json::array();
  for (const KernelUse& kernel : kernels)
    json.push_back({{"name", kernel.name},
                    {"grid", kernel.grid},
                    {"block", kernel.block},
                    {"registers", kernel.registers},
                    {"static_shared_bytes", kernel.static_shared_bytes},
                    {"dynamic_shared_bytes", kernel.dynamic_shared_bytes},
                    {"launches", kernel.launches},
                    {"us", kernel.us > 0 ? figure(kernel.us, placement_digits) : Json(nullptr)},
                    {"code", kernel.code.empty() ? Json(nullptr) : Json(kernel.code)}});
  return json;
}

Json params_json(const sdk::Params& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.entries()) {
    const double* real = std::get_if<double>(&value);
    json[name] =
        real != nullptr ? number(*real) : std::visit([](const auto& held) { return Json(held); }, value);
  }
  return json;
}

// "" for samples that another tool took: harness cannot take them again.
std::string reproduce(const Record& record, const CaseRecord& one, const std::string& again) {
  if (one.device == import_device || record.suite.file.empty()) return "";
  return fmt::format("harness run {} --filter {}{}", shell_quoted(record.suite.file), shell_quoted(one.id),
                     again);
}

Json case_json(const Record& record, const CaseRecord& one, const SampleDetail& detail,
               const std::string& again) {
  Json json{{"case", one.id},
            {"workload", one.workload},
            {"variant", one.variant},
            {"device", one.device},
            {"params", params_json(one.params)},
            {"tags", one.tags},
            {"flops", positive(one.flops)},
            {"bytes", positive(one.bytes)},
            {"series", Json::array()}};
  for (const Series& series : one.series)
    if (!series.all) json["series"].push_back(series_json(one, series, detail));  // a pin holds no samples
  json["phases"] = phases_json(one);
  json["kernels"] = kernels_json(one);
  json["reproduce"] = reproduce(record, one, again);
  return json;
}

bool has_samples(const CaseRecord& one) {
  for (const Series& series : one.series)
    for (const ProcessSamples& process : series.processes)
      for (const Placement& placement : process.placements)
        if (!placement.samples.empty()) return true;
  return false;
}

// The names of the cases, the most interesting ones first.
std::vector<std::string> cases_in_order(const Comparison* comparison, const Sources& sources) {
  std::vector<std::string> names;
  CaseNames seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  if (comparison != nullptr)
    for (const ComparisonRow& row : comparison->rows) add(row.case_id);
  else
    for (const CaseRecord& one : sources.current.record->cases) add(one.id);
  return names;
}

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The document in pieces, so that only the samples are written anew for another detail, and case by case.
class PageText {
 public:
  PageText(const Comparison* comparison, const Sources& sources)
      : sources_(sources), order_(cases_in_order(comparison, sources)) {
    const Record& current = *sources.current.record;
    Json json{
        {"format", formats::page.name},
        {"version", formats::page.version},
        {"tool", current.tool},
        {"title", page_title(comparison, sources)},
        {"command", sources.command},
        {"headline", comparison != nullptr ? comparison_headline(*comparison)
                                           : run_headline(current, *sources.current.summaries,
                                                          unmeasured_cases(*sources.current.summaries))},
        {"steps", comparison != nullptr ? Json(next_steps(*comparison)) : Json::array()}};
    head_ = line(json);
    head_.pop_back();
    head_ += R"(,"comparison":)";
    head_ += comparison == nullptr
                 ? "null"
                 : rounded_json(comparison_report(*comparison), figure_digits, [&](std::size_t row) {
                     return fmt::format(R"("confidence":{})",
                                        number(1 - 2 * alpha_to_pass(comparison->rows[row])).dump());
                   });
    current_ = report_of(sources.current);
    if (comparison != nullptr && sources.baseline.record != nullptr) baseline_ = report_of(sources.baseline);
  }

  // The names of the cases, the most interesting ones first.
  [[nodiscard]] const std::vector<std::string>& order() const { return order_; }

  [[nodiscard]] std::string document(const PageDetail& detail) const {
    const CaseNames whole(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(
                                                               std::min(order_.size(), detail.whole_cases)));
    std::string text = head_ + R"(,"current":)" + current_;
    add_details(text, sources_.current, whole, detail.rest, 1);
    text += R"(,"baseline":)";
    if (baseline_.empty()) {
      text += "null";
    } else {
      text += baseline_;
      add_details(text, sources_.baseline, whole, detail.rest, 1);
    }
    text += '}';
    return text;
  }

  // About the bytes that document() takes when it is deflated and in base64, told from one case in `every` by
  // the numbers that it and all cases write.
  [[nodiscard]] std::size_t expected_size(const SampleDetail& detail, std::size_t every) const {
    std::string some;
    add_details(some, sources_.current, {}, detail, every);
    std::size_t part = numbers_of(sources_.current, detail, every),
                all = numbers_of(sources_.current, detail, 1);
    if (!baseline_.empty()) {
      add_details(some, sources_.baseline, {}, detail, every);
      part += numbers_of(sources_.baseline, detail, every);
      all += numbers_of(sources_.baseline, detail, 1);
    }
    const double share = static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(part, 1));
    return base64_size(fixed_size() +
                       static_cast<std::size_t>(static_cast<double>(deflated(some).size()) * share));
  }

 private:
  // The samples or quantiles of one case in `every`, and what else its processes write, in samples.
  static std::size_t numbers_of(const SideSource& side, const SampleDetail& detail, std::size_t every) {
    constexpr std::size_t of_process = 20, of_placement = 4;
    std::size_t numbers = 0, place = 0;
    for (const CaseRecord& one : side.record->cases) {
      if (!has_samples(one) || place++ % every != 0) continue;
      for (const Series& series : one.series)
        for (const ProcessSamples& process : series.processes) {
          std::size_t samples = 0;
          for (const Placement& placement : process.placements) samples += placement.samples.size();
          numbers += of_process + of_placement * process.placements.size() +
                     (detail.quantiles == 0 ? samples : std::min(samples, detail.quantiles));
        }
    }
    return numbers;
  }

  static std::string report_of(const SideSource& side) {
    return R"({"report":)" + rounded_json(run_report(*side.record, *side.summaries), figure_digits);
  }

  std::size_t fixed_size() const {
    if (fixed_ == 0) fixed_ = deflated(head_ + current_ + baseline_).size();
    return fixed_;
  }

  void add_details(std::string& text, const SideSource& side, const CaseNames& whole,
                   const SampleDetail& rest, std::size_t every) const {
    text += R"(,"details":[)";
    bool first = true;
    std::size_t place = 0;
    for (const CaseRecord& one : side.record->cases) {
      if (!has_samples(one) || place++ % every != 0) continue;
      if (!first) text += ',';
      first = false;
      text +=
          line(case_json(*side.record, one, whole.contains(one.id) ? SampleDetail{} : rest, sources_.again));
    }
    text += "]}";
  }

  const Sources& sources_;
  std::vector<std::string> order_;
  std::string head_, current_, baseline_;  // "": there is none
  mutable std::size_t fixed_ = 0;          // bytes of what all details share, deflated; 0: not known yet
};

// From all samples down to what only tells shapes apart.
constexpr std::array<SampleDetail, 7> details{{{0, 6}, {101, 5}, {65, 5}, {51, 4}, {33, 4}, {17, 4}, {9, 4}}};

std::size_t sample_count(const Record* record) {
  std::size_t count = 0;
  if (record != nullptr)
    for (const CaseRecord& one : record->cases)
      for (const Series& series : one.series)
        for (const ProcessSamples& process : series.processes)
          for (const Placement& placement : process.placements) count += placement.samples.size();
  return count;
}

// A packed sample takes about two bytes, so this is not tried with much less room.
bool is_hopeless(const Sources& sources, std::size_t limit) {
  return (sample_count(sources.baseline.record) + sample_count(sources.current.record)) / 2 * 3 > limit;
}

using CasesByName = std::unordered_map<std::string_view, std::vector<const CaseRecord*>>;

CasesByName by_name(const Record* record) {
  CasesByName cases;
  if (record != nullptr)
    for (const CaseRecord& one : record->cases) cases[one.id].push_back(&one);
  return cases;
}

std::size_t size_of_samples(const CasesByName& cases, const std::string& name) {
  const auto found = cases.find(name);
  if (found == cases.end()) return 0;
  Json all = Json::array();
  for (const CaseRecord* one : found->second)
    for (const Series& series : one->series)
      for (const ProcessSamples& process : series.processes) {
        Json json;
        put_samples(json, process, SampleDetail{});
        all.push_back(std::move(json));
      }
  return base64_size(deflated(line(all)).size());
}

// How many cases, worst first, can have all their samples in `room` bytes, by each one's size alone.
std::size_t cases_that_fit(const PageText& text, const Sources& sources, std::size_t room) {
  const CasesByName before = by_name(sources.baseline.record), now = by_name(sources.current.record);
  std::size_t cases = 0, used = 0;
  for (const std::string& name : text.order()) {
    used += size_of_samples(before, name) + size_of_samples(now, name);
    if (used > room) break;
    ++cases;
  }
  return cases;
}

std::string packed(const PageText& text, const PageDetail& detail) {
  return base64(deflated(text.document(detail)));
}

// `data` holds quantiles only; the result, where the limit has room, some cases whole.
std::string with_whole_cases(std::string data, const PageText& text, const Sources& sources,
                             const SampleDetail& rest, std::size_t limit) {
  std::size_t cases = cases_that_fit(text, sources, (limit - data.size()) / 10 * 9);
  for (; cases > 0; cases /= 2) {
    std::string more = packed(text, {rest, cases});
    if (more.size() <= limit) return more;
  }
  return data;
}

// Writing a large document to find that it does not fit takes long. So a part of its cases tells which
// details are hopeless; what it tells is within a few per cent.
constexpr std::size_t asked_cases = 64;
constexpr double surely_too_large = 1.1, much_room = 0.6;

bool is_hopeless(const PageText& text, const SampleDetail& detail, std::size_t limit) {
  const std::size_t every = text.order().size() / asked_cases;
  return every > 1 && static_cast<double>(text.expected_size(detail, every)) >
                          surely_too_large * static_cast<double>(limit);
}

}  // namespace

std::string cut_title(const std::string& name) {
  std::string title = printable(name);
  if (title.size() <= longest_title) return title;
  std::size_t end = longest_title;
  while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xC0U) == 0x80U) --end;
  return title.substr(0, end) + "...";
}

std::string page_title(const Comparison* comparison, const Sources& sources) {
  if (comparison != nullptr)
    return fmt::format("{}: {}", cut_title(comparison->suite), words_for(comparison->verdict));
  return cut_title(sources.current.record->suite.name);
}

std::string page_document(const Comparison* comparison, const Sources& sources, const PageDetail& detail) {
  return PageText(comparison, sources).document(detail);
}

std::string page_document(const Comparison* comparison, const Sources& sources) {
  return page_document(comparison, sources, PageDetail{});
}

std::string page_data(const Comparison* comparison, const Sources& sources, std::size_t limit) {
  const PageText text(comparison, sources);
  if (limit == 0) return packed(text, {details.back(), 0});
  std::size_t first = 0;  // that is not hopeless
  if (is_hopeless(sources, limit)) ++first;
  while (first + 1 < details.size() && is_hopeless(text, details[first], limit)) ++first;
  std::string data = packed(text, {details[first], 0});
  while (first > 0 && static_cast<double>(data.size()) < much_room * static_cast<double>(limit)) {
    std::string finer = packed(text, {details[first - 1], 0});
    if (finer.size() > limit) break;
    data = std::move(finer);
    --first;
  }
  while (data.size() > limit && first + 1 < details.size()) data = packed(text, {details[++first], 0});
  const bool all = details[first].quantiles == 0;
  return all || data.size() > limit ? data
                                    : with_whole_cases(std::move(data), text, sources, details[first], limit);
}

}  // namespace harness::report

#include "sessions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <span>
#include <stdexcept>

#include "harness/base/files.h"
#include "harness/model/codec.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/paired.h"

namespace harness {
namespace {

// The value of a placement as stats::process_log_ratio takes it: its ratio to samples that are all 1.
double placement_value(const Placement& placement) {
  const std::vector<double> ones(placement.samples.size(), 1.0);
  const std::vector<std::span<const double>> before{ones}, after{placement.samples};
  return std::exp(stats::process_log_ratio(before, after));
}

double process_value(const ProcessSamples& process) {
  std::vector<std::vector<double>> placements;
  for (const Placement& placement : process.placements) placements.push_back(placement.samples);
  return std::exp(stats::process_log_value(placements));
}

Record reduced(Record record, Detail detail) {
  for (CaseRecord& one : record.cases)
    for (Series& series : one.series)
      for (ProcessSamples& process : series.processes) {
        if (detail == Detail::values) process.placements = {Placement{{process_value(process)}}};
        if (detail != Detail::placements) continue;
        for (Placement& placement : process.placements) placement = Placement{{placement_value(placement)}};
      }
  return record;
}

const Series& series_of(const Record& record, const std::string& id) {
  for (const CaseRecord& one : record.cases)
    if (one.id == id) return one.series.front();
  throw std::runtime_error("no case " + id);
}

}  // namespace

Record load_record(const std::string& file) {
  const Result<std::string> text = read_file(file);
  Result<Record> record = text ? decode_record(*text, file) : Result<Record>(fail(text.error()));
  if (record) return std::move(*record);
  std::cerr << record.error().text() << '\n';
  std::exit(2);
}

Session::Session(Record record) {
  for (const CaseRecord& one : record.cases)
    processes_ = std::max(processes_, one.series.front().processes.size());
  for (const CaseRecord& one : record.cases)
    if (one.series.front().processes.size() == processes_) cases_.push_back(one.id);
  placements_ = record.cases.front().series.front().processes.front().placements.size();
  records_[Detail::placements] = reduced(record, Detail::placements);
  records_[Detail::values] = reduced(record, Detail::values);
  records_[Detail::samples] = std::move(record);
}

bool Session::has(const std::string& id) const {
  return std::find(cases_.begin(), cases_.end(), id) != cases_.end();
}

Record Session::part(const std::vector<std::size_t>& chosen, const Wanted& wanted, Detail detail,
                     const std::vector<std::size_t>& placements) const {
  const Record& whole = records_.at(detail);
  Record record;
  record.suite = whole.suite;
  record.machines = whole.machines;
  record.session = whole.session;
  for (const auto& [from, name] : wanted) {
    CaseRecord one;
    one.id = name;
    one.device = "import";
    const Series& all = series_of(whole, from);
    Series series{all.metric, all.unit, all.direction, {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const ProcessSamples& process = all.processes.at(chosen[i]);
      ProcessSamples& taken = series.processes.emplace_back();
      taken.process = static_cast<int>(i) + 1;
      if (placements.empty()) taken.placements = process.placements;
      for (const std::size_t place : placements)
        if (place < process.placements.size()) taken.placements.push_back(process.placements[place]);
    }
    one.series.push_back(std::move(series));
    record.cases.push_back(std::move(one));
  }
  return record;
}

std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
  return order;
}

std::vector<std::size_t> slice(const std::vector<std::size_t>& all, std::size_t from, std::size_t count) {
  return {all.begin() + static_cast<std::ptrdiff_t>(from),
          all.begin() + static_cast<std::ptrdiff_t>(from + count)};
}

}  // namespace harness

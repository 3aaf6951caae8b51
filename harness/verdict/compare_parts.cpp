#include "harness/verdict/compare_parts.h"

#include <algorithm>
#include <utility>

#include "harness/verdict/compare.h"
#include "harness/verdict/read/origin.h"

namespace harness {
namespace {

bool is_plain_result(const ProcessResult& one) {
  return one.outcome == Outcome::measured && !one.identity && !one.control && one.kernels.empty() &&
         one.device_uuid.empty();
}

bool has_confirmed(const Series& series) {
  return std::any_of(series.processes.begin(), series.processes.end(),
                     [](const ProcessSamples& process) { return confirms(process.process); });
}

// The cases that wait, in the order of their record.
template <class Waitings>
auto in_order(Waitings& waiting) {
  std::vector<typename Waitings::mapped_type*> all;
  all.reserve(waiting.size());
  for (auto& [id, one] : waiting) all.push_back(&one);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->place < b->place; });
  return all;
}

}  // namespace

PartsComparison::PartsComparison(Record baseline, Record current, Policy policy, unsigned threads)
    : baseline_(std::move(baseline)),
      current_(std::move(current)),
      policy_(std::move(policy)),
      threads_(threads) {}

bool PartsComparison::is_plain(const CaseRecord& one) const {
  return one.outcome == Outcome::measured && !one.series.empty() && !one.program && !one.tool_case &&
         one.gate.looks.empty() && one.gate.metrics.empty() && one.device == current_.cases.front().device &&
         std::all_of(one.processes.begin(), one.processes.end(), is_plain_result) &&
         std::none_of(one.series.begin(), one.series.end(), has_confirmed);
}

// The first cases stand for all: these are measured on the same device.
bool PartsComparison::begin(const std::vector<CaseRecord>& baseline, const std::vector<CaseRecord>& current) {
  if (baseline.empty() || current.empty() || pairing_of(baseline_, current_)) return false;
  baseline_.cases = {baseline.front()};
  current_.cases = {current.front()};
  if (!is_plain(baseline.front()) || !is_plain(current.front())) return false;
  baseline_source_ = source_of(baseline_);
  current_source_ = source_of(current_);
  records_.emplace(baseline_, current_, policy_, true);
  return true;
}

bool PartsComparison::add(std::vector<CaseRecord> baseline, std::vector<CaseRecord> current) {
  if (!records_ && !begin(baseline, current)) return false;
  const auto plain = [this](const CaseRecord& one) { return is_plain(one); };
  if (!std::all_of(baseline.begin(), baseline.end(), plain) ||
      !std::all_of(current.begin(), current.end(), plain))
    return false;
  std::vector<Met> met;
  std::vector<Waitings::node_type> waited;  // until they are judged
  // The case that waits for one, or null.
  const auto waiting_for = [&](const CaseRecord& one, Waitings& waiting) -> const Waiting* {
    if (waiting.empty()) return nullptr;
    Waitings::node_type found = waiting.extract(one.id);
    return found.empty() ? nullptr : &waited.emplace_back(std::move(found)).mapped();
  };
  const auto meets_after = [&](const CaseRecord& one) {
    const Waiting* other = waiting_for(one, after_);
    if (other != nullptr) met.push_back({other->place, {&one, &other->record}});
    return other != nullptr;
  };
  const auto meets_before = [&](const CaseRecord& one, std::size_t place) {
    const Waiting* other = waiting_for(one, before_);
    if (other != nullptr) met.push_back({place, {&other->record, &one}});
    return other != nullptr;
  };
  std::size_t old = 0, now = 0;
  while (old < baseline.size() && meets_after(baseline[old])) ++old;
  while (now < current.size() && meets_before(current[now], current_cases_ + now)) ++now;
  // Where both sides have one order, nothing is looked up.
  for (; old < baseline.size() && now < current.size() && baseline[old].id == current[now].id; ++old, ++now)
    met.push_back({current_cases_ + now, {&baseline[old], &current[now]}});
  const auto wait = [](Waitings& waiting, std::size_t place, CaseRecord& one) {
    std::string id = one.id;
    return waiting.emplace(std::move(id), Waiting{place, std::move(one)}).second;
  };
  for (; old < baseline.size(); ++old)
    if (!meets_after(baseline[old]) && !wait(before_, baseline_cases_ + old, baseline[old])) return false;
  for (; now < current.size(); ++now)
    if (!meets_before(current[now], current_cases_ + now) &&
        !wait(after_, current_cases_ + now, current[now]))
      return false;
  baseline_cases_ += baseline.size();
  current_cases_ += current.size();
  judge(std::move(met));
  return true;
}

// Runs of neighbours in the current record become rows together.
void PartsComparison::judge(std::vector<Met> met) {
  std::sort(met.begin(), met.end(), [](const Met& a, const Met& b) { return a.place < b.place; });
  for (std::size_t first = 0, end = 0; first < met.size(); first = end) {
    std::vector<PairedCase> cases;
    for (; end < met.size() && met[end].place == met[first].place + cases.size(); ++end)
      cases.push_back(met[end].pair);
    judge_run(met[first].place, cases);
  }
}

void PartsComparison::judge_run(std::size_t place, const std::vector<PairedCase>& cases) {
  CaseRows& rows = place == next_ ? rows_ : later_.emplace_back(Part{place, {}}).rows;
  append_rows(rows, cases, *records_, threads_);
  if (&rows == &rows_) next_ += cases.size();
}

// The cases of one side alone are left. Advice on renamed cases needs no others.
std::optional<Comparison> PartsComparison::finish() {
  if (!records_) return std::nullopt;
  baseline_.cases.clear();
  current_.cases.clear();
  std::vector<PairedCase> removed;
  for (Waiting* one : in_order(before_)) baseline_.cases.push_back(std::move(one->record));
  for (const CaseRecord& one : baseline_.cases) removed.push_back({&one, nullptr});
  const std::vector<Waiting*> added = in_order(after_);
  for (Waiting* one : added) current_.cases.push_back(std::move(one->record));
  for (std::size_t i = 0; i < added.size(); ++i) judge_run(added[i]->place, {{nullptr, &current_.cases[i]}});
  std::sort(later_.begin(), later_.end(), [](const Part& a, const Part& b) { return a.place < b.place; });
  for (Part& part : later_) rows_.append(std::move(part.rows));
  later_.clear();
  append_rows(rows_, removed, *records_, threads_);
  Comparison comparison = finish_comparison(std::move(rows_), *records_, policy_, nullptr);
  comparison.baseline = std::move(baseline_source_);
  comparison.current = std::move(current_source_);
  return comparison;
}

}  // namespace harness

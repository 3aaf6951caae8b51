#include "harness/store/baseline/eligible.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace {

// At most this many unjudged records are judged at selection; older ones are passed over.
constexpr std::size_t most_judged = 4;

// Partial records add cases to the plan; at most this many are read.
constexpr std::size_t most_plans = 8;

bool may_serve(const StoredCase& one) {
  const Verdict verdict = parse_name<Verdict>(one.verdict).value_or(Verdict::failed);
  return may_be_baseline({one.id, verdict, one.waived});
}

// A verdict that makes no baseline.
bool PassedOver::*why_not(Verdict verdict) {
  if (verdict == Verdict::regressed) return &PassedOver::regressed;
  return verdict == Verdict::failed ? &PassedOver::failed : &PassedOver::undecided;
}

// Proven identical to its own baseline, and not measured.
bool only_looked_at(const StoredCase& one) {
  return one.measured == 0 && one.failures == 0 && !one.digest.empty();
}

std::map<std::string, std::string> fields_of(const Machine& machine, bool exact) {
  std::map<std::string, std::string> fields;
  for (const MachineField& field : machine.fields)
    if (field.kind == FieldClass::block || (exact && field.kind == FieldClass::warn))
      fields.emplace(field.name, field.value);
  return fields;
}

}  // namespace

bool measure_alike(const Machine& one, const Machine& other, bool exact) {
  return one.machine_class == other.machine_class && one.device_uuid == other.device_uuid &&
         fields_of(one, exact) == fields_of(other, exact);
}

void PassedOver::tell(Fact<SourceCode>& found) const {
  if (records.empty()) return;
  found.figures.emplace_back("passed_over", records.size());
  found.figures.emplace_back("regressed", regressed);
  found.figures.emplace_back("failed", failed);
  if (undecided) found.figures.emplace_back("undecided", undecided);
  if (incomplete) found.figures.emplace_back("incomplete", incomplete);
}

std::string PassedOver::text() const {
  if (records.empty()) return {};
  std::vector<std::string> why;
  if (regressed) why.emplace_back("regressed");
  if (failed) why.emplace_back("failed");
  if (undecided) why.emplace_back("could not be decided");
  const char* less = records.size() == 1 ? "has fewer samples than the suite asks for"
                                         : "have fewer samples than the suite asks for";
  if (incomplete) why.emplace_back(less);
  if (records.size() == 1) return "; 1 record was passed over: it " + join(why, " or ");
  return fmt::format("; {} records were passed over: they {}", records.size(), join(why, " or "));
}

bool EligibleCases::on_bench(std::size_t candidate, const std::string& kind) {
  const auto [known, added] = on_bench_.emplace(std::pair(candidate, kind), false);
  if (!added) return known->second;
  const Record& header = cases_.header(candidate);
  const auto wanted = bench_.machines.find(kind);
  const auto there = header.machines.find(kind);
  const bool alike = wanted == bench_.machines.end() || there == header.machines.end() ||
                     measure_alike(wanted->second, there->second, false);
  return known->second = alike && header.estimator == bench_.estimator;
}

void EligibleCases::read_plan() {
  std::set<std::string> seen;
  std::size_t read = 0;
  for (std::size_t i = 0; i < candidates_.all.size() && read < most_plans; ++i) {
    const Candidate& candidate = candidates_.all[i];
    bool on_this_bench = true;
    for (const auto& [kind, machine] : bench_.machines) on_this_bench &= on_bench(i, kind);
    if (!on_this_bench) continue;
    ++read;
    for (const std::string& id : cases_.planned(i))
      if (seen.insert(id).second) planned_.push_back(id);
    if (!plan_) plan_ = i;
    if (candidate.run.partial) continue;
    plan_ = i;
    return;
  }
}

void EligibleCases::pass_over(std::size_t candidate, bool PassedOver::*why) {
  passed_over_.records.insert(candidates_.all[candidate].run.id);
  passed_over_.*why = true;
}

const StoredCase* EligibleCases::usable(std::size_t candidate, const std::string& id, bool tell) {
  const StoredCase* state = cases_.find(candidate, id);
  if (state == nullptr || !on_bench(candidate, state->device)) return nullptr;
  if (state->complete() || only_looked_at(*state)) return state;
  if (!tell) return nullptr;
  if (state->failures > 0) pass_over(candidate, &PassedOver::failed);
  if (state->failures == 0 && state->measured > 0) pass_over(candidate, &PassedOver::incomplete);
  return nullptr;
}

// Judged records first: of them the nearest that did not regress. Otherwise the very first record serves.
// Nearer records that were never judged are judged later.
std::optional<Eligible> EligibleCases::among(const std::string& id, std::size_t begin, std::size_t end) {
  Eligible found;
  std::vector<std::size_t> waiting;
  for (std::size_t i = begin; i < end && !found.measured; ++i) {
    if (!candidates_.all[i].judged()) continue;
    const StoredCase* state = usable(i, id);
    if (state == nullptr) continue;
    if (state->verdict.empty()) {
      if (state->measured > 0) waiting.push_back(i);
    } else if (!may_serve(*state)) {
      pass_over(i, why_not(parse_name<Verdict>(state->verdict).value_or(Verdict::failed)));
    } else if (state->measured > 0) {
      found.measured = i;
    } else if (!found.looked_at) {
      found.looked_at = i;
    }
  }
  if (!found.measured) {
    for (std::size_t i = end; i-- > begin && !found.measured;) {
      const bool waits = std::find(waiting.begin(), waiting.end(), i) != waiting.end();
      if (!waits && candidates_.all[i].judged()) continue;
      const StoredCase* state = usable(i, id, false);
      if (state != nullptr && state->measured > 0) found.measured = i;
    }
  }
  if (!found.measured) return found.looked_at ? std::optional(found) : std::nullopt;
  const std::size_t nearest = found.looked_at.value_or(*found.measured);
  std::size_t count = 0;
  for (std::size_t i = begin; i < nearest && count < most_judged; ++i) {
    if (candidates_.all[i].judged() && std::find(waiting.begin(), waiting.end(), i) == waiting.end())
      continue;
    const StoredCase* state = usable(i, id);
    if (state == nullptr || state->measured == 0) continue;
    ++count;
    waiting_[i].insert(id);
  }
  return found;
}

// Records that were never judged are judged now, the nearest first, each by the baseline that its cases have
// without it.
void EligibleCases::judge_waiting(std::map<std::string, Eligible>& found) {
  for (const auto& [candidate, ids] : waiting_) {
    Record before = cases_.header(candidate), after = before;
    std::vector<CaseAt> needed;
    for (const std::string& id : ids) {
      const Eligible& known = found.at(id);
      if (!known.measured || *known.measured <= candidate) continue;
      const std::string& digest = cases_.find(candidate, id)->digest;
      const std::size_t nearest = known.looked_at.value_or(*known.measured);
      if (!digest.empty() && digest == cases_.find(nearest, id)->digest) {
        found[id] = {candidate, std::nullopt};  // the same code as its baseline's needs no judgement
        continue;
      }
      needed.push_back({*known.measured, id});
      needed.push_back({candidate, id});
    }
    cases_.load(needed);
    for (const CaseAt& one : needed)
      if (const CaseRecord* record = cases_.record(one))
        (one.candidate == candidate ? after : before).cases.push_back(*record);
    if (after.cases.empty()) continue;
    before.session.clear();
    const std::vector<CaseVerdict> verdicts = passes_(before, after);
    for (const CaseRecord& one : after.cases) {
      const auto judged = std::find_if(verdicts.begin(), verdicts.end(),
                                       [&](const CaseVerdict& v) { return v.case_id == one.id; });
      if (judged != verdicts.end() && may_be_baseline(*judged))
        found[one.id] = {candidate, std::nullopt};
      else
        pass_over(candidate, why_not(judged == verdicts.end() ? Verdict::inconclusive : judged->verdict));
    }
  }
}

std::map<std::string, Eligible> EligibleCases::find() {
  read_plan();
  std::map<std::string, Eligible> found;
  for (const std::string& id : planned_) {
    auto one = among(id, 0, candidates_.ancestors);
    if (!one) one = among(id, candidates_.ancestors, candidates_.all.size());
    if (one) found.emplace(id, *one);
  }
  if (passes_) judge_waiting(found);
  return found;
}

}  // namespace harness

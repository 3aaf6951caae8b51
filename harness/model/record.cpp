#include "harness/model/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/files.h"

namespace harness {
namespace {

int severity(Outcome outcome) {
  switch (outcome) {
    case Outcome::incorrect: return 5;
    case Outcome::failed: return 4;
    case Outcome::timed_out: return 3;
    case Outcome::measured: return 2;
    case Outcome::looked_at: return 1;
    case Outcome::skipped: return 0;
  }
  return 0;
}

Series& series_named(std::vector<Series>& all, const Series& like) {
  for (Series& series : all)
    if (series.metric == like.metric) return series;
  all.push_back(Series{like.metric, like.unit, like.direction, {}, like.informs});
  return all.back();
}

void forget_samples(std::vector<Series>& all, int process) {
  for (Series& series : all)
    std::erase_if(series.processes, [&](const ProcessSamples& s) { return s.process == process; });
}

constexpr std::string_view oldest_digest_rules = "1";  // such a digest has no point

void forget_process(CaseRecord& record, int process) {
  std::erase_if(record.processes, [&](const ProcessResult& r) { return r.process == process; });
  forget_samples(record.series, process);
  forget_samples(record.alone, process);
}

// One id can stand for other parameters in the output of another start. Such samples are of another thing.
void take_tool_case(CaseRecord& record, ProcessResult& result) {
  if (!result.tool_case) return;
  const Rare<ToolCase> told = std::exchange(result.tool_case, {});
  if (!record.tool_case) record.tool_case = told;
  for (const auto& [name, value] : told->parameters) {
    const auto known = record.tool_case->parameters.find(name);
    if (known == record.tool_case->parameters.end() || known->second == value) continue;
    result.outcome = Outcome::failed;
    result.reason =
        Cause{CauseCode::processes_named, {{"name", name}, {"one", known->second}, {"other", value}}};
    result.series.clear();
    return;
  }
}

// The same launch among `others` for each of `kernels`, each of them once; nothing where they differ.
std::optional<std::vector<const KernelUse*>> counterparts(const std::vector<KernelUse>& kernels,
                                                          const std::vector<KernelUse>& others) {
  if (kernels.size() != others.size()) return std::nullopt;
  std::vector<const KernelUse*> left, found;
  for (const KernelUse& one : others) left.push_back(&one);
  for (const KernelUse& one : kernels) {
    const auto same = std::find_if(left.begin(), left.end(), [&](const KernelUse* other) {
      return one.name == other->name && one.grid == other->grid && one.block == other->block &&
             one.launches == other->launches && may_be_same_code(one, *other);
    });
    if (same == left.end()) return std::nullopt;
    found.push_back(*same);
    left.erase(same);
  }
  return found;
}

}  // namespace

std::string_view digest_rules(std::string_view digest) {
  const std::size_t point = digest.find('.');
  return point == std::string_view::npos ? oldest_digest_rules : digest.substr(0, point);
}

std::string extended_digest(std::string_view digest, std::string_view more) {
  const std::string hash = content_hash(fmt::format("{}\n{}", digest, more));
  const std::string_view rules = digest_rules(digest);
  return rules == oldest_digest_rules ? hash : fmt::format("{}.{}", rules, hash);
}

AgreedDigest agreed_digest(const CaseRecord& record) {
  AgreedDigest found;
  for (const ProcessResult& process : record.processes) {
    if (!process.identity) continue;
    const std::string& digest = process.identity->digest;
    if (digest.empty() || process.identity->gap) found.unread = process.identity;
    if (digest.empty()) continue;
    if (!found.digest.empty() && found.digest != digest) found.disagree = true;
    found.digest = digest;
  }
  if (found.disagree) found.digest.clear();
  return found;
}

bool may_be_same_code(const KernelUse& one, const KernelUse& other) {
  return one.code.empty() || other.code.empty() || one.code == other.code;
}

bool same_launches(const std::vector<KernelUse>& one, const std::vector<KernelUse>& other) {
  return counterparts(one, other).has_value();
}

std::vector<KernelUse> kernels_of(const CaseRecord& record) {
  const auto saw = [](const ProcessResult& process) { return !process.kernels.empty(); };
  const auto first = std::find_if(record.processes.begin(), record.processes.end(), saw);
  if (first == record.processes.end()) return {};
  std::vector<KernelUse> kernels = first->kernels;
  if (are_timed(kernels)) return kernels;
  for (auto process = first; process != record.processes.end(); ++process) {
    const auto timed = are_timed(process->kernels) ? counterparts(kernels, process->kernels) : std::nullopt;
    if (!timed) continue;
    for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].us = (*timed)[i]->us;
    break;
  }
  return kernels;
}

bool are_timed(const std::vector<KernelUse>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(), [](const KernelUse& one) { return one.us > 0; });
}

BuildParts build_of(const Record& record, const CaseRecord& one) {
  return one.build ? *one.build : record.build;
}

bool in_same_state(const Machine& one, const Machine& other) {
  const auto state_of = [](Machine machine) {
    machine.ceilings.clear();
    std::erase_if(machine.fields,
                  [](const MachineField& field) { return field.name.starts_with("ceilings"); });
    return machine;
  };
  return state_of(one) == state_of(other);
}

Outcome worst_outcome(const std::vector<ProcessResult>& processes) {
  Outcome worst = Outcome::skipped;
  for (const ProcessResult& result : processes)
    if (severity(result.outcome) > severity(worst)) worst = result.outcome;
  return worst;
}

std::string choice_of(const CaseRecord& record) {
  const auto found = std::find_if(record.processes.begin(), record.processes.end(),
                                  [](const ProcessResult& process) { return !process.choice.empty(); });
  return found == record.processes.end() ? std::string() : found->choice;
}

void take_decisions(Plan& plan, const Record& record) {
  std::map<std::string_view, const CaseRecord*> known;
  for (const CaseRecord& one : record.cases) known.emplace(one.id, &one);
  for (PlannedCase& planned : plan.cases) {
    const auto found = known.find(planned.id);
    if (found == known.end()) continue;
    const CaseRecord& before = *found->second;
    if (planned.sampling.timing == TimingMode::automatic && before.sampling.power == planned.sampling.power)
      planned.sampling.timing = before.sampling.timing;
    if (planned.choice.empty()) planned.choice = choice_of(before);
  }
}

Plan with_benchmarks(Plan plan, const Record& record) {
  std::map<std::string, PlannedCase> programs;
  std::set<std::string_view> known;
  for (const PlannedCase& planned : plan.cases) {
    known.insert(planned.id);
    if (planned.program && !planned.is_benchmark()) programs.emplace(planned.id, planned);
  }
  std::vector<PlannedCase> added;
  for (const CaseRecord& one : record.cases) {
    if (!one.program || known.contains(one.id)) continue;
    const auto program = programs.find(one.program->name);
    if (program == programs.end()) continue;
    PlannedCase& benchmark = added.emplace_back(program->second);
    benchmark.id = one.id;
    benchmark.variant = one.variant;
  }
  plan.cases.insert(plan.cases.end(), added.begin(), added.end());
  return plan;
}

CaseRecord planned_record(const PlannedCase& planned) {
  CaseRecord record;
  record.id = planned.id;
  record.workload = planned.workload;
  record.variant = planned.variant;
  record.device = planned.device;
  record.params = planned.params;
  record.reference = planned.reference;
  record.tags = planned.tags;
  record.gate = planned.gate;
  record.sampling = planned.sampling;
  record.suite_sampling = planned.suite_sampling;
  record.program = planned.program;
  if (record.program) record.program->folder.clear();
  if (!planned.tuned.empty()) record.tuned = planned.tuned;
  record.flops = planned.flops;
  record.bytes = planned.bytes;
  record.items = planned.items;
  record.item_name = planned.item_name;
  record.link_bytes = planned.link_bytes;
  record.gpus = planned.gpus;
  record.hides = planned.hides;
  record.where = planned.where;
  record.outcome = Outcome::skipped;
  record.reason = planned.skip.value_or(Cause{CauseCode::not_measured});
  return record;
}

void add_result(CaseRecord& record, ProcessResult result) {
  forget_process(record, result.process);
  take_tool_case(record, result);
  // A look is process 0. Its values are no samples beside those of measured processes.
  const auto is_measured = [](const ProcessResult& one) { return one.outcome != Outcome::looked_at; };
  if (is_measured(result))
    forget_samples(record.series, 0);
  else if (std::any_of(record.processes.begin(), record.processes.end(), is_measured))
    result.series.clear();
  std::vector<Series>& all = is_alone(result.process) ? record.alone : record.series;
  for (Series& part : result.series) {
    Series& whole = series_named(all, part);
    for (ProcessSamples& samples : part.processes) whole.processes.push_back(std::move(samples));
    std::sort(whole.processes.begin(), whole.processes.end(),
              [](const auto& a, const auto& b) { return a.process < b.process; });
  }
  result.series.clear();
  if (result.timing && record.sampling.timing == TimingMode::automatic)
    record.sampling.timing = *result.timing;
  record.processes.push_back(std::move(result));
  std::sort(record.processes.begin(), record.processes.end(),
            [](const auto& a, const auto& b) { return a.process < b.process; });
  record.outcome = worst_outcome(record.processes);
  const auto worst = std::find_if(record.processes.begin(), record.processes.end(),
                                  [&](const ProcessResult& r) { return r.outcome == record.outcome; });
  record.reason = worst->reason;
}

}  // namespace harness

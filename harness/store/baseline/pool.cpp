#include "harness/store/baseline/pool.h"

#include <algorithm>
#include <utility>

#include "harness/model/proof_reach.h"
#include "harness/store/baseline/completeness.h"

namespace harness {
namespace {

// A case is pooled from the nearest records until one of these is reached.
constexpr std::size_t most_records = 10;
constexpr int most_pooled_processes = 50;

// Where the samples of a case come from, nearest first; and the look whose plan holds for it.
struct CaseSources {
  std::string id;
  std::vector<std::size_t> from;
  std::optional<std::size_t> looked_at;
};

std::size_t nearest_of(const Eligible& one) {
  return one.looked_at ? *one.looked_at : *one.measured;
}

// Whether two candidates ran on the same machine with the same driver and libraries.
class SameMachines {
 public:
  explicit SameMachines(CandidateCases& cases) : cases_(cases) {}

  bool operator()(std::size_t one, std::size_t other, const std::string& kind) {
    const auto [known, added] = known_.emplace(std::tuple(one, other, kind), one == other);
    if (!added || one == other) return known->second;
    const auto& before = cases_.header(one).machines;
    const auto& after = cases_.header(other).machines;
    const auto first = before.find(kind), second = after.find(kind);
    known->second = first != before.end() && second != after.end() &&
                    measure_alike(first->second, second->second, true) &&
                    cases_.header(one).estimator == cases_.header(other).estimator;
    return known->second;
  }

 private:
  CandidateCases& cases_;
  std::map<std::tuple<std::size_t, std::size_t, std::string>, bool> known_;
};

// The nearest of `all`, up to the limits.
std::vector<std::size_t> limited(CandidateCases& cases, const std::string& id,
                                 const std::vector<std::size_t>& all) {
  std::vector<std::size_t> taken;
  int processes = 0;
  for (const std::size_t one : all) {
    if (taken.size() >= most_records || processes >= most_pooled_processes) break;
    taken.push_back(one);
    processes += cases.find(one, id)->measured;
  }
  return taken;
}

std::vector<CaseSources> sources_of(CandidateCases& cases, const EligibleCases& eligible,
                                    const std::map<std::string, Eligible>& found) {
  std::vector<CaseDigest> digests;
  for (const auto& [id, one] : found)
    if (const std::string& digest = cases.find(nearest_of(one), id)->digest; !digest.empty())
      digests.push_back({id, digest});
  const auto alike = cases.alike(digests);
  SameMachines same_machines(cases);
  std::vector<CaseSources> sources;
  for (const std::string& id : eligible.planned()) {
    const auto known = found.find(id);
    if (known == found.end()) continue;
    const Eligible& one = known->second;
    CaseSources source{id, {}, one.looked_at};
    const std::size_t nearest = nearest_of(one);
    if (const auto pool = alike.find(id); pool != alike.end()) {
      const std::string& kind = cases.find(nearest, id)->device;
      std::vector<std::size_t> usable;
      std::copy_if(pool->second.begin(), pool->second.end(), std::back_inserter(usable),
                   [&](std::size_t other) { return same_machines(nearest, other, kind); });
      source.from = limited(cases, id, usable);
    }
    // Without samples of the same code: older samples, or at last the look alone, which can still prove.
    if (source.from.empty()) source = {id, {one.measured.value_or(nearest)}, std::nullopt};
    sources.push_back(std::move(source));
  }
  return sources;
}

// Whether the samples of two cases are of one thing, but for how many processes there are.
bool sampled_alike(const CaseRecord& one, const CaseRecord& other) {
  Sampling sampling = other.sampling;
  sampling.processes = one.sampling.processes;
  sampling.seed = one.sampling.seed;
  return one.workload == other.workload && one.variant == other.variant && one.device == other.device &&
         one.params == other.params && one.tuned == other.tuned && one.sampling == sampling;
}

// Appends the processes of `other` to `pool` as a session, numbered on.
void add_session(CaseRecord& pool, const CaseRecord& other, int session) {
  int last = pool.processes.empty() ? 0 : pool.processes.back().process;
  std::map<int, int> numbers;
  for (const ProcessResult& result : other.processes) {
    if (result.process == 0 && session > 1) continue;  // a look: the nearest record's says the same
    ProcessResult renumbered = result;
    if (result.process > 0) renumbered.process = numbers[result.process] = ++last;
    pool.processes.push_back(std::move(renumbered));
  }
  for (const Series& series : other.series) {
    // Other records are replicates only of what the digest says: their memory may have been accepted since.
    if (session > 1 && !proof_covers_of(series.metric, other)) continue;
    auto same = std::find_if(pool.series.begin(), pool.series.end(), [&](const Series& one) {
      return one.metric == series.metric && one.unit == series.unit && one.direction == series.direction;
    });
    if (same == pool.series.end() && session > 1) continue;
    if (same == pool.series.end())
      same = pool.series.insert(same, {series.metric, series.unit, series.direction, {}, false, series.all});
    for (ProcessSamples samples : series.processes) {
      const auto number = numbers.find(samples.process);
      if (number == numbers.end()) continue;
      samples.process = number->second;
      samples.session = session;
      same->processes.push_back(std::move(samples));
    }
  }
}

CaseRecord pooled_case(const CandidateCases& cases, CaseSources& source) {
  const CaseRecord& nearest = *cases.record({source.from.front(), source.id});
  std::erase_if(source.from, [&](std::size_t one) {
    const CaseRecord* other = cases.record({one, source.id});
    return other == nullptr || !sampled_alike(nearest, *other);
  });
  CaseRecord pool = nearest;
  if (source.from.size() > 1) {
    pool.processes.clear();
    pool.series.clear();
    int session = 0;
    for (const std::size_t one : source.from) add_session(pool, *cases.record({one, source.id}), ++session);
  }
  if (source.looked_at)
    if (const CaseRecord* look = cases.record({*source.looked_at, source.id})) {
      pool.gate = look->gate;  // as it was agreed upon last
      pool.where = look->where;
      pool.tags = look->tags;
      pool.reference = look->reference;
    }
  return pool;
}

// The build of the records that a case comes from, where all are of one, and were measured on the machine
// that `pool` names, in that state.
Rare<BuildParts> build_behind(CandidateCases& cases, const CaseSources& source, const std::string& kind,
                              const Record& pool) {
  const BuildParts& build = cases.header(source.from.front()).build;
  const auto named = pool.machines.find(kind);
  if (build.empty() || named == pool.machines.end()) return {};
  const bool same = std::all_of(source.from.begin(), source.from.end(), [&](std::size_t from) {
    const Record& header = cases.header(from);
    const auto machine = header.machines.find(kind);
    return !header.finished.empty() && header.build == build && machine != header.machines.end() &&
           in_same_state(machine->second, named->second);
  });
  return same ? Rare<BuildParts>(build) : Rare<BuildParts>();
}

// Cases that were skipped when the history was last measured as a whole.
std::vector<CaseAt> skipped_cases(CandidateCases& cases, const EligibleCases& eligible,
                                  const std::map<std::string, Eligible>& found) {
  std::vector<CaseAt> skipped;
  if (!eligible.plan()) return skipped;
  for (const std::string& id : eligible.planned()) {
    if (found.contains(id)) continue;
    const StoredCase* state = cases.find(*eligible.plan(), id);
    if (state != nullptr && state->measured == 0 && state->failures == 0 && state->digest.empty())
      skipped.push_back({*eligible.plan(), id});
  }
  return skipped;
}

}  // namespace

std::optional<PooledBaseline> pool_cases(CandidateCases& cases, const EligibleCases& eligible,
                                         const std::map<std::string, Eligible>& found) {
  std::vector<CaseSources> sources = sources_of(cases, eligible, found);
  if (sources.empty()) return std::nullopt;
  const std::vector<CaseAt> skipped = skipped_cases(cases, eligible, found);
  std::vector<CaseAt> needed = skipped;
  for (const CaseSources& source : sources) {
    for (const std::size_t from : source.from) needed.push_back({from, source.id});
    if (source.looked_at) needed.push_back({*source.looked_at, source.id});
  }
  cases.load(needed);
  if (!cases.status()) return std::nullopt;
  PooledBaseline pooled;
  std::set<std::size_t> used;
  std::map<std::string, CaseRecord> records;
  for (CaseSources& source : sources) {
    CaseRecord one = pooled_case(cases, source);
    const auto processes = static_cast<std::size_t>(count_measured(one));
    if (processes > 0) pooled.least = pooled.least == 0 ? processes : std::min(pooled.least, processes);
    pooled.most = std::max(pooled.most, processes);
    used.insert(source.from.begin(), source.from.end());
    if (source.looked_at) used.insert(*source.looked_at);
    records.emplace(source.id, std::move(one));
  }
  for (const CaseAt& one : skipped)
    if (const CaseRecord* record = cases.record(one)) records.emplace(one.id, *record);
  pooled.nearest = *used.begin();
  pooled.record = cases.header(pooled.nearest);
  pooled.record.cases.clear();
  pooled.record.partial = cases.candidates()[eligible.plan().value_or(pooled.nearest)].run.partial;
  for (const std::size_t one : used) {
    pooled.records.push_back(cases.candidates()[one].run.id);
    for (const auto& [kind, machine] : cases.header(one).machines)
      pooled.record.machines.emplace(kind, machine);
  }
  pooled.record.build.clear();  // each case tells its own
  for (const CaseSources& source : sources) {
    CaseRecord& one = records.at(source.id);
    one.build = build_behind(cases, source, one.device, pooled.record);
  }
  for (const std::string& id : eligible.planned())
    if (const auto one = records.find(id); one != records.end())
      pooled.record.cases.push_back(std::move(one->second));
  return pooled;
}

}  // namespace harness

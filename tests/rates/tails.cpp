#include "tails.h"

#include <cmath>
#include <iterator>

#include "harness/verdict/compare.h"

namespace harness {
namespace {

Policy policy() {
  Policy half_a_percent;
  half_a_percent.margin = 0.005;
  half_a_percent.alpha = 0.01;
  return half_a_percent;
}

void keep_first(Record& record, std::size_t samples) {
  for (CaseRecord& one : record.cases)
    for (Series& series : one.series)
      for (ProcessSamples& process : series.processes)
        for (Placement& placement : process.placements)
          if (placement.samples.size() > samples) placement.samples.resize(samples);
}

void plant(CaseRecord& planted, const Tail& tail, std::mt19937_64& random) {
  std::bernoulli_distribution slow(tail.share);
  for (ProcessSamples& process : planted.series.front().processes)
    for (Placement& placement : process.placements)
      for (double& sample : placement.samples)
        if (slow(random)) sample *= tail.factor;
}

std::pair<Record, Record> sides(const TailSetup& setup, std::mt19937_64& random) {
  Wanted cases;
  for (const std::string& name : setup.baseline->cases())
    if (setup.current == nullptr || setup.current->has(name)) cases.emplace_back(name, name);
  const auto first = shuffled(setup.baseline->processes(), random);
  const Session& other = setup.current == nullptr ? *setup.baseline : *setup.current;
  const auto second = setup.current == nullptr
                          ? slice(first, setup.processes, setup.processes)
                          : slice(shuffled(other.processes(), random), 0, setup.processes);
  Record before = setup.baseline->part(slice(first, 0, setup.processes), cases, Detail::samples);
  Record after = other.part(second, cases, Detail::samples);
  if (setup.samples > 0) keep_first(before, setup.samples), keep_first(after, setup.samples);
  return {std::move(before), std::move(after)};
}

bool has_enough(const TailSetup& setup) {
  if (setup.baseline == nullptr) return false;
  const std::size_t of_one = setup.current == nullptr ? 2 * setup.processes : setup.processes;
  return setup.baseline->processes() >= of_one &&
         (setup.current == nullptr || setup.current->processes() >= setup.processes);
}

std::size_t one_if(bool is_so) {
  return is_so ? 1 : 0;
}

// {left open by slow calls, called slower, decided otherwise}
std::vector<Count> count_unchanged(const Record& before, const Record& after) {
  std::vector<Count> counts(3);
  for (const ComparisonRow& row : verdicts(before, after, policy())) {
    const bool open = row.reason.code == ReasonCode::slow_open;
    const bool slower = row.verdict == Verdict::regressed;
    counts[0] = {counts[0].hits + one_if(open), counts[0].trials + 1};
    counts[1] = {counts[1].hits + one_if(slower), counts[1].trials + 1};
    counts[2] = {counts[2].hits + one_if(!open && !slower), counts[2].trials + 1};
  }
  return counts;
}

// Counts one row: {called slower, left open, passed}
void count_planted(const Record& before, const Record& after, const std::string& id,
                   std::vector<Count>& counts) {
  for (const ComparisonRow& row : verdicts(before, after, policy())) {
    if (row.case_id != id) continue;
    counts.push_back({one_if(row.verdict == Verdict::regressed), 1});
    counts.push_back({one_if(row.verdict == Verdict::inconclusive), 1});
    counts.push_back({one_if(row.verdict != Verdict::regressed && row.verdict != Verdict::inconclusive), 1});
  }
}

Record simulated(const Tail& tail, std::size_t processes, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.01), between(0, 0.001);
  Series series{"gpu_time", "us", Direction::lower_is_better, {}};
  for (std::size_t number = 1; number <= processes; ++number) {
    ProcessSamples process{static_cast<int>(number), {}};
    const double center = 20 * std::exp(between(random));
    for (int placement = 0; placement < 10; ++placement) {
      Placement& samples = process.placements.emplace_back();
      for (int i = 0; i < 20; ++i) samples.samples.push_back(center * std::exp(noise(random)));
    }
    series.processes.push_back(std::move(process));
  }
  Record record;
  record.machines["import"] = Machine{"simulated", "GPU-A", {}, {}};
  CaseRecord one;
  one.id = "case";
  one.device = "import";
  one.series.push_back(std::move(series));
  plant(one, tail, random);
  record.cases.push_back(std::move(one));
  return record;
}

}  // namespace

std::vector<Count> unchanged_tails(const TailSetup& setup, std::size_t splits, std::uint64_t seed) {
  if (!has_enough(setup)) return std::vector<Count>(3);
  return repeat(splits, seed, 3, [&](std::mt19937_64& random) {
    const auto [before, after] = sides(setup, random);
    return count_unchanged(before, after);
  });
}

std::vector<Count> planted_tails(const TailSetup& setup, std::size_t splits, std::uint64_t seed) {
  const std::size_t counts = 3 * std::size(rare_tails);
  if (!has_enough(setup)) return std::vector<Count>(counts);
  return repeat(splits, seed, counts, [&](std::mt19937_64& random) {
    std::vector<Count> all;
    const auto [before, after] = sides(setup, random);
    const std::size_t place = random() % after.cases.size();
    for (const Tail& tail : rare_tails) {
      Record slowed = after;
      plant(slowed.cases[place], tail, random);
      count_planted(before, slowed, after.cases[place].id, all);
    }
    return all;
  });
}

std::vector<Count> simulated_unchanged_tails(Tail own, std::size_t processes, std::size_t trials,
                                             std::uint64_t seed) {
  return repeat(trials, seed, 3, [&](std::mt19937_64& random) {
    const Record before = simulated(own, processes, random), after = simulated(own, processes, random);
    return count_unchanged(before, after);
  });
}

std::vector<Count> simulated_planted_tails(std::size_t processes, std::size_t trials, std::uint64_t seed) {
  return repeat(trials, seed, 3 * std::size(rare_tails), [&](std::mt19937_64& random) {
    std::vector<Count> all;
    const Record before = simulated({}, processes, random);
    for (const Tail& tail : rare_tails)
      count_planted(before, simulated(tail, processes, random), "case", all);
    return all;
  });
}

}  // namespace harness

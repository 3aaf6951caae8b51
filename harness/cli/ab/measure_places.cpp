#include "harness/cli/ab/measure_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "harness/measure/schedule/run.h"
#include "harness/model/code/shifted_process.h"
#include "harness/report/words/cause_words.h"
#include "harness/verdict/place/over_places.h"
#include "harness/verdict/read/kernels.h"

namespace harness {
namespace {

constexpr std::size_t results_a_side = std::size_t{code_places} * processes_at_place;

std::vector<int> shuffled_places(std::uint64_t seed) {
  std::vector<int> places(code_places);
  std::iota(places.begin(), places.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(places.begin(), places.end(), random);
  return places;
}

void keep(Plan& plan, const MovableCases& cases) {
  std::erase_if(plan.cases, [&](const PlannedCase& one) { return !cases.contains(one.id); });
}

void refuse(const Unshifted& refused, MovableCases& cases, Unshifted& all) {
  for (const auto& [id, why] : refused) {
    all.emplace(id, why);
    cases.erase(id);
  }
}

void refuse_all(const std::string& why, MovableCases& cases, Unshifted& all) {
  for (const auto& [id, one] : cases) all.emplace(id, why);
  cases.clear();
}

// Its kernels are shifted, so that they say nothing of the build's own.
EncodedResult times_of(EncodedResult one) {
  one.result.kernels.clear();
  one.result.identity.reset();
  one.result.control.reset();
  one.text.clear();
  return one;
}

using CodeByProcess = std::map<int, std::array<ShiftedCode, 2>>;

// Why the process did not run the code that was shifted for it; "": it did. A copy that nobody loaded, PTX
// that the driver compiled, or another library's kernel of the name would give times of another place.
std::string another_code(const ProcessResult& result, const std::set<std::string>& kernels,
                         const ShiftedCode& code) {
  for (const std::string& name : kernels) {
    const auto expected = code.find(name);
    bool seen = false;
    for (const KernelUse& one : result.kernels) {
      if (one.name != name) continue;
      seen = true;
      if (one.code.empty() || expected == code.end() || !expected->second.contains(one.code))
        return fmt::format("`{}` did not run with the code that was shifted to place {}", name,
                           shift_of(result.process));
    }
    if (!seen) return fmt::format("`{}` was not seen at place {}", name, shift_of(result.process));
  }
  return {};
}

// Why the process did not launch what the build does as it is compiled; "": it did.
std::string other_launches(const ProcessResult& result, const std::vector<KernelUse>& as_compiled) {
  const std::string name = differing_launch(result.kernels, as_compiled);
  if (name.empty()) return {};
  return fmt::format("`{}` is launched otherwise at place {} than as it is compiled", name,
                     shift_of(result.process));
}

using ResultsOfSides = std::array<std::vector<EncodedResult>, 2>;

// Why the result cannot count; "": it can.
std::string obstacle(const ProcessResult& result, std::size_t side, const MovableCase& movable,
                     const CodeByProcess& code) {
  if (result.outcome != Outcome::measured)
    return fmt::format("it failed with its code at place {}: {}", shift_of(result.process),
                       result.reason ? report::words(*result.reason) : std::string(name_of(result.outcome)));
  const std::set<std::string>& kernels = side == 0 ? movable.baseline : movable.current;
  std::string why = another_code(result, kernels, code.at(result.process)[side]);
  if (why.empty()) why = other_launches(result, movable.launches[side]);
  return why.empty() ? why : fmt::format("{} build: {}", side == 0 ? baseline_side : current_side, why);
}

// The cases in which a result from `begin` on, by side, cannot count.
Unshifted obstacles(const ResultsOfSides& results, const std::array<std::size_t, 2>& begin,
                    const MovableCases& cases, const CodeByProcess& code) {
  Unshifted found;
  for (const std::size_t side : {0, 1})
    for (std::size_t i = begin[side]; i < results[side].size(); ++i) {
      const ProcessResult& one = results[side][i].result;
      const auto movable = cases.find(one.case_id);
      if (movable == cases.end()) continue;
      if (std::string why = obstacle(one, side, movable->second, code); !why.empty())
        found.emplace(one.case_id, std::move(why));
    }
  return found;
}

// The cases that some process left out.
Unshifted incomplete(const ResultsOfSides& results, const MovableCases& cases) {
  Unshifted found;
  for (const auto& [id, movable] : cases)
    for (const std::vector<EncodedResult>& side : results) {
      const auto measured = static_cast<std::size_t>(std::count_if(
          side.begin(), side.end(), [&](const EncodedResult& one) { return one.result.case_id == id; }));
      if (measured != results_a_side)
        found.emplace(
            id, fmt::format("{} of {} processes measured it at other places", measured, results_a_side));
    }
  return found;
}

}  // namespace

Result<PlacesMeasured> measure_places(Plan plan, const PairedBuilds& pair, MovableCases cases,
                                      RunOptions options, std::uint64_t seed) {
  PlacesMeasured done;
  ResultsOfSides results;
  CodeByProcess code;
  keep(plan, cases);
  for (PlannedCase& one : plan.cases) {
    one.sampling.processes = 1;
    // Two builds in one process are sampled twice as long.
    one.sampling.max_time =
        std::min(one.sampling.max_time, most_seconds_at_places / static_cast<double>(2 * results_a_side));
  }
  const auto into = [&](std::size_t side) {
    return [&results, side](const EncodedResult& result) -> Status {
      results[side].push_back(result);
      return {};
    };
  };
  options.on_baseline = into(0);
  options.on_result = into(1);
  options.order_seed = seed;
  options.measure_ceilings = false;
  for (int turn = 1; turn <= processes_at_place && !cases.empty(); ++turn)
    for (const int shift : shuffled_places(seed + static_cast<std::uint64_t>(turn))) {
      const Result<ShiftedBuilds> shifted = shifted_builds(pair, cases, shift);
      if (!shifted) {
        refuse_all(shifted.error().message, cases, done.unshifted);
        break;
      }
      refuse(shifted->refused, cases, done.refused);
      keep(plan, cases);
      if (cases.empty()) break;
      options.pair = shifted->pair;
      options.processes_before = shifted_process(shift, turn) - 1;
      code[shifted_process(shift, turn)] = shifted->code;
      const std::array<std::size_t, 2> before{results[0].size(), results[1].size()};
      const Result<RunReport> report = run_plan(plan, options);
      if (!report) {
        refuse_all(report.error().message, cases, done.unshifted);
        break;
      }
      if (report->interrupted || report->ended) {
        refuse_all(report->interrupted ? "interrupted" : "the budget ended, which `--budget` sets", cases,
                   done.unshifted);
        break;
      }
      refuse(obstacles(results, before, cases, code), cases, done.unshifted);
      if (cases.empty()) break;
    }
  refuse(incomplete(results, cases), cases, done.unshifted);
  for (const std::size_t side : {0, 1})
    for (EncodedResult& one : results[side])
      if (cases.contains(one.result.case_id)) done.results[side].push_back(times_of(std::move(one)));
  return done;
}

}  // namespace harness

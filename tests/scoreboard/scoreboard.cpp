// scoreboard: deciders side by side on the same samples of H200s: ours (harness/verdict) and those of other
// tools (peer_calls.h). README.md of this folder says what comes out; scoreboard.sh runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "../rates/repeat.h"
#include "../rates/rules.h"
#include "harness/report/words/study_words.h"
#include "harness/study/peers/peer_rules.h"

namespace harness {
namespace {

struct Decider {
  std::string name;
  std::size_t before = 1, after = 1;  // processes
  Slower rule;
  Detail detail = Detail::samples;  // that suffices where no call is slower than others
  std::size_t fresh = 0;            // further processes that confirm a red case
  bool same_processes = false;      // both sides measured in the same ones
  bool ours = false;
};

Policy policy_at(double margin, bool other_device = false) {
  Policy policy;
  policy.margin = margin;
  policy.alpha = 0.01;
  policy.allow_other_device = other_device;
  return policy;
}

std::vector<Decider> deciders() {
  const Slower ours = of_policy(policy_at(0.005, true));
  std::vector<Decider> all;
  for (const peers::PeerRule& rule : peers::peer_rules())
    all.push_back({report::words(rule.peer), rule.before, rule.after, each_case(rule)});
  all.push_back({"harness, stored, 5 and 5", 5, 5, ours, Detail::values, 5, false, true});
  all.push_back({"harness, stored, 20 and 5", 20, 5, ours, Detail::values, 5, false, true});
  all.push_back({"harness ab, 5", 5, 5, ours, Detail::placements, 0, true, true});
  return all;
}

// --- What is done to the samples -----------------------------------------------------------------------

struct Data {
  const Session* base = nullptr;
  const Session* another_day = nullptr;
  const Session* another_gpu = nullptr;
};

struct Trial {
  const Session* current = nullptr;        // null: the baseline's
  double planted = 0;                      // 0.01: one case takes 1 % longer
  double slow_before = 0, slow_after = 0;  // share of the calls of one case that take twice as long
  double drift = 0;         // by which the device gets slower from the first process to the last
  double slow_process = 0;  // by which one of the first five new processes is slower
};

void scale(ProcessSamples& process, double factor) {
  for (Placement& placement : process.placements)
    for (double& sample : placement.samples) sample *= factor;
}

void slow_some(Series& series, double share, std::mt19937_64& random) {
  std::bernoulli_distribution slow(share);
  for (ProcessSamples& process : series.processes)
    for (Placement& placement : process.placements)
      for (double& sample : placement.samples)
        if (slow(random)) sample *= 2;
}

// The sides as measured: the baseline's processes first. Where both share them, the same processes.
void drift(Record& record, double size, std::size_t first, std::size_t all) {
  for (CaseRecord& one : record.cases) {
    std::size_t at = first;
    for (ProcessSamples& process : one.series.front().processes)
      scale(process, 1 + size * static_cast<double>(at++) / static_cast<double>(all - 1));
  }
}

struct Sides {
  Record baseline, current;
  std::string changed;  // the case that the trial is about
};

Sides draw(const Data& data, const Decider& decider, const Trial& trial, std::mt19937_64& random) {
  Wanted cases;
  for (const std::string& name : data.base->cases())
    if (trial.current == nullptr || trial.current->has(name)) cases.emplace_back(name, name);
  const bool whole = trial.slow_after > 0;  // values of processes would hide it
  const Detail detail = whole ? Detail::samples : decider.detail;
  const std::size_t after = decider.after + decider.fresh;
  const auto first = shuffled(data.base->processes(), random);
  Sides sides;
  if (decider.same_processes) {
    const Session& session = trial.current == nullptr ? *data.base : *trial.current;
    const auto processes = slice(shuffled(session.processes(), random), 0, decider.before);
    const auto placements = shuffled(session.placements(), random);
    const std::size_t half = placements.size() / 2;
    sides.baseline = session.part(processes, cases, detail, slice(placements, 0, half));
    sides.current = session.part(processes, cases, detail, slice(placements, half, half));
    sides.baseline.pairing = sides.current.pairing = Pairing{"scoreboard", Pairing::Kind::process};
  } else {
    const Session& other = trial.current == nullptr ? *data.base : *trial.current;
    const auto second = trial.current == nullptr ? slice(first, decider.before, after)
                                                 : slice(shuffled(other.processes(), random), 0, after);
    sides.baseline = data.base->part(slice(first, 0, decider.before), cases, detail);
    sides.current = other.part(second, cases, detail);
  }
  const std::size_t chosen = random() % cases.size();
  sides.changed = cases[chosen].second;
  Series& before = sides.baseline.cases[chosen].series.front();
  Series& now = sides.current.cases[chosen].series.front();
  for (ProcessSamples& process : now.processes) scale(process, 1 + trial.planted);
  if (whole) {
    slow_some(before, trial.slow_before, random);
    slow_some(now, trial.slow_after, random);
  }
  if (trial.drift > 0) {
    const std::size_t shared = decider.same_processes ? 0 : decider.before;
    const std::size_t all = std::max<std::size_t>(shared + after, 2);
    drift(sides.baseline, trial.drift, 0, all);
    drift(sides.current, trial.drift, shared, all);
  }
  if (trial.slow_process > 0) {
    const std::size_t which = random() % 5;
    for (Record* side : {&sides.baseline, &sides.current})
      for (CaseRecord& one : side->cases)
        if ((side == &sides.current || decider.same_processes) && which < one.series.front().processes.size())
          scale(one.series.front().processes[which], 1 + trial.slow_process);
  }
  if (decider.fresh > 0)
    for (CaseRecord& one : sides.current.cases)
      for (ProcessSamples& process : one.series.front().processes)
        if (process.process > static_cast<int>(decider.after)) process.process += last_plain_process;
  return sides;
}

bool has_enough(const Data& data, const Decider& decider, const Trial& trial) {
  const std::size_t after = decider.same_processes ? 0 : decider.after + decider.fresh;
  const std::size_t here = decider.before + (trial.current == nullptr ? after : 0);
  if (trial.current != nullptr &&
      trial.current->processes() < std::max(after, decider.same_processes ? here : 0))
    return false;
  return data.base->processes() >= here;
}

void append(Record& record, Record more, std::size_t copy) {
  for (CaseRecord& one : more.cases) {
    one.id += fmt::format("#{}", copy);
    record.cases.push_back(std::move(one));
  }
}

// {suite red, case undecided, changed case called slower}
std::vector<Count> rates(const Data& data, const Decider& decider, const Trial& trial, std::size_t suite,
                         std::size_t splits, std::uint64_t seed) {
  if (!has_enough(data, decider, trial)) return std::vector<Count>(3);
  return repeat(std::max<std::size_t>(splits, 1), seed, 3, [&](std::mt19937_64& random) {
    Sides sides = draw(data, decider, trial, random);
    for (std::size_t copy = 1; sides.baseline.cases.size() < suite; ++copy) {
      Sides more = draw(data, decider, trial, random);
      append(sides.baseline, std::move(more.baseline), copy);
      append(sides.current, std::move(more.current), copy);
    }
    const Called called = decider.rule(sides.baseline, sides.current);
    const bool found = std::count(called.slower.begin(), called.slower.end(), sides.changed) > 0;
    return std::vector<Count>{{called.slower.empty() ? std::size_t{0} : 1, 1},
                              {called.undecided.size(), sides.current.cases.size()},
                              {found ? std::size_t{1} : 0, 1}};
  });
}

// The time that the device worked for the samples of both sides, a case, in ms.
double device_ms(const Session& session, const Decider& decider) {
  double sum = 0;
  for (const CaseRecord& one : session.record().cases)
    for (const ProcessSamples& process : one.series.front().processes) {
      for (const Placement& placement : process.placements)
        for (const double sample : placement.samples) sum += sample;
    }
  const double process = sum / static_cast<double>(session.record().cases.size() * session.processes());
  const double processes = static_cast<double>(decider.before + (decider.same_processes ? 0 : decider.after));
  return process * processes / 1000;
}

// --- The tables -----------------------------------------------------------------------------------------

struct Arguments {
  std::string base, another_day, another_gpu, only;
  std::size_t splits = 2000;
  std::uint64_t seed = 1;
  bool bounds = false;
};

std::string cell(const Count& count, bool bounds) {
  if (count.trials == 0) return "-";
  if (bounds) return count.text();
  const double percent = 100 * static_cast<double>(count.hits) / static_cast<double>(count.trials);
  return fmt::format("{:.{}f}", percent, percent > 0 && percent < 1 ? 2 : percent < 10 ? 1 : 0);
}

void print(const Data& data, const Arguments& arguments) {
  fmt::print("{} splits, seed {}; all in %{}\n", arguments.splits, arguments.seed,
             arguments.bounds ? ", with 99 % Clopper-Pearson bounds" : "");
  fmt::print(
      "\n| decider | processes | device, ms a case | suite of 18 red | of 72 | of 1,000 | undecided "
      "| another day | another GPU | drift | one slow process "
      "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const Decider& decider : deciders()) {
    if (!arguments.only.empty() && decider.name.find(arguments.only) == std::string::npos) continue;
    const std::size_t splits = arguments.splits * (decider.ours ? 5 : 1);
    const auto share = [&](const Trial& trial, std::size_t suite, std::size_t column) {
      return cell(rates(data, decider, trial, suite, splits * 18 / suite, arguments.seed)[column],
                  arguments.bounds);
    };
    fmt::print("| {} | {} + {} | {:.0f} | {} | {} | {} | {} |", decider.name, decider.before,
               decider.same_processes ? 0 : decider.after, device_ms(*data.base, decider), share({}, 18, 0),
               share({}, 72, 0), share({}, 1000, 0), share({}, 18, 1));
    for (const Session* session : {data.another_day, data.another_gpu})
      fmt::print(" {} |", session == nullptr ? "-" : share({session}, 18, 0));
    Trial drifting, slow;
    drifting.drift = slow.slow_process = 0.01;
    slow.slow_process = 0.03;
    fmt::print(" {} | {} |\n", share(drifting, 18, 0), share(slow, 18, 0));
    std::fflush(stdout);
  }
  fmt::print(
      "\n| decider | +0.5 % found | +1 % | +2 % | +5 % | slow calls from 2 % to 15 % "
      "|\n|---|--:|--:|--:|--:|--:|\n");
  for (const Decider& decider : deciders()) {
    if (!arguments.only.empty() && decider.name.find(arguments.only) == std::string::npos) continue;
    fmt::print("| {} |", decider.name);
    for (const double planted : {0.005, 0.01, 0.02, 0.05}) {
      Trial trial;
      trial.planted = planted;
      fmt::print(" {} |", cell(rates(data, decider, trial, 18, arguments.splits, arguments.seed + 1)[2],
                               arguments.bounds));
    }
    Trial tails;
    tails.slow_before = 0.02;
    tails.slow_after = 0.15;
    fmt::print(" {} |\n", cell(rates(data, decider, tails, 18, arguments.splits / 4, arguments.seed + 2)[2],
                               arguments.bounds));
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  CLI::App program("What deciders make of the same samples");
  Arguments arguments;
  program.add_option("base", arguments.base, "record of unchanged kernels")->required();
  program.add_option("--another-day", arguments.another_day, "record of the same device in another session");
  program.add_option("--another-gpu", arguments.another_gpu, "record of another device of the model");
  program.add_option("--splits", arguments.splits)->capture_default_str();
  program.add_option("--seed", arguments.seed)->capture_default_str();
  program.add_option("--only", arguments.only, "deciders whose name has this");
  program.add_flag("--bounds", arguments.bounds, "print 99 % bounds");
  CLI11_PARSE(program, argc, argv);
  std::vector<Session> sessions;
  sessions.reserve(3);
  const auto session = [&](const std::string& file) -> const Session* {
    return file.empty() ? nullptr : &sessions.emplace_back(load_record(file));
  };
  print({session(arguments.base), session(arguments.another_day), session(arguments.another_gpu)}, arguments);
  return 0;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  return harness::run(argc, argv);
}

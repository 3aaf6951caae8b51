// decision_rates: error rates of the rule of harness/verdict on real samples. Random splits of processes of
// one kernel make every call false. Splits of a kernel and one with more work make every miss false.
// README.md of this folder says what comes out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "harness/study/session_spreads.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/read/process_values.h"
#include "repeat.h"
#include "rules.h"
#include "simulated.h"
#include "tails.h"

namespace harness {
namespace {

constexpr std::size_t most_raw_splits = 400;  // rules on all samples are slow, and their rates are not small

// The available sessions. The baseline's processes come from `base`, and those that ran more work are a
// disjoint part of it.
struct Data {
  const Session* base = nullptr;
  const Session* another_day = nullptr;  // of the same device
  const Session* another_gpu = nullptr;  // of the same model
};

struct Setup {
  std::string name;
  std::size_t processes = 5;  // of the current side
  Slower rule;
  Detail detail = Detail::values;
  const Session* current = nullptr;  // that the other side is taken from; null: that of the baseline
  bool same_processes = false;       // both sides measured in the same processes
  std::size_t baseline = 0;          // its processes, where it has more
  std::size_t fresh = 0;             // that measure a red case again before it counts

  [[nodiscard]] std::size_t after() const { return processes + fresh; }
  [[nodiscard]] std::size_t before() const { return std::max(baseline, processes); }
};

Wanted as_they_are(const std::vector<std::string>& cases) {
  Wanted wanted;
  for (const std::string& name : cases) wanted.emplace_back(name, name);
  return wanted;
}

// Two records as `harness ab` makes them where both builds share their processes.
void pair_up(Record& baseline, Record& current) {
  baseline.pairing = current.pairing = Pairing{"rates", Pairing::Kind::process};
}

// Numbers the processes behind the first `plain` ones as those that confirm.
void number_fresh(Record& current, std::size_t plain) {
  for (CaseRecord& one : current.cases)
    for (Series& series : one.series)
      for (ProcessSamples& process : series.processes)
        if (process.process > static_cast<int>(plain)) process.process += last_plain_process;
}

// The same processes on both sides, and nothing differs: half of each process's placements stand for one
// build and half for the other, which share their process but, unlike real builds, not their placements.
std::pair<Record, Record> halves(const Session& session, const Setup& setup, const Wanted& cases,
                                 std::mt19937_64& random) {
  const auto processes = slice(shuffled(session.processes(), random), 0, setup.processes);
  const auto placements = shuffled(session.placements(), random);
  const std::size_t half = placements.size() / 2;
  Record baseline = session.part(processes, cases, setup.detail, slice(placements, 0, half));
  Record current = session.part(processes, cases, setup.detail, slice(placements, half, half));
  pair_up(baseline, current);
  return {std::move(baseline), std::move(current)};
}

// Disjoint processes of `base`, or of it and another session, either before the other by lot: nothing
// differs.
std::pair<Record, Record> two_parts(const Data& data, const Setup& setup, const Wanted& cases,
                                    std::mt19937_64& random) {
  const auto first = shuffled(data.base->processes(), random);
  const Session& other = setup.current == nullptr ? *data.base : *setup.current;
  const auto second = setup.current == nullptr ? slice(first, setup.before(), setup.after())
                                               : slice(shuffled(other.processes(), random), 0, setup.after());
  Record one = data.base->part(slice(first, 0, setup.before()), cases, setup.detail);
  Record two = other.part(second, cases, setup.detail);
  if (setup.current != nullptr && setup.fresh == 0 && random() % 2 == 1) std::swap(one, two);
  if (setup.fresh > 0) number_fresh(two, setup.processes);
  return {std::move(one), std::move(two)};
}

bool has_enough(const Data& data, const Setup& setup) {
  const bool one_part = setup.same_processes || setup.current != nullptr;
  const std::size_t wanted = setup.before() + (one_part ? 0 : setup.after());
  return data.base->processes() >= wanted &&
         (setup.current == nullptr || setup.current->processes() >= setup.after());
}

// Adds the cases of `more` under names of their own.
void append(Record& record, Record more, std::size_t copy) {
  for (CaseRecord& one : more.cases) {
    one.id += fmt::format("#{}", copy);
    record.cases.push_back(std::move(one));
  }
}

// {case falsely slower, suite red, case left undecided}. A suite larger than the data holds each kernel
// several times, each time another split of its processes.
std::vector<Count> false_alarms(const Data& data, const Setup& setup, std::size_t suite, std::size_t splits,
                                std::uint64_t seed) {
  if (!has_enough(data, setup)) return std::vector<Count>(3);
  const Wanted cases = as_they_are(data.base->cases());
  return repeat(splits, seed, 3, [&](std::mt19937_64& random) {
    const auto split = [&] {
      return setup.same_processes ? halves(*data.base, setup, cases, random)
                                  : two_parts(data, setup, cases, random);
    };
    auto [baseline, current] = split();
    for (std::size_t copy = 1; baseline.cases.size() < suite; ++copy) {
      auto [before, after] = split();
      append(baseline, std::move(before), copy);
      append(current, std::move(after), copy);
    }
    const Called called = setup.rule(baseline, current);
    return std::vector<Count>{{called.slower.size(), current.cases.size()},
                              {called.slower.empty() ? std::size_t{0} : 1, 1},
                              {called.undecided.size(), current.cases.size()}};
  });
}

// Processes that ran `gelu` against others that ran `slowed` under its name, in a suite in which nothing else
// changed (all the data's cases) or as the only case. {found hot, found cold}.
std::vector<Count> found(const Data& data, const Setup& setup, const std::string& slowed, bool alone,
                         std::size_t splits, std::uint64_t seed) {
  const Session& other = setup.current == nullptr ? *data.base : *setup.current;
  const bool one_session = &other == data.base;
  const std::size_t from_one = setup.before() + (one_session && !setup.same_processes ? setup.after() : 0);
  if (!other.has(slowed + "/mode=hot") || data.base->processes() < from_one ||
      other.processes() < setup.after() || (setup.same_processes && !one_session))
    return std::vector<Count>(2);
  return repeat(splits, seed, 2, [&](std::mt19937_64& random) {
    const auto first = shuffled(data.base->processes(), random);
    const auto second = one_session ? slice(first, setup.same_processes ? 0 : setup.before(), setup.after())
                                    : slice(shuffled(other.processes(), random), 0, setup.after());
    std::vector<Count> counts;
    for (const std::string mode : {"hot", "cold"}) {
      const std::string name = "gelu/mode=" + mode;
      std::vector<std::string> others;
      for (const std::string& one : data.base->cases())
        if (!alone && one != name && other.has(one)) others.push_back(one);
      Wanted before = as_they_are(others), after = before;
      before.emplace_back(name, name);
      after.emplace_back(slowed + "/mode=" + mode, name);
      Record baseline = data.base->part(slice(first, 0, setup.before()), before, setup.detail);
      Record current = other.part(second, after, setup.detail);
      if (setup.same_processes) pair_up(baseline, current);
      if (setup.fresh > 0) number_fresh(current, setup.processes);
      const auto slower = setup.rule(baseline, current).slower;
      counts.push_back({std::count(slower.begin(), slower.end(), name) > 0 ? std::size_t{1} : 0, 1});
    }
    return counts;
  });
}

Policy policy_of(double margin) {
  Policy policy;
  policy.margin = margin;
  policy.alpha = 0.01;
  return policy;
}

// With what `harness calibrate` would teach of these sessions about the device of `base`.
Policy learned(Policy policy, const std::vector<const Session*>& sessions) {
  std::vector<CalibrationSession> all;
  for (const Session* session : sessions)
    for (const CaseRecord& one : session->record().cases) {
      CalibrationSession taken{one.id,
                               one.series.front().metric,
                               session->record().machines.at("import").device_uuid,
                               "one build",
                               {}};
      for (const double value : process_values(one.series.front()))
        taken.log_values.push_back(std::log(value));
      all.push_back(std::move(taken));
    }
  policy.learned = learn_spreads(all, sessions.front()->record().machines.at("import").device_uuid);
  return policy;
}

std::vector<Setup> raw_setups() {
  constexpr Detail all = Detail::samples;
  return {{"Welch on raw samples, p < .05", 5, raw_welch(0.05, false, 0, false), all},
          {"Tukey's fences, raw samples, p < .05, > 1 %", 5, raw_welch(0.05, true, 0.01, false), all}};
}

std::vector<Setup> setups(const Data& data) {
  const Policy policy = policy_of(0.005);
  const Slower rule = of_policy(policy);
  constexpr Detail pairs = Detail::placements, values = Detail::values;
  std::vector<Setup> made;
  for (const std::size_t processes : {5UL, 8UL, 16UL})
    made.push_back(
        {fmt::format("one session, {} against {}", processes, processes), processes, rule, values});
  made.push_back({"one session, 20 against 5", 5, rule, values, nullptr, false, 20});
  for (const std::size_t baseline : {5UL, 20UL})
    made.push_back({fmt::format("one session, {} against 5, confirmed by 5", baseline), 5, rule, values,
                    nullptr, false, baseline, 5});
  made.push_back({"one session, looks 5/10/20", 20, of_policy(policy, {5, 10, 20}), values});
  if (data.another_day != nullptr) {
    for (const std::size_t processes : {5UL, 8UL, 16UL})
      made.push_back({fmt::format("two sessions, {} against {}", processes, processes), processes, rule,
                      values, data.another_day});
    made.push_back({"two sessions, 20 against 5", 5, rule, values, data.another_day, false, 20});
  }
  if (data.another_gpu != nullptr) {
    Policy allowed = policy;
    allowed.allow_other_device = true;
    const Policy taught = learned(allowed, {data.base, data.another_day, data.another_gpu});
    made.push_back(
        {"two GPUs, 0.3 % of device variance, 8 against 8", 8, of_policy(allowed), values, data.another_gpu});
    made.push_back(
        {"two GPUs, learned device variance, 8 against 8", 8, of_policy(taught), values, data.another_gpu});
  }
  for (const std::size_t processes : {4UL, 5UL})
    made.push_back(
        {fmt::format("both in one process, {}", processes), processes, rule, pairs, nullptr, true});
  return made;
}

// The samples of `id` with a share of them twice as long.
void make_slow(Record& record, const std::string& id, double share, std::mt19937_64& random) {
  std::bernoulli_distribution slow(share);
  for (CaseRecord& one : record.cases)
    for (Series& series : one.series)
      for (ProcessSamples& process : series.processes)
        for (Placement& placement : process.placements)
          for (double& sample : placement.samples)
            if (one.id == id && slow(random)) sample *= 2;
}

// Slow calls in a suite: 2 % of the calls of one kernel take twice as long before, and `share` after. {called
// hot, called cold}.
std::vector<Count> slow_calls(const Data& data, std::size_t processes, double share, std::size_t splits,
                              std::uint64_t seed) {
  const Setup setup{"", processes, of_policy(policy_of(0.005)), Detail::samples};
  if (!has_enough(data, setup)) return std::vector<Count>(2);
  const Wanted cases = as_they_are(data.base->cases());
  return repeat(splits, seed, 2, [&](std::mt19937_64& random) {
    std::vector<Count> counts;
    for (const std::string name : {"gelu/mode=hot", "gelu/mode=cold"}) {
      auto [baseline, current] = two_parts(data, setup, cases, random);
      make_slow(baseline, name, 0.02, random);
      make_slow(current, name, share, random);
      const auto slower = setup.rule(baseline, current).slower;
      counts.push_back({std::count(slower.begin(), slower.end(), name) > 0 ? std::size_t{1} : 0, 1});
    }
    return counts;
  });
}

// Whether reduced samples give compare() the numbers that all samples do.
// Half a step of a clock belongs to the bounds, and reduced samples do not tell steps. So what follows is
// about them without it: more is called slower.
bool comes_in_steps(const Record& record, const std::string& id) {
  constexpr std::size_t few = 8;
  for (const CaseRecord& one : record.cases)
    for (const Series& series : one.series)
      for (const ProcessSamples& process : series.processes)
        for (const Placement& placement : process.placements)
          if (one.id == id && std::set(placement.samples.begin(), placement.samples.end()).size() <= few)
            return true;
  return false;
}

bool reduces_faithfully(const Session& session) {
  const Record all = session.part({0, 1, 2}, as_they_are(session.cases()), Detail::samples);
  const Wanted cases = as_they_are(session.cases());
  const std::vector<std::size_t> first{0, 1, 2}, second{3, 4, 5};
  const auto judged = [&](Detail detail, bool paired) {
    Record baseline = session.part(first, cases, detail);
    Record current =
        session.part(paired ? first : second, cases, detail, paired ? first : std::vector<std::size_t>{});
    if (paired) pair_up(baseline, current);
    return verdicts(baseline, current, policy_of(0.005));
  };
  for (const bool paired : {false, true}) {
    const auto whole = judged(Detail::samples, paired);
    const auto reduced = judged(paired ? Detail::placements : Detail::values, paired);
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (!comes_in_steps(all, whole[i].case_id) &&
          !(std::abs(whole[i].p.value_or(-1) - reduced[i].p.value_or(-2)) < 1e-9))
        return false;
  }
  return true;
}

struct Arguments {
  std::string base, another_day, another_gpu;
  std::vector<std::string> pins;
  std::size_t splits = 200000;
  std::uint64_t seed = 20261120;
  bool raw = true;
  std::vector<std::string> only;  // tables; none: all
};

void print_recorded(const Data& data, const Arguments& arguments) {
  fmt::print(
      "| rule, processes a side | A/A: case called slower | A/A: suite of {} red | A/A: case undecided | +2 "
      "% work "
      "found alone, hot | cold | in the suite, hot | cold |\n|---|---|---|---|---|---|---|---|\n",
      data.base->cases().size());
  std::vector<Setup> all = arguments.raw ? raw_setups() : std::vector<Setup>{};
  for (Setup& setup : setups(data)) all.push_back(std::move(setup));
  for (const Setup& setup : all) {
    const std::size_t splits =
        setup.detail == Detail::samples ? std::min(most_raw_splits, arguments.splits) : arguments.splits;
    const std::size_t fewer = std::max<std::size_t>(splits / 3, 1);
    const auto wrong = false_alarms(data, setup, data.base->cases().size(), splits, arguments.seed);
    const auto two = found(data, setup, "gelu+2%", true, fewer, arguments.seed + 1);
    const auto suite = found(data, setup, "gelu+2%", false, fewer, arguments.seed + 1);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", setup.name, wrong[0].text(), wrong[1].text(),
               wrong[2].text(), two[0].text(), two[1].text(), suite[0].text(), suite[1].text());
    std::fflush(stdout);
  }
}

void print_suites(const Data& data, const Arguments& arguments) {
  fmt::print(
      "\n| suite of | 5 against 5: red | confirmed | 20 against 5: red | confirmed "
      "|\n|---|---|---|---|---|\n");
  for (const std::size_t suite : {18UL, 72UL, 1000UL}) {
    const std::size_t splits = std::max<std::size_t>(arguments.splits * 18 / suite / 4, 1);
    fmt::print("| {} |", suite);
    for (const std::size_t baseline : {5UL, 20UL})
      for (const std::size_t fresh : {0UL, 5UL}) {
        const Setup setup{"",       5,    of_policy(policy_of(0.005)), Detail::values, nullptr, false,
                          baseline, fresh};
        fmt::print(" {} |", false_alarms(data, setup, suite, splits, arguments.seed + 3)[1].text());
        std::fflush(stdout);
      }
    fmt::print("\n");
  }
}

void print_slow_calls(const Data& data, const Arguments& arguments) {
  const std::size_t splits = std::min<std::size_t>(arguments.splits, 5000);
  fmt::print("\n| slow calls, 2 % before | called, hot | cold |\n|---|---|---|\n");
  for (const double share : {0.02, 0.05, 0.10, 0.15}) {
    const auto called = slow_calls(data, 5, share, splits, arguments.seed + 4);
    fmt::print("| {:.0f} % after, 5 against 5 | {} | {} |\n", share * 100, called[0].text(),
               called[1].text());
    std::fflush(stdout);
  }
}

void print_tails(const Data& data, const Arguments& arguments) {
  const std::size_t splits = std::min<std::size_t>(arguments.splits, 20000);
  const auto print_row = [](const std::string& name, const std::vector<Count>& own,
                            const std::vector<Count>& planted) {
    fmt::print("| {} | {} | {} |", name, own[0].text(), own[1].text());
    for (std::size_t i = 0; i + 2 < planted.size(); i += 3)
      fmt::print(" {} / {} / {} |", planted[i].text(), planted[i + 1].text(), planted[i + 2].text());
    fmt::print("\n");
    std::fflush(stdout);
  };
  fmt::print(
      "\n| processes a side, calls of each | unchanged: open by slow calls | called slower | planted, 2 % "
      "tenfold: red / open / passed | 0.5 % hundredfold | 5 % 2.5 times |\n|---|---|---|---|---|---|\n");
  std::vector<TailSetup> setups;
  for (const std::size_t processes : {5UL, 8UL})
    for (const std::size_t samples : {0UL, 10UL, 4UL}) {
      const std::size_t calls = (samples == 0 ? 50 : samples) * data.base->placements();
      setups.push_back(
          {fmt::format("{} of one session, {}", processes, calls), data.base, nullptr, processes, samples});
    }
  for (const auto& [name, other] :
       {std::pair{"another day", data.another_day}, std::pair{"another GPU", data.another_gpu}})
    if (other != nullptr)
      setups.push_back(
          {fmt::format("5, {}, {}", name, 50 * data.base->placements()), data.base, other, 5, 0});
  for (const TailSetup& setup : setups)
    print_row(setup.name, unchanged_tails(setup, splits / 10, arguments.seed + 7),
              planted_tails(setup, splits / 10, arguments.seed + 8));
  for (const std::size_t processes : {5UL, 20UL})
    for (const Tail& own : {Tail{}, Tail{0.02, 2}, Tail{0.005, 10}})
      print_row(
          fmt::format("{} simulated, 200, own {:.1f} % {} times", processes, own.share * 100, own.factor),
          simulated_unchanged_tails(own, processes, splits, arguments.seed + 9),
          own.share > 0 ? std::vector<Count>{}
                        : simulated_planted_tails(processes, splits, arguments.seed + 10));
}

void print_simulated(const Arguments& arguments) {
  fmt::print("\n| simulated suite, unchanged | of | red | case undecided |\n|---|---|---|---|\n");
  for (const Simulated& setup :
       {Simulated{"5 against 5", 5, 5}, Simulated{"20 against 5", 20, 5}, Simulated{"20 against 8", 20, 8},
        Simulated{"20, looks 5/10/20", 20, 20, {5, 10, 20}}})
    for (const std::size_t suite : {18UL, 72UL, 1000UL}) {
      const auto rates = simulated_rates(setup, suite, std::max<std::size_t>(arguments.splits / suite, 1),
                                         arguments.seed + 5);
      fmt::print("| {} | {} | {} | {} |\n", setup.name, suite, rates[0].text(), rates[1].text());
      std::fflush(stdout);
    }
}

void print_shapes(const std::vector<CaseShape>& shapes, const Arguments& arguments) {
  if (shapes.empty()) return;
  fmt::print(
      "\n| {} cases of pins, suite of 18, one slower by 1.2 % | red before | case undecided before | found "
      "above 100 us | below |\n|---|---|---|---|---|\n",
      shapes.size());
  for (const Simulated& setup : {Simulated{"5 against 5", 5, 5}, Simulated{"20 against 5", 20, 5},
                                 Simulated{"20, looks 5/10/20", 20, 20, {5, 10, 20}}}) {
    fmt::print("| {} |", setup.name);
    for (const Count& rate : rates_of_shapes(
             shapes, setup, 18, 0.012, std::max<std::size_t>(arguments.splits / 2, 1), arguments.seed + 6))
      fmt::print(" {} |", rate.text());
    fmt::print("\n");
    std::fflush(stdout);
  }
}

void print(const Data& data, const std::vector<CaseShape>& shapes, const Arguments& arguments) {
  fmt::print("{} splits, seed {}; shares with their {:.0f} % Clopper-Pearson bounds; margin 0.5 %\n\n",
             arguments.splits, arguments.seed, confidence * 100);
  const auto wanted = [&](const char* table) {
    return arguments.only.empty() ||
           std::find(arguments.only.begin(), arguments.only.end(), table) != arguments.only.end();
  };
  if (wanted("recorded")) print_recorded(data, arguments);
  if (wanted("suites")) print_suites(data, arguments);
  if (wanted("slow-calls")) print_slow_calls(data, arguments);
  if (wanted("tails")) print_tails(data, arguments);
  if (wanted("simulated")) print_simulated(arguments);
  if (wanted("pins")) print_shapes(shapes, arguments);
}

int run(int argc, char** argv) {
  CLI::App program("Error rates of the decision rule on real samples");
  Arguments arguments;
  program.add_option("base", arguments.base, "record of unchanged kernels, and of gelu+2%")->required();
  program.add_option("--another-day", arguments.another_day, "record of the same device in another session");
  program.add_option("--another-gpu", arguments.another_gpu, "record of another device of the model");
  program.add_option("--pins", arguments.pins, "records whose spreads simulated suites have");
  program.add_option("--splits", arguments.splits)->capture_default_str();
  program.add_option("--seed", arguments.seed)->capture_default_str();
  program.add_option("--only", arguments.only, "tables to print")
      ->check(CLI::IsMember({"recorded", "suites", "slow-calls", "tails", "simulated", "pins"}));
  program.add_flag("!--without-raw", arguments.raw, "leave out the rules on raw samples, which are slow");
  CLI11_PARSE(program, argc, argv);
  std::vector<Session> sessions;
  sessions.reserve(3);
  const auto session = [&](const std::string& file) -> const Session* {
    return file.empty() ? nullptr : &sessions.emplace_back(load_record(file));
  };
  const Data data{session(arguments.base), session(arguments.another_day), session(arguments.another_gpu)};
  if (!reduces_faithfully(*data.base)) {
    std::cerr << "reduced samples do not give the numbers of all samples: nothing that follows would hold\n";
    return 1;
  }
  std::vector<CaseShape> shapes;
  for (const std::string& file : arguments.pins)
    for (const CaseShape& one : shapes_of(load_record(file))) shapes.push_back(one);
  print(data, shapes, arguments);
  return 0;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  return harness::run(argc, argv);
}

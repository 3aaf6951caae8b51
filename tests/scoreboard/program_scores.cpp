// program_scores: deciders side by side on starts of public CUDA programs and steps of PyTorch
// (programs/README.md). Each start has one value a case: peers that ask for the calls of one process are left
// out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "../rates/repeat.h"
#include "../rates/rules.h"
#include "../rates/sessions.h"
#include "harness/report/words/study_words.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/study/peers/peer_rules.h"

namespace harness {
namespace {

using Values = std::vector<double>;  // us, by start

// A program, or a kernel of one.
struct Program {
  std::string name;
  Values starts;
  Values with_more;  // with more work, likewise; empty: not recorded
};

struct Decider {
  std::string name;
  std::size_t before = 5, after = 5;
  Slower rule;
  bool in_turn = false;   // both sides started in turn, as `ab` does
  std::size_t fresh = 0;  // starts that confirm a red case
};

Values values_of(const CaseRecord& one) {
  Values values;
  for (const ProcessSamples& process : one.series.front().processes)
    values.push_back(process.placements.front().samples.front());
  return values;
}

// All of `least` us or more that have so many starts; further starts are left out. So is a kernel that is all
// of its program.
std::vector<Program> programs_of(const Record& record, double least, std::size_t starts) {
  const std::string suffix = "_more";
  std::vector<Program> all;
  for (const CaseRecord& one : record.cases) {
    const std::string name = one.id.substr(0, one.id.find('/'));
    if (name.ends_with(suffix)) continue;
    Program program{one.id, values_of(one), {}};
    if (program.starts.size() < starts || stats::mean(program.starts) < least) continue;
    program.starts.resize(starts);
    for (const CaseRecord& other : record.cases)
      if (other.id == one.id + suffix) program.with_more = values_of(other);
    const bool is_its_program = std::any_of(all.begin(), all.end(), [&](const Program& other) {
      return other.name == name && other.starts == program.starts;
    });
    if (!is_its_program) all.push_back(std::move(program));
  }
  return all;
}

std::vector<Decider> deciders(std::size_t starts) {
  std::vector<Decider> all;
  for (const peers::PeerRule& rule : peers::peer_rules())
    if (!rule.calls)
      all.push_back({report::words(rule.peer), std::min(rule.before, starts - rule.after), rule.after,
                     each_case(rule)});
    else if (rule.repetitions > 0)
      all.push_back({report::words(rule.peer), rule.repetitions, rule.repetitions, each_case(rule)});
  Policy policy;
  policy.margin = 0.005;
  policy.alpha = 0.01;
  all.push_back({"harness, stored", 5, 5, of_policy(policy), false, 5});
  policy.min_processes = 4;  // so many pairs are left to confirm
  all.push_back({"harness ab", 5, 5, of_policy(policy), true, 4});
  return all;
}

CaseRecord case_of(const std::string& id, const Values& values, std::size_t plain) {
  CaseRecord one;
  one.id = id;
  one.device = "import";
  Series series{"kernel_time", "us", Direction::lower_is_better, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    ProcessSamples& process = series.processes.emplace_back();
    process.process = static_cast<int>(i) + 1 + (i < plain ? 0 : last_plain_process);
    process.placements = {Placement{{values[i]}}};
  }
  one.series.push_back(std::move(series));
  return one;
}

Values taken(const Values& values, const std::vector<std::size_t>& places) {
  Values chosen;
  for (const std::size_t place : places) chosen.push_back(values[place]);
  return chosen;
}

// The starts of both sides: of in-turn sides the neighbours (i, i + 1), in either order.
struct Split {
  std::vector<std::size_t> before, after;
};

Split split(const Decider& decider, std::size_t starts, std::mt19937_64& random) {
  Split sides;
  if (!decider.in_turn) {
    const auto order = shuffled(starts, random);
    sides.before = slice(order, 0, decider.before);
    sides.after = slice(order, decider.before, decider.after + decider.fresh);
    return sides;
  }
  const auto pairs = shuffled(starts / 2, random);
  for (std::size_t i = 0; i < decider.before + decider.fresh; ++i) {
    const std::size_t first = 2 * pairs[i], swapped = random() % 2;
    sides.before.push_back(first + swapped);
    sides.after.push_back(first + 1 - swapped);
  }
  return sides;
}

enum class Kind { any, program, kernel };

bool is_program(const std::string& id) {
  return id.find('/') == std::string::npos;
}

// A difference between starts or builds that no work makes. measured/ and harness/measure/power.md have the
// sizes.
enum class Bias {
  none,
  mixed_states,   // 4 % of all cases, in a state that changes after one start in five
  another_state,  // the same, but all starts of a side are in one
  buffers,        // 1.5 % of a case, in one start of seven
  place_of_code,  // the new build's kernels lie elsewhere: eight of 70 move
};

struct Trial {
  double planted = 0;               // 0.01: the first case takes 1 % longer
  Kind first = Kind::any;           // which it is
  const Program* chosen = nullptr;  // or this one
  bool more = false;                // its starts with more work are the new side
  Bias bias = Bias::none;
};

constexpr double state = 0.04, buffers = 0.015;
constexpr std::array places_of_code = {0.028, 0.0081, 0.0051, 0.0043, 0.0033, 0.0028, 0.0027, 0.0026};
constexpr double kernels_with_places = 70;

bool happens(double chance, std::mt19937_64& random) {
  return std::bernoulli_distribution(chance)(random);
}

// Factors of all cases, by start, in the order of starts.
struct Shared {
  Values before, after;
};

Shared shared_bias(const Decider& decider, Bias bias, std::mt19937_64& random) {
  const std::size_t before = decider.before + (decider.in_turn ? decider.fresh : 0);
  Shared longer{Values(before, 1), Values(decider.after + decider.fresh, 1)};
  if (bias == Bias::another_state && !decider.in_turn) {
    Values& slow = happens(0.5, random) ? longer.before : longer.after;
    slow.assign(slow.size(), 1 + state);
  }
  if (bias != Bias::mixed_states) return longer;
  std::vector<double*> order;
  for (std::size_t i = 0; i < std::max(longer.before.size(), longer.after.size()); ++i) {
    if (!decider.in_turn) break;
    order.push_back(i % 2 == 0 ? &longer.before[i] : &longer.after[i]);
    order.push_back(i % 2 == 0 ? &longer.after[i] : &longer.before[i]);
  }
  if (!decider.in_turn)
    for (Values* side : {&longer.before, &longer.after})
      for (double& one : *side) order.push_back(&one);
  bool slow = happens(0.5, random);
  for (double* one : order) {
    if (slow) *one = 1 + state;
    if (happens(0.2, random)) slow = !slow;
  }
  return longer;
}

void lengthen(Values& values, const Values& factors, Bias bias, std::mt19937_64& random) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] *= factors[i];
    if (bias == Bias::buffers && happens(1.0 / 7, random)) values[i] *= 1 + buffers;
  }
}

// By what a kernel of a new build takes longer because it lies elsewhere: two of eight places, evenly spread.
double moved_by(std::mt19937_64& random) {
  if (!happens(places_of_code.size() / kernels_with_places, random)) return 1;
  const double range = places_of_code[random() % places_of_code.size()];
  const auto place = [&] { return static_cast<double>(random() % 8) / 7; };
  return 1 + range * (place() - place());
}

struct Sides {
  Record baseline, current;
};

// `suite` of the programs, drawn at random; several times over where it has more.
Sides draw(const std::vector<Program>& all, const Decider& decider, const Trial& trial, std::size_t suite,
           std::mt19937_64& random) {
  Sides sides;
  for (Record* side : {&sides.baseline, &sides.current}) {
    side->suite.name = "programs";
    side->machines["import"] = {};
  }
  if (decider.in_turn)
    sides.baseline.pairing = sides.current.pairing = Pairing{"scores", Pairing::Kind::session};
  const std::size_t starts = all.front().starts.size();
  const auto is_first = [&](std::size_t place) {
    if (trial.chosen != nullptr) return &all[place] == trial.chosen;
    return trial.first == Kind::any || is_program(all[place].name) == (trial.first == Kind::program);
  };
  const Shared longer = shared_bias(decider, trial.bias, random);
  std::vector<std::size_t> order;
  Split chosen;
  for (std::size_t i = 0; i < suite; ++i) {
    if (i % all.size() == 0) {
      order = shuffled(all.size(), random);
      chosen = split(decider, starts, random);
      if (i == 0) std::swap(*std::find_if(order.begin(), order.end(), is_first), order.front());
    }
    const Program& program = all[order[i % all.size()]];
    const std::string id = fmt::format("{}#{}", program.name, i / all.size());
    Values after = taken(program.starts, chosen.after);
    if (i == 0 && trial.more) {
      std::vector<std::size_t> places = shuffled(program.with_more.size(), random);
      places.resize(after.size());
      after = taken(program.with_more, places);
    }
    if (i == 0)
      for (double& value : after) value *= 1 + trial.planted;
    Values before = taken(program.starts, chosen.before);
    lengthen(before, longer.before, trial.bias, random);
    lengthen(after, longer.after, trial.bias, random);
    if (trial.bias == Bias::place_of_code) {
      const double factor = moved_by(random);
      for (double& value : after) value *= factor;
    }
    sides.baseline.cases.push_back(case_of(id, before, decider.before));
    sides.current.cases.push_back(case_of(id, after, decider.after));
  }
  return sides;
}

struct Rates {
  Count red;                                               // suites
  Count undecided, undecided_programs, undecided_kernels;  // cases
  Count found, first_undecided;                            // the first case
};

Rates rates(const std::vector<Program>& all, const Decider& decider, const Trial& trial, std::size_t suite,
            std::size_t splits, std::uint64_t seed) {
  const std::vector<Count> counts =
      repeat(std::max<std::size_t>(splits, 1), seed, 5, [&](std::mt19937_64& random) {
        const Sides sides = draw(all, decider, trial, suite, random);
        const Called called = decider.rule(sides.baseline, sides.current);
        std::vector<Count> mine(5);
        mine[0] = {called.slower.empty() ? 0U : 1U, 1};
        for (const CaseRecord& one : sides.current.cases) ++mine[is_program(one.id) ? 1 : 2].trials;
        for (const std::string& id : called.undecided) ++mine[is_program(id) ? 1 : 2].hits;
        const std::string& first = sides.current.cases.front().id;
        mine[3] = {std::count(called.slower.begin(), called.slower.end(), first) > 0 ? 1U : 0U, 1};
        mine[4] = {std::count(called.undecided.begin(), called.undecided.end(), first) > 0 ? 1U : 0U, 1};
        return mine;
      });
  return {counts[0], {counts[1].hits + counts[2].hits, counts[1].trials + counts[2].trials},
          counts[1], counts[2],
          counts[3], counts[4]};
}

double sd_of_logs(const Values& values) {
  Values logs;
  for (const double value : values) logs.push_back(std::log(value));
  return std::sqrt(stats::moments(logs).variance);
}

void print_programs(const std::vector<Program>& all, std::size_t splits, std::uint64_t seed) {
  fmt::print(
      "\n| program | us | sd of starts, % | more work, % | harness ab: +1 % found | undecided "
      "|\n|---|--:|--:|--:|--:|--:|\n");
  const Decider ab = deciders(all.front().starts.size()).back();
  for (const Program& one : all) {
    if (!is_program(one.name)) continue;
    const std::string more =
        one.with_more.empty()
            ? "-"
            : fmt::format("{:+.2f}", 100 * (stats::mean(one.with_more) / stats::mean(one.starts) - 1));
    const Rates slower = rates(all, ab, {0.01, Kind::any, &one}, 18, splits / 10, seed + 4);
    const Rates same = rates(all, ab, {0, Kind::any, &one}, 18, splits / 10, seed + 4);
    fmt::print("| {} | {:.0f} | {:.3f} | {} | {} | {} |\n", one.name, stats::mean(one.starts),
               100 * sd_of_logs(one.starts), more, slower.found.text(), same.first_undecided.text());
    std::fflush(stdout);
  }
}

void print_unchanged(const std::vector<Program>& all, std::size_t splits, std::uint64_t seed) {
  fmt::print(
      "\n| decider | starts | suite of 18 red | of 72 | of 1,000 | undecided programs | kernels "
      "|\n|---|--:|--:|--:|--:|--:|--:|\n");
  for (const Decider& decider : deciders(all.front().starts.size())) {
    const auto of = [&](std::size_t suite) {
      return rates(all, decider, {}, suite, splits * 18 / suite, seed);
    };
    const Rates small = of(18);
    fmt::print("| {} | {} + {} | {} | {} | {} | {} | {} |\n", decider.name, decider.before, decider.after,
               small.red.text(), of(72).red.text(), of(1000).red.text(), small.undecided_programs.text(),
               small.undecided_kernels.text());
    std::fflush(stdout);
  }
}

void print_found(const std::vector<Program>& all, std::size_t splits, std::uint64_t seed) {
  const std::vector<Trial> trials = {{0.005, Kind::program}, {0.01, Kind::program}, {0.02, Kind::program},
                                     {0.01, Kind::kernel},   {0.02, Kind::kernel},  {0.05, Kind::kernel}};
  fmt::print(
      "\n| decider | program +0.5 % | +1 % | +2 % | kernel +1 % | +2 % | +5 % "
      "|\n|---|--:|--:|--:|--:|--:|--:|\n");
  for (const Decider& decider : deciders(all.front().starts.size())) {
    fmt::print("| {} |", decider.name);
    for (const Trial& trial : trials)
      fmt::print(" {} |", rates(all, decider, trial, 18, splits / 4, seed + 1).found.text());
    fmt::print("\n");
    std::fflush(stdout);
  }
  fmt::print("\n| decider |");
  for (const Program& one : all)
    if (!one.with_more.empty())
      fmt::print(" {} {:+.2f} % |", one.name,
                 100 * (stats::mean(one.with_more) / stats::mean(one.starts) - 1));
  fmt::print("\n");
  for (const Decider& decider : deciders(all.front().starts.size())) {
    if (decider.in_turn) continue;  // ten starts have no ten neighbours
    fmt::print("| {} |", decider.name);
    for (const Program& one : all)
      if (!one.with_more.empty())
        fmt::print(" {} |",
                   rates(all, decider, {0, Kind::any, &one, true}, 18, splits / 10, seed + 2).found.text());
    fmt::print("\n");
    std::fflush(stdout);
  }
}

void print_bias(const std::vector<Program>& all, std::size_t splits, std::uint64_t seed) {
  fmt::print(
      "\n| decider | mixed states: suite of 18 red | case undecided | another state: red | undecided | "
      "buffers: red "
      "| undecided | place of code: red | undecided |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const Decider& decider : deciders(all.front().starts.size())) {
    fmt::print("| {} |", decider.name);
    for (const Bias bias : {Bias::mixed_states, Bias::another_state, Bias::buffers, Bias::place_of_code}) {
      if (bias == Bias::another_state && decider.in_turn) {  // neighbours share their state
        fmt::print(" - | - |");
        continue;
      }
      const Rates found = rates(all, decider, {0, Kind::any, nullptr, false, bias}, 18, splits / 4, seed + 3);
      fmt::print(" {} | {} |", found.red.text(), found.undecided.text());
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  CLI::App program("What deciders make of starts of traced programs");
  std::string file;
  double least = 100;
  std::size_t splits = 4000, starts = 19;
  std::uint64_t seed = 1;
  program.add_option("record", file)->required();
  program.add_option("--least", least, "only programs and kernels of this time or more, us")
      ->capture_default_str();
  program.add_option("--starts", starts, "of each, and only those that have so many")
      ->capture_default_str()
      ->check(CLI::Range(19, 10000));
  program.add_option("--splits", splits)->capture_default_str();
  program.add_option("--seed", seed)->capture_default_str();
  CLI11_PARSE(program, argc, argv);
  const std::vector<Program> all = programs_of(load_record(file), least, starts);
  const auto programs =
      std::count_if(all.begin(), all.end(), [](const Program& one) { return is_program(one.name); });
  if (programs == 0 || programs == static_cast<std::ptrdiff_t>(all.size())) {
    std::cerr << "the record needs programs and kernels with " << starts << " starts of " << least
              << " us or more\n";
    return 2;
  }
  fmt::print("{} programs and {} kernels of {} us or more; {} splits, seed {}; in %, 99 % bounds\n", programs,
             all.size() - static_cast<std::size_t>(programs), least, splits, seed);
  print_programs(all, splits, seed);
  print_unchanged(all, splits, seed);
  print_found(all, splits, seed);
  print_bias(all, splits, seed);
  return 0;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  return harness::run(argc, argv);
}

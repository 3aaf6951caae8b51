#include "tests/instrument/offsets/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "harness/stats/estimate/estimator.h"

namespace harness::offsets {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

// One kernel's times of one thing: a list a process.
struct Draws {
  std::vector<std::vector<double>> processes;

  void add(const std::vector<double>& times) {
    if (times.size() > 1) processes.push_back(times);
  }

  // Pooled: the root of the mean variance.
  [[nodiscard]] double sd_within() const {
    if (processes.empty()) return none;
    double sum = 0;
    for (const auto& times : processes) sum += std::pow(stats::standard_deviation(times), 2);
    return std::sqrt(sum / static_cast<double>(processes.size()));
  }

  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> found;
    for (const auto& times : processes) found.push_back(stats::mean(times));
    return found;
  }

  [[nodiscard]] double sd_of_means() const { return stats::standard_deviation(means()); }

  // As if each process had drawn but once.
  [[nodiscard]] std::vector<double> firsts() const {
    std::vector<double> found;
    for (const auto& times : processes) found.push_back(times.front());
    return found;
  }
};

struct Drawn {
  std::string name;
  Draws empty, gelu;
  std::vector<double> cost_ms;
  std::string missing;
};

// By thing, in the order in which they came.
std::vector<Drawn> by_thing(const std::vector<Findings>& processes) {
  std::vector<Drawn> things;
  for (const Findings& process : processes)
    for (const Row& row : process.rows) {
      auto thing = std::find_if(things.begin(), things.end(),
                                [&](const Drawn& known) { return known.name == row.drawn; });
      if (thing == things.end()) thing = things.insert(things.end(), Drawn{row.drawn, {}, {}, {}, {}});
      thing->empty.add(row.empty_ns);
      thing->gelu.add(row.gelu_ns);
      thing->cost_ms.insert(thing->cost_ms.end(), row.cost_ms.begin(), row.cost_ms.end());
      if (!row.missing.empty()) thing->missing = row.missing;
    }
  return things;
}

std::string row_of(const Drawn& thing) {
  if (!thing.missing.empty())
    return fmt::format("| {} | - | - | - | - | - | {} |\n", thing.name, thing.missing);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", thing.name, thing.empty.processes.size(),
                     number(thing.empty.sd_within(), 0), number(thing.gelu.sd_within(), 0),
                     number(thing.empty.sd_of_means(), 0), number(thing.gelu.sd_of_means(), 0),
                     number(stats::mean(thing.cost_ms), 3));
}

std::string row_of_processes(const Drawn& nothing, const std::vector<Findings>& processes) {
  std::vector<double> starts;
  for (const Findings& process : processes) starts.push_back(process.start_ms);
  return fmt::format("| processes | {} | {} | {} | - | - | {} |\n", processes.size(),
                     number(stats::standard_deviation(nothing.empty.firsts()), 0),
                     number(stats::standard_deviation(nothing.gelu.firsts()), 0),
                     number(stats::mean(starts), 0));
}

std::string table_of_draws(const std::vector<Findings>& processes) {
  std::string text =
      "| drawn anew | processes | empty: sd, ns | gelu: sd, ns | empty: sd of process means, ns | "
      "gelu: sd of process means, ns | one costs, ms |\n|---|---|---|---|---|---|---|\n";
  const std::vector<Drawn> things = by_thing(processes);
  for (const Drawn& thing : things) text += row_of(thing);
  const auto nothing = std::find_if(things.begin(), things.end(),
                                    [](const Drawn& thing) { return thing.name == nothing_drawn; });
  if (nothing == things.end()) return text;
  text += row_of_processes(*nothing, processes);
  return text +
         "\n`sd` is that of the drawings within a process, pooled over the processes; a process mean is that "
         "of one process's drawings.\n" +
         fmt::format(
             "With nothing drawn anew, an empty kernel reads {} ns and a GELU of 8 Mi halves {} ns.\n",
             number(stats::mean(nothing->empty.means()), 0), number(stats::mean(nothing->gelu.means()), 0));
}

std::string table_of_walls(const Findings& process) {
  if (process.walls.empty()) return "";
  std::string text =
      "\n| next flush queued | empty: us a sample | gelu: us a sample | empty: ns | gelu: ns |\n"
      "|---|---|---|---|---|\n";
  for (const Wall& wall : process.walls)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", wall.flushed, number(wall.empty_wall_us, 1),
                        number(wall.gelu_wall_us, 1), number(wall.empty_ns, 0), number(wall.gelu_ns, 0));
  return text + fmt::format("\nA flush takes {} us.\n", number(process.flush_us, 1));
}

std::string table_of_idling(const Findings& process) {
  if (process.idling.empty()) return "";
  std::string text =
      "\n| idle before, ms | copy of 64 MiB: first sample, us | median of ten, us | SM clock, GHz |\n"
      "|---|---|---|---|\n";
  for (const Idling& idling : process.idling)
    text += fmt::format("| {} | {} | {} | {} |\n", number(idling.idle_ms, 0), number(idling.first_us, 2),
                        number(idling.median_us, 2), number(idling.clock_ghz, 3));
  return text + "\nMedians of five times; before each the device was kept busy for 20 ms.\n";
}

}  // namespace

std::string markdown(const std::vector<Findings>& processes) {
  if (processes.empty()) return "";
  std::string text = fmt::format("{}; event times, cold, behind the gate.\n\n", processes.front().device) +
                     table_of_draws(processes);
  for (const Findings& process : processes) text += table_of_walls(process) + table_of_idling(process);
  return text;
}

std::string failures(const std::vector<Findings>& processes) {
  std::string text;
  for (std::size_t i = 0; i < processes.size(); ++i)
    for (const Row& row : processes[i].rows)
      if (!row.failed.empty()) text += fmt::format("process {}, {}: {}\n", i, row.drawn, row.failed);
  return text;
}

}  // namespace harness::offsets

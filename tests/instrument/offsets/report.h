// The results of one process, as they go through a pipe to the program that started it; and the tables of all
// of them. Plain data and pure functions; no GPU is needed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace harness::offsets {

// One thing drawn anew several times: a trimmed mean of event times and a cost each.
struct Row {
  std::string drawn;
  std::vector<double> empty_ns, gelu_ns;
  std::vector<double> cost_ms;  // of making it, with what it needs, until its first launches have ended
  std::string missing;          // why this driver cannot draw it, or ""
  std::string failed;           // what went wrong, or ""
};

// Samples whose next flush was queued at one time or the other.
struct Wall {
  std::string flushed;
  double empty_wall_us = 0, gelu_wall_us = 0;  // from sample to sample
  double empty_ns = 0, gelu_ns = 0;            // event times
};

// Times after the device had been busy and then idle, medians over several times.
struct Idling {
  double idle_ms = 0;
  double first_us = 0;   // the first sample of the copy
  double median_us = 0;  // of the first ten
  double clock_ghz = 0;
};

// The results of a process; a part that was not asked for is empty.
struct Findings {
  std::string device;
  double start_ms = 0;  // from its start until its first launches had ended
  std::vector<Row> rows;
  std::vector<Wall> walls;
  double flush_us = 0;
  std::vector<Idling> idling;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Row, drawn, empty_ns, gelu_ns, cost_ms, missing, failed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Wall, flushed, empty_wall_us, gelu_wall_us, empty_ns, gelu_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Idling, idle_ms, first_us, median_us, clock_ghz)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Findings, device, start_ms, rows, walls, flush_us, idling)

// The first row of each process: the same subject timed again. Its first drawing stands for the process.
inline constexpr const char* nothing_drawn = "nothing";

// Three tables and their captions in Markdown.
std::string markdown(const std::vector<Findings>& processes);

// One line a failure, "" without any.
std::string failures(const std::vector<Findings>& processes);

}  // namespace harness::offsets

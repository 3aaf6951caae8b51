// History table: what a history says, whatever the medium. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/model/case_trend.h"
#include "harness/report/grid.h"

namespace harness::report {

struct HistoryFinding {
  std::string series;  // "gelu/mode=hot, gpu_time"
  bool worse = false;
  std::vector<std::string> lines;
};

struct HistoryTable {
  std::string headline;  // "2 of 18 series got worse since their anchor"
  bool worse = false;
  std::vector<std::pair<std::string, std::string>> facts;
  Grid grid;
  std::vector<std::string> legend;
  std::vector<HistoryFinding> findings;  // those that got worse first
  std::vector<std::string> notes;
};

HistoryTable describe_history(const HistoryReport& history, std::size_t spark_columns, bool unicode);

}  // namespace harness::report

// The data of the interactive page of a history: packed texts (packed.h) with dots between them. The first
// tells every series in a line. Each other one holds the points of some series, which the page unpacks when
// one of them is opened. page/src/history_data.ts describes them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/model/document.h"
#include "harness/model/results/case_trend.h"
#include "harness/report/history_extras.h"

namespace harness::report {

// The words of a history, as its document has them.
struct HistoryWords {
  std::string headline;
  Paint tone = Paint::plain;
  NamedTexts facts = {};
  std::vector<std::string> notes = {};   // on records that were passed over
  std::vector<std::string> alerts = {};  // those of history.alerts
  std::function<Cell(const Trend&)> brief;
  std::function<std::vector<std::string>(const Trend&)> told;
};

// Bytes of a history's page, which opens fast at any size: it unpacks what somebody opens.
inline constexpr std::size_t largest_history = 16'000'000;

// Series that got worse come first, then those that changed. Where `room` bytes are full, the last have no
// points.
std::string history_page(const HistoryReport& history, const HistoryExtras& extras, const HistoryWords& words,
                         std::size_t room);

}  // namespace harness::report

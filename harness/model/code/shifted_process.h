// Processes that measured a case with its device code at another place. Their numbers tell the place: shift
// 3, turn 2 is 10003002. confirms() holds for them, too, because they measured a result again.
#pragma once

#include <algorithm>
#include <utility>

#include "harness/model/record.h"

namespace harness {

// A shift of n moves each function by n instructions and a branch. On the H200 that was measured only n
// modulo 8 counts (measured/alignment-h200.md), so that these shifts are all places that are known.
inline constexpr int code_places = 8;

// No kernel is known that moves by more. measured/alignment-h200.md: 2.84 %, in a repetition 2.76 %.
inline constexpr double most_by_place = 0.03;

inline constexpr int first_shifted_process = 10 * last_plain_process;

constexpr bool is_shifted(int process) {
  return process >= first_shifted_process;
}

// From 0; of a process that is_shifted().
constexpr int shift_of(int process) {
  return (process - first_shifted_process) / most_processes;
}

// `turn` is counted from 1 at each place.
constexpr int shifted_process(int shift, int turn) {
  return first_shifted_process + shift * most_processes + turn;
}

// Whether the process tells which code its launches run. The run's first one does for all that load the same;
// where the code was shifted, times count for the code that ran.
constexpr bool tells_code(int process) {
  return process <= 1 || is_shifted(process);
}

inline bool has_shifted(const CaseRecord& one) {
  return std::any_of(one.processes.begin(), one.processes.end(),
                     [](const ProcessResult& result) { return is_shifted(result.process); });
}

inline bool has_shifted(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(),
                     [](const CaseRecord& one) { return has_shifted(one); });
}

// The record without them: it says how the code is where it lies.
inline Record without_shifted(Record record) {
  for (CaseRecord& one : record.cases) {
    if (!has_shifted(one)) continue;
    std::erase_if(one.processes, [](const ProcessResult& result) { return is_shifted(result.process); });
    for (Series& series : one.series)
      std::erase_if(series.processes,
                    [](const ProcessSamples& samples) { return is_shifted(samples.process); });
    std::erase_if(one.series, [](const Series& series) { return series.processes.empty(); });
  }
  return record;
}

}  // namespace harness

// Exit statuses, and how an Error becomes one. `run` and `compare` share them:
//
//   0 no regression               4 baseline missing or not comparable
//   1 regressed                   5 a case failed or computed a wrong result
//   2 usage or configuration     75 the store is away: the same command may work later
//   3 inconclusive             130 interrupted
#pragma once

#include <vector>

#include "harness/base/result.h"

namespace harness {

inline constexpr int exit_ok = 0;
inline constexpr int exit_regressed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_inconclusive = 3;
inline constexpr int exit_missing = 4;
inline constexpr int exit_failed = 5;
inline constexpr int exit_away = 75;  // EX_TEMPFAIL of sysexits.h
inline constexpr int exit_interrupted = 130;

// The exit status of a command whose parts end with these: interrupted before usage, away, failed,
// regressed, missing, inconclusive and ok.
int worst_status(int one, int other);

// Prints the error, with its advice, to standard error and returns its exit status.
int report_error(const Error& error);
int report_errors(const std::vector<Error>& errors);

}  // namespace harness

// CiView: what a CI shows result by result. JUnit draws the cases, GitHub the alarms. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/document.h"

namespace harness::report {

enum class CiState { passed, skipped, failure, error };

enum class Alarm { none, notice, warning, error };

struct CiCase {
  std::string name;
  Location where = {};
  CiState state = CiState::passed;
  std::string code = {};               // the verdict or outcome: "regressed"
  std::string message = {};            // one line
  std::string body = {};               // of a failure or an error: all that there is to say
  std::string output = {};             // the numbers
  std::optional<double> seconds = {};  // of one call
  Alarm alarm = Alarm::none;
  std::string label = {};        // in front of the name in the title of the alarm: "regressed +4 %"
  std::string explanation = {};  // the message of the alarm
};

// An alarm about the whole report.
struct CiAlert {
  Alarm alarm = Alarm::notice;
  std::string title;
  std::string message = {};
};

struct CiView {
  std::string suite = {};          // that the cases belong to
  std::string suite_file = {};     // where alarms about the whole are shown
  std::string started = {};        // UTC, "2026-11-20T05:40:00Z"
  NamedTexts properties = {};      // for programs; the facts of the document follow them
  std::vector<CiCase> cases = {};  // the worst first
  std::vector<CiAlert> alerts = {};
  std::vector<std::string> output = {};  // told between the headline and the meaning of the exit code
};

}  // namespace harness::report

// One start of a program, from its first instruction to its end. Nothing that it started lives longer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/base/process.h"
#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/device/observe/seen_files.h"
#include "harness/model/record.h"

namespace harness {

struct ProgramStart {
  Command command;
  bool keep_output = false;  // what it prints to standard output
  Seconds timeout = 60;
  SeenFiles* seen = nullptr;  // where it is to be observed; it tells why where it is not
};

struct ProgramEnd {
  Exit exit;
  bool timed_out = false;
  bool interrupted = false;  // by the user
  Seconds began = 0;         // Unix time
  Seconds wall = 0;
  std::string output = {};            // where it is kept
  std::optional<HostLoad> load = {};  // of the host meanwhile, without the program's own
  std::string printed = {};           // the last lines of it and of standard error, safe to show, or ""
};

// Calls `tick` several times a second. The error is "could not be started".
using StartProgram =
    std::function<Result<ProgramEnd>(const ProgramStart&, const std::function<void()>& tick)>;

// Its process group is killed at the timeout, and when the user wants to stop.
Result<ProgramEnd> start_program(const ProgramStart& start, const std::function<void()>& tick);

}  // namespace harness

// The worker's side of a run: a fresh process that measures every case of a job once. It writes one message a
// line to file descriptor 3. README.md of harness/measure describes the protocol. `harness worker` runs it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/case/measure_case.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

// A worker's job: one JSON document on its standard input.
struct Job {
  std::string device;                // as open_device() takes it
  int process = 1;                   // number of this process, from 1; 0: it looks
  std::vector<std::string> modules;  // plugins to load
  std::vector<PlannedCase> cases;    // in the order to measure them
  bool measure_ceilings = false;
  bool look = false;                      // at launches, and measure nothing
  bool counters = false;                  // with `look`: at hardware counters instead
  std::string device_uuid = {};           // for the results, where processes take turns on several devices
  std::string suite = {};                 // its name, for timelines
  std::string key = {};                   // of its messages (message_seal.h); "": they are not sealed
  int audit_draw = 0;                     // see Audit::chosen(); 0: each process is audited
  std::vector<std::string> peers = {};    // further devices, which the cases use at once
  std::optional<PairedBuilds> pair = {};  // load these instead of `modules` and measure both
};
std::string encode(const Job& job);
Result<Job> decode_job(std::string_view document);

// Lines that a worker sends.
struct Hello {  // first: the device is open
  std::string device;
  Machine machine;
};
struct Begin {  // a case starts: from here a crash or a hang is its fault
  std::string case_id;
};
struct Refusal {  // the device cannot be used at all; nothing follows
  std::string reason;
};
struct Done {};  // last: every case was measured
using Message = std::variant<Hello, Begin, ProcessResult, PairResult, Refusal, Done>;
// One line: the kind of message, a space, and its content as JSON. The content of a result is encode() of the
// result, so that the parent can keep this text as it is.
std::string encode(const Message& message);
Result<Message> decode_message(std::string_view line);
// The JSON texts in a line: one, two of a pair, none of `done`.
std::vector<std::string_view> payloads_of(std::string_view line);

// A line of a worker's log between the output of one case and the next: a crash quotes its own case's.
inline constexpr std::string_view case_separator = "\x1e";

// Reads a job from standard input, runs it, writes messages to fd 3. Returns the exit status.
int run_worker();

}  // namespace harness

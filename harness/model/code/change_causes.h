// Why the time of a result changed: the causes that both records, and both builds where they are here, tell.
// They explain a verdict and decide nothing. verdict/cause/ finds them, report/words/change/ tells them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/code/code_sides.h"
#include "harness/model/fact.h"
#include "harness/model/record.h"

namespace harness {

// A hardware counter of one call. It explains, and decides nothing.
struct CounterReading {
  std::string name;  // "dram__bytes_read.sum"
  std::string unit;  // "bytes"; "" when unknown
  double value = 0;
};

// `kernel`: its name. `baseline`, `current`: the values of the sides. `caller_kernel`, `caller_range`,
// `caller_python`, `caller_host`: where a traced program launches a kernel (Caller in model/record.h).
enum class ChangeCauseCode {
  // of the whole case
  clock,            // baseline, current: GHz; share: of the change
  memory_clock,     // baseline, current: MHz; share
  choice,           // baseline, current: of the variant's algorithm
  tuned,            // baseline, current: pinned values
  inputs,           // bytes: that a traced program takes from the host, and that differ
  library,          // library, baseline, current: versions; [kernel]
  driver,           // field, baseline, current
  compiler,         // field, baseline, current
  settings,         // field, baseline, current: of the machine
  host_code,        // the machine code of a variant on the CPU differs
  outside_kernels,  // kernels_before, kernels_after, before, after: us a call
  // of its kernels
  kernels,        // added, removed: "a, b"
  launches,       // kernel, baseline, current: a call
  launch_shape,   // kernel, [grid_baseline, grid_current], [block_baseline, block_current], [shared_...]
  local_memory,   // kernel, baseline, current: bytes a thread; [loads_baseline, loads_current]
  occupancy,      // kernel, baseline, current: blocks a multiprocessor; limit: what holds them down;
                  // limit_baseline, limit_current: its figures
  memory_access,  // kernel, how: "width", "shared", "asynchronous", "count" or "share"; baseline, current
  unrolling,  // kernel, baseline, current: instructions of its innermost loops; work_baseline, work_current
  instructions,  // kernel, class, or classes where none leads; baseline, current; [a_round: 1]
  machine_code,  // kernel; [different: instructions that differ, where both builds are here]
  arguments,     // kernel
  moved,         // from, to: kernels; less, more: us a call that each takes
  counters,      // [name1, unit1, baseline1, current1, ... of three that moved most]
  // nothing
  none_found,  // equal: "code, launches"; unknown: "", or what nobody knows
  not_known,   // unknown: what would have to be known
};
template <>
inline constexpr auto enum_names<ChangeCauseCode> =
    names<ChangeCauseCode>({{ChangeCauseCode::clock, "clock"},
                            {ChangeCauseCode::memory_clock, "memory_clock"},
                            {ChangeCauseCode::choice, "choice"},
                            {ChangeCauseCode::tuned, "tuned"},
                            {ChangeCauseCode::inputs, "inputs"},
                            {ChangeCauseCode::library, "library"},
                            {ChangeCauseCode::driver, "driver"},
                            {ChangeCauseCode::compiler, "compiler"},
                            {ChangeCauseCode::settings, "settings"},
                            {ChangeCauseCode::host_code, "host_code"},
                            {ChangeCauseCode::outside_kernels, "outside_kernels"},
                            {ChangeCauseCode::kernels, "kernels"},
                            {ChangeCauseCode::launches, "launches"},
                            {ChangeCauseCode::launch_shape, "launch_shape"},
                            {ChangeCauseCode::local_memory, "local_memory"},
                            {ChangeCauseCode::occupancy, "occupancy"},
                            {ChangeCauseCode::memory_access, "memory_access"},
                            {ChangeCauseCode::unrolling, "unrolling"},
                            {ChangeCauseCode::instructions, "instructions"},
                            {ChangeCauseCode::machine_code, "machine_code"},
                            {ChangeCauseCode::arguments, "arguments"},
                            {ChangeCauseCode::moved, "moved"},
                            {ChangeCauseCode::counters, "counters"},
                            {ChangeCauseCode::none_found, "none_found"},
                            {ChangeCauseCode::not_known, "not_known"}});

using ChangeCause = Fact<ChangeCauseCode>;

// One kernel of a call in both records; absent on the side that does not launch it.
struct KernelSides {
  std::optional<KernelUse> baseline = {};
  std::optional<KernelUse> current = {};

  bool operator==(const KernelSides&) const = default;
};

// A field of the machine that differs.
struct DifferingField {
  std::string name;
  std::string baseline;
  std::string current;

  bool operator==(const DifferingField&) const = default;
};

// All that the records tell of a row whose time changed.
struct CauseEvidence {
  double change = 0;                             // log of current over baseline; positive is slower
  double us_baseline = 0, us_current = 0;        // of a call, where the metric is a time in us; 0: it is not
  double clock_baseline = 0, clock_current = 0;  // GHz; 0: not known
  double memory_clock_baseline = 0, memory_clock_current = 0;  // MHz; 0: not known
  std::string compute_capability = {};                         // of the current side: "9.0"
  int multiprocessors = 0;                                     // 0: not known
  bool on_cpu = false;
  bool looked = false;          // the launches of both sides were read
  bool other_launches = false;  // and differ in some way
  std::string choice_baseline = {}, choice_current = {};
  std::string tuned_baseline = {}, tuned_current = {};
  std::optional<bool> inputs_differ = {};
  std::int64_t input_bytes = 0;  // that differ
  std::vector<DifferingField> fields = {};
  bool times_known = false;  // of the kernels
  std::vector<KernelSides> kernels = {};
  std::vector<CounterReading> counters_baseline = {}, counters_current = {};

  bool operator==(const CauseEvidence&) const = default;
};

struct ChangeCauses {
  std::vector<ChangeCause> found = {};  // the first is the likeliest; never empty
  std::vector<CodeSides> code = {};     // of kernels that differ, where both builds are here
  CauseEvidence evidence = {};

  bool operator==(const ChangeCauses&) const = default;
};

}  // namespace harness

// Differences between the code of two builds, and the results that these can change: facts of
// `harness affected`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/schema/enum_names.h"

namespace harness {

// Kinds of instructions, by the unit that carries them out or what they do.
enum class InstructionClass {
  tensor,    // products of tiles
  fp64,      // arithmetic in 64 bit
  fp32,      // in 32 bit
  fp16,      // in 16 bit
  special,   // roots, exponentials, conversions
  integer,   // integers, addresses, bits, moves and comparisons
  global,    // loads and stores of global memory, also asynchronous
  shared,    // of shared memory
  local,     // of local memory: a stack, or registers that were spilled
  constant,  // loads of constants
  atomic,    // and reductions in memory
  exchange,  // between the threads of a warp
  barrier,   // and fences
  control,   // branches, calls, exits
  other,     // all that the table does not know
};
template <>
inline constexpr auto enum_names<InstructionClass> =
    names<InstructionClass>({{InstructionClass::tensor, "tensor"},
                             {InstructionClass::fp64, "fp64"},
                             {InstructionClass::fp32, "fp32"},
                             {InstructionClass::fp16, "fp16"},
                             {InstructionClass::special, "special"},
                             {InstructionClass::integer, "integer"},
                             {InstructionClass::global, "global"},
                             {InstructionClass::shared, "shared"},
                             {InstructionClass::local, "local"},
                             {InstructionClass::constant, "constant"},
                             {InstructionClass::atomic, "atomic"},
                             {InstructionClass::exchange, "exchange"},
                             {InstructionClass::barrier, "barrier"},
                             {InstructionClass::control, "control"},
                             {InstructionClass::other, "other"}});
inline constexpr std::size_t instruction_classes = static_cast<std::size_t>(InstructionClass::other) + 1;

// Figures of one kernel's machine code, 0 where the image does not tell.
struct KernelFigures {
  std::int64_t registers = 0;       // a thread
  std::int64_t stack_bytes = 0;     // a thread; spilled registers are part of it
  std::int64_t shared_bytes = 0;    // static, a block
  std::int64_t constant_bytes = 0;  // without parameters
  std::int64_t instructions = 0;    // without padding
  std::array<std::int64_t, instruction_classes> by_class = {};

  bool operator==(const KernelFigures&) const = default;
};

enum class CodeState {
  same,
  changed,       // its own instructions, constants, or attributes such as registers
  surroundings,  // only variables of its image, or functions that it may call
  added,
  removed,
};
template <>
inline constexpr auto enum_names<CodeState> = names<CodeState>({{CodeState::same, "same"},
                                                                {CodeState::changed, "changed"},
                                                                {CodeState::surroundings, "surroundings"},
                                                                {CodeState::added, "added"},
                                                                {CodeState::removed, "removed"}});

// One kernel of one architecture in both builds.
struct KernelCodeChange {
  std::string file;          // as seen from the build's folder
  std::string architecture;  // "sm_90a"
  std::string mangled;       // without hashes of files
  std::string name;          // demangled
  CodeState state = CodeState::same;
  KernelFigures before = {};  // of an added kernel all 0
  KernelFigures after = {};

  bool operator==(const KernelCodeChange&) const = default;
};

// Why a result can change, or cannot.
enum class ChangeReason {
  nothing,          // cannot: nothing that it executes differs
  kernel,           // names: kernels that differ
  kernel_steers,    // names: kernels of the same process that differ; what they compute may steer others
  host_code,        // names: functions of the host that differ, as far as they have names
  common_host,      // names: such functions that all results of the file use
  host_file,        // file: differs, and nothing tells which results use what differs
  library,          // file: a library that it needs differs
  library_missing,  // file: a library that it needs is not here, so nobody knows
  opens_libraries,  // file: it opens libraries at run time
  driver_compiles,  // names: architectures whose code a driver compiles from PTX that differs
  link_time_code,   // file: holds code for a linker at run time
  unknown_image,    // file: holds an image of device code that cannot be read
  file_missing,     // file: one build lacks it
  script,           // file: is run by an interpreter
  unknown_file,     // file: it is not known which file holds the case
  other_command,    // the program's command names no file of the builds
  device,           // the results of this kind of device need all of the file equal
};
template <>
inline constexpr auto enum_names<ChangeReason> =
    names<ChangeReason>({{ChangeReason::nothing, "nothing"},
                         {ChangeReason::kernel, "kernel"},
                         {ChangeReason::kernel_steers, "kernel_steers"},
                         {ChangeReason::host_code, "host_code"},
                         {ChangeReason::common_host, "common_host"},
                         {ChangeReason::host_file, "host_file"},
                         {ChangeReason::library, "library"},
                         {ChangeReason::library_missing, "library_missing"},
                         {ChangeReason::opens_libraries, "opens_libraries"},
                         {ChangeReason::driver_compiles, "driver_compiles"},
                         {ChangeReason::link_time_code, "link_time_code"},
                         {ChangeReason::unknown_image, "unknown_image"},
                         {ChangeReason::file_missing, "file_missing"},
                         {ChangeReason::script, "script"},
                         {ChangeReason::unknown_file, "unknown_file"},
                         {ChangeReason::other_command, "other_command"},
                         {ChangeReason::device, "device"}});

struct CaseChange {
  std::string suite;
  std::string id;
  bool can_change = true;
  ChangeReason reason = ChangeReason::nothing;
  std::string file = {};                // that the reason is about, or ""
  std::vector<std::string> names = {};  // likewise

  bool operator==(const CaseChange&) const = default;
};

struct CodeChangeReport {
  std::string baseline;  // as the user named them
  std::string current;
  std::vector<std::string> files = {};         // that were compared, as seen from the builds' folders
  std::vector<KernelCodeChange> kernels = {};  // of all files, those that are the same too
  std::vector<CaseChange> cases = {};          // of the records
  std::vector<std::string> records = {};       // that the cases are of: "matmul (3f2a1b0c9d)"

  bool operator==(const CodeChangeReport&) const = default;
};

inline std::size_t changeable(const CodeChangeReport& report) {
  return static_cast<std::size_t>(std::count_if(report.cases.begin(), report.cases.end(),
                                                [](const CaseChange& one) { return one.can_change; }));
}
// Whether some case can; without cases, whether some kernel differs.
inline bool can_change_any(const CodeChangeReport& report) {
  return changeable(report) > 0 ||
         (report.cases.empty() &&
          std::any_of(report.kernels.begin(), report.kernels.end(),
                      [](const KernelCodeChange& one) { return one.state != CodeState::same; }));
}

}  // namespace harness

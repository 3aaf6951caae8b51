// Identity of a call: a digest of everything that a call asks of a GPU, free of addresses. So it is the same
// in every process that does the same. Pure.
//
// - Each launch counts with its machine code and its surroundings (cubin.h), name, grid, block, shared
//   memory, registers, attributes, arguments and stream.
// - Each copy and fill counts with its size, kind, value and content from the host.
// - Events and waits between them count, and the order of all.
// - An address counts as the number of its allocation, in the order of first use, its size, and an offset.
//   Streams and events are numbered likewise. Other words count as they are.
// - The state that a call finds counts: earlier work (constructing, binding, the first call) on memory that
//   the call uses. So do copies and fills of earlier cases to memory that was not their own. They count where
//   the case gets the address of that memory. They also count where both cases launch kernels of one module,
//   which may have a variable there.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/device/code/driver_call.h"
#include "harness/model/record.h"

namespace harness {

// The facts that a digest needs beside the calls.
struct CallSurroundings {
  std::vector<AddressRange> buffers;  // the harness' own, with contents that are known
  std::uint64_t context = 0;          // of the device at hand
  std::uint64_t stream = 0;           // that the call is given
  // The hash of a kernel's machine code and all that it can read (CodeBook::whole_hash()); "": unknown.
  std::function<std::string(const DriverCall&)> code;
  std::vector<AddressRange> host_memory;                    // of this process, as far as it can be read
  bool device_reads_host = false;                           // any of it, without being told
  std::vector<std::pair<std::string, std::int64_t>> state;  // of the context: its limits
};

// A gap says what is missing; then there is no digest. Two successive calls that differ are a gap, too,
// because the samples would be of neither.
//
// A word that is a host address counts as such, whatever its value, when the device cannot read there. A
// library may leave the address of a scalar in an argument that its kernel never uses.
Identity identity_of(const CallHistory& history, const CallSurroundings& surroundings);

// The text that the digest is of, for people: a line for each call.
std::string identity_text(const CallHistory& history, const CallSurroundings& surroundings);

// The calls of the case at hand.
std::array<const std::vector<DriverCall>*, 3> calls_of(const CallHistory& history);

// Handles of the modules and libraries whose kernels the case launches. 0 is among them where nobody knows
// that of a kernel, or which kernels a launch was of.
std::set<std::uint64_t> launched_modules(const CallHistory& history);

// How many kernels, copies and fills the device is to carry out.
std::int64_t launches_in(const std::vector<DriverCall>& calls);

}  // namespace harness

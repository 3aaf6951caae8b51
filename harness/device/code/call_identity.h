// Identity of a call: a digest of everything that a call asks of a GPU, free of addresses, so that it is the
// same in every process that does the same. Pure.
//
// Each launch counts with its machine code and what surrounds it (cubin.h), name, grid, block, shared memory,
// registers, attributes, arguments and stream. Each copy and fill counts with its size, kind, value, and the
// content that comes from the host. Events and waits between them count, too, all in the order of the calls.
// Addresses become the number of an allocation, in the order of first use, its size, and an offset; streams
// and events become numbers likewise; other words count as they are.
//
// The state that a call finds counts, too: of what happened before it (constructing, binding, the first
// call), all that touches memory which the call uses.
#pragma once

#include <functional>
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

// A gap says what is missing; then there is no digest. Two calls in a row that differ are a gap, too, because
// the samples would be of neither.
//
// A word that is an address of the host counts as such, whatever its value, when the device cannot read
// there: a library may leave the address of a scalar in an argument that its kernel never uses.
Identity identity_of(const CallHistory& history, const CallSurroundings& surroundings);

// The text that the digest is of, for people: a line for each call.
std::string identity_text(const CallHistory& history, const CallSurroundings& surroundings);

// How many kernels, copies and fills the device is to carry out.
std::int64_t launches_in(const std::vector<DriverCall>& calls);

}  // namespace harness

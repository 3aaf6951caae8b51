// The identity of a traced process' steps: a digest of everything that they asked of the GPUs, the same in
// every process that does the same. Pure.
#pragma once

#include "harness/device/trace/find_steps.h"
#include "harness/device/trace/trace_reader.h"
#include "harness/model/record.h"

namespace harness::trace {

// Covers all steps, in the order of the host's calls, also those until the time settles: so a process that
// settles later has the same digest. Each launch counts with its kernel's machine code, shape, settings,
// arguments and stream; each copy and fill with its size, kind and value. GPUs and driver count, too. Streams
// are numbered in the order of first use. Launches, fills and copies before the end of the last step that
// belong to none count likewise, but for copies to the host: they made what the steps work on.
//
// So do the calls that let one stream wait for another. Kernels of several streams may then run at the same
// time, as time will have it, which is no part of it.
//
// The gap says what is missing: code or arguments of a kernel, or what a graph does.
//
// The frame is the digest without the words of arguments. summarise_trace() has those, by kernel.
//
// The inputs are there where the process hashed what it copied from the host.
// Without `setup`.
Identity identity_of_steps(const ProcessTrace& trace, const FoundSteps& found);

// The number of the last call of the last step.
std::uint32_t last_call(const ProcessTrace& trace, const FoundSteps& found);

// The launches, copies and fills before the end of the last step that belong to none, but for copies to the
// host.
Step work_beside(const ProcessTrace& trace, const FoundSteps& found);

}  // namespace harness::trace

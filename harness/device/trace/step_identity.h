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
// are numbered in the order of first use.
//
// The gap says what is missing: code or arguments of a kernel, launches by graphs, or kernels of several
// streams at the same time. Contents of memory do not count.
//
// The frame is the digest without the words of arguments. summarise_trace() has those, by kernel.
Identity identity_of_steps(const ProcessTrace& trace, const FoundSteps& found);

}  // namespace harness::trace

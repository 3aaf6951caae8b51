// The meaning of a call that a process is about to make for the files that it finds.
#pragma once

#include <linux/seccomp.h>

#include "harness/device/observe/seen_files.h"

namespace harness {

// The process waits meanwhile, and its memory is read.
void take_call(const seccomp_data& call, pid_t process, SeenFiles& files);

}  // namespace harness

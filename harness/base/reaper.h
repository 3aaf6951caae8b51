// The process between this one and a child. It adopts each process that the child leaves behind, daemons too,
// and kills them all at the end of the child and on SIGTERM. Then it ends as the child did.
#pragma once

#include <sys/types.h>

namespace harness {

// Call it in a forked process, which never returns from it. It starts another one that calls `become(how)`,
// which must end in exec or _exit; it makes only async-signal-safe calls. `parent`: the process that forked,
// where all is to end with it, or 0.
[[noreturn]] void reap_child(pid_t parent, void (*become)(const void* how), const void* how);

}  // namespace harness

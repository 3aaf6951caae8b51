// The calls of the system that an observer has to see, and what each means for the files that a program
// reads.
#pragma once

#include <linux/filter.h>
#include <sched.h>

#include <optional>
#include <vector>

#include "harness/model/observed/file_gap.h"

namespace harness {

enum class FileCallKind {
  open,          // flags: O_...
  open_how,      // openat2: flags is a struct open_how
  creat,         // likewise with its own flags
  execute,       // flags: AT_...
  probe,         // flags: AT_...; it follows a last link
  probe_link,    // it does not
  list,          // folder: the descriptor
  truncate,      //
  make,          // the path must not be there
  remove,        //
  link,          // another path, with its folder, behind it; flags: AT_...
  rename,        // likewise; flags: RENAME_...
  connect,       // path: a sockaddr
  bind,          // likewise
  send_message,  // path: a msghdr
  clone,         // flags: CLONE_..., where they make a name space
  clone_how,     // clone3: path is a struct clone_args
  gap,           // nothing is known after it
};

struct FileCall {
  long number;
  const char* name;
  FileCallKind kind;
  // Numbers of arguments; -1: none. A path without a folder is relative to the working folder.
  int folder = -1;
  int path = -1;
  int flags = -1;
  FileGap gap = FileGap::call;
  // The call is seen only where this argument has one of these bits; -1: always.
  int only = -1;
  unsigned long bits = ~0UL;
  bool exact = false;  // the argument has exactly these bits, and none beyond 32
};

// Flags of clone and unshare that make a name space; the last is CLONE_NEWTIME.
inline constexpr unsigned long name_space_flags = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                                                  CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | 0x00000080;

const FileCall* find_file_call(long number);

// The filter that tells the observer of these calls, and of all of another architecture. Empty: this
// architecture has no such filter here.
std::vector<sock_filter> watching_filter();

// The architecture of the filter, as in seccomp_data.
unsigned filtered_architecture();

}  // namespace harness

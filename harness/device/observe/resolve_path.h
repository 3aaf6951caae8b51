// The meaning of a path to a process: all links followed, one component after the other, as the kernel does
// it.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>

namespace harness {

enum class LastLink { followed, kept };

struct ResolvedPath {
  std::string path;        // absolute, without links, `.` and `..`; the last component may not exist
  int error = 0;           // ENOENT, ENOTDIR, EACCES, ELOOP, ...: why there is nothing; 0: it is there
  bool of_kernel = false;  // below /proc or /sys, whose links are those of the process that asks
  struct stat about = {};  // where it is there and not the kernel's
};

// `path` is absolute. `process`: who asks; its /proc/self/cwd, root and descriptors are those of this
// process. This process has to have the same root and mounts.
ResolvedPath resolve_path(const std::string& path, LastLink last, pid_t process);

// The text of a symbolic link. "": there is none.
std::string link_text(const std::string& path);

// Whether a path is `folder` or below it.
bool is_below(const std::string& path, const std::string& folder);

}  // namespace harness

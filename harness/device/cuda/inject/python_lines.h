// PythonLines: the line of Python that a thread of a traced process executes. Most launches come while their
// thread has released the interpreter's lock, and waiting for it could block the program. faulthandler, a
// module of Python, writes a thread's frames when a signal comes, and needs no lock.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace harness::inject {

class PythonLines {
 public:
  // "train.py:41 in loss": of this thread. The innermost line outside of installed packages, else the
  // innermost one; "" where no Python runs here. Any thread may call it.
  std::string here();

 private:
  bool attach();

  std::mutex mutex_;                 // of the file
  std::atomic<bool> ready_ = false;  // a signal writes frames
  bool asked_ = false;               // for that; with mutex_ locked
  int signal_ = 0;
  int frames_ = -1;  // descriptor of a file in memory
};

// One of the frames that faulthandler writes, the innermost first: `  File "/a/train.py", line 41 in loss`.
// Files below `folder` lose it; of others two parts of the path are left.
std::string told_line(std::string_view frames, std::string_view folder);

}  // namespace harness::inject

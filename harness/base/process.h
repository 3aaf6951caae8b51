// Child processes: run one to its end and capture what it printed, or start one and talk to it
// through pipes. Descriptors are close-on-exec, so children never inherit each other's pipes.
// One thread owns a Child; nothing here is thread-safe.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace harness {

// Called in a started process just before it becomes the program, where only async-signal-safe calls are
// allowed. It returns 0, or the errno with which the start fails.
struct BeforeProgram {
  int (*call)(void* with) = nullptr;
  void* with = nullptr;
};

struct Command {
  std::vector<std::string> argv = {};
  std::filesystem::path folder = {};                    // working folder; empty: the parent's
  std::map<std::string, std::string> environment = {};  // added to the parent's
  bool trusted = true;            // false: the parent's environment without what environment::is_withheld
  bool dies_with_parent = false;  // of a Child: ended when the thread that started it ends, however that ends
  bool outlives_parent = false;  // of a Child: has no reaper, so a signal to all processes of a job spares it
  BeforeProgram before = {};
};

// The time and memory that a process used, with the children that it waited for.
struct Usage {
  Seconds user = 0;
  Seconds system = 0;
  double peak_bytes = 0;  // resident, of the largest of them; at least what the parent had when it forked
};

// How a process ended.
struct Exit {
  int code = 0;    // exit status, valid when signal == 0
  int signal = 0;  // the signal that killed it, or 0
  Usage used = {};
  [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
  [[nodiscard]] std::string text() const;  // "exit status 3", "killed by signal 9 (Killed)"
};

struct Output {
  Exit exit;
  std::string out;
  std::string err;
};

// Runs a command to its end with an empty standard input. The error is "could not be started"; a
// non-zero exit is a value, not an error.
Result<Output> run_command(const Command& command);

inline constexpr std::size_t longest_line = 256UL << 20;

// Why a message pipe gave no line.
enum class NoLine {
  closed,       // the child closed the pipe
  timeout,      // the deadline passed
  interrupted,  // by a signal to this process
  too_long,     // a line has more bytes than are read
  failed,       // the pipe cannot be read
};

// A child below a reaper (reaper.h), which ends all that it leaves behind, unless it outlives its parent. It
// has `input` (its fd 0) and `messages` (its fd 3) as pipes. Its standard output and error go to descriptors
// that the caller passes.
class Child {
 public:
  struct Streams {
    int out = -1;          // descriptor that becomes its standard output; -1: /dev/null
    int err = -1;          // the same for standard error; -1: the parent's
    bool messages = true;  // false: descriptor 3 is closed
  };
  static Result<Child> start(const Command& command, Streams streams);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // kills the group if it still runs

  // Writes all of `text` to its standard input, which stays open.
  Status send(std::string_view text);
  void end_input();  // closes it

  // The next whole line from its message pipe, or why there is none within `deadline`.
  tl::expected<std::string, NoLine> read_line(Seconds deadline, std::size_t longest = longest_line);

  void kill_group();  // and every other process that it started
  // Waits at most so long. False: it still runs. It is not reaped, so its group can still be killed.
  [[nodiscard]] bool has_ended(Seconds patience) const;
  Exit wait();
  [[nodiscard]] pid_t pid() const { return pid_; }  // of its reaper, if it has one

 private:
  Child() = default;
  void close_pipes();

  pid_t pid_ = -1;
  bool reaped_ = true;
  int input_ = -1;
  int messages_ = -1;
  std::string buffer_;
};

inline constexpr int message_descriptor = 3;

// Opens closed standard streams on /dev/null, so that no other file takes their numbers; writing to standard
// output still fails. A file beyond the size limit becomes a write error instead of a signal.
void prepare_process();

// The path of the running program.
std::filesystem::path this_program();

}  // namespace harness

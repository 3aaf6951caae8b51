// Leftovers: what the code of a case changed in its process beside memory of its own, and did not put back:
// handlers of signals, timers, protections and machine code of other files, memory for other processes, and
// threads that work on. Each of them can change what is measured next, or what this case's samples told. Only
// Linux tells them; what it does not tell is not compared. Threads that sleep are a pool's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/units.h"

namespace harness {

// The parts of a process that are compared.
struct ProcessState {
  static constexpr int signals = 65;  // from 1
  std::array<std::uintptr_t, signals> handlers = {};
  std::set<std::string> timers;                                    // that are set
  std::map<std::string, std::map<std::string, std::size_t>> maps;  // file -> "r-x" -> bytes
  std::map<std::string, std::size_t> patched;                      // file -> pages of code that were written
  std::map<std::string, std::string> tables;  // file -> hash of what it may only read once it is loaded
  int rounding = 0;                           // of floating-point numbers
  std::set<std::string> shared;               // files of /dev/shm that it has open
  std::set<int> threads;
};

struct Leftover {
  std::string what;  // as in CauseCode::left_behind
  std::string name;
};

class Leftovers {
 public:
  // `own`: files of modules, which may do with their own mappings as they like.
  explicit Leftovers(std::vector<std::string> own);

  // Looks for a difference from the state at the last call, or at construction. Waits for threads that spin
  // for a while after their work, at most `patience`, and not at all where the user's settings let threads
  // spin on. `end_own` ends the harness's own threads; it is called only where a thread works.
  std::optional<Leftover> look(const std::function<void()>& end_own = {}, Seconds patience = 0.5);

 private:
  [[nodiscard]] ProcessState read() const;
  [[nodiscard]] bool is_code_of_case(std::uintptr_t handler) const;

  std::vector<std::string> own_;
  bool threads_may_spin_;
  ProcessState before_;
};

}  // namespace harness

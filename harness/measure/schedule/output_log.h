// OutputLog: a file without a name that receives what a child process prints. Its end is quoted when the
// child fails. One thread owns it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness {

class OutputLog {
 public:
  // In the temporary folder. Every writer appends.
  static Result<OutputLog> open();

  OutputLog(OutputLog&& other) noexcept;
  OutputLog& operator=(OutputLog&& other) noexcept;
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;
  ~OutputLog();

  [[nodiscard]] int descriptor() const { return fd_; }
  // Forgets what was printed once it is more than 16 MiB.
  void limit();
  // The last bytes, at most so many.
  [[nodiscard]] std::string tail(std::size_t bytes) const;
  // The last lines of the last bytes in one line, safe to show, or "". `after`: only what follows the last
  // one of this text.
  [[nodiscard]] std::string last_lines(std::string_view after = {}) const;

 private:
  explicit OutputLog(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace harness

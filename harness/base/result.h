// Result and Error: how an expected failure travels.
//
// The Error says what is wrong, where (file, line, column of a text that a person wrote) and what to do. Code
// inside harness/ throws no exceptions for expected failures. The SDK may throw; the worker catches.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace harness {

// A place in a text file. Lines and columns count from 1; 0 means "not known".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const Location&) const = default;
};

// "file:12:3", "file:12", "file" or "".
std::string to_string(const Location& where);

// The kind of failure; cli/ maps it to the exit status.
enum class ErrorKind {
  usage,           // the command line, a suite, a policy or an imported file is wrong
  missing,         // something asked for does not exist: a baseline, a revision, a record
  not_comparable,  // two things exist but must not be compared
  environment,     // the machine: a file cannot be written, a process cannot be started
  away,            // a server or a file that another process holds: waiting may help
  internal,        // a bug of ours
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  // one sentence, no trailing newline
  Location where;
  std::string advice;  // what to do; may be empty

  // "file:line:column: error: message\n  advice: ..." for a terminal or a log.
  [[nodiscard]] std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

// For inputs that people write: everything that is wrong at once, in the order of the text.
template <class T>
using Checked = tl::expected<T, std::vector<Error>>;

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string advice = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(message), {}, std::move(advice)});
}

inline tl::unexpected<Error> fail(ErrorKind kind, Location where, std::string message,
                                  std::string advice = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(message), std::move(where), std::move(advice)});
}

// One error, where several could be told.
inline tl::unexpected<std::vector<Error>> fail_checked(Error error) {
  return tl::unexpected<std::vector<Error>>(std::vector<Error>{std::move(error)});
}

}  // namespace harness

// JUnit suite: the elements and attributes that Jenkins (junit-10.xsd) and GitLab both know, as plain data,
// and as XML. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"

namespace harness::report {

struct JunitCase {
  enum class Result { passed, skipped, failure, error };
  std::string name;
  std::string suite;  // what tools group by
  Location where = {};
  std::optional<double> seconds = {};  // of one call
  Result result = Result::passed;
  std::string type = {};     // the verdict or outcome
  std::string message = {};  // one line
  std::string body = {};     // of a failure or an error: all that there is to say
  std::string output = {};   // the numbers
};

struct JunitSuite {
  std::string name;
  std::string started;  // UTC, "2026-11-20T05:40:00Z"; left out unless it is one
  std::vector<std::pair<std::string, std::string>> properties = {};
  std::vector<JunitCase> cases = {};
  std::string output = {};
};

// The whole document, UTF-8. All text is untrusted: what XML cannot hold or readers would not see is made
// visible (see printable()), line by line.
std::string junit_text(const JunitSuite& suite);

}  // namespace harness::report

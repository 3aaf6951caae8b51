// A git repository in a temporary folder.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"

namespace harness {

class Repository {
 public:
  Repository() { git({"init", "--quiet", "-b", "main"}); }

  [[nodiscard]] std::string path() const { return folder_.path().string(); }

  // Runs git here; what it printed, trimmed.
  std::string git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "git");
    const auto output = run_command({arguments,
                                     folder_.path(),
                                     {{"GIT_CONFIG_GLOBAL", "/dev/null"},
                                      {"GIT_AUTHOR_NAME", "tester"},
                                      {"GIT_AUTHOR_EMAIL", "tester@example.org"},
                                      {"GIT_COMMITTER_NAME", "tester"},
                                      {"GIT_COMMITTER_EMAIL", "tester@example.org"}}});
    if (!output || !output->exit.ok()) throw std::runtime_error(output ? output->err : output.error().text());
    return std::string(trim(output->out));
  }

  void write(const std::string& file, std::string_view text) const {
    if (!write_file_atomically(folder_.path() / file, text)) throw std::runtime_error(file);
  }

  // Commits everything; the new commit.
  std::string commit(const std::string& message) {
    write("counter", std::to_string(++count_));
    git({"add", "--all"});
    git({"commit", "--quiet", "-m", message});
    return git({"rev-parse", "HEAD"});
  }

  [[nodiscard]] std::string shallow_clone(const std::string& to, const std::string& branch) const {
    git({"clone", "--quiet", "--depth", "1", "--branch", branch, "file://" + path(), to});
    return to;
  }

 private:
  TemporaryFolder folder_;
  int count_ = 0;
};

}  // namespace harness

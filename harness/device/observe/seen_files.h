// SeenFiles: all that a start of a program found in files, by the calls of all its processes, in order.
//
// The first find counts, before any change by the program: the content of a file that is opened, the kind of
// thing that is at a path, if any, and the names in a folder. Its own changes do not count: the same program
// makes the same of the same. A call that is not understood is a gap, and ends it.
//
// Not counted: times of files, random numbers, and the state of the machine in /proc and /sys (proof.h
// compares machines). One thread uses it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/device/observe/file_hash.h"
#include "harness/device/observe/resolve_path.h"
#include "harness/model/observed/file_gap.h"
#include "harness/model/record.h"

namespace harness {

struct ObservedPlaces {
  std::filesystem::path root;    // of the repository, absolute: names below it are relative to it
  std::filesystem::path output;  // of what the harness lets it write, which is called otherwise in each start
};

// By name, what counts beside files: the environment, settings of the suite, facts of the machine.
struct Surroundings {
  std::map<std::string, std::string> variables = {}, settings = {}, machine = {};
};

class SeenFiles {
 public:
  explicit SeenFiles(const ObservedPlaces& places, HashLimits limits = {});

  // The calls. Paths are absolute; `process` makes the call, which has not happened yet. Flags are the
  // call's.
  void open(const std::string& path, int flags, pid_t process);
  void execute(const std::string& path, pid_t process);
  void probe(const std::string& path, LastLink last, pid_t process);
  void list(const std::string& folder, pid_t process);
  void truncate(const std::string& path, pid_t process);
  void make(const std::string& path, pid_t process);
  void remove(const std::string& path, pid_t process);
  void link(const std::string& from, LastLink last, const std::string& to, pid_t process);
  void rename(const std::string& from, const std::string& to, unsigned flags, pid_t process);
  void connect(const std::string& path, pid_t process);  // to a local socket
  // The first one counts.
  void add_gap(FileGap gap, const std::string& name);
  // No start of it can be observed.
  void refuse(const std::string& problem);
  [[nodiscard]] bool has_gap() const { return gap_.has_value(); }

  // Whether the next start finds what this one found: false where it has filled a cache.
  [[nodiscard]] bool is_settled();

  // `words`: the command as the suite has it.
  [[nodiscard]] Identity identity(const std::vector<std::string>& words, const Surroundings& around) const;

 private:
  struct Content {
    std::string hash;
    struct stat about;
    bool whole;  // nothing of it is left out
  };

  [[nodiscard]] std::string name_of_path(const std::string& path) const;
  [[nodiscard]] bool is_left_out(const std::string& path) const;
  [[nodiscard]] bool is_made(const std::string& path);
  bool is_of_git(const std::string& path, pid_t process);
  void make_anew(const std::string& path);
  bool take_kernel_file(const ResolvedPath& found, bool unknown);
  void read(const ResolvedPath& found, pid_t process, bool executed);
  void take_probe(const ResolvedPath& found);
  [[nodiscard]] std::string state_of(const ResolvedPath& found) const;
  [[nodiscard]] std::string names_in(const std::string& folder, bool next) const;

  std::string root_, output_;
  std::vector<std::string> left_out_;  // folders: those of git, of this repository
  HashLimits limits_;
  std::map<std::string, Content> contents_;    // by path, as the following
  std::map<std::string, std::string> states_;  // of paths that it looked at
  std::set<std::string> missed_;               // that it looked at in vain, and made then
  std::map<std::string, std::string> lists_;   // hashes of the names in folders
  struct Made {
    std::optional<struct stat> before = {};  // of what it empties, moves or removes
    bool seen = false;                       // that it is there
  };
  static bool took_effect(const std::string& path, Made& made);

  std::string program_;  // the first one
  std::map<std::string, Made> made_;
  std::optional<Cause> gap_;
};

}  // namespace harness

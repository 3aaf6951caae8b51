// Files of one import become one record: which of them hold processes of one thing, and what its cases are
// called.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/adapters/tool_file.h"

namespace harness {

// The seconds of "2026-11-20T05:40:00", of whatever zone: files of one host are written by one clock. nullopt
// for another text.
std::optional<double> seconds_of_date(const std::string& date);

struct NamedSession {
  std::string name;
  std::string files;  // wildcards
};

struct MergeOptions {
  std::vector<NamedSession> sessions = {};  // a file belongs to the first that matches its path
  Texts may_differ = {};                    // keys: names of what may differ between files of one case
};

class MergedFiles {
 public:
  explicit MergedFiles(MergeOptions options) : options_(std::move(options)) {}

  // Adds the processes of a file, numbered on from those before. An error where it holds something else than
  // further processes of a case, a host or a day that no session names, or samples that came before.
  Status add(ToolFile read, const std::string& file);

  // The record, with ids, without what its importer knows.
  Result<Record> take() &&;

 private:
  struct Source {
    std::string file;
    Texts same;
    std::string host, date;
    int session = 0;
    int last_process = 0;
  };
  struct Known {
    std::size_t place = 0;   // in cases_
    std::size_t source = 0;  // the file that had it first
  };

  Result<int> session_of(const std::string& file, const ToolFile& read) const;
  [[nodiscard]] Status check_alike(const CaseRecord& known, const Source& first, const CaseRecord& added,
                                   const Source& now) const;
  [[nodiscard]] Status check_machine(const Machine& machine, const std::string& file) const;
  // That a process is of.
  [[nodiscard]] const std::string& file_of(int process) const;
  Status add_cases(std::vector<CaseRecord> cases, const Source& now);
  void add_machine(Machine machine);

  MergeOptions options_;
  std::vector<Source> sources_;
  std::vector<CaseRecord> cases_;
  std::unordered_map<std::string, Known> index_;
  Record record_;
  int last_process_ = 0;
};

// Ends the ids of cases that share a name with what differs between them.
Status name_cases(std::vector<CaseRecord>& cases, const std::string& file);

}  // namespace harness

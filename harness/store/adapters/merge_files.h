// Files of one import become one record: which of them hold processes of one thing, and what its cases are
// called.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/adapters/tool_file.h"

namespace harness {

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
  };
  struct Known {
    std::size_t place = 0;   // in cases_
    std::size_t source = 0;  // the file that had it first
  };

  Result<int> session_of(const std::string& file, const ToolFile& read) const;
  [[nodiscard]] Status check_alike(const CaseRecord& known, const Source& first, const CaseRecord& added,
                                   const Source& now) const;
  Status add_cases(std::vector<CaseRecord> cases, const Source& now);
  void add_machine(Machine machine);

  MergeOptions options_;
  std::vector<Source> sources_;
  std::vector<CaseRecord> cases_;
  std::unordered_map<std::string, Known> index_;
  std::unordered_map<std::size_t, std::string> samples_;  // hash of a file's samples -> its path
  Record record_;
  int last_process_ = 0;
};

// Ends the ids of cases that share a name with what differs between them.
Status name_cases(std::vector<CaseRecord>& cases, const std::string& file);

}  // namespace harness

// Pinned baselines: baselines/<machine class>/<suite>.json, reviewed in git. promote() is the only
// writer. The format is that of pins (harness/model/README.md): a record without samples, with a `promotion`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// The machine of a record: that of a GPU or an import when any case was measured there, else the CPU's.
// Before measuring, the same among the named machines. nullptr when the record names none. Points into
// `record`.
const Machine* primary_machine(const Record& record);

// Its class, the folder under baselines/; "" without a machine.
std::string primary_machine_class(const Record& record);

struct Baseline {
  std::filesystem::path path;
  std::string machine_class;
  std::string suite;
  Record record;
};

// A pin judges many runs, so it should have this many processes a case.
inline constexpr int pin_processes = 20;

// The fewest processes that measured a case, of the cases that were measured; 0 without one.
int fewest_processes(const Record& record);

// Writes `record` without its samples as the baseline of its machine class and suite. A pin whose author and
// reason are the same keeps its date. Refused: an incomplete record, one
// with failed, incorrect or unmeasured cases, and one that samples less than its suite asks for. Also a
// dirty revision (unless `allow_dirty`), and an empty author or reason.
Result<std::filesystem::path> promote(const std::filesystem::path& folder, Record record,
                                      const std::string& author, const std::string& reason,
                                      bool allow_dirty = false);

// All baselines under `folder`, sorted by path. A broken file is an error that names it.
Result<std::vector<Baseline>> list_baselines(const std::filesystem::path& folder);

// <folder>/<machine class>/<suite>.json. Names from a record are untrusted: see check_baseline_name.
std::filesystem::path baseline_path(const std::filesystem::path& folder, const std::string& machine_class,
                                    const std::string& suite);

// Writes a file whose folder `git add` takes: what a killed process leaves behind must not lie there.
Status write_reviewed_file(const std::filesystem::path& path, const std::string& text);

// An error when `name` cannot be a file name in baselines/: empty, a path, dots only, control characters.
Status check_baseline_name(const std::string& what, const std::string& name);

}  // namespace harness

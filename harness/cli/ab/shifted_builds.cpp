#include "harness/cli/ab/shifted_builds.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "harness/base/text.h"
#include "harness/code/device_file.h"
#include "harness/code/mapped_file.h"
#include "harness/code/shift/shifted_file.h"
#include "harness/model/code/change_causes.h"
#include "harness/model/code/shifted_process.h"
#include "harness/verdict/place/over_places.h"
#include "harness/verdict/read/kernels.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// "9.0" -> 90; 0 where it is no such number.
unsigned architecture_of(const std::string& capability) {
  const std::size_t point = capability.find('.');
  if (point == std::string::npos || point + 2 != capability.size()) return 0;
  unsigned number = 0;
  for (const char one : capability) {
    if (one == '.') continue;
    if (one < '0' || one > '9') return 0;
    number = number * 10 + static_cast<unsigned>(one - '0');
  }
  return number;
}

void add(std::set<std::string>& names, const std::optional<KernelUse>& kernel) {
  if (kernel && !is_memory_operation(*kernel)) names.insert(kernel->name);
}

// The modules of one side, with what became of their functions.
class ShiftedSide {
 public:
  ShiftedSide(const char* role, fs::path folder, unsigned architecture, int shift,
              const std::set<std::string>& wanted)
      : role_(role),
        folder_(std::move(folder)),
        architecture_(architecture),
        shift_(shift),
        wanted_(wanted) {}

  Status shift(BuildModules& modules) {
    for (std::string* file : {&modules.kernels, &modules.cuda})
      if (Status done = shift_file(*file); !done) return done;
    for (std::string& file : modules.plugins)
      if (Status done = shift_file(file); !done) return done;
    return {};
  }

  // Why not all of these kernels are shifted; "": they are.
  [[nodiscard]] std::string obstacle(const std::set<std::string>& kernels) const {
    for (const std::string& name : kernels) {
      if (const auto refused = refused_.find(name); refused != refused_.end())
        return fmt::format("`{}` of the {} build: {}", name, role_, refused->second);
      if (!code_.contains(name))
        return fmt::format("no module of the {} build has machine code of `{}` for the device{}", role_, name,
                           why_not_.empty() ? "" : " that can be shifted: " + why_not_);
    }
    return {};
  }
  [[nodiscard]] const ShiftedCode& code() const { return code_; }

 private:
  // Lets `file` name the copy. A file without such code stays.
  Status shift_file(std::string& file) {
    if (file.empty()) return {};
    const Result<MappedFile> mapped = MappedFile::open(file);
    if (!mapped || !may_hold_device_code(mapped->bytes())) return {};
    Result<ShiftedFile> shifted =
        shifted_file(mapped->bytes(), architecture_, static_cast<std::size_t>(shift_), wanted_);
    if (!shifted) {
      why_not_ = shifted.error().message;
      return {};
    }
    refused_.insert(shifted->refused.begin(), shifted->refused.end());
    if (shifted->shifted.empty()) return {};
    for (const auto& [name, hashes] : shifted->shifted) code_[name].insert(hashes.begin(), hashes.end());
    const fs::path copy = folder_ / std::to_string(count_++) / fs::path(file).filename();
    if (Status beside = link_neighbours(file, copy.parent_path()); !beside) return beside;
    if (Status written = write_file_atomically(copy, shifted->bytes); !written) return written;
    file = copy.string();
    return {};
  }

  // A module may load libraries that lie beside it, or in folders there.
  static Status link_neighbours(const fs::path& file, const fs::path& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    for (fs::directory_iterator at(file.parent_path(), code), end; !code && at != end; at.increment(code)) {
      if (at->path().filename() == file.filename()) continue;
      fs::create_symlink(fs::absolute(at->path()), folder / at->path().filename(), code);
    }
    if (!code) return {};
    return fail(ErrorKind::environment, fmt::format("{}: {}", folder.string(), code.message()));
  }

  const char* role_;
  fs::path folder_;
  unsigned architecture_;
  int shift_;
  const std::set<std::string>& wanted_;
  ShiftedCode code_;
  std::map<std::string, std::string> refused_;
  std::string why_not_;  // the last file that could not be written so
  int count_ = 0;
};

}  // namespace

MovableCases movable_cases(const Comparison& comparison) {
  MovableCases cases;
  for (const ComparisonRow& row : comparison.rows) {
    if (!can_be_of_place(row) || row.over_places || row.causes == nullptr) continue;
    MovableCase found{row.causes->evidence.compute_capability, {}, {}};
    for (const KernelSides& one : row.causes->evidence.kernels) {
      if (one.baseline) found.launches[0].push_back(*one.baseline);
      if (one.current) found.launches[1].push_back(*one.current);
      const bool equal = one.baseline && one.current && !one.baseline->code.empty() &&
                         one.baseline->code == one.current->code;
      if (equal) continue;
      add(found.baseline, one.baseline);
      add(found.current, one.current);
    }
    if (!found.baseline.empty() && !found.current.empty()) cases.emplace(row.case_id, std::move(found));
  }
  return cases;
}

void tell_places(Comparison& comparison, const Unshifted& unshifted) {
  std::set<std::string> shifted;
  int processes = 0;
  for (const ComparisonRow& row : comparison.rows)
    if (row.over_places) {
      shifted.insert(row.case_id);
      processes = row.over_places->processes;
    }
  if (!shifted.empty())
    comparison.remarks.push_back(
        {RemarkCode::code_shifted,
         {{"cases", shifted.size()}, {"places", code_places}, {"processes", processes}}});
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [id, why] : unshifted) by_reason[why].push_back(id);
  for (const auto& [why, ids] : by_reason)
    comparison.remarks.push_back({RemarkCode::code_unshifted, {{"cases", join(ids, ", ")}, {"reason", why}}});
}

Result<ShiftedBuilds> shifted_builds(const PairedBuilds& pair, const MovableCases& cases, int shift) {
  ShiftedBuilds shifted{pair, {}, {}, std::make_unique<TemporaryFolder>()};
  if (cases.empty()) return shifted;
  const std::string capability = cases.begin()->second.compute_capability;
  std::set<std::string> before, after;
  for (const auto& [id, one] : cases) {
    before.insert(one.baseline.begin(), one.baseline.end());
    after.insert(one.current.begin(), one.current.end());
  }
  const unsigned architecture = architecture_of(capability);
  ShiftedSide baseline("baseline", shifted.folder->path() / "baseline", architecture, shift, before);
  ShiftedSide current("current", shifted.folder->path() / "current", architecture, shift, after);
  if (Status done = baseline.shift(shifted.pair.baseline); !done) return fail(done.error());
  if (Status done = current.shift(shifted.pair.current); !done) return fail(done.error());
  shifted.code = {baseline.code(), current.code()};
  for (const auto& [id, one] : cases) {
    std::string why = one.compute_capability != capability ? "it runs on a device of another kind" : "";
    if (why.empty()) why = baseline.obstacle(one.baseline);
    if (why.empty()) why = current.obstacle(one.current);
    if (!why.empty()) shifted.refused.emplace(id, std::move(why));
  }
  return shifted;
}

}  // namespace harness

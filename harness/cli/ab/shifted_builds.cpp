#include "harness/cli/ab/shifted_builds.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "harness/code/device_file.h"
#include "harness/code/mapped_file.h"
#include "harness/code/shift/shifted_file.h"

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

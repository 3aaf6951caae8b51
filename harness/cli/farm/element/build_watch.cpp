#include "harness/cli/farm/element/build_watch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "harness/cli/provenance/tool.h"

namespace harness {
namespace {

constexpr const char* no_file = "missing";

// Device, inode, size and times. A file that is replaced or changed has others.
std::string look_of(const std::string& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0) return no_file;
  return fmt::format("{}:{}:{}:{}.{}:{}.{}", found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec);
}

}  // namespace

Status BuildWatch::check() {
  std::map<std::string, std::string> now;
  for (const CampaignSuite& suite : campaign_.suites)
    for (const CampaignSide& side : suite.sides) {
      std::string changed, missing;
      bool same = true;
      for (const std::string& file : side.files) {
        std::string& look = now[file];
        if (look.empty()) look = look_of(file);
        if (look == no_file && missing.empty()) missing = file;
        const auto before = seen_.find(file);
        if (before != seen_.end() && before->second == look) continue;
        same = false;
        if (before != seen_.end() && changed.empty()) changed = file;
      }
      if (same || identity_of_files({side.files.begin(), side.files.end()}) == side.identity) continue;
      return fail(
          ErrorKind::not_comparable,
          Location{!missing.empty()   ? missing
                   : !changed.empty() ? changed
                                      : side.program},
          !missing.empty() ? "is missing, and the campaign was planned with it"
          : changed.empty()
              ? "is not the build that the campaign was planned with, or another file of it changed"
              : "was replaced or changed, so that this is not the build that the campaign was planned with",
          "leave builds alone where they were planned, or plan another campaign; `harness farm plan SUITE "
          "--stage DIR` measures copies of them");
    }
  seen_ = std::move(now);
  return {};
}

}  // namespace harness

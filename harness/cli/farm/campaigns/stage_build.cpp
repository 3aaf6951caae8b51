#include "harness/cli/farm/campaigns/stage_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "harness/base/text.h"
#include "harness/cli/provenance/tool.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

fs::path staged_path(const fs::path& folder, const fs::path& original) {
  return folder / fs::absolute(original).lexically_normal().relative_path();
}

// Whole or not at all, also where others stage the same build at the same time.
Status copy_whole(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::create_directories(to.parent_path(), code);
  fs::path part = to;
  part += fmt::format(".part-{}", getpid());
  fs::copy_file(from, part, fs::copy_options::overwrite_existing, code);
  if (!code) fs::rename(part, to, code);
  if (!code) return {};
  std::string why = code.message();
  fs::remove(part, code);
  // The system may call a full disk an error of input or output. Neither size is known where a file is gone.
  const std::uintmax_t needed = fs::file_size(from, code);
  if (!code)
    if (const std::uintmax_t available = fs::space(to.parent_path(), code).available;
        !code && available < needed)
      why = "the disk is full";
  return fail(ErrorKind::environment, Location{to.string()}, fmt::format("cannot be copied: {}", why),
              "name another folder with --stage");
}

}  // namespace

Status stage_build(CampaignSide& side, BuildModules* modules, const fs::path& stage) {
  for (const std::string& module : side.plan.modules)
    if (module.ends_with(".py"))
      return fail(ErrorKind::usage, Location{module}, "cannot be staged, because it may import other files",
                  "plan without --stage, and leave the tree alone until the campaign is measured");
  const fs::path folder = fs::absolute(stage).lexically_normal() / side.identity;
  std::vector<fs::path> copies;
  for (std::string& file : side.files) {
    const fs::path copy = staged_path(folder, file);
    std::error_code code;
    if (!fs::exists(copy, code))
      if (const Status copied = copy_whole(file, copy); !copied) return copied;
    copies.push_back(copy);
  }
  if (identity_of_files(copies) != side.identity)
    return fail(ErrorKind::environment, Location{folder.string()},
                "is not the build, because a file of it changed meanwhile",
                "remove the folder, and plan again");
  const auto move = [&](std::string& path) {
    if (std::find(side.files.begin(), side.files.end(), path) != side.files.end())
      path = staged_path(folder, path).string();
  };
  move(side.program);
  for (std::string& module : side.plan.modules) move(module);
  if (modules != nullptr) {
    modules->root = staged_path(folder, modules->root).string();
    move(modules->kernels);
    move(modules->cuda);
    for (std::string& plugin : modules->plugins) move(plugin);
  }
  side.files.clear();
  for (const fs::path& copy : copies) side.files.push_back(copy.string());
  return {};
}

}  // namespace harness

#include "harness/cli/output/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int most_links = 40;  // as Linux follows

bool same_file(const fs::path& one, const std::string& other) {
  std::error_code code;
  return one == identity_of(other) || fs::equivalent(one, other, code);
}

}  // namespace

fs::path identity_of(const std::string& path) {
  std::error_code code;
  fs::path whole = fs::weakly_canonical(fs::absolute(path, code), code);
  if (code) return path;
  for (int link = 0; link < most_links && fs::is_symlink(whole, code); ++link) {  // a link to a missing file
    const fs::path target = fs::read_symlink(whole, code);
    if (code) break;
    whole = fs::weakly_canonical(whole.parent_path() / target, code);
  }
  return whole;
}

std::vector<std::string> store_files(const std::string& url) {
  constexpr std::string_view scheme = "sqlite:";
  if (url.find("://") != std::string::npos && !url.starts_with(scheme)) return {};
  const std::string path = url.starts_with(scheme) ? url.substr(scheme.size()) : url;
  std::vector<std::string> files;
  for (const std::string& name : {path, identity_of(path).string()})
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) files.push_back(name + ending);
  return files;
}

std::vector<std::string> plan_files(const SuiteOptions& options) {
  std::vector<std::string> files = options.modules.files;
  files.push_back(options.suite);
  for (const std::string& device : options.device.names)
    if (is_scripted_device(device)) files.push_back(script_of(device));
  return files;
}

std::vector<std::string> all_of(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Status check_spares(const std::string& option, const std::string& path,
                    const std::vector<std::string>& inputs) {
  std::error_code code;
  if (path.empty() || path == "-" || fs::is_other(path, code)) return {};  // never replaced
  const fs::path written = identity_of(path);
  const auto hit = std::find_if(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return !input.empty() && same_file(written, input);
  });
  if (hit == inputs.end()) return {};
  return fail(ErrorKind::usage,
              fmt::format("{}: {} would replace {}, which this command works from", option, printable(path),
                          printable(*hit)),
              "name another file to write");
}

}  // namespace harness

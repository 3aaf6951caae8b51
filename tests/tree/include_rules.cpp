#include "include_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>

#include "harness/base/text.h"

namespace harness::tree {
namespace {

const std::map<std::string, int, std::less<>>& floors() {
  static const std::map<std::string, int, std::less<>> table{
      {"base", 0},   {"sdk", 0},     {"schema", 1}, {"stats", 1}, {"model", 2},
      {"device", 3}, {"catalog", 3}, {"code", 4}, {"doctor", 4}, {"suite", 4}, {"measure", 4},
      {"store", 4},  {"verdict", 4}, {"report", 4}, {"study", 5}, {"cli", 6}};
  return table;
}

// The folder of harness/ that a path is in, or "".
std::string folder_of(std::string_view path) {
  const std::vector<std::string> parts = split(path, '/');
  return parts.size() >= 3 && parts[0] == "harness" ? parts[1] : std::string();
}

bool is_cuda_header(std::string_view header) {
  static constexpr std::array<std::string_view, 14> beginnings{
      "cuda", "cublas", "cupti", "cudnn", "curand",  "cusparse",           "cufft",
      "nvml", "nvrtc",  "nvtx",  "cub/",  "thrust/", "cooperative_groups", "cutlass"};
  return header == "mma.h" ||
         std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return header.starts_with(beginning); });
}

bool may_hold_cuda(std::string_view path) {
  const bool device_code = path.ends_with(".cu") || path.ends_with(".cuh");
  return path.starts_with("harness/device/cuda/") || (path.starts_with("kernels/") && device_code);
}

std::optional<std::string> wrong_floor(const std::string& from, const std::string& to) {
  const auto here = floors().find(from);
  const auto there = floors().find(to);
  if (here == floors().end()) return "`harness/" + from + "` has no floor in harness/README.md";
  if (there == floors().end()) return "`harness/" + to + "` has no floor in harness/README.md";
  if (from == to || there->second < here->second) return std::nullopt;
  return "`" + from + "` is on floor " + std::to_string(here->second) + " and may not include `" + to +
         "` on floor " + std::to_string(there->second);
}

// Why `path` may not include `header`, if so.
std::optional<std::string> violation(std::string_view path, const std::string& header) {
  if (header.find("..") != std::string::npos) return "paths start at the top of the tree, without `..`";
  if (is_cuda_header(header) && !may_hold_cuda(path))
    return "CUDA headers belong in harness/device/cuda/ and in kernels/**/*.cu";
  const bool of_harness = header.starts_with("harness/");
  if (path.starts_with("kernels/")) {
    if (of_harness && folder_of(header) != "sdk") return "kernels/ includes only harness/sdk";
    return std::nullopt;
  }
  if (header.starts_with("kernels/")) return "harness/ does not know its kernels";
  if (!of_harness) return std::nullopt;
  return wrong_floor(folder_of(path), folder_of(header));
}

}  // namespace

std::vector<std::string> include_violations(std::string_view path, std::string_view text) {
  static const std::regex include(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<std::string> found;
  int line_number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++line_number;
    std::smatch match;
    if (line.size() > 1000 || !std::regex_search(line, match, include)) continue;
    if (const auto why = violation(path, match[1].str()))
      found.push_back(std::string(path) + ":" + std::to_string(line_number) + ": includes " + match[1].str() +
                      ": " + *why);
  }
  return found;
}

}  // namespace harness::tree

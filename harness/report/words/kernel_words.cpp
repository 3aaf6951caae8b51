#include "harness/report/words/kernel_words.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/report/words/reason_words.h"

namespace harness::report {
namespace {

std::string shared_bytes_text(std::int64_t bytes) {
  return bytes >= 1024 && bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024)
                                            : fmt::format("{} B", bytes);
}

std::string shape_text(const std::array<std::int64_t, 3>& shape) {
  return fmt::format("{}x{}x{}", shape[0], shape[1], shape[2]);
}

std::string times_text(const KernelChange& change) {
  const auto is_timed = [](const auto& side) { return !side || time_of(*side) > 0; };
  if (!is_timed(change.baseline) || !is_timed(change.current)) return "not timed";
  if (!change.baseline) return fmt::format("{:.4g} us a call", time_of(*change.current));
  if (!change.current) return fmt::format("{:.4g} us a call", time_of(*change.baseline));
  return fmt::format("{:.4g} -> {:.4g} us a call", time_of(*change.baseline), time_of(*change.current));
}

// Everything but the time.
void add_shape(std::vector<std::string>& parts, const KernelUse& before, const KernelUse& after) {
  const auto add = [&](const char* what, const auto& old, const auto& now, auto text) {
    if (old != now) parts.push_back(fmt::format("{} {} -> {}", what, text(old), text(now)));
  };
  const auto plain = [](auto value) { return fmt::to_string(value); };
  if (before.name != after.name) parts.push_back(fmt::format("was `{}`", before.name));
  add("registers", before.registers, after.registers, plain);
  add("static shared memory", before.static_shared_bytes, after.static_shared_bytes, shared_bytes_text);
  add("dynamic shared memory", before.dynamic_shared_bytes, after.dynamic_shared_bytes, shared_bytes_text);
  add("local memory", before.local_bytes, after.local_bytes, shared_bytes_text);
  add("grid", before.grid, after.grid, shape_text);
  add("block", before.block, after.block, shape_text);
  add("launches a call", before.launches, after.launches, plain);
}

}  // namespace

std::string words(const KernelChange& change) {
  std::vector<std::string> parts{times_text(change)};
  if (change.share > 0)
    parts.push_back(fmt::format("{:.0f} % of the change of all kernels", change.share * 100));
  if (change.kind == KernelChange::Kind::reshaped) add_shape(parts, *change.baseline, *change.current);
  if (change.kind == KernelChange::Kind::moved && !change.baseline->code.empty() &&
      !change.current->code.empty())
    parts.emplace_back(change.baseline->code == change.current->code ? "same machine code"
                                                                     : "other machine code");
  return join(parts, ", ");
}

namespace {

std::string proof_words(const Proofs& proofs) {
  const std::size_t all = proofs.proven.size(), by_build = proofs.by_build.size();
  const std::size_t by_files = proofs.by_files.size();
  if (by_files > 0 && by_files == all) return "same command, files and environment";
  if (by_files > 0)
    return fmt::format("{} by their files, {} by machine code and launches", by_files, all - by_files);
  if (by_build == 0) return "same machine code, same launches";
  if (by_build == all) return "same build in the same environment";
  return fmt::format("{} same machine code and launches, {} same build", all - by_build, by_build);
}

}  // namespace

std::string build_words(const BuildParts& baseline, const BuildParts& current) {
  if (baseline.empty() || current.empty()) return "";
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> named{
      {{"environment", "HARNESS_ENVIRONMENT"},
       {"folder", "the working folder"},
       {"program", "the program"},
       {"kernels", "its CPU kernels"},
       {"module", "its CUDA module"},
       {"variables", "the environment variables"},
       {"tree", "the tracked files"},
       {"scripts", "the files of modules"}}};
  const auto of = [](const BuildParts& build, std::string_view part) {
    const auto found = build.find(std::string(part));
    return found == build.end() ? "" : found->second;
  };
  std::vector<std::string> others;
  for (const auto& [part, name] : named)
    if (of(baseline, part) != of(current, part)) others.emplace_back(name);
  return others.empty() ? "" : "the build is not the baseline's; what differs: " + join(others, ", ");
}

std::string look_words(const Proofs& proofs, std::size_t spared, std::size_t cases, Seconds took,
                       std::size_t known) {
  const std::string not_run = known > 0 ? fmt::format("; {} known of this build", known) : "";
  const std::size_t proven = std::min(proofs.proven.size(), cases), gated = proven - std::min(spared, proven);
  const std::string why = gated > 0 ? fmt::format(", {} for gates beyond the proof", gated) : "";
  std::string text =
      fmt::format("{} of {} identical: {} ({:.1f} s{}){}", proofs.proven.size(), cases, proof_words(proofs),
                  took, not_run, spared == cases ? "" : fmt::format("; measuring {}{}", cases - spared, why));
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [id, gap] : proofs.gaps) by_reason[words(gap)].push_back(id);
  for (const auto& [reason, ids] : by_reason)
    text += fmt::format("\n  {}{}: {}", ids.front(),
                        ids.size() == 1 ? "" : fmt::format(" and {} more", ids.size() - 1), reason);
  return text;
}

}  // namespace harness::report

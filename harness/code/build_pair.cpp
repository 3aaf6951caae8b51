#include "harness/code/build_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/base/text.h"
#include "harness/code/build_files.h"
#include "harness/code/mapped_file.h"
#include "harness/device/code/kernel_launches.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr const char* harness_program = "bin/harness";

bool is_script(const std::string& word) {
  constexpr auto interpreters =
      std::to_array<std::string_view>({"python", "bash", "sh", "perl", "node", "ruby", "julia", "lua"});
  const std::string name = fs::path(word).filename().string();
  return std::any_of(interpreters.begin(), interpreters.end(),
                     [&](std::string_view one) { return name.starts_with(one); });
}

// "name(float*, int)" and "void name<float>(...)" as a record has it: demangled.
std::set<std::string> kernels_named_by(const CaseRecord& one) {
  std::set<std::string> names;
  for (const KernelUse& kernel : kernels_of(one)) names.insert(kernel.name);
  return names;
}

}  // namespace

Result<BuildPair> BuildPair::open(const fs::path& before, const fs::path& after) {
  std::error_code code;
  for (const fs::path& one : {before, after})
    if (!fs::exists(one, code))
      return fail(ErrorKind::usage, fmt::format("{} is not there", printable(one.string())),
                  "name two folders with finished builds, two files, or two commits");
  BuildPair pair(before, after);
  const bool folder = fs::is_directory(before, code);
  if (folder != fs::is_directory(after, code))
    return fail(ErrorKind::usage,
                fmt::format("{} and {} are a folder and a file", printable(before.string()),
                            printable(after.string())),
                "name two folders or two files");
  pair.single_ = !folder;
  std::set<std::string> names;
  if (folder)
    for (const fs::path& root : {before, after})
      for (BuildFile& one : files_of_build(root)) names.insert(std::move(one.name));
  else
    names.insert(after.filename().string());
  pair.names_.assign(names.begin(), names.end());
  return pair;
}

fs::path BuildPair::path(const fs::path& root, const std::string& name) const {
  return single_ ? root : root / name;
}

const ComparedFile* BuildPair::compared(const std::string& name) {
  const auto [found, added] = files_.try_emplace(name);
  if (added)
    if (Result<ComparedFile> file = ComparedFile::read(name, path(before_, name), path(after_, name)))
      found->second.emplace(std::move(*file));
  return found->second ? &*found->second : nullptr;
}

void BuildPair::add_kernels(CodeChangeReport& report) {
  for (const std::string& name : names_) {
    std::error_code code;
    const fs::path before = path(before_, name), after = path(after_, name);
    report.files.push_back(name);
    if (const ComparedFile* const file = compared(name)) {
      report.kernels.insert(report.kernels.end(), file->kernels().begin(), file->kernels().end());
      continue;
    }
    const fs::path& there = fs::exists(before, code) ? before : after;
    const Result<MappedFile> only = MappedFile::open(there);
    if (!only) continue;
    const DeviceFile code_there = read_device_file(only->bytes());
    const bool removed = &there == &before;
    const std::vector<KernelCodeChange> changes =
        compare_device_files(name, removed ? code_there : DeviceFile{}, removed ? DeviceFile{} : code_there);
    report.kernels.insert(report.kernels.end(), changes.begin(), changes.end());
  }
}

// The program that measures: its workers make inputs and call variants, and it plans what they do. Other
// commands change no result. A build without one is measured by some other program, which is the same.
const std::optional<CodeDifference>& BuildPair::judge_harness() {
  if (harness_) return *harness_;
  harness_.emplace();
  std::error_code code;
  const bool before = fs::exists(before_ / harness_program, code);
  const bool after = fs::exists(after_ / harness_program, code);
  if (single_ || (!before && !after)) return *harness_;
  const ComparedFile* const file = before && after ? compared(harness_program) : nullptr;
  if (file == nullptr) {
    *harness_ = CodeDifference{ChangeReason::file_missing, harness_program, {}};
    return *harness_;
  }
  if (file->is_equal()) return *harness_;
  const std::vector<std::string> roots{"_ZN7harness10run_workerEv"};
  const bool known = std::all_of(roots.begin(), roots.end(),
                                 [&](const std::string& one) { return file->has_function(one); });
  *harness_ = known ? file->for_work_of(roots) : file->for_program();
  return *harness_;
}

CodeDifference BuildPair::judge_variant(const CaseRecord& one) {
  const std::string variant = root_of_variant(one.workload, one.variant);
  const std::string workload = root_of_workload(one.workload);
  const bool on_cpu = one.device == cpu_kind.name;
  std::vector<const ComparedFile*> holders;  // of the variant
  for (const std::string& name : names_) {
    std::error_code code;
    if (single_ || (fs::exists(path(before_, name), code) && fs::exists(path(after_, name), code))) {
      const ComparedFile* const file = compared(name);
      if (file != nullptr && file->has_function(variant)) holders.push_back(file);
    }
  }
  // A variant may be linked into tests, too; what is measured is in a library.
  if (std::any_of(holders.begin(), holders.end(), [](const auto* file) { return file->is_shared_object(); }))
    std::erase_if(holders, [](const auto* file) { return !file->is_shared_object(); });
  if (holders.empty()) return {ChangeReason::unknown_file, "", {}};
  for (const ComparedFile* const file : holders) {
    const auto found = on_cpu ? file->for_whole() : file->for_roots({variant});
    if (found) return *found;
  }
  for (const std::string& name : names_)
    if (const ComparedFile* const file = compared(name);
        file != nullptr && file->is_shared_object() && file->has_function(workload))
      if (const auto found = file->for_workload(workload)) return *found;
  if (const auto& found = judge_harness()) return *found;
  return {};
}

// A path in a command, as seen from the builds: "build/bench" is "bench" of the folder build/.
std::optional<std::string> BuildPair::file_of_word(const std::string& word) const {
  std::error_code code;
  if (single_) {
    if (fs::path(word).filename() == after_.filename()) return after_.filename().string();
    return std::nullopt;
  }
  const fs::path whole = fs::path(word).lexically_normal();
  for (auto part = whole.begin(); part != whole.end(); ++part) {
    fs::path rest;
    for (auto at = part; at != whole.end(); ++at) rest /= *at;
    if (rest.is_absolute() || rest.empty()) continue;
    if (fs::is_regular_file(before_ / rest, code) || fs::is_regular_file(after_ / rest, code))
      return rest.string();
  }
  return std::nullopt;
}

CodeDifference BuildPair::judge_program(const CaseRecord& one) {
  const std::vector<std::string>& command = one.program->command;
  if (command.empty()) return {ChangeReason::other_command, "", {}};
  const std::optional<std::string> program = file_of_word(command[0]);
  if (!program)
    return {is_script(command[0]) ? ChangeReason::script : ChangeReason::other_command, command[0], {}};
  const ComparedFile* const file = compared(*program);
  if (file == nullptr) return {ChangeReason::file_missing, *program, {}};
  if (!file->is_program()) return {ChangeReason::script, *program, {}};
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::optional<std::string> other = file_of_word(command[i]);
    if (!other) continue;
    const ComparedFile* const word = compared(*other);
    if (word == nullptr || !word->is_equal()) return {ChangeReason::other_command, *other, {}};
  }
  if (auto found = file->for_host_of_program()) return *found;
  const std::vector<std::string> changed = file->changed_kernels();
  if (changed.empty()) return {};
  std::set<std::string> names;
  for (const std::string& mangled : changed) names.insert(demangled(mangled));
  CodeDifference difference{ChangeReason::kernel_steers, *program, {}};
  // A kernel's own case ends with its name, a step has the kernels that it launches.
  std::set<std::string> own = kernels_named_by(one);
  for (const std::string& name : names)
    if (own.contains(name) || one.id.ends_with(name)) difference.names.push_back(name);
  if (!difference.names.empty()) difference.reason = ChangeReason::kernel;
  if (difference.names.empty()) difference.names.assign(names.begin(), names.end());
  return difference;
}

CodeDifference BuildPair::judge(const CaseRecord& one) {
  if (one.program) return judge_program(one);
  if (one.workload.empty() || one.variant.empty()) return {ChangeReason::unknown_file, "", {}};
  const auto [known, added] = variants_.try_emplace({one.workload, one.variant, one.device});
  if (added) known->second = judge_variant(one);
  return known->second;
}

void BuildPair::add_cases(const Record& record, CodeChangeReport& report) {
  for (const CaseRecord& one : record.cases) {
    if (one.outcome == Outcome::skipped) continue;
    CodeDifference found = judge(one);
    report.cases.push_back({record.suite.name, one.id, found.reason != ChangeReason::nothing, found.reason,
                            std::move(found.file), std::move(found.names)});
  }
}

}  // namespace harness

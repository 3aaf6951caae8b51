#include "harness/code/compared_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/base/parallel.h"
#include "harness/code/libraries.h"
#include "harness/device/code/kernel_launches.h"
#include "harness/device/cpu/object_code.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr std::string_view variant_prefix = "register_variant_", workload_prefix = "register_workload_";

// "register_variant_matmul_wmma" -> the mangled name of void(harness::sdk::Registry&)
std::string mangled_registration(const std::string& name) {
  return fmt::format("_Z{}{}RN7harness3sdk8RegistryE", name.size(), name);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Functions that nvcc writes to tell the runtime which kernels and variables a file has.
bool registers_device_code(std::string_view name) {
  return contains(name, "__sti____cudaRegisterAll") || contains(name, "__nv_cudaEntityRegister") ||
         contains(name, "__cudaUnregisterBinaryUtil");
}

// Functions that only list what a build has (sdk/registry.h).
bool registers_parts(std::string_view name) {
  return contains(name, variant_prefix) || contains(name, workload_prefix) ||
         name == mangled_registration("register_cuda") || name == mangled_registration("register_built_in");
}

bool is_common_end(std::string_view name) {
  return registers_device_code(name) || registers_parts(name);
}

// The CUDA runtime, where it is linked into the file: it opens the driver's library, which is no build's.
// NVTX opens what a profiler names.
bool is_of_runtime(std::string_view name) {
  for (const std::string_view start : {"__cuda", "libcudart_static_", "nvtx"})
    if (name.starts_with(start)) return true;
  constexpr std::string_view api = cuda_kind.name;  // its functions begin so
  return name.starts_with(api) && name.size() > api.size() && name[api.size()] >= 'A' &&
         name[api.size()] <= 'Z';
}

bool opens_libraries(const HostReach& reach) {
  return std::any_of(reach.imports.begin(), reach.imports.end(),
                     [](const std::string& name) { return name == "dlopen" || name == "dlmopen"; });
}

constexpr std::size_t most_names = 8;

std::vector<std::string> named(const NameSet& mangled) {
  std::vector<std::string> names;
  for (const std::string& one : mangled) names.push_back(demangled(one));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() > most_names) names.resize(most_names);
  return names;
}

}  // namespace

bool is_of_annotations(std::string_view variable) {
  for (const std::string_view start : {"nvtxGlobals_v", "nvtxExtGlobals1_v", "nvtxExtPayloadSlots_v",
                                       "nvtxExtMemSlots_v", "nvtxExtCountersSlots_v"})
    if (variable.starts_with(start) && variable.size() > start.size() && variable[start.size()] >= '0' &&
        variable[start.size()] <= '9')
      return true;
  constexpr std::string_view space = "N5nvtx3";  // as mangled names begin after "_Z", "_ZZ" or "_ZGVZ"
  const std::size_t at = variable.find(space);
  return variable.starts_with("_Z") && at != std::string_view::npos &&
         variable.substr(0, at).find_first_not_of("_ZGV") == std::string_view::npos;
}

std::string root_of_variant(const std::string& workload, const std::string& variant) {
  return mangled_registration(fmt::format("{}{}_{}", variant_prefix, workload, variant));
}

std::string root_of_workload(const std::string& workload) {
  return mangled_registration(fmt::format("{}{}", workload_prefix, workload));
}

ComparedFile::ComparedFile(std::string name, MappedFile before, MappedFile after)
    : name_(std::move(name)), files_{std::move(before), std::move(after)} {}

Result<ComparedFile> ComparedFile::read(const std::string& name, const std::filesystem::path& before,
                                        const std::filesystem::path& after) {
  Result<MappedFile> first = MappedFile::open(before);
  if (!first) return fail(first.error());
  Result<MappedFile> second = MappedFile::open(after);
  if (!second) return fail(second.error());
  ComparedFile file(name, std::move(*first), std::move(*second));
  file.paths_ = {before, after};
  file.read_sides();
  return file;
}

void ComparedFile::read_sides() {
  const auto first = files_[0].bytes(), second = files_[1].bytes();
  equal_ = first.size() == second.size() &&
           (first.empty() || std::memcmp(first.data(), second.data(), first.size()) == 0);
  for_each_index(2, 2, [&](std::size_t side) {
    device_[side] = read_device_file(files_[side].bytes(), leave_memory);
    if (Result<HostCode> host = HostCode::read(files_[side].bytes())) {
      NameSet keys;
      for (const auto& [key, kernel] : device_[side].kernels) keys.insert(kernel_key(kernel.name));
      host->count_names(keys);
      common_[side] = host->reach_of_outside(is_common_end);
      host_[side].emplace(std::move(*host));
    }
  });
  kernels_ = compare_device_files(name_, device_[0], device_[1]);
  for (const KernelCodeChange& one : kernels_)
    if (one.state != CodeState::same) changed_.insert(one.mangled);
}

bool ComparedFile::is_shared_object() const {
  return contains(std::filesystem::path(name_).filename().string(), ".so");
}

bool ComparedFile::is_program() const {
  const auto bytes = files_[1].bytes();
  return bytes.size() > 4 && std::memcmp(bytes.data(), "\177ELF", 4) == 0;
}

bool ComparedFile::has_function(const std::string& name) const {
  return std::any_of(host_.begin(), host_.end(),
                     [&](const std::optional<HostCode>& one) { return one && one->has(name); });
}

std::vector<std::string> ComparedFile::changed_kernels() const {
  return {changed_.begin(), changed_.end()};
}

std::optional<CodeDifference> ComparedFile::device_difference() const {
  if (device_[0].faulty != device_[1].faulty)
    return CodeDifference{ChangeReason::unknown_image, name_,
                          device_[0].faults.empty() ? device_[1].faults : device_[0].faults};
  if (device_[0].link_time_code != device_[1].link_time_code)
    return CodeDifference{ChangeReason::link_time_code, name_, {}};
  return std::nullopt;
}

std::optional<CodeDifference> ComparedFile::library_difference() const {
  const Libraries before = libraries_of(paths_[0]), after = libraries_of(paths_[1]);
  for (const auto& [name, path] : after) {
    const auto other = before.find(name);
    if (path.empty() || (other != before.end() && other->second.empty()))
      return CodeDifference{ChangeReason::library_missing, name, {}};
    const bool same = other != before.end() && (other->second == path || identity_of_library(other->second) ==
                                                                             identity_of_library(path));
    if (!same) return CodeDifference{ChangeReason::library, name, {}};
  }
  for (const auto& [name, path] : before)
    if (!after.contains(name)) return CodeDifference{ChangeReason::library, name, {}};
  return std::nullopt;
}

// Names those that differ themselves; a caller of one that differs is equal.
std::optional<CodeDifference> ComparedFile::host_difference(const HostReach& before, const HostReach& after,
                                                            ChangeReason reason) const {
  if (before.digest == after.digest) return std::nullopt;
  NameSet names;
  for (const HostReach* side : {&before, &after})
    for (const std::string& one : side->functions)
      if (host_[0]->content_of(one) != host_[1]->content_of(one)) names.insert(one);
  return CodeDifference{reason, name_, named(names)};
}

std::optional<CodeDifference> ComparedFile::kernel_difference(const NameSet& functions) const {
  if (changed_.empty()) return std::nullopt;
  NameSet keys, names;
  for (const std::string& one : functions) keys.insert(kernel_key(one));
  for (const std::string& one : changed_)
    if (keys.contains(kernel_key(one))) names.insert(one);
  if (names.empty()) return std::nullopt;
  return CodeDifference{ChangeReason::kernel, name_, named(names)};
}

// A kernel has a function of its name on the host, which launches it. Where that is missing, anybody may.
NameSet ComparedFile::launched_by_unknown() const {
  NameSet names;
  if (changed_.empty()) return names;
  NameSet keys;
  for (const std::optional<HostCode>& side : host_)
    for (const std::string& one : side->functions_with_prefix("")) keys.insert(kernel_key(one));
  for (const std::string& one : changed_)
    if (!keys.contains(kernel_key(one))) names.insert(one);
  return names;
}

std::optional<CodeDifference> ComparedFile::find_for_all() const {
  if (auto found = device_difference()) return found;
  if (auto found = library_difference()) return found;
  if (equal_) return std::nullopt;
  if (!host_[0] || !host_[1]) {
    const Result<std::string> before = loaded_host_hash(files_[0].bytes()),
                              after = loaded_host_hash(files_[1].bytes());
    if (!before || !after || *before != *after) return CodeDifference{ChangeReason::host_file, name_, {}};
    if (!changed_.empty()) return CodeDifference{ChangeReason::kernel, name_, named(changed_)};
    return std::nullopt;
  }
  if (auto found = host_difference(common_[0], common_[1], ChangeReason::common_host)) return found;
  if (auto found = kernel_difference(common_[1].functions)) return found;
  if (auto found = kernel_difference(launched_by_unknown())) return found;
  return std::nullopt;
}

const std::optional<CodeDifference>& ComparedFile::for_all() const {
  if (!for_all_) for_all_ = find_for_all();
  return *for_all_;
}

std::optional<CodeDifference> ComparedFile::for_roots(const std::vector<std::string>& roots) const {
  if (for_all()) return *for_all();
  if (!host_[0] || !host_[1]) return std::nullopt;  // all of it is equal
  std::array<HostReach, 2> reaches;
  for (std::size_t side = 0; side < 2; ++side)
    reaches[side] = host_[side]->reach(roots, registers_device_code);
  if (auto found = host_difference(reaches[0], reaches[1], ChangeReason::host_code)) return found;
  if (auto found = kernel_difference(reaches[1].functions)) return found;
  if (opens_libraries(host_[1]->reach(roots, is_of_runtime)))
    return CodeDifference{ChangeReason::opens_libraries, name_, {}};
  if (equal_) return std::nullopt;
  if (!unsure_variables_) {
    // Functions that differ may leave something behind for others, in variables of the file.
    NameSet found;
    for (std::size_t side = 0; side < 2; ++side)
      for (const std::string& one : host_[side]->functions_with_prefix(""))
        if (host_[0]->content_of(one) != host_[1]->content_of(one)) {
          const NameSet variables = host_[side]->variables_of(one);
          found.insert(variables.begin(), variables.end());
        }
    unsure_variables_ = std::move(found);
  }
  for (const std::string& one : reaches[1].writable)
    if (unsure_variables_->contains(one) && !is_of_annotations(one))
      return CodeDifference{ChangeReason::host_code, name_, {demangled(one)}};
  return std::nullopt;
}

std::optional<CodeDifference> ComparedFile::for_workload(const std::string& root) const {
  if (!host_[0] || !host_[1]) return equal_ ? std::nullopt : for_all();
  return host_difference(host_[0]->reach({root}, registers_device_code),
                         host_[1]->reach({root}, registers_device_code), ChangeReason::host_code);
}

std::optional<CodeDifference> ComparedFile::for_work_of(const std::vector<std::string>& roots) const {
  if (auto found = device_difference()) return found;
  if (auto found = library_difference()) return found;
  if (!host_[0] || !host_[1]) return for_all();
  return host_difference(host_[0]->reach(roots, is_common_end), host_[1]->reach(roots, is_common_end),
                         ChangeReason::common_host);
}

std::optional<CodeDifference> ComparedFile::for_host_of_program() const {
  if (auto found = device_difference()) return found;
  if (auto found = library_difference()) return found;
  if (!host_[0] || !host_[1]) {
    const Result<std::string> before = loaded_host_hash(files_[0].bytes()),
                              after = loaded_host_hash(files_[1].bytes());
    if (equal_ || (before && after && *before == *after)) return std::nullopt;
    return CodeDifference{ChangeReason::host_file, name_, {}};
  }
  std::array<HostReach, 2> reaches;
  for (std::size_t side = 0; side < 2; ++side)
    reaches[side] = host_[side]->reach_of_outside(registers_device_code);
  if (auto found = host_difference(reaches[0], reaches[1], ChangeReason::host_code)) return found;
  if (opens_libraries(host_[1]->reach_of_outside(
          [](std::string_view one) { return registers_device_code(one) || is_of_runtime(one); })))
    return CodeDifference{ChangeReason::opens_libraries, name_, {}};
  return std::nullopt;
}

std::optional<CodeDifference> ComparedFile::for_program() const {
  if (auto found = for_host_of_program()) return found;
  if (!changed_.empty()) return CodeDifference{ChangeReason::kernel, name_, named(changed_)};
  return std::nullopt;
}

std::optional<CodeDifference> ComparedFile::for_whole() const {
  if (auto found = library_difference()) return found;
  if (equal_) return std::nullopt;
  const Result<std::string> before = loaded_sections_hash(files_[0].bytes()),
                            after = loaded_sections_hash(files_[1].bytes());
  if (before && after && *before == *after) return std::nullopt;
  return CodeDifference{ChangeReason::device, name_, {}};
}

}  // namespace harness

// One file in both builds: which of its parts differ. Reads files; decides nothing about cases.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/code/device_file.h"
#include "harness/code/host/host_code.h"
#include "harness/code/mapped_file.h"
#include "harness/model/code/code_change.h"

namespace harness {

// A reason for a change, without the case that it is about.
struct CodeDifference {
  ChangeReason reason = ChangeReason::nothing;
  std::string file = {};
  std::vector<std::string> names = {};
};

// Whether it is one of NVTX's own variables, the handles of domains and names that a profiler sees. No result
// depends on them.
bool is_of_annotations(std::string_view variable);

class ComparedFile {
 public:
  // `name` as seen from the builds' folders. The second error is for a file that cannot be read.
  static Result<ComparedFile> read(const std::string& name, const std::filesystem::path& before,
                                   const std::filesystem::path& after);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<KernelCodeChange>& kernels() const { return kernels_; }
  [[nodiscard]] bool is_equal() const { return equal_; }  // byte by byte
  [[nodiscard]] bool is_shared_object() const;
  [[nodiscard]] bool is_program() const;  // of machine code, not of a script
  // In one build at least.
  [[nodiscard]] bool has_function(const std::string& name) const;

  // The first difference that matters to all that use the file: device code that nobody can read, libraries,
  // what runs when it is loaded, and kernels that nobody can tell who launches. Made once.
  [[nodiscard]] const std::optional<CodeDifference>& for_all() const;
  // The first difference in all that these functions reach, kernels included. for_all() comes first.
  [[nodiscard]] std::optional<CodeDifference> for_roots(const std::vector<std::string>& roots) const;
  // The same of a workload's own host code, which launches nothing.
  [[nodiscard]] std::optional<CodeDifference> for_workload(const std::string& root) const;
  // The same of a part of a program, up to what it registers (sdk/registry.h).
  [[nodiscard]] std::optional<CodeDifference> for_work_of(const std::vector<std::string>& roots) const;
  // The first in all that a program executes, kernels included.
  [[nodiscard]] std::optional<CodeDifference> for_program() const;
  // The same without kernels.
  [[nodiscard]] std::optional<CodeDifference> for_host_of_program() const;
  // Any in the loaded sections, as the identity of calls on a CPU has it.
  [[nodiscard]] std::optional<CodeDifference> for_whole() const;
  // The kernels that differ, of all architectures, by mangled names.
  [[nodiscard]] std::vector<std::string> changed_kernels() const;

 private:
  ComparedFile(std::string name, MappedFile before, MappedFile after);
  void read_sides();
  [[nodiscard]] std::optional<CodeDifference> device_difference() const;
  [[nodiscard]] std::optional<CodeDifference> library_difference() const;
  [[nodiscard]] std::optional<CodeDifference> host_difference(const HostReach& before, const HostReach& after,
                                                              ChangeReason reason) const;
  [[nodiscard]] std::optional<CodeDifference> kernel_difference(const NameSet& functions) const;
  [[nodiscard]] std::optional<CodeDifference> find_for_all() const;
  [[nodiscard]] NameSet launched_by_unknown() const;

  std::string name_;
  std::array<std::filesystem::path, 2> paths_;
  std::array<MappedFile, 2> files_;
  bool equal_ = false;
  std::array<DeviceFile, 2> device_;
  std::array<std::optional<HostCode>, 2> host_;
  std::vector<KernelCodeChange> kernels_;
  NameSet changed_;                  // kernels
  std::array<HostReach, 2> common_;  // what runs whoever uses the file
  mutable std::optional<std::optional<CodeDifference>> for_all_ = {};
  // Variables that functions which differ refer to, wherever they are reached from.
  mutable std::optional<NameSet> unsure_variables_ = {};
};

// The functions that register what belongs to one variant or workload (sdk/registry.h).
std::string root_of_variant(const std::string& workload, const std::string& variant);
std::string root_of_workload(const std::string& workload);

}  // namespace harness

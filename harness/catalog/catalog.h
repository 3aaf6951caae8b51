// Catalog: everything that can run, by name: built-in workloads and variants, and those of plugins.
// A variant that this build or machine cannot run is in it too, with an `absence`.
// Not thread-safe while modules are loaded; const use is.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/cause.h"
#include "harness/sdk/registry.h"

namespace harness {

class Catalog {
 public:
  // The workloads and variants compiled into this program, and an entry without `make` for each CUDA
  // variant (the CUDA module, when a worker loads it, replaces those).
  static Catalog built_in();

  // The same, from the module of them that a build has beside its program, and that `ab` loads of each build.
  // So one build's CPU variants are the same machine code to `run` and to `ab`, whatever else the program
  // holds. Without that file they are those in this program.
  static Result<Catalog> load_built_in();

  // Loads a plugin (a shared library with HARNESS_MODULE, or one of sdk/plugin.h), or a file of Python with
  // cases, and adds what it brings. It stays loaded for the rest of the process.
  Status load_module(const std::filesystem::path& path);

  // Adds a module's registrations. A variant with the same workload and name replaces an
  // unavailable one, and a workload one that yields; otherwise a duplicate is an error that names both.
  Status add(const sdk::Module& module);

  // From now on the workloads that are here yield, with their variants, to those of modules that have one of
  // the same name: a user's `softmax` is not this program's. Built-in ones do from the start.
  void yield_to_modules();

  [[nodiscard]] const sdk::Workload* workload(std::string_view name) const;
  [[nodiscard]] const sdk::Variant* variant(std::string_view workload, std::string_view name) const;

  // The module whose workload took the place of one that yielded; "" where none did.
  [[nodiscard]] std::string module_hiding(std::string_view workload) const;

  [[nodiscard]] std::vector<std::string> workload_names() const;
  [[nodiscard]] std::vector<std::string> variant_names(std::string_view workload) const;

 private:
  Status add_library(void* library, const std::string& file);
  Status merge(sdk::Registry incoming, const std::string& origin);
  // Whether it was there, and yielded.
  bool give_way(std::string_view workload, const std::string& module);

  sdk::Registry contents_;
  std::set<std::string, std::less<>> yielding_;             // workloads
  std::map<std::string, std::string, std::less<>> hidden_;  // workload -> the module that hides it
};

// lib/libharness_kernels.so of this build; it need not be there.
std::filesystem::path kernels_module_path();

// Why this process cannot make a kernel of the variant. For a variant without `make`.
Cause cause_of_absence(const sdk::Variant& variant);

}  // namespace harness

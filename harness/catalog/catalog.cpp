#include "harness/catalog/catalog.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/catalog/c_plugin.h"
#include "harness/catalog/python_module.h"
#include "harness/model/known_metrics.h"

// Generated from the harness_workload() calls in kernels/.
void register_built_in(harness::sdk::Registry& registry);

namespace harness {
namespace {

// Metrics are written into suites and records, so a name must be one that can be.
Status check_metrics(const sdk::Workload& workload, const std::string& origin) {
  std::set<std::string> seen;
  const auto refused = [&](const std::string& name, const char* why) {
    return fail(ErrorKind::usage, fmt::format("module `{}`: workload `{}` declares a metric `{}`, {}", origin,
                                              printable(workload.name()), printable(name), why));
  };
  for (const sdk::MetricSpec& metric : workload.metrics()) {
    const std::string& name = metric.name;
    const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (name.empty() || !plain || name[0] < 'a')
      return refused(name, "which is not made of lower-case letters, digits and _, beginning with a letter");
    if (is_reserved_metric(name)) return refused(name, "which the harness measures itself");
    if (!seen.insert(name).second) return refused(name, "twice");
  }
  return {};
}

}  // namespace

Catalog Catalog::built_in() {
  Catalog catalog;
  register_built_in(catalog.contents_);
  catalog.yield_to_modules();
  return catalog;
}

// Also where this code is a library that an interpreter loaded.
std::filesystem::path kernels_module_path() {
  Dl_info here{};
  std::filesystem::path file = this_program();
  if (dladdr(reinterpret_cast<const void*>(&kernels_module_path), &here) != 0 && here.dli_fname != nullptr &&
      std::string_view(here.dli_fname).ends_with(".so"))
    file = here.dli_fname;
  return (file.parent_path() / ".." / "lib" / "libharness_kernels.so").lexically_normal();
}

Result<Catalog> Catalog::load_built_in() {
  const std::filesystem::path module = kernels_module_path();
  std::error_code code;
  if (!std::filesystem::is_regular_file(module, code)) return built_in();
  Catalog catalog;
  if (Status loaded = catalog.load_module(module); !loaded) return fail(loaded.error());
  catalog.yield_to_modules();
  return catalog;
}

void Catalog::yield_to_modules() {
  for (const auto& workload : contents_.workloads) yielding_.emplace(workload->name());
}

bool Catalog::give_way(std::string_view workload, const std::string& module) {
  const auto found = yielding_.find(workload);
  if (found == yielding_.end()) return false;
  hidden_.emplace(*found, std::filesystem::path(module).filename());
  yielding_.erase(found);
  std::erase_if(contents_.workloads, [&](const auto& one) { return one->name() == workload; });
  std::erase_if(contents_.variants, [&](const sdk::Variant& one) { return one.workload == workload; });
  return true;
}

Status Catalog::load_module(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code code;
  if (!std::filesystem::exists(path, code))
    return fail(ErrorKind::usage, Location{file}, "no such module",
                "build the plugin first, or correct the path");
  if (is_python_module(file)) {
    sdk::Registry incoming;
    if (Status added = add_python_module(path, incoming); !added) {
      Error error = added.error();
      error.where = Location{file};
      return fail(std::move(error));
    }
    return merge(std::move(incoming), file);
  }
  void* library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(ErrorKind::usage, Location{file}, fmt::format("cannot be loaded: {}", dlerror()));
  const Status added = add_library(library, file);
  if (added) return {};
  Error error = added.error();
  error.where = Location{file};
  return fail(error);
}

Status Catalog::add_library(void* library, const std::string& file) {
  if (const auto entry = reinterpret_cast<sdk::ModuleFunction>(dlsym(library, sdk::module_symbol)))
    return add(*entry());
  PluginExports exports;
  const Result<bool> found = find_exports(library, exports);
  if (!found) return fail(found.error());
  if (!*found)
    return fail(ErrorKind::usage, "is a shared library but not a harness module",
                "export HARNESS_MODULE(name, register_function) of harness/sdk/registry.h, or what "
                "harness/sdk/plugin.h declares");
  sdk::Registry incoming;
  if (Status added = add_c_plugin(exports, incoming); !added) return added;
  return merge(std::move(incoming), file);
}

Status Catalog::add(const sdk::Module& module) {
  if (module.abi != sdk::module_abi)
    return fail(
        ErrorKind::usage,
        fmt::format("module ABI {} does not fit this harness, which has {}", module.abi, sdk::module_abi),
        "rebuild the module against this version's SDK");
  if (std::string_view(module.compiler) != sdk::compiler_abi)
    return fail(
        ErrorKind::usage,
        fmt::format("module was built for `{}`, this harness for `{}`", module.compiler, sdk::compiler_abi),
        "build both with the same compiler and standard library");
  sdk::Registry incoming;
  module.register_all(incoming);
  return merge(std::move(incoming), module.name);
}

Status Catalog::merge(sdk::Registry incoming, const std::string& origin) {
  for (std::unique_ptr<sdk::Workload>& workload : incoming.workloads) {
    if (this->workload(workload->name()) != nullptr && !give_way(workload->name(), origin))
      return fail(ErrorKind::usage, fmt::format("module `{}` brings workload `{}`, which exists already",
                                                origin, workload->name()));
    if (Status checked = check_metrics(*workload, origin); !checked) return checked;
    contents_.workloads.push_back(std::move(workload));
  }
  for (sdk::Variant& variant : incoming.variants) {
    if (workload(variant.workload) == nullptr)
      return fail(ErrorKind::usage,
                  fmt::format("module `{}` adds variant `{}` to workload `{}`, which does not exist", origin,
                              variant.name, variant.workload));
    const auto same = std::find_if(
        contents_.variants.begin(), contents_.variants.end(),
        [&](const sdk::Variant& v) { return v.workload == variant.workload && v.name == variant.name; });
    if (same == contents_.variants.end())
      contents_.variants.push_back(std::move(variant));
    else if (same->make == nullptr)
      *same = std::move(variant);
    else
      return fail(ErrorKind::usage,
                  fmt::format("module `{}` brings variant `{}` of `{}`, which exists already", origin,
                              variant.name, variant.workload));
  }
  return {};
}

const sdk::Workload* Catalog::workload(std::string_view name) const {
  for (const auto& workload : contents_.workloads)
    if (workload->name() == name) return workload.get();
  return nullptr;
}

const sdk::Variant* Catalog::variant(std::string_view workload, std::string_view name) const {
  for (const sdk::Variant& variant : contents_.variants)
    if (variant.workload == workload && variant.name == name) return &variant;
  return nullptr;
}

std::string Catalog::module_hiding(std::string_view workload) const {
  const auto found = hidden_.find(workload);
  return found == hidden_.end() ? std::string() : found->second;
}

std::vector<std::string> Catalog::workload_names() const {
  std::vector<std::string> names;
  for (const auto& workload : contents_.workloads) names.emplace_back(workload->name());
  return names;
}

std::vector<std::string> Catalog::variant_names(std::string_view workload) const {
  std::vector<std::string> names;
  for (const sdk::Variant& variant : contents_.variants)
    if (variant.workload == workload) names.push_back(variant.name);
  return names;
}

Cause cause_of_absence(const sdk::Variant& variant) {
  switch (variant.absence) {
    case sdk::Absence::told: break;
    case sdk::Absence::in_cuda_module: return {CauseCode::no_device, {{"device", variant.device}}};
    case sdk::Absence::no_cuda_module: return {CauseCode::no_cuda_module};
    case sdk::Absence::architecture:
      return {CauseCode::architecture, {{"needs", variant.needs}, {"has", variant.has}}};
  }
  return cause_with_why(CauseCode::not_built, variant.unavailable);
}

}  // namespace harness

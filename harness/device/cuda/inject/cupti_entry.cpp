#include "harness/device/cuda/inject/cupti_entry.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <string_view>
#include <vector>

#include "harness/base/environment.h"

namespace harness::inject {
namespace {

// The records of CUDA 12.0 and later begin with the same fields.
constexpr std::uint32_t oldest_version = 18;
constexpr std::array names{"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

int add_loaded(dl_phdr_info* info, std::size_t, void* files) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
    static_cast<std::vector<std::string>*>(files)->emplace_back(info->dlpi_name);
  return 0;
}

std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  dl_iterate_phdr(&add_loaded, &files);
  return files;
}

std::string_view base_name(std::string_view file) {
  return file.substr(file.rfind('/') + 1);
}

// Where a CUDA runtime of Python's packages or of a toolkit is, CUPTI is near.
std::vector<std::string> folders_beside(const std::vector<std::string>& loaded) {
  std::vector<std::string> folders;
  for (const std::string& file : loaded) {
    const std::string_view name = base_name(file);
    if (!name.starts_with("libcudart.") && !name.starts_with("libcublas.")) continue;
    const std::string folder = file.substr(0, file.rfind('/'));
    for (const char* near : {"", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64"})
      folders.push_back(folder + near);
  }
  return folders;
}

void* open_library(std::string& file, std::string& problem) {
  const std::vector<std::string> loaded = loaded_files();
  for (const std::string& one : loaded)
    if (base_name(one).starts_with("libcupti.so"))
      if (void* library = dlopen(one.c_str(), RTLD_NOW | RTLD_NOLOAD)) return file = one, library;
  if (const std::string chosen = environment::cupti_library(); !chosen.empty()) {
    file = chosen;
    void* library = dlopen(chosen.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) problem = dlerror();
    return library;
  }
  std::vector<std::string> folders = folders_beside(loaded);
  for (const char* usual :
       {HARNESS_CUDA_LIBRARY_FOLDER, "/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64"})
    folders.emplace_back(usual);
  folders.emplace_back();  // where the loader looks
  for (const std::string& folder : folders)
    for (const char* name : names) {
      file = folder.empty() ? name : folder + "/" + name;
      if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      problem = dlerror();
    }
  return nullptr;
}

}  // namespace

std::string CuptiEntry::problem(const char* function, CUptiResult code) const {
  const char* name = nullptr;
  if (GetResultString(code, &name) != CUPTI_SUCCESS || name == nullptr) name = "unknown error";
  return std::string(function) + " failed: " + name + " (" + std::to_string(static_cast<int>(code)) + ")";
}

bool find_cupti(CuptiEntry& found, std::string& problem) {
  void* library = open_library(found.file, problem);
  if (library == nullptr) return false;
#define HARNESS_TRACE_FIND(name) \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, "cupti" #name));
#define HARNESS_TRACE_REQUIRE(name)               \
  HARNESS_TRACE_FIND(name)                        \
  if (found.name == nullptr) {                    \
    problem = found.file + " has no cupti" #name; \
    return false;                                 \
  }
  HARNESS_TRACE_FUNCTIONS(HARNESS_TRACE_REQUIRE)
  HARNESS_TRACE_FIND(Subscribe_v2)
#undef HARNESS_TRACE_REQUIRE
#undef HARNESS_TRACE_FIND
  std::uint32_t version = 0;
  const CUptiResult code = found.GetVersion(&version);
  if (code == CUPTI_SUCCESS && version >= oldest_version) return true;
  problem = found.file + " is older than CUDA 12.0";
  return false;
}

}  // namespace harness::inject

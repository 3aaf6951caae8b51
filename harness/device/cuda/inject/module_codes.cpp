#include "harness/device/cuda/inject/module_codes.h"

#include <functional>
#include <utility>

#include "harness/device/code/cubin.h"
#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/load_calls.h"

namespace harness::inject {
namespace {

using cuda::handle;

std::uint64_t key_of(std::string_view name) {
  return std::hash<std::string_view>()(name);
}

}  // namespace

LaunchedFunction function_of(const cuda::Driver& driver, CUfunction handle_given) {
  LaunchedFunction found;
  CUfunction function = handle_given;
  int value = 0;
  if (driver.FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) != CUDA_SUCCESS) {
    const auto kernel = reinterpret_cast<CUkernel>(handle_given);
    CUlibrary library = nullptr;
    if (driver.KernelGetLibrary(&library, kernel) == CUDA_SUCCESS) found.modules[1] = handle(library);
    if (driver.KernelGetFunction(&function, kernel) != CUDA_SUCCESS) return found;
  }
  CUmodule module = nullptr;
  if (driver.FuncGetModule(&module, function) == CUDA_SUCCESS) found.modules[0] = handle(module);
  const char* name = nullptr;
  if (driver.FuncGetName(&name, function) == CUDA_SUCCESS && name != nullptr) found.name = name;
  return found;
}

void ModuleCodes::take(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.functionParams == nullptr || !cuda::is_load(id)) return;
  const std::thread::id thread = std::this_thread::get_id();
  if (data.callbackSite == CUPTI_API_ENTER) {
    const std::lock_guard lock(mutex_);
    loading_[thread].clear();
    return;
  }
  if (const std::span<const std::byte> image = cuda::image_to_load(id, data); !image.empty()) {
    bool seen = false;
    {
      const std::lock_guard lock(mutex_);
      seen = !loading_[thread].empty();
    }
    if (!seen) (void)add(image);
  }
  const std::lock_guard lock(mutex_);
  auto loaded = loading_.extract(thread);
  const std::uint64_t got = cuda::loaded_handle(data);
  if (loaded && got != 0) loaded_.insert_or_assign(got, std::move(loaded.mapped()));
}

bool ModuleCodes::add(std::span<const std::byte> image) {
  const Result<CodeHashes> found = whole_code_hashes(image);
  if (!found) return false;
  Codes codes;
  for (const auto& [name, hash] : *found) codes.emplace(key_of(name), hash);
  const std::lock_guard lock(mutex_);
  if (const auto load = loading_.find(std::this_thread::get_id()); load != loading_.end())
    learn(load->second, codes);
  return learn(by_name_, codes);
}

bool ModuleCodes::learn(Codes& known, const Codes& found) {
  bool changed = false;
  for (const auto& [name, hash] : found) {
    const auto [place, fresh] = known.try_emplace(name, hash);
    changed |= fresh || place->second != hash;
    if (!fresh && place->second != hash) place->second.clear();
  }
  return changed;
}

std::string ModuleCodes::by_name(std::string_view kernel) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(key_of(kernel));
  return found == by_name_.end() ? std::string() : found->second;
}

std::string ModuleCodes::of(const LaunchedFunction& function) const {
  if (function.name.empty()) return {};
  {
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t module : function.modules)
      if (const auto loaded = loaded_.find(module); module != 0 && loaded != loaded_.end())
        if (const auto found = loaded->second.find(key_of(function.name)); found != loaded->second.end())
          return found->second;
  }
  return by_name(function.name);
}

}  // namespace harness::inject

#include "harness/device/host/cuda_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/base/environment.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr int cupti_success = 0;
constexpr int cupti_held = 39;             // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
constexpr std::size_t holder_length = 64;  // CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN

// CUpti_SubscriberParams of cupti_callbacks.h in CUDA 13.0.
struct SubscriberParams {
  std::size_t struct_size;
  const char* subscriber_name;
  char* old_subscriber_name;
  std::size_t old_subscriber_size;
};

// Never closed, because some CUDA libraries cannot be unloaded.
void* open_first(const std::vector<std::string>& names, std::string& error) {
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) return library;
    if (error.empty()) error = dlerror();
  }
  return nullptr;
}

// The file that the user chose, or where the loader and a toolkit in its usual place have it.
std::vector<std::string> candidates(const std::string& chosen, const char* soname) {
  if (!chosen.empty()) return {chosen};
  std::vector<std::string> names{soname};
  for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/",
                             "/usr/local/cuda/extras/CUPTI/lib64/"})
    names.push_back(std::string(folder) + soname);
  return names;
}

template <class Signature>
Signature* function(void* library, const char* name) {
  return reinterpret_cast<Signature*>(dlsym(library, name));
}

// version.json of a toolkit: {"cuda": {"version": "13.0.48"}, ...}.
std::string toolkit_version(const fs::path& root) {
  std::ifstream in(root / "usr/local/cuda/version.json");
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object()) return {};
  const auto cuda = json.find("cuda");
  if (cuda == json.end() || !cuda->is_object()) return {};
  const auto version = cuda->find("version");
  return version != cuda->end() && version->is_string() ? version->get<std::string>() : "";
}

// Loading cuBLAS needs no driver. libraryPropertyType: 0 major, 1 minor, 2 patch.
std::string cublas_version() {
  std::string ignored;
  void* library = open_first(candidates(environment::cublas_library(), "libcublas.so.13"), ignored);
  const auto property = library == nullptr ? nullptr : function<int(int, int*)>(library, "cublasGetProperty");
  std::array<int, 3> parts{};
  if (property == nullptr) return {};
  for (int which = 0; which < 3; ++which)
    if (property(which, &parts.at(static_cast<std::size_t>(which))) != 0) return {};
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

void ignore_callback(void* user, int domain, unsigned id, const void* data) {
  (void)user, (void)domain, (void)id, (void)data;
}

// Subscribes for a moment. Returns the name of an earlier subscriber.
std::string holder_of(void* cupti) {
  using Subscribe = int(void**, void (*)(void*, int, unsigned, const void*), void*, SubscriberParams*);
  const auto subscribe = function<Subscribe>(cupti, "cuptiSubscribe_v2");
  const auto unsubscribe = function<int(void*)>(cupti, "cuptiUnsubscribe");
  if (subscribe == nullptr || unsubscribe == nullptr) return {};
  std::array<char, 2 * holder_length> holder{};
  SubscriberParams params{sizeof params, "harness", holder.data(), holder.size() - 1};
  void* subscriber = nullptr;
  const int code = subscribe(&subscriber, ignore_callback, nullptr, &params);
  if (code == cupti_success) (void)unsubscribe(subscriber);
  if (code != cupti_held) return {};
  return holder[0] != '\0' ? holder.data() : "a tool that does not say its name";
}

void look_for_cupti(CudaLibraries& found) {
  void* library = open_first(candidates(environment::cupti_library(), "libcupti.so.13"), found.cupti_error);
  if (library == nullptr) return;
  found.cupti_error.clear();
  const auto version_of = function<int(std::uint32_t*)>(library, "cuptiGetVersion");
  std::uint32_t version = 0;
  if (version_of == nullptr || version_of(&version) != cupti_success) {
    found.cupti_error = "it does not tell its version";
    return;
  }
  found.cupti = std::to_string(version);
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(version_of), &where) != 0 && where.dli_fname != nullptr)
    found.cupti_path = where.dli_fname;
  found.cupti_holder = holder_of(library);
}

}  // namespace

CudaLibraries find_cuda_libraries(const fs::path& root) {
  CudaLibraries found;
  found.toolkit = toolkit_version(root);
  found.injected = environment::cuda_injection();
  found.cublas = cublas_version();
  look_for_cupti(found);
  return found;
}

std::string encode(const CudaLibraries& l) {
  const nlohmann::ordered_json json{
      {"toolkit", l.toolkit},       {"cublas", l.cublas},           {"cupti", l.cupti},
      {"cupti_path", l.cupti_path}, {"cupti_error", l.cupti_error}, {"cupti_holder", l.cupti_holder},
      {"injected", l.injected}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<CudaLibraries> decode_cuda_libraries(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object())
    return fail(ErrorKind::environment, "looking for CUDA libraries ended without an answer",
                "one of them may be broken: LD_DEBUG=libs shows which are loaded");
  const auto word = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return CudaLibraries{word("toolkit"),     word("cublas"),       word("cupti"),   word("cupti_path"),
                       word("cupti_error"), word("cupti_holder"), word("injected")};
}

}  // namespace harness

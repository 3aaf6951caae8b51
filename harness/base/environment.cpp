#include "harness/base/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "harness/base/stack_padding.h"
#include "harness/base/text.h"

namespace harness::environment {
namespace fs = std::filesystem;
namespace {

// "" where the variable is not set.
std::string value_of(const char* name) {
  const char* value = find(name);
  return value == nullptr ? "" : value;
}

std::string value_or(const char* name, const char* fallback) {
  const std::string value = value_of(name);
  return value.empty() ? fallback : value;
}

template <class Wanted>
std::map<std::string, std::string> variables_that(const Wanted& wanted) {
  std::map<std::string, std::string> found;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view text(*one);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && wanted(text.substr(0, equals)))
      found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

}  // namespace

const char* find(const char* name) {
  return std::getenv(name);
}

bool is_withheld(std::string_view name) {
  const auto begins = [&](std::string_view start) { return name.starts_with(start); };
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  constexpr std::array starts{"GITHUB_", "ACTIONS_", "INPUT_", "RUNNER_", "CI_", "HARNESS_STORE", "PG"};
  constexpr std::array parts{"TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "API_KEY"};
  return std::any_of(starts.begin(), starts.end(), begins) || std::any_of(parts.begin(), parts.end(), has);
}

std::map<std::string, std::string> settings() {
  return variables_that([](std::string_view name) { return name.starts_with("HARNESS_"); });
}

std::map<std::string, std::string> seen_by_workers() {
  // They tell of a session, a place, a day, or the choice of devices.
  constexpr std::array starts{"SSH_", "XDG_", "BUILDKITE_", "JENKINS_"};
  constexpr std::array others{"HARNESS_TODAY",
                              "HARNESS_NO_DEFAULTS",
                              "HARNESS_DEFAULTS",
                              "HARNESS_CACHE_DIR",
                              "HARNESS_LOCK_DIR",
                              "HARNESS_ENVIRONMENT",
                              stack_padding_variable,
                              "CUDA_VISIBLE_DEVICES",
                              "CUDA_DEVICE_ORDER",
                              "NVIDIA_VISIBLE_DEVICES",
                              "HOSTNAME",
                              "BUILD_NUMBER",
                              "BUILD_ID",
                              "BUILD_TAG",
                              "BUILD_URL",
                              "BUILD_DISPLAY_NAME",
                              "EXECUTOR_NUMBER",
                              "PWD",
                              "OLDPWD",
                              "SHLVL",
                              "TERM",
                              "_"};
  return variables_that([&](std::string_view name) {
    return !is_withheld(name) && std::find(others.begin(), others.end(), name) == others.end() &&
           std::none_of(starts.begin(), starts.end(), [&](const char* one) { return name.starts_with(one); });
  });
}

std::string named_environment() {
  return std::string(trim(value_of("HARNESS_ENVIRONMENT")));
}

std::string postgresql_passwords() {
  return value_of("PGPASSFILE");
}

std::string today() {
  return value_of("HARNESS_TODAY");
}

bool has_no_defaults() {
  return !value_of(no_defaults).empty();
}

std::string defaults_file() {
  return value_of("HARNESS_DEFAULTS");
}

bool in_ci() {
  const std::string ci = value_of("CI");
  return (!ci.empty() && ci != "false" && ci != "0") || !value_of("JENKINS_URL").empty() ||
         !value_of("TF_BUILD").empty();
}

std::string target_of_change() {
  if (std::string base = value_of("CI_MERGE_REQUEST_DIFF_BASE_SHA"); !base.empty()) return base;
  const std::string branch = value_or("GITHUB_BASE_REF", value_of("CHANGE_TARGET").c_str());
  return branch.empty() ? "" : "refs/remotes/origin/" + branch;
}

fs::path cache_folder() {
  if (const std::string chosen = value_of("HARNESS_CACHE_DIR"); !chosen.empty()) return chosen;
  // The XDG Base Directory Specification says that a path that is not absolute is to be ignored.
  if (const fs::path caches = value_of("XDG_CACHE_HOME"); caches.is_absolute()) return caches / "harness";
  if (const fs::path home = value_of("HOME"); home.is_absolute()) return home / ".cache" / "harness";
  return {};
}

fs::path lock_folder() {
  return value_or("HARNESS_LOCK_DIR", "/tmp");
}

fs::path system_root() {
  return value_or("HARNESS_SYSTEM_ROOT", "/");
}

fs::path cuda_module() {
  return value_of("HARNESS_CUDA_MODULE");
}

std::string python() {
  return value_or("HARNESS_PYTHON", "python3");
}

std::string nvml_library() {
  return value_or("HARNESS_NVML", "libnvidia-ml.so.1");
}

std::filesystem::path identity_texts() {
  return value_of("HARNESS_IDENTITY_TEXTS");
}

std::string cupti_library() {
  return value_of("HARNESS_CUPTI");
}

fs::path trace_library() {
  return value_of("HARNESS_TRACE_LIBRARY");
}

const char* trace_folder() {
  return find("HARNESS_TRACE_FOLDER");
}

bool trace_arguments() {
  return value_of("HARNESS_TRACE_ARGUMENTS") != "off";
}

bool trace_contents() {
  return value_of("HARNESS_TRACE_CONTENTS") == "on";
}

std::string cublas_library() {
  return value_of("HARNESS_CUBLAS");
}

bool forces_spinning_gate() {
  return value_of("HARNESS_CUDA_GATE") == "spin";
}

const char* cuda_visible_devices() {
  return find("CUDA_VISIBLE_DEVICES");
}

std::string cuda_device_order() {
  return value_of("CUDA_DEVICE_ORDER");
}

std::string cuda_injection() {
  return value_of("CUDA_INJECTION64_PATH");
}

int columns() {
  const std::string text = value_of("COLUMNS");
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool forbids_colour() {
  return !value_of("NO_COLOR").empty();
}

bool forces_colour() {
  return value_or("CLICOLOR_FORCE", "0") != "0";
}

bool terminal_lacks_colour() {
  return value_of("CLICOLOR") == "0" || value_of("TERM") == "dumb";
}

std::string locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (std::string value = value_of(name); !value.empty()) return value;
  return {};
}

}  // namespace harness::environment

// Device kinds: one row each. Everything outside of a device's own folder that differs between kinds asks its
// row; no code compares the name. How a kind is opened stands in device/open.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace harness {

struct DeviceKind {
  std::string_view name;         // in variants, plans, records, and as `--device`
  std::string_view time_metric;  // what its times are called in records
  // A GPU: numbered ("cuda:1"), identified by a UUID, its ceilings kept for a session, with hardware
  // counters.
  bool is_gpu;
};

inline constexpr DeviceKind cpu_kind{"cpu", "wall_time", false};
inline constexpr DeviceKind cuda_kind{"cuda", "gpu_time", true};

inline constexpr std::array device_kinds{cpu_kind, cuda_kind};

// By the name of a kind; null for any other text.
constexpr const DeviceKind* find_device_kind(std::string_view name) {
  const auto* const found = std::find_if(device_kinds.begin(), device_kinds.end(),
                                         [&](const DeviceKind& kind) { return kind.name == name; });
  return found == device_kinds.end() ? nullptr : found;
}

// "scripted:PATH": a device of tests.
inline constexpr std::string_view scripted_device = "scripted";
constexpr bool is_scripted_device(std::string_view device) {
  return device.starts_with(scripted_device) && device.substr(scripted_device.size()).starts_with(':');
}

// In place of a kind, for cases that another tool sampled.
inline constexpr std::string_view import_device = "import";

// By the name of a device: "cuda:1" is of kind "cuda". A script passes for a CPU.
constexpr const DeviceKind* kind_of_device(std::string_view device) {
  if (is_scripted_device(device)) return find_device_kind(cpu_kind.name);
  return find_device_kind(device.substr(0, device.find(':')));
}

constexpr bool is_gpu_kind(std::string_view kind) {
  const DeviceKind* found = find_device_kind(kind);
  return found != nullptr && found->is_gpu;
}

constexpr bool is_gpu_device(std::string_view device) {
  const DeviceKind* found = kind_of_device(device);
  return found != nullptr && found->is_gpu;
}

// Whether a metric is the time of some kind of device.
constexpr bool is_time_of_device(std::string_view metric) {
  return std::any_of(device_kinds.begin(), device_kinds.end(),
                     [&](const DeviceKind& kind) { return kind.time_metric == metric; });
}

}  // namespace harness

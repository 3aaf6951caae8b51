#include "harness/device/cuda/profiling/names.h"

#include <fmt/format.h>

namespace harness::cuda {

std::string machine_class_of(std::string_view device_name) {
  std::string slug;
  bool gap = false;
  for (const char raw : device_name) {
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
      gap = true;
      continue;
    }
    if (gap && !slug.empty()) slug += '-';
    gap = false;
    slug += c;
  }
  return slug.empty() ? "unknown-gpu" : slug;
}

std::string uuid_text(std::span<const char, 16> bytes) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

std::string version_text(int encoded) {
  return fmt::format("{}.{}", encoded / 1000, encoded % 1000 / 10);
}

}  // namespace harness::cuda

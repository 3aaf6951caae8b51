#include "harness/device/observe/python_cache.h"

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace harness {
namespace fs = std::filesystem;

bool is_python_cache(const std::string& path) {
  const fs::path file(path);
  return file.filename() == python_caches ||
         (file.parent_path().filename() == python_caches && file.extension() == ".pyc");
}

// Its first 16 bytes: the version, 0 where time and size of the source follow, this time, this size.
std::string source_of_python_cache(const std::string& path) {
  const fs::path file(path);
  if (!is_python_cache(path) || file.filename() == python_caches) return "";
  const std::string name = file.filename().string();
  const fs::path source = file.parent_path().parent_path() / (name.substr(0, name.find('.')) + ".py");
  std::array<std::uint32_t, 4> head{};
  std::ifstream in(path, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(head.data()), sizeof head) || head[1] != 0) return "";
  struct stat about {};
  if (stat(source.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return "";
  return source.string();
}

}  // namespace harness

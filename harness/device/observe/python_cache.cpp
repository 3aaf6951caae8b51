#include "harness/device/observe/python_cache.h"

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace harness {
namespace fs = std::filesystem;

// Its first 16 bytes: the version, 0 where time and size of the source follow, this time, this size.
std::string source_of_python_cache(const std::string& path) {
  const fs::path file(path);
  if (file.parent_path().filename() != "__pycache__" || file.extension() != ".pyc") return "";
  const std::string name = file.stem().string();  // without the tag of the interpreter it is the module's
  const fs::path source = file.parent_path().parent_path() / (name.substr(0, name.rfind('.')) + ".py");
  std::array<std::uint32_t, 4> head{};
  std::ifstream in(path, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(head.data()), sizeof head) || head[1] != 0) return "";
  struct stat about {};
  const bool there = stat(source.c_str(), &about) == 0 && S_ISREG(about.st_mode);
  const bool fits = there && head[2] == static_cast<std::uint32_t>(about.st_mtim.tv_sec) &&
                    head[3] == static_cast<std::uint32_t>(about.st_size);
  return fits ? source.string() : "";
}

}  // namespace harness

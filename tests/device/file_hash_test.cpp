#include "harness/device/observe/file_hash.h"

#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "harness/base/files.h"
#include "harness/base/process.h"

namespace harness {
namespace {

std::string hash_of(const std::string& bytes, HashLimits limits = {}, bool executed = false) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path, std::ios::binary) << bytes;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto found = hash_of_file(file, limits, executed);
  close(file);
  return found.value_or("");
}

// This program, and the place of a section in it.
class ElfHash : public testing::Test {
 protected:
  [[nodiscard]] Elf64_Ehdr head() const {
    Elf64_Ehdr found{};
    std::memcpy(&found, image_.data(), sizeof found);
    return found;
  }
  [[nodiscard]] Elf64_Shdr section(const std::string& name) const {
    const auto at = [&](unsigned i) {
      Elf64_Shdr one{};
      std::memcpy(&one, image_.data() + head().e_shoff + i * sizeof one, sizeof one);
      return one;
    };
    const Elf64_Shdr names = at(head().e_shstrndx);
    for (unsigned i = 0; i < head().e_shnum; ++i)
      if (name == image_.data() + names.sh_offset + at(i).sh_name) return at(i);
    return {};
  }
  [[nodiscard]] std::string with_change_at(std::size_t offset) const {
    std::string other = image_;
    other[offset] ^= 1;
    return other;
  }

  static std::string executed(const std::string& bytes) { return hash_of(bytes, {}, true); }

  std::string image_ = read_file(this_program(), 4UL << 30).value_or("");
};

TEST(FileHash, IsTheSha256) {
  EXPECT_EQ(text_hash("abc"), "ba7816bf8f01cfea414140de5dae2223");
  EXPECT_NE(hash_of("abc"), hash_of("abd"));
  EXPECT_NE(hash_of(std::string(1 << 20, 'a')), hash_of(std::string((1 << 20) + 1, 'a')));
}

TEST(FileHash, EndsAtItsLimits) {
  HashLimits limits{.bytes = 2};
  EXPECT_EQ(hash_of("abc", limits), "");
  EXPECT_EQ(hash_of("abc", {.bytes = 3, .seconds = 0}), "");
  EXPECT_NE(hash_of("abc", {.bytes = 3}), "");
}

TEST_F(ElfHash, CoversCodeConstantsHeadersAndWhatFollows) {
  const std::string whole = executed(image_);
  for (const char* name : {".text", ".rodata", ".data", ".dynamic", ".init_array", ".dynstr"}) {
    const Elf64_Shdr found = section(name);
    ASSERT_GT(found.sh_size, 0U) << name;
    EXPECT_NE(executed(with_change_at(found.sh_offset)), whole) << name;
    EXPECT_NE(executed(with_change_at(found.sh_offset + found.sh_size - 1)), whole) << name;
  }
  EXPECT_NE(executed(with_change_at(offsetof(Elf64_Ehdr, e_entry))), whole);
  EXPECT_NE(executed(with_change_at(head().e_phoff + offsetof(Elf64_Phdr, p_flags))), whole);
  EXPECT_NE(executed(image_ + "payload"), whole);
}

TEST_F(ElfHash, LeavesOutWhatOnlyDebuggersRead) {
  const std::string whole = executed(image_);
  for (const char* name : {".note.gnu.build-id", ".symtab", ".strtab", ".debug_info", ".debug_str"}) {
    const Elf64_Shdr found = section(name);
    if (found.sh_size == 0) continue;
    const std::string other = with_change_at(found.sh_offset + found.sh_size - 1);
    EXPECT_EQ(executed(other), whole) << name;
    EXPECT_NE(hash_of(other), hash_of(image_)) << name << " of a file that is data";
  }
}

}  // namespace
}  // namespace harness

// The reader of machine code, on images that nvcc wrote (fuzz/corpus/cubin) and on damaged ones.
#include "harness/device/code/cubin.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/device/code/code_book.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

constexpr const char* add_kernel = "_Z3addPfPKfi";
constexpr const char* scale_kernel = "_Z5scalePff";

std::vector<std::byte> image(const std::string& name) {
  std::ifstream in(std::string(HARNESS_SOURCE_DIR) + "/tests/fuzz/corpus/cubin/" + name, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_FALSE(text.empty()) << name;
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

CodeHashes hashes(const std::vector<std::byte>& bytes) {
  const Result<CodeHashes> found = code_hashes(bytes);
  if (!found) ADD_FAILURE() << found.error().text();
  return found.value_or(CodeHashes{});
}

std::string refusal(const std::vector<std::byte>& bytes) {
  const Result<CodeHashes> found = code_hashes(bytes);
  return found ? "" : found.error().message;
}

Elf64_Ehdr header_of(const std::vector<std::byte>& bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

std::vector<std::byte> with_header(std::vector<std::byte> bytes, const Elf64_Ehdr& header) {
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST(Cubin, GivesAHashForEachKernel) {
  const CodeHashes found = hashes(image("base.cubin"));
  EXPECT_THAT(found, UnorderedElementsAre(Key(add_kernel), Key(scale_kernel)));
  EXPECT_EQ(found.at(add_kernel).size(), 32u);
  EXPECT_NE(found.at(add_kernel), found.at(scale_kernel));
}

TEST(Cubin, GivesTheSameHashToTheSameCodeInAnotherImageWithLineNumbers) {
  const CodeHashes before = hashes(image("base.cubin")), after = hashes(image("changed.cubin"));
  EXPECT_EQ(before.at(scale_kernel), after.at(scale_kernel));
  EXPECT_NE(before.at(add_kernel), after.at(add_kernel)) << "a minus for a plus is other code";
  EXPECT_TRUE(after.contains("_Z5firstPf"));
}

TEST(Cubin, SeesOneFlippedBitOfOneKernelAndOnlyOfThat) {
  std::vector<std::byte> bytes = image("base.cubin");
  const CodeHashes before = hashes(bytes);
  const Elf64_Ehdr header = header_of(bytes);
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + static_cast<std::size_t>(i) * sizeof section,
                sizeof section);
    if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
    bytes[section.sh_offset] ^= std::byte{1};
    const CodeHashes after = hashes(bytes);
    EXPECT_EQ(
        (before.at(add_kernel) != after.at(add_kernel)) + (before.at(scale_kernel) != after.at(scale_kernel)),
        1);
    bytes[section.sh_offset] ^= std::byte{1};
  }
  EXPECT_EQ(hashes(bytes), before);
}

TEST(Cubin, RefusesWhatIsNoImageAndSaysWhy) {
  EXPECT_NE(refusal({}), "");
  EXPECT_NE(refusal(std::vector<std::byte>(200, std::byte{'x'})), "");
  const std::vector<std::byte> whole = image("base.cubin");
  Elf64_Ehdr header = header_of(whole);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_NE(refusal(with_header(whole, header)), "");
  header = header_of(whole);
  header.e_shoff = ~std::uint64_t{0} - 8;  // adding a size to it wraps around
  EXPECT_NE(refusal(with_header(whole, header)), "");
  header = header_of(whole);
  header.e_shnum = 0xfeff;
  EXPECT_NE(refusal(with_header(whole, header)), "");
  header = header_of(whole);
  header.e_shstrndx = header.e_shnum;
  EXPECT_NE(refusal(with_header(whole, header)), "");
}

TEST(Cubin, CutOffAnywhereIsRefusedOrReadButNeverReadBeyondItsEnd) {
  const std::vector<std::byte> whole = image("base.cubin");
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const Result<CodeHashes> found = code_hashes(part);
    EXPECT_THAT(found ? "a cubin " : found.error().message, HasSubstr("a cubin "));
  }
}

TEST(CodeBook, KnowsWhatWasLoadedOnceItIsDigested) {
  CodeBook book;
  book.add(image("base.cubin"));
  EXPECT_THAT(book.hashes(), IsEmpty());
  book.digest();
  EXPECT_EQ(book.hashes(), hashes(image("base.cubin")));
  book.add({});
  book.digest();
  EXPECT_EQ(book.hashes(), hashes(image("base.cubin"))) << "what is no cubin adds nothing";
}

TEST(CodeBook, LeavesOutANameThatStandsForTwoCodes) {
  CodeBook book;
  book.add(image("base.cubin"));
  book.add(image("changed.cubin"));
  book.digest();
  EXPECT_FALSE(book.hashes().contains(add_kernel));
  EXPECT_EQ(book.hashes().at(scale_kernel), hashes(image("base.cubin")).at(scale_kernel));
}

TEST(CodeBook, KeepsTheKernelsOfTwoBuildsApart) {
  CodeBook book;
  book.turn("baseline");
  book.add(image("base.cubin"));
  book.turn("current");
  book.add(image("changed.cubin"));
  book.digest();
  EXPECT_EQ(book.hashes(), hashes(image("changed.cubin")));
  book.turn("baseline");
  EXPECT_EQ(book.hashes(), hashes(image("base.cubin")));
  book.turn("");
  EXPECT_THAT(book.hashes(), IsEmpty());
}

}  // namespace
}  // namespace harness

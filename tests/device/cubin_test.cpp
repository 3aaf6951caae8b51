// The reader of machine code, on images that nvcc wrote (fuzz/corpus/cubin) and on damaged ones.
#include "harness/device/code/cubin.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/device/code/code_book.h"

namespace harness {
namespace {

using testing::ElementsAre;
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

FunctionBytes functions(const std::vector<std::byte>& bytes) {
  const Result<FunctionBytes> found = function_bytes(bytes);
  if (!found) ADD_FAILURE() << found.error().text();
  return found.value_or(FunctionBytes{});
}

std::string refusal(const std::vector<std::byte>& bytes) {
  const Result<FunctionBytes> found = function_bytes(bytes);
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

TEST(Cubin, GivesTheBytesOfEachKernel) {
  const FunctionBytes found = functions(image("base.cubin"));
  EXPECT_THAT(found, UnorderedElementsAre(Key(add_kernel), Key(scale_kernel)));
  EXPECT_NE(found.at(add_kernel), found.at(scale_kernel));
  EXPECT_NE(found.at(add_kernel), "");
}

TEST(Cubin, GivesTheSameBytesToTheSameCodeInAnotherImageWithLineNumbers) {
  const FunctionBytes before = functions(image("base.cubin")), after = functions(image("changed.cubin"));
  EXPECT_EQ(before.at(scale_kernel), after.at(scale_kernel));
  EXPECT_NE(before.at(add_kernel), after.at(add_kernel)) << "a minus for a plus is other code";
  EXPECT_TRUE(after.contains("_Z5firstPf"));
}

TEST(Cubin, SeesOneFlippedBitOfOneKernelAndOnlyOfThat) {
  std::vector<std::byte> bytes = image("base.cubin");
  const FunctionBytes before = functions(bytes);
  const Elf64_Ehdr header = header_of(bytes);
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + static_cast<std::size_t>(i) * sizeof section,
                sizeof section);
    if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
    bytes[section.sh_offset] ^= std::byte{1};
    const FunctionBytes after = functions(bytes);
    EXPECT_EQ(
        (before.at(add_kernel) != after.at(add_kernel)) + (before.at(scale_kernel) != after.at(scale_kernel)),
        1);
    bytes[section.sh_offset] ^= std::byte{1};
  }
  EXPECT_EQ(functions(bytes), before);
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
    const Result<FunctionBytes> found = function_bytes(part);
    EXPECT_THAT(found ? "a cubin " : found.error().message, HasSubstr("a cubin "));
  }
}

// One bit of a section's byte is flipped.
std::vector<std::byte> with_flipped_bit(std::vector<std::byte> bytes, const std::string& wanted,
                                        std::size_t at) {
  const Elf64_Ehdr header = header_of(bytes);
  const auto section = [&](std::size_t i) {
    Elf64_Shdr one;
    std::memcpy(&one, bytes.data() + header.e_shoff + i * sizeof one, sizeof one);
    return one;
  };
  const std::uint64_t names = section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    if (wanted != reinterpret_cast<const char*>(bytes.data() + names + one.sh_name)) continue;
    bytes[one.sh_offset + at] ^= std::byte{1};
    return bytes;
  }
  ADD_FAILURE() << "no section " << wanted;
  return bytes;
}

// globals.cubin: `plain` touches its argument alone; `uses` reads a __constant__ table and a __device__
// counter that begin with values, and an array that begins with zeros; `big` is a template. From
//   __constant__ float table[4] = {1, 2, 3, 4}; __device__ int counter = 7; __device__ int zeroed[100];
class WholeCode : public testing::Test {
 protected:
  static CodeHashes of(const std::vector<std::byte>& bytes) {
    const Result<CodeHashes> found = whole_code_hashes(bytes);
    if (!found) ADD_FAILURE() << found.error().text();
    return found.value_or(CodeHashes{});
  }
  // The image with one bit of a section's byte flipped.
  std::vector<std::byte> flipped(const std::string& section, std::size_t at = 0) {
    return with_flipped_bit(image_, section, at);
  }
  // The kernels whose hashes differ from those of the image.
  std::vector<std::string> changed_by(const std::vector<std::byte>& other) {
    std::vector<std::string> names;
    const CodeHashes before = of(image_), after = of(other);
    for (const auto& [name, hash] : before)
      if (after.at(name) != hash) names.push_back(name);
    return names;
  }

  const std::vector<std::byte> image_ = image("globals.cubin");
  static constexpr const char* plain = "_Z5plainPf";
  static constexpr const char* uses = "_Z4usesPfi";
  static constexpr const char* big = "_Z3bigIfEvPT_";
};

TEST_F(WholeCode, IsThatOfEachKernel) {
  EXPECT_THAT(of(image_), UnorderedElementsAre(Key(plain), Key(uses), Key(big)));
  EXPECT_EQ(of(image_), of(image_));
}

TEST_F(WholeCode, CoversTheKernelsOwnCodeAndNotItsNeighbours) {
  EXPECT_THAT(changed_by(flipped(std::string(".text.") + plain)), ElementsAre(plain));
  EXPECT_THAT(changed_by(flipped(std::string(".text.") + uses)), ElementsAre(uses));
}

TEST_F(WholeCode, CoversTheInitialValuesOfTheModulesVariables) {
  EXPECT_THAT(changed_by(flipped(".nv.constant3")), ElementsAre(big, uses, plain));
  EXPECT_THAT(changed_by(flipped(".nv.global.init", 3)), ElementsAre(big, uses, plain));
}

TEST_F(WholeCode, CoversTheVariablesThatAddressesStandFor) {
  EXPECT_THAT(changed_by(flipped(".rela.nv.constant4", 12)), ElementsAre(big, uses, plain))
      << "the symbol's number";
}

TEST_F(WholeCode, LeavesOutLineNumbersAndParameters) {
  EXPECT_THAT(changed_by(flipped(".debug_frame")), IsEmpty());
  EXPECT_THAT(changed_by(flipped(".rela.debug_frame", 12)), IsEmpty());
}

// lines.cubin has line tables (`nvcc -lineinfo`) of two kernels. Their relocations tell where the part of
// each begins.
TEST(WholeCodeWithLines, LeavesOutTheLineTablesOfItsNeighbours) {
  const std::vector<std::byte> bytes = image("lines.cubin");
  const CodeHashes hashes = whole_code_hashes(bytes).value_or(CodeHashes{});
  EXPECT_THAT(hashes, UnorderedElementsAre(Key("_Z5firstPf"), Key("_Z6secondPf")));
  for (const std::string table : {".debug_line", ".nv_debug_line_sass"})
    for (const std::string& section : {table, ".rela" + table})
      EXPECT_EQ(whole_code_hashes(with_flipped_bit(bytes, section, 0)).value_or(CodeHashes{}), hashes)
          << section;
}

TEST_F(WholeCode, OfAnImageThatIsCutOffIsRefusedOrRead) {
  for (std::size_t size = 0; size < image_.size(); size += 61) (void)whole_code_hashes({image_.data(), size});
}

// As it stands in records.
std::string code_hash_in(const std::string& cubin, const std::string& kernel) {
  return content_hash(functions(image(cubin)).at(kernel));
}

TEST(CodeBook, KnowsWhatWasLoadedOnceItIsDigested) {
  CodeBook book;
  book.add(image("base.cubin"));
  EXPECT_EQ(book.code_hash(add_kernel), "");
  book.digest();
  EXPECT_EQ(book.code_hash(add_kernel), code_hash_in("base.cubin", add_kernel));
  EXPECT_EQ(book.whole_hash({}, add_kernel), whole_code_hashes(image("base.cubin"))->at(add_kernel));
  book.add({});
  book.digest();
  EXPECT_EQ(book.code_hash(add_kernel), code_hash_in("base.cubin", add_kernel))
      << "what is no cubin adds nothing";
}

TEST(CodeBook, LeavesOutANameThatStandsForTwoCodes) {
  CodeBook book;
  book.add(image("base.cubin"));
  book.add(image("changed.cubin"));
  book.digest();
  EXPECT_EQ(book.code_hash(add_kernel), "");
  EXPECT_EQ(book.whole_hash({}, add_kernel), "");
  EXPECT_EQ(book.code_hash(scale_kernel), code_hash_in("base.cubin", scale_kernel));
}

// Two modules with a kernel of one name, as libraries generate them.
TEST(CodeBook, TellsModulesApartThatItSawBeingLoaded) {
  CodeBook book;
  book.begin_load();
  book.add(image("base.cubin"));
  book.end_load(7, image("changed.cubin"));
  book.begin_load();
  book.end_load(8, image("changed.cubin"));
  book.add(image("globals.cubin"));
  book.digest();
  const auto hash = [&](std::uint64_t module, const char* kernel) {
    return book.whole_hash(std::array{module, std::uint64_t{0}}, kernel);
  };
  EXPECT_EQ(hash(7, add_kernel), whole_code_hashes(image("base.cubin"))->at(add_kernel));
  EXPECT_EQ(hash(8, add_kernel), whole_code_hashes(image("changed.cubin"))->at(add_kernel))
      << "the driver loads it later, so what it was told to load counts";
  EXPECT_EQ(hash(9, add_kernel), "") << "of a module that nobody saw";
  book.begin_load();
  book.end_load(7, image("changed.cubin"));
  book.digest();
  EXPECT_EQ(hash(7, add_kernel), hash(8, add_kernel)) << "another module got the handle of one that is gone";
  EXPECT_NE(hash(9, "_Z5plainPf"), "") << "but only one code has this name";
}

TEST(CodeBook, LetsALibraryServeBothBuilds) {
  CodeBook book;
  book.turn("baseline");
  book.add(image("base.cubin"));
  book.use(7);
  book.turn("current");
  book.use(7);
  book.use(8);
  book.digest();
  const std::array<std::uint64_t, 1> library{7}, own{8};
  EXPECT_EQ(book.whole_hash(library, add_kernel), whole_code_hashes(image("base.cubin"))->at(add_kernel));
  EXPECT_EQ(book.whole_hash(own, add_kernel), "") << "the same name in a module of its own";
}

TEST(CodeBook, KeepsTheKernelsOfTwoBuildsApart) {
  CodeBook book;
  book.turn("baseline");
  book.add(image("base.cubin"));
  book.turn("current");
  book.add(image("changed.cubin"));
  book.digest();
  EXPECT_EQ(book.code_hash(add_kernel), code_hash_in("changed.cubin", add_kernel));
  book.turn("baseline");
  EXPECT_EQ(book.code_hash(add_kernel), code_hash_in("base.cubin", add_kernel));
  book.turn("");
  EXPECT_EQ(book.code_hash(add_kernel), "");
}

}  // namespace
}  // namespace harness

#include "harness/code/shift/shift_code.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace harness {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Instruction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Instruction&) const = default;
};
constexpr Instruction nop{0x0000000000007918, 0x000fc00000000000};

// The lower 12 bits say what it does.
constexpr std::uint64_t branch = 0x947, indexed_branch = 0x949, exit_code = 0x94d;
std::uint64_t operation(const Instruction& one) {
  return one.low & 0xfff;
}

template <class T>
std::vector<T> as_list(const std::string& bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
  return list;
}

// The offset that a branch at an offset leads to.
std::int64_t target(const Instruction& one, std::int64_t at) {
  std::uint64_t distance = (one.low >> 16 & 0xff) | one.low >> 34 << 8 | (one.high & 0x3ffff) << 38;
  if ((distance >> 55 & 1) != 0) distance |= ~std::uint64_t{0} << 56;
  return at + 16 + static_cast<std::int64_t>(distance) * 4;
}

// A cubin, read again.
struct Image {
  explicit Image(const std::string& bytes) : all(bytes) {
    std::memcpy(&header, all.data(), sizeof header);
    const auto headers = as_list<Elf64_Shdr>(all.substr(header.e_shoff, 64U * header.e_shnum));
    segments = as_list<Elf64_Phdr>(all.substr(header.e_phoff, 56U * header.e_phnum));
    for (const Elf64_Shdr& one : headers)
      sections[all.c_str() + headers[header.e_shstrndx].sh_offset + one.sh_name] = one;
  }
  std::string bytes(const std::string& section) const {
    const Elf64_Shdr& one = sections.at(section);
    return all.substr(one.sh_offset, one.sh_size);
  }
  std::vector<Instruction> code(const std::string& kernel) const {
    return as_list<Instruction>(bytes(".text." + kernel));
  }
  std::map<std::string, Elf64_Sym> symbols() const {
    std::map<std::string, Elf64_Sym> found;
    const std::string names = bytes(".strtab");
    for (const Elf64_Sym& one : as_list<Elf64_Sym>(bytes(".symtab")))
      found[names.c_str() + one.st_name] = one;
    return found;
  }
  // The values of an attribute of a kernel.
  std::vector<std::uint32_t> attribute(const std::string& kernel, unsigned char number) const {
    const std::string info = bytes(".nv.info." + kernel);
    for (std::size_t at = 0; at < info.size();) {
      const bool sized = info[at] == 4;
      const std::size_t size =
          sized ? static_cast<unsigned char>(info[at + 2]) + 256U * static_cast<unsigned char>(info[at + 3])
                : 0;
      if (static_cast<unsigned char>(info[at + 1]) == number)
        return as_list<std::uint32_t>(info.substr(at + 4, size));
      at += 4 + size;
    }
    return {};
  }

  std::string all;
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
  std::map<std::string, Elf64_Shdr> sections;
};

// A cubin of two kernels as ptxas lays it out, small enough to know each byte of it.
class SmallCubin {
 public:
  unsigned capability = 90;
  std::string attributes = attribute(0x1c, {0x10, 0x30}) + attribute(0x34, {0x20, 0, 2, 0x10, 0x30}) +
                           attribute(0x39, {0x40, 0xff, 0, 7, 0x50, 0xff, 0, 7}) +
                           attribute(0x44, {0x10, 0xfff, 0x60, 0xff}) + attribute(0x55, {1, 0x20, 1, 0x30}) +
                           attribute(0x1e, {0x40});
  std::string extra_section = ".nv.callgraph";
  bool addend_in_place = false;  // of the address of the kernel

  static std::string attribute(unsigned char number, const std::vector<std::uint32_t>& values) {
    std::string bytes{4, static_cast<char>(number), static_cast<char>(4 * values.size()), 0};
    bytes.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
    return bytes;
  }

  std::string bytes() {
    add(SHT_NULL, "", "", 1);
    strings_ = std::string("\0k\0inner\0other\0", 15);
    std::vector<Elf64_Sym> symbols{{},
                                   {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 7, 0, 256},   // k
                                   {3, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 7, 0x60, 32},  // inner
                                   {9, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 8, 0, 128},   // other
                                   {0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0, 7, 0, 0}};  // .text.k
    add(SHT_STRTAB, ".strtab", strings_, 1);
    const std::size_t table = add(SHT_SYMTAB, ".symtab", raw(symbols), 8);
    sections_[table].sh_link = 1;
    add(SHT_LOPROC, ".nv.info.k", attributes, 4);
    relocations(".rela.text.k", 7, {{0x20, ELF64_R_INFO(3, 57), 0}});
    relocations(".rela.debug_frame", 9, {{8, ELF64_R_INFO(1, 2), 0}, {16, ELF64_R_INFO(1, 2), 0x60}});
    relocations(".rela.nv.constant4", 10,
                {{0, ELF64_R_INFO(1, 2), 0}, {8, ELF64_R_INFO(4, 2), 0x60}, {16, ELF64_R_INFO(2, 2), 0}});
    add(SHT_PROGBITS, ".text.k", code(16), 128);
    add(SHT_PROGBITS, ".text.other", code(8), 128);
    add(SHT_PROGBITS, ".debug_frame", std::string(32, 'd'), 1);
    add(SHT_PROGBITS, ".nv.constant4", std::string(24, 'c'), 8);
    add(SHT_PROGBITS, extra_section, std::string(5, 'e'), 4);
    if (addend_in_place) {
      const std::size_t at =
          add(SHT_REL, ".rel.nv.constant4", raw(std::vector<Elf64_Rel>{{0, ELF64_R_INFO(1, 2)}}), 8);
      sections_[at].sh_link = 2;
      sections_[at].sh_info = 10;
    }
    const std::size_t names = add(SHT_STRTAB, ".shstrtab", "", 1);
    sections_[names].sh_size = names_.size();
    sections_[names].sh_offset = body_.size();
    body_ += names_;
    align(8);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident,
                "\x7f"
                "ELF\2\1\1\x41\x08",
                9);
    header.e_machine = 190;
    header.e_flags = 0x06000004 | capability << 8;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(sections_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(names);
    header.e_shoff = body_.size();
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    header.e_phoff = header.e_shoff + sections_.size() * sizeof(Elf64_Shdr);
    const Elf64_Shdr& first = sections_[7];
    const Elf64_Shdr& last = sections_[8];
    const std::uint64_t code_bytes = last.sh_offset + last.sh_size - first.sh_offset;
    const std::uint64_t constants = sections_[10].sh_offset;
    std::vector<Elf64_Phdr> segments{{PT_LOAD, PF_R | PF_X, first.sh_offset, 0, 0, code_bytes, code_bytes, 8},
                                     {PT_LOAD, PF_R, constants, 0, 0, 24, 24, 8}};
    std::memcpy(body_.data(), &header, sizeof header);
    return body_ + raw(sections_) + raw(segments);
  }

 private:
  template <class T>
  static std::string raw(const std::vector<T>& list) {
    return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
  }
  // Each instruction another one.
  static std::string code(std::uint64_t count) {
    std::vector<Instruction> list;
    for (std::uint64_t i = 0; i < count; ++i) list.push_back({0x7221 + (i << 32), 0x000fc80000000000});
    return raw(list);
  }
  void align(std::size_t to) { body_.resize((body_.size() + to - 1) / to * to); }
  std::size_t add(std::uint32_t type, const std::string& name, const std::string& bytes,
                  std::size_t alignment) {
    align(alignment);
    Elf64_Shdr one{};
    one.sh_name = static_cast<Elf64_Word>(names_.size());
    one.sh_type = type;
    one.sh_offset = body_.size();
    one.sh_size = bytes.size();
    one.sh_addralign = alignment;
    names_ += name + '\0';
    body_ += bytes;
    sections_.push_back(one);
    return sections_.size() - 1;
  }
  void relocations(const std::string& name, std::uint32_t of, const std::vector<Elf64_Rela>& list) {
    const std::size_t at = add(SHT_RELA, name, raw(list), 8);
    sections_[at].sh_link = 2;
    sections_[at].sh_info = of;
  }

  std::string body_ = std::string(sizeof(Elf64_Ehdr), '\0');
  std::string names_;
  std::string strings_;
  std::vector<Elf64_Shdr> sections_;
};

std::string reason_of_refusal(const std::string& cubin, const std::string& kernel = "k") {
  try {
    (void)shift_code(cubin, kernel, {1, 0});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Branch, NOPs, the code as it was, NOPs.
void expect_moved(const Image& before, const Image& after, const std::string& kernel, std::size_t nops) {
  const std::vector<Instruction> old = before.code(kernel), moved = after.code(kernel);
  ASSERT_GE(moved.size(), old.size() + 1 + nops);
  EXPECT_EQ(operation(moved[0]), branch);
  EXPECT_EQ(target(moved[0], 0), static_cast<std::int64_t>(16 * (1 + nops)));
  const auto begin = moved.begin() + 1 + static_cast<std::ptrdiff_t>(nops);
  EXPECT_THAT(std::vector(moved.begin() + 1, begin), Each(nop));
  EXPECT_EQ(std::vector(begin, begin + static_cast<std::ptrdiff_t>(old.size())), old);
  EXPECT_THAT(std::vector(begin + static_cast<std::ptrdiff_t>(old.size()), moved.end()), Each(nop));
}

TEST(ShiftCode, PutsABranchOverNopsBeforeTheCode) {
  const std::string cubin = SmallCubin().bytes();
  const Image before(cubin);
  for (const std::size_t nops : {0U, 1U, 7U, 63U, 64U, 65U, 300U})
    expect_moved(before, Image(shift_code(cubin, "k", {nops, 0})), "k", nops);
}

TEST(ShiftCode, LeavesEveryOtherSectionAsItWasAndAligned) {
  const std::string cubin = SmallCubin().bytes();
  const Image before(cubin), after(shift_code(cubin, "k", {3, 20}));
  for (const auto& [name, section] : before.sections) {
    EXPECT_EQ(after.sections.at(name).sh_offset % std::max<std::uint64_t>(section.sh_addralign, 1), 0U)
        << name;
    if (name == ".text.other" || name == ".nv.constant4" || name == ".debug_frame" ||
        name == ".nv.callgraph" || name == ".shstrtab" || name == ".strtab") {
      EXPECT_EQ(after.bytes(name), before.bytes(name)) << name;
    }
  }
}

TEST(ShiftCode, GivesEqualRoomsEqualSizes) {
  const std::string cubin = SmallCubin().bytes();
  EXPECT_EQ(shift_code(cubin, "k", {0, 40}).size(), shift_code(cubin, "k", {40, 40}).size());
  EXPECT_EQ(Image(shift_code(cubin, "k", {0, 40})).sections.at(".text.k").sh_size % 128, 0U);
}

TEST(ShiftCode, MovesWhatLiesInsideOfTheKernelAndKeepsItsEntry) {
  const std::string cubin = SmallCubin().bytes();
  const Image after(shift_code(cubin, "k", {3, 0}));
  const auto symbols = after.symbols();
  EXPECT_EQ(symbols.at("k").st_value, 0U);
  EXPECT_EQ(symbols.at("k").st_size, after.sections.at(".text.k").sh_size);
  EXPECT_EQ(symbols.at("inner").st_value, 0x60U + 64);
  EXPECT_EQ(symbols.at("inner").st_size, 32U);
  EXPECT_EQ(symbols.at("other").st_value, 0U);
  EXPECT_EQ(symbols.at("other").st_size, 128U);
}

TEST(ShiftCode, MovesRelocations) {
  const Image after(shift_code(SmallCubin().bytes(), "k", {3, 0}));
  EXPECT_EQ(as_list<Elf64_Rela>(after.bytes(".rela.text.k"))[0].r_offset, 0x20U + 64);
  // A debugger finds each instruction where it is now.
  const auto frames = as_list<Elf64_Rela>(after.bytes(".rela.debug_frame"));
  EXPECT_EQ(frames[0].r_addend, 64);
  EXPECT_EQ(frames[1].r_addend, 0x60 + 64);
  // The address of the kernel is its entry; that of a function inside of it moves, by addend or by symbol.
  const auto addresses = as_list<Elf64_Rela>(after.bytes(".rela.nv.constant4"));
  EXPECT_EQ(addresses[0].r_addend, 0);
  EXPECT_EQ(addresses[1].r_addend, 0x60 + 64);
  EXPECT_EQ(addresses[2].r_addend, 0);
  EXPECT_EQ(addresses[1].r_offset, 8U);
}

TEST(ShiftCode, MovesTheOffsetsInAttributes) {
  const Image after(shift_code(SmallCubin().bytes(), "k", {3, 0}));
  EXPECT_THAT(after.attribute("k", 0x1c), ElementsAre(0x50, 0x70));
  EXPECT_THAT(after.attribute("k", 0x34), ElementsAre(0x60, 0, 2, 0x50, 0x70));
  EXPECT_THAT(after.attribute("k", 0x39), ElementsAre(0x80, 0xff, 0, 7, 0x90, 0xff, 0, 7));
  EXPECT_THAT(after.attribute("k", 0x44), ElementsAre(0x50, 0xfff, 0xa0, 0xff));
  EXPECT_THAT(after.attribute("k", 0x55), ElementsAre(1, 0x60, 1, 0x70));
  EXPECT_THAT(after.attribute("k", 0x1e), ElementsAre(0x40)) << "a stack's size is no offset";
}

TEST(ShiftCode, MovesSegments) {
  const std::string cubin = SmallCubin().bytes();
  const Image before(cubin), after(shift_code(cubin, "k", {3, 0}));
  const std::uint64_t growth = after.all.size() - cubin.size();
  EXPECT_GT(growth, 0U);
  EXPECT_EQ(after.segments[0].p_offset, before.segments[0].p_offset);
  EXPECT_EQ(after.segments[0].p_filesz, before.segments[0].p_filesz + growth);
  EXPECT_EQ(after.segments[0].p_memsz, before.segments[0].p_memsz + growth);
  EXPECT_EQ(after.segments[1].p_offset, after.sections.at(".nv.constant4").sh_offset);
}

TEST(ShiftCode, CanBeRepeated) {
  const std::string once = shift_code(SmallCubin().bytes(), "k", {3, 0});
  const Image after(shift_code(once, "k", {2, 0}));
  EXPECT_EQ(after.symbols().at("inner").st_value, 0x60U + 64 + 48);
}

TEST(ShiftCode, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(
      reason_of_refusal("no ELF image at all, but long enough to hold a header of one, I should think"),
      HasSubstr("in no cubin"));
  EXPECT_THAT(reason_of_refusal(SmallCubin().bytes(), "absent"), HasSubstr("no kernel absent"));
  SmallCubin other;
  other.capability = 100;
  EXPECT_THAT(reason_of_refusal(other.bytes()), HasSubstr("compute capability 100"));
  SmallCubin unknown;
  unknown.attributes += SmallCubin::attribute(0xee, {0x10});
  EXPECT_THAT(reason_of_refusal(unknown.bytes()), HasSubstr("attribute 238"));
  SmallCubin mercury;
  mercury.extra_section = ".nv.merc.symtab";
  EXPECT_THAT(reason_of_refusal(mercury.bytes()), HasSubstr(".nv.merc.symtab"));
  SmallCubin annotated;
  annotated.attributes = SmallCubin::attribute(0x55, {7, 0x20});
  EXPECT_THAT(reason_of_refusal(annotated.bytes()), HasSubstr("annotation"));
  SmallCubin endless;
  endless.attributes = SmallCubin::attribute(0x34, {0x20, 0, 900, 0x10});
  EXPECT_THAT(reason_of_refusal(endless.bytes()), HasSubstr("branch targets"));
  SmallCubin in_place;
  in_place.addend_in_place = true;
  EXPECT_THAT(reason_of_refusal(in_place.bytes()), HasSubstr(".nv.constant4 has its addend in place"));
  EXPECT_EQ(reason_of_refusal(in_place.bytes(), "other"), "") << "nothing there is told of its address";
}

TEST(ShiftCode, ReadsNothingOutsideOfACubinThatIsCutOff) {
  const std::string cubin = SmallCubin().bytes();
  for (std::size_t bytes = 0; bytes < cubin.size(); ++bytes)
    EXPECT_NE(reason_of_refusal(cubin.substr(0, bytes)), "") << bytes;
  EXPECT_EQ(reason_of_refusal(cubin), "");
}

TEST(CodeBytes, AreThoseOfTheKernelsSection) {
  EXPECT_EQ(code_bytes(SmallCubin().bytes(), "k"), 256U);
  EXPECT_EQ(code_bytes(SmallCubin().bytes(), "absent"), 0U);
  EXPECT_EQ(code_bytes("none", "k"), 0U);
}

// The code that ptxas writes, where there is a toolkit.
class CompiledCases : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef SHIFT_CASES_CUBIN
    std::ifstream file(SHIFT_CASES_CUBIN, std::ios::binary);
    cubin_ = std::string((std::istreambuf_iterator<char>(file)), {});
    ASSERT_FALSE(cubin_.empty());
#else
    GTEST_SKIP() << "there is no CUDA toolkit";
#endif
  }
  std::string cubin_;
};
class CompiledKernel : public CompiledCases, public ::testing::WithParamInterface<const char*> {};

TEST_P(CompiledKernel, BranchesLeadIntoTheKernel) {
  const std::string kernel = GetParam();
  const std::vector<Instruction> code = Image(cubin_).code(kernel);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (operation(code[i]) == branch) {
      const std::int64_t to = target(code[i], static_cast<std::int64_t>(16 * i));
      EXPECT_TRUE(to >= 0 && to < static_cast<std::int64_t>(16 * code.size()) && to % 16 == 0) << i;
    }
}

TEST_P(CompiledKernel, MovesAsAWhole) {
  const std::string kernel = GetParam();
  const Image before(cubin_);
  for (const std::size_t nops : {0U, 5U, 64U}) {
    const Image after(shift_code(cubin_, kernel, {nops, 0}));
    expect_moved(before, after, kernel, nops);
    // Each offset in an attribute is that of the same instruction as before.
    for (const unsigned char number : {0x1c, 0x28, 0x31, 0x46}) {
      const auto old = before.attribute(kernel, number), now = after.attribute(kernel, number);
      ASSERT_EQ(now.size(), old.size());
      for (std::size_t i = 0; i < old.size(); ++i)
        EXPECT_EQ(after.code(kernel).at(now[i] / 16), before.code(kernel).at(old[i] / 16)) << int{number};
    }
    for (const std::uint32_t at : after.attribute(kernel, 0x1c))
      EXPECT_EQ(operation(after.code(kernel).at(at / 16)), exit_code);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CompiledKernel, ::testing::Values("jumps", "barriers", "prints"));

TEST_F(CompiledCases, HaveInstructionsLikeThoseThatAreInserted) {
  const std::vector<Instruction> inserted = Image(shift_code(cubin_, "jumps", {2, 0})).code("jumps");
  const std::vector<Instruction> written = Image(cubin_).code("jumps");
  EXPECT_THAT(written, Contains(inserted[1])) << "a NOP";
  std::vector<Instruction> alike;
  for (const Instruction& one : written)
    if ((one.low & 0xffff) == (inserted[0].low & 0xffff) && one.high == inserted[0].high)
      alike.push_back(one);
  EXPECT_THAT(alike, Not(IsEmpty())) << "an unconditional branch forward";
}

TEST_F(CompiledCases, HaveBranchTargetsWhereTheirBranchesAre) {
  const Image after(shift_code(cubin_, "jumps", {5, 0}));
  const auto list = after.attribute("jumps", 0x34);
  ASSERT_THAT(list, Not(IsEmpty()));
  for (std::size_t i = 0; i < list.size(); i += 3 + list[i + 2])
    EXPECT_EQ(operation(after.code("jumps").at(list[i] / 16)), indexed_branch);
}

}  // namespace
}  // namespace harness

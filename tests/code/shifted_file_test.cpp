// A file whose device code lies elsewhere: the same code behind a branch, found by whoever loads the file.
#include "harness/code/shift/shifted_file.h"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/files.h"
#include "harness/code/device_file.h"
#include "harness/code/fatbin.h"
#include "harness/code/shift/shift_code.h"
#include "harness/device/code/cubin.h"
#include "harness/device/code/elf_image.h"

namespace harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string add = "add(float*, float const*, int)";

std::span<const std::byte> span_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string module_text() {
  return read_file(DEVICE_CODE).value();
}

ShiftedFile shifted(const std::string& file, std::size_t nops, unsigned architecture = 90) {
  Result<ShiftedFile> done = shifted_file(span_of(file), architecture, nops, {add});
  EXPECT_TRUE(done) << done.error().message;
  return done ? std::move(*done) : ShiftedFile{};
}

std::string refusal(const std::string& file) {
  const Result<ShiftedFile> done = shifted_file(span_of(file), 90, 1, {add});
  return done ? "" : done.error().message;
}

std::string section_of(const std::string& file, std::string_view name) {
  const auto sections = elf_sections(span_of(file), "the file");
  for (const ElfSection& one : *sections)
    if (one.name == name) return std::string(one.bytes);
  return "";
}

std::vector<FatbinImage> images_of(const std::string& containers) {
  return fatbin_images(span_of(containers)).value();
}

// The first cubin of a file.
std::string cubin_of(const std::string& file) {
  const std::string containers = section_of(file, ".nv_fatbin");
  for (const FatbinImage& one : images_of(containers))
    if (one.kind == ImageKind::cubin) return content_of(one).value();
  return "";
}

// The instructions of a kernel.
std::string code_of(const std::string& cubin, const std::string& kernel) {
  const auto sections = all_elf_sections(span_of(cubin), "a cubin");
  for (const ElfSection& one : *sections)
    if (one.name == ".text." + kernel) return std::string(one.bytes);
  return "";
}

TEST(ShiftedFile, HasEachFunctionOfTheImageBehindABranchOverNops) {
  const std::string file = module_text(), old = cubin_of(file);
  for (const std::size_t nops : {0U, 1U, 7U}) {
    const ShiftedFile done = shifted(file, nops);
    EXPECT_THAT(done.refused, IsEmpty());
    EXPECT_TRUE(done.shifted.contains(add));
    EXPECT_EQ(done.shifted.size(), 3U);
    const std::string now = cubin_of(done.bytes);
    for (const char* kernel : {"_Z3addPfPKfi", "_Z8internalPf"}) {
      const std::string before = code_of(old, kernel), after = code_of(now, kernel);
      ASSERT_FALSE(before.empty());
      EXPECT_EQ(after.substr(16 * (1 + nops), before.size()), before) << kernel;
    }
  }
}

// As a process that runs it sees the code, so that nobody takes another place's times for this one's.
TEST(ShiftedFile, TellsTheHashOfEachFunctionWhichIsAnotherAtEachPlace) {
  const std::string file = module_text();
  std::set<std::string> hashes{content_hash(function_bytes(span_of(cubin_of(file)))->at("_Z3addPfPKfi"))};
  for (std::size_t nops = 0; nops < 8; ++nops) {
    const ShiftedFile done = shifted(file, nops);
    const std::string hash = content_hash(function_bytes(span_of(cubin_of(done.bytes)))->at("_Z3addPfPKfi"));
    EXPECT_THAT(done.shifted.at(add), ElementsAre(hash)) << nops;
    EXPECT_TRUE(hashes.insert(hash).second) << nops;
  }
}

TEST(ShiftedFile, IsOfOneSizeForAllShifts) {
  const std::string file = module_text();
  const std::size_t size = shifted(file, 0).bytes.size();
  for (std::size_t nops = 1; nops < 8; ++nops) EXPECT_EQ(shifted(file, nops).bytes.size(), size) << nops;
}

TEST(ShiftedFile, KeepsWhatIsNotOfTheArchitecture) {
  const std::string file = module_text();
  const std::string old_text = section_of(file, ".nv_fatbin");
  const std::string now_text = section_of(shifted(file, 3).bytes, ".nv_fatbin");
  const auto old = images_of(old_text), now = images_of(now_text);
  ASSERT_EQ(now.size(), old.size());
  for (std::size_t i = 0; i < old.size(); ++i) {
    EXPECT_EQ(now[i].kind, old[i].kind);
    EXPECT_EQ(now[i].architecture, old[i].architecture);
    if (old[i].kind == ImageKind::cubin) {
      EXPECT_EQ(old[i].packing, FatbinImage::Packing::zstd);
      EXPECT_EQ(now[i].packing, FatbinImage::Packing::none);
    } else {
      EXPECT_EQ(now[i].stored, old[i].stored) << "PTX stays packed as it is";
    }
  }
  const ShiftedFile other = shifted(file, 3, 80);
  EXPECT_THAT(other.shifted, IsEmpty());
  EXPECT_EQ(images_of(section_of(other.bytes, ".nv_fatbin"))[0].packing, FatbinImage::Packing::zstd);
}

TEST(ShiftedFile, LeavesImagesWithoutAWantedFunctionAsTheyAre) {
  const Result<ShiftedFile> done = shifted_file(span_of(module_text()), 90, 3, {"another(int)"});
  ASSERT_TRUE(done);
  EXPECT_THAT(done->shifted, IsEmpty());
}

TEST(ShiftedFile, IsReadAsTheSameKernelsWithOtherCode) {
  const std::string file = module_text();
  const std::string moved = shifted(file, 2).bytes;
  const DeviceFile old = read_device_file(span_of(file)), now = read_device_file(span_of(moved));
  EXPECT_THAT(now.faults, ElementsAre());
  ASSERT_EQ(now.kernels.size(), old.kernels.size());
  for (const KernelCodeChange& one : compare_device_files("f", old, now)) {
    EXPECT_EQ(one.after.registers, one.before.registers) << one.name;
    EXPECT_EQ(one.state == CodeState::changed, one.architecture.starts_with("sm_")) << one.name;
  }
}

// The loader maps the new segment and relocates the wrappers to it.
TEST(ShiftedFile, IsLoadedWithItsContainersInTheNewSegment) {
  const TemporaryFolder folder;
  for (const std::size_t nops : {0U, 6U}) {
    const std::string path = (folder.path() / ("module" + std::to_string(nops) + ".so")).string();
    const ShiftedFile done = shifted(module_text(), nops);
    ASSERT_TRUE(write_file_atomically(path, done.bytes));
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    using Registered = const void* (*)(int);
    const auto registered = reinterpret_cast<Registered>(dlsym(library, "registered_container"));
    const std::string containers = section_of(done.bytes, ".nv_fatbin");
    std::string loaded(containers.size(), '\0');
    std::memcpy(loaded.data(), registered(0), loaded.size());
    EXPECT_EQ(loaded, containers) << "the first container begins the segment";
    std::uint32_t magic = 0;
    std::memcpy(&magic, registered(1), sizeof magic);
    EXPECT_EQ(magic, 0xBA55ED50U);
    dlclose(library);
  }
}

std::vector<Elf64_Phdr> loaded_segments(const std::string& file) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<Elf64_Phdr> segments;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr one;
    std::memcpy(&one, file.data() + header.e_phoff + i * sizeof one, sizeof one);
    if (one.p_type == PT_LOAD) segments.push_back(one);
  }
  return segments;
}

// Program headers and relocations, by hand.
TEST(ShiftedFile, KeepsLoadableSegmentsInOrderAndApart) {
  const std::string done = shifted(module_text(), 4).bytes;
  std::uint64_t end = 0;
  for (const Elf64_Phdr& one : loaded_segments(done)) {
    EXPECT_GE(one.p_vaddr, end);
    EXPECT_EQ(one.p_vaddr % 4096, one.p_offset % 4096);
    EXPECT_LE(one.p_offset + one.p_filesz, done.size());
    end = one.p_vaddr + one.p_memsz;
  }
}

TEST(ShiftedFile, CanBeShiftedAgain) {
  const std::string once = shifted(module_text(), 1).bytes;
  const std::string code = code_of(cubin_of(module_text()), "_Z3addPfPKfi");
  EXPECT_EQ(code_of(cubin_of(shifted(once, 1).bytes), "_Z3addPfPKfi").substr(64, code.size()), code);
}

TEST(ShiftedFile, SaysWhyAFileCannotBeShifted) {
  EXPECT_THAT(refusal("no ELF"), HasSubstr("no program or shared object"));
  EXPECT_THAT(refusal(read_file(HOST_FOLDER "/libhost_plain.so").value()),
              HasSubstr("registers no device code"));
  std::string without_note = module_text();
  Elf64_Ehdr header;
  std::memcpy(&header, without_note.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr one;
    std::memcpy(&one, without_note.data() + header.e_phoff + i * sizeof one, sizeof one);
    if (one.p_type == PT_NOTE) one.p_type = PT_NULL;
    std::memcpy(without_note.data() + header.e_phoff + i * sizeof one, &one, sizeof one);
  }
  EXPECT_THAT(refusal(without_note), HasSubstr("no note"));
}

// A cubin of another capability inside of an image that says 90.
TEST(ShiftedFile, NamesFunctionsThatCannotBeShifted) {
  const std::string file = module_text();
  const Result<ShiftedFile> done = shifted_file(span_of(file), 90, 1, {add});
  ASSERT_TRUE(done);
  std::string other = done->bytes;  // its cubin is not packed now
  const std::string cubin = cubin_of(other);
  const std::size_t at = other.find(cubin);
  ASSERT_NE(at, std::string::npos);
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof header);
  header.e_flags = (header.e_flags & ~0xffffU) | (header.e_ident[EI_ABIVERSION] >= 8 ? 80U << 8 : 80U);
  std::memcpy(other.data() + at, &header, sizeof header);
  const ShiftedFile refused = shifted(other, 1);
  EXPECT_THAT(refused.shifted, IsEmpty());
  EXPECT_THAT(refused.refused.at(add), HasSubstr("compute capability 80"));
}

// A kernel that calls it would run code that did not move.
TEST(ShiftedFile, RefusesAllFunctionsOfAnImageWithOneThatCannotBeShifted) {
  std::string file = shifted(module_text(), 1).bytes;  // its cubin is not packed now
  const std::string cubin = cubin_of(file);
  const std::size_t at = file.find(cubin);
  ASSERT_NE(at, std::string::npos);
  const auto sections = all_elf_sections(span_of(cubin), "a cubin");
  bool changed = false;
  for (const ElfSection& one : *sections) {
    if (one.name != ".nv.info._Z8internalPf") continue;
    const auto begin = static_cast<std::size_t>(one.bytes.data() - cubin.data());
    for (std::size_t i = 0; i + 4 <= one.bytes.size() && !changed; i += 4)
      if (one.bytes[i] == 4) {  // an attribute with a size
        file[at + begin + i + 1] = '\x7e';
        changed = true;
      }
  }
  ASSERT_TRUE(changed);
  const ShiftedFile done = shifted(file, 1);
  EXPECT_THAT(done.refused.at("internal(float*)"), HasSubstr("attribute 126"));
  EXPECT_THAT(done.refused.at(add), HasSubstr("its image has `internal(float*)`"));
  EXPECT_EQ(done.refused.size(), 3U);
}

// Only a segment as this makes them may be replaced. All else that is loaded stays.
TEST(ShiftedFile, ReplacesNoSegmentOfOthersThatHoldsTheContainersAlone) {
  const std::string once = shifted(module_text(), 1).bytes;
  const std::size_t segments = loaded_segments(once).size();
  EXPECT_EQ(loaded_segments(shifted(once, 1).bytes).size(), segments) << "its own";
  std::string writable = once;
  Elf64_Ehdr header;
  std::memcpy(&header, once.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr one;
    const std::size_t at = header.e_phoff + i * sizeof one;
    std::memcpy(&one, once.data() + at, sizeof one);
    if (one.p_type == PT_LOAD && one.p_vaddr == loaded_segments(once).back().p_vaddr) one.p_flags |= PF_W;
    std::memcpy(writable.data() + at, &one, sizeof one);
  }
  for (const std::string& other : {writable, once + "more"}) {
    const Result<ShiftedFile> done = shifted_file(span_of(other), 90, 1, {add});
    if (done)
      EXPECT_EQ(loaded_segments(done->bytes).size(), segments + 1);
    else
      EXPECT_THAT(done.error().message, HasSubstr("no note"));
  }
}

// Nothing outside of the bytes is read, also where they make no sense.
TEST(ShiftedFile, ReadsNothingOutsideOfAFileThatIsCutOff) {
  const std::string file = module_text();
  for (std::size_t bytes = 0; bytes < file.size(); bytes += 61)
    EXPECT_FALSE(shifted_file(span_of(file).first(bytes), 90, 1, {add})) << bytes;
}

}  // namespace
}  // namespace harness

// The machine code that a CPU variant can reach, tried on this very program.
#include "harness/device/cpu/object_code.h"

#include <gmock/gmock.h>

#include <cstdio>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/device/code/elf_image.h"
#include "harness/device/cpu/cpu_device.h"
#include "tests/model/fact_matchers.h"

namespace harness {
namespace {

const void* own_code() {
  return reinterpret_cast<const void*>(&own_code);
}

class LoadedSections : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::string> text = read_file(this_program(), std::size_t{1} << 30);
    ASSERT_TRUE(text) << text.error().text();
    image_ = *text;
  }
  [[nodiscard]] std::string hash() const {
    const Result<std::string> found = loaded_sections_hash(std::as_bytes(std::span(image_)));
    return found ? *found : found.error().message;
  }
  // With one bit of the last byte of a section flipped.
  std::string hash_without(const std::string& section) {
    const auto sections = elf_sections(std::as_bytes(std::span(image_)), "the file");
    for (const ElfSection& one : *sections) {
      if (one.name != section || one.bytes.empty()) continue;
      char& last = image_[static_cast<std::size_t>(one.bytes.data() - image_.data()) + one.bytes.size() - 1];
      last = static_cast<char>(last ^ 1);
      std::string changed = hash();
      last = static_cast<char>(last ^ 1);
      return changed;
    }
    return "no section " + section;
  }
  std::string image_;
};

TEST_F(LoadedSections, CountForTheHashAndNothingElse) {
  const std::string before = hash();
  ASSERT_EQ(before.size(), 32U) << before;
  for (const char* section : {".text", ".rodata", ".data", ".rela.dyn", ".init_array"}) {
    const std::string after = hash_without(section);
    EXPECT_EQ(after.size(), 32U) << after;
    EXPECT_NE(after, before) << section;
  }
  for (const char* section : {".comment", ".dynstr", ".note.gnu.build-id", ".symtab"})
    EXPECT_EQ(hash_without(section), before) << section;
  EXPECT_EQ(hash(), before);
}

TEST_F(LoadedSections, TellTheVariablesThatCodeMayRead) {
  static const char* volatile named = "VARIABLE_THAT_THIS_TEST_NAMES";  // a compiler keeps its text whole
  ASSERT_NE(named, nullptr);
  const std::map<std::string, std::string> set{{"VARIABLE_THAT_THIS_TEST_NAMES", "1"},
                                               {"THAT_THIS_TEST_NAMES", "2"},
                                               {std::string("VARIABLE_OF_") + "NOBODY", "3"}};
  const auto found = variables_named_in(std::as_bytes(std::span(image_)), set);
  EXPECT_EQ(found, (std::map<std::string, std::string>{{"VARIABLE_THAT_THIS_TEST_NAMES", "1"},
                                                       {"THAT_THIS_TEST_NAMES", "2"}}))
      << "a linker keeps a text that another one ends with within the other";
}

TEST_F(LoadedSections, OfAFileThatIsNoneAreAnError) {
  image_ = "#!/bin/sh\n";
  EXPECT_EQ(hash(), "the file is no ELF image");
}

TEST(ObjectCode, IsThatOfTheFileThatHoldsTheAddress) {
  const Result<std::string> own = object_code_hash(own_code());
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(*own, *object_code_hash(own_code()));
  const auto* library = reinterpret_cast<const void*>(&std::puts);
  const Result<std::string> other = object_code_hash(library);
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_NE(*other, *own);
  EXPECT_NE(object_of(own_code()), nullptr);
  EXPECT_NE(object_of(own_code()), object_of(library));
}

TEST(ObjectCode, OfNoFileIsAnErrorAndAGap) {
  const int on_the_stack = 0;
  EXPECT_FALSE(object_code_hash(&on_the_stack));
  CpuDevice device;
  const auto seen = device.launches({{}, {}, &on_the_stack});
  ASSERT_TRUE(seen && seen->identity);
  EXPECT_THAT(seen->identity->gap, FactIs(CauseCode::code_unread));
  EXPECT_THAT(device.launches({{}, {}, nullptr})->identity->gap, FactIs(CauseCode::no_code))
      << "of a function in Python";
  const auto known = device.launches({{}, {}, own_code()});
  EXPECT_EQ(known->identity->digest.size(), 32U);
  EXPECT_EQ(known->identity, device.launches({{}, {}, own_code()})->identity);
}

}  // namespace
}  // namespace harness

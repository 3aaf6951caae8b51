// The graph of the host's code, on builds of host/part.cpp.
#include "harness/code/host/host_code.h"

#include <gmock/gmock.h>

#include <string>

#include "harness/code/compared_file.h"
#include "harness/code/mapped_file.h"

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct Build {
  MappedFile file;
  HostCode code;
};

Build build(const std::string& plant) {
  Result<MappedFile> file = MappedFile::open(std::string(HOST_FOLDER) + "/libhost_" + plant + ".so");
  if (!file) throw std::runtime_error(file.error().message);
  Result<HostCode> code = HostCode::read(file->bytes());
  if (!code) throw std::runtime_error(code.error().message);
  return {std::move(*file), std::move(*code)};
}

HostReach reach(const Build& one, const std::string& root) {
  return one.code.reach({root}, {});
}

bool is_equal(const std::string& plant, const std::string& root) {
  return reach(build("plain"), root).digest == reach(build(plant), root).digest;
}

class HostPlant : public testing::TestWithParam<const char*> {};

TEST_P(HostPlant, ChangesTheRootThatReachesItAndNoOther) {
  EXPECT_FALSE(is_equal(GetParam(), "first"));
  EXPECT_TRUE(is_equal(GetParam(), "second"));
}

INSTANTIATE_TEST_SUITE_P(Plants, HostPlant,
                         testing::Values("table", "virtual", "jump", "catch", "string", "constant"),
                         [](const auto& one) { return std::string(one.param); });

TEST(HostCode, AddressesDoNotCount) {
  EXPECT_TRUE(is_equal("moved", "first"));
  EXPECT_TRUE(is_equal("moved", "second"));
}

TEST(HostCode, TellsVariablesThatFunctionsShare) {
  EXPECT_TRUE(is_equal("other", "first"));
  EXPECT_FALSE(is_equal("other", "second"));
  const Build plain = build("plain");
  const HostReach third = reach(plain, "third");
  for (const std::string& one : plain.code.variables_of("second")) EXPECT_THAT(third.writable, Contains(one));
  EXPECT_FALSE(plain.code.variables_of("second").empty());
}

TEST(HostCode, NamesFunctionsAndImports) {
  const HostReach first = reach(build("plain"), "first");
  EXPECT_THAT(first.imports, Contains("puts"));
  EXPECT_THAT(first.functions, Contains(HasSubstr("chosen")));
  EXPECT_THAT(first.functions, Not(Contains(HasSubstr("second"))));
}

TEST(HostCode, TellsWhichFunctionsDiffer) {
  const Build plain = build("plain"), other = build("other");
  EXPECT_EQ(plain.code.content_of("first"), other.code.content_of("first"));
  EXPECT_NE(plain.code.content_of("second"), other.code.content_of("second"));
  EXPECT_EQ(plain.code.content_of("no such function"), "");
}

TEST(HostCode, StopsWhereItIsTold) {
  const auto is_chosen = [](std::string_view name) { return name.find("chosen") != std::string_view::npos; };
  const Build plain = build("plain"), jump = build("jump");
  EXPECT_EQ(plain.code.reach({"first"}, is_chosen).digest, jump.code.reach({"first"}, is_chosen).digest);
}

TEST(HostCode, OutsideStartsAllExports) {
  EXPECT_NE(build("plain").code.reach_of_outside({}).digest, build("other").code.reach_of_outside({}).digest);
  EXPECT_NE(build("plain").code.reach_of_outside({}).digest,
            build("string").code.reach_of_outside({}).digest);
}

TEST(HostCode, RefusesWhatItDoesNotUnderstand) {
  EXPECT_FALSE(HostCode::read({}));
  const std::string text(300, 'x');
  EXPECT_FALSE(HostCode::read(std::as_bytes(std::span(text))));
}

TEST(NeededLibraries, AreThoseOfTheFile) {
  const Build plain = build("plain");
  EXPECT_THAT(needed_libraries(plain.file.bytes()).names, Contains("libc.so.6"));
}

// The names are those of NVTX 3's headers: its own variables, and those of its namespace in C++.
TEST(Annotations, AreVariablesOfNvtxAndNoOther) {
  for (const char* name : {"nvtxGlobals_v3", "nvtxExtGlobals1_v3", "nvtxExtPayloadSlots_v3_bpl0",
                           "_ZZN5nvtx32v16domain3getI3tagEERKS1_vE4d", "_ZGVZN5nvtx32v16domain3getEvE4d"})
    EXPECT_TRUE(is_of_annotations(name)) << name;
  for (const char* name : {"nvtx_level", "nvtxLevel", "nvtxGlobals", "nvtxGlobals_vendor", "_ZN4mine5nvtx3E",
                           "_ZN2my5nvtx35levelE", ""})
    EXPECT_FALSE(is_of_annotations(name)) << name;
}

}  // namespace
}  // namespace harness

#include "harness/catalog/apart.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/catalog/catalog.h"

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

int call(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  const auto function = reinterpret_cast<int (*)()>(dlsym(handle, "count_call"));
  return function();
}

TEST(Apart, SeesStateThatTwoModulesWouldShare) {
  EXPECT_EQ(call(APART_STATIC_ONE), 1);
  EXPECT_EQ(call(APART_STATIC_OTHER), 2);  // so it is, although they are loaded apart
  EXPECT_THAT(unique_symbols(APART_STATIC_ONE), Contains(HasSubstr("calls_of_all_builds")));
  const Status apart = check_apart({"", {APART_STATIC_ONE}}, {"", {APART_STATIC_OTHER}});
  ASSERT_FALSE(apart);
  EXPECT_THAT(apart.error().message, HasSubstr("calls_of_all_builds"));
  EXPECT_THAT(apart.error().advice, HasSubstr("-fvisibility=hidden"));
}

TEST(Apart, LetsHiddenStateBe) {
  EXPECT_EQ(call(APART_HIDDEN_ONE), 1);
  EXPECT_EQ(call(APART_HIDDEN_OTHER), 1);
  const Status apart = check_apart({"", {APART_HIDDEN_ONE}}, {"", {APART_HIDDEN_OTHER}});
  EXPECT_TRUE(apart) << apart.error().text();
}

TEST(Apart, SeesALibraryThatIsLoadedOnceForBoth) {
  const std::string folder = APART_FOLDER;
  call(APART_LINKED_ONE);
  call(APART_LINKED_OTHER);
  const Status apart =
      check_apart({folder + "/one", {APART_LINKED_ONE}}, {folder + "/other", {APART_LINKED_OTHER}});
  ASSERT_FALSE(apart);
  EXPECT_THAT(apart.error().text(), HasSubstr("libapart_library.so"));
}

TEST(Apart, TheProgramMayHaveALibraryThatIsTheSameInBothBuilds) {
  const std::string root = APART_FOLDER "/one", library = root + "/libapart_library.so";
  call(APART_LINKED_ONE);
  const TemporaryFolder other;
  const std::filesystem::path twin = other.path() / "libapart_library.so";
  const auto check = [&](const std::vector<std::string>& of_program) {
    return check_apart({root, {APART_LINKED_ONE}}, {other.path().string(), {APART_LINKED_OTHER}}, of_program);
  };
  EXPECT_FALSE(check({library})) << "the other build has none";
  std::filesystem::copy_file(library, twin);
  const Status apart = check({library});
  EXPECT_TRUE(apart) << apart.error().text();
  EXPECT_FALSE(check({})) << "a module's";
  std::ofstream(twin, std::ios::app) << "changed";
  const Status differs = check({library});
  ASSERT_FALSE(differs);
  EXPECT_THAT(differs.error().advice, HasSubstr("both builds with the same one"));
}

// The program of one build measures copies of both builds' modules: it has that build's device module, too.
TEST(Apart, TheProgramMayHaveALibraryThatNoModuleNeeds) {
  const std::string root = APART_FOLDER "/one", library = root + "/libapart_library.so";
  call(APART_LINKED_ONE);
  const auto check = [&](const std::vector<std::string>& of_program) {
    return check_apart({root, {APART_HIDDEN_ONE}}, {"", {APART_HIDDEN_OTHER}}, of_program);
  };
  const Status apart = check({library, APART_LINKED_ONE});
  EXPECT_TRUE(apart) << apart.error().text();
  EXPECT_FALSE(check({})) << "a module's";
}

TEST(Apart, SeesOneFileThatBothBring) {
  const Status apart = check_apart({"", {APART_HIDDEN_ONE}}, {"", {APART_HIDDEN_OTHER, APART_HIDDEN_ONE}});
  ASSERT_FALSE(apart);
  EXPECT_EQ(apart.error().where.file, std::filesystem::canonical(APART_HIDDEN_ONE).string());
}

TEST(Apart, OurOwnKernelsShareNothing) {
  EXPECT_THAT(unique_symbols(KERNELS_MODULE), IsEmpty());
  Catalog catalog;
  const Status loaded = catalog.load_module(KERNELS_MODULE);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_THAT(catalog.workload_names(), Catalog::built_in().workload_names());
  for (const std::string& workload : catalog.workload_names())
    EXPECT_THAT(catalog.variant_names(workload), Catalog::built_in().variant_names(workload));
}

TEST(Apart, ReadsNoSymbolsOutOfWhatIsNoLibrary) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "broken.so").string();
  EXPECT_THAT(unique_symbols(path), IsEmpty());
  std::string text = read_file(APART_STATIC_ONE, std::uintmax_t{1} << 30).value();
  for (const std::size_t kept : {std::size_t{3}, std::size_t{60}, text.size() / 2, text.size() - 70}) {
    std::ofstream(path, std::ios::binary) << text.substr(0, kept);
    unique_symbols(path);  // neither crashes nor reads beyond
  }
}

}  // namespace
}  // namespace harness

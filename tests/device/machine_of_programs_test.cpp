#include "harness/device/observe/machine_of_programs.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(MachineFacts, AreThoseThatChooseCodeAndSizes) {
  const TemporaryFolder root;
  const auto write = [&](const char* name, const char* text) {
    const auto file = root.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  EXPECT_THAT(machine_facts(root.path()), Not(testing::Contains(Key("flags"))));
  write("proc/cpuinfo", "model name\t: X\nflags\t\t: avx2 sse\ncpu MHz\t: 2100\n\nmodel name\t: Y\n");
  write("proc/meminfo", "MemTotal:       100 kB\nMemFree:  7 kB\n");
  write("sys/fs/cgroup/cpu.max", "max 100000\n");
  const auto facts = machine_facts(root.path());
  EXPECT_THAT(facts, IsSupersetOf({Pair("model name", "X"), Pair("flags", "avx2 sse"),
                                   Pair("MemTotal", "100 kB"), Pair("cpu.max", "max 100000")}));
  EXPECT_THAT(facts, Not(testing::Contains(Key("MemFree"))));
  EXPECT_THAT(facts, Not(testing::Contains(Key("cpu MHz"))));
}

}  // namespace
}  // namespace harness

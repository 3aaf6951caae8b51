// The libraries of the program: it must start on any machine, so no CUDA library may be among it.
#include <gtest/gtest.h>

#include <array>

#include "harness/base/process.h"
#include "harness/base/text.h"

namespace harness::tree {
namespace {

constexpr std::array<std::string_view, 5> forbidden{"libcuda", "libcublas", "libcupti", "libnvidia",
                                                    "libharness_cuda"};

std::vector<std::string> cuda_libraries(const std::string& ldd_output) {
  std::vector<std::string> found;
  for (const std::string& line : split(ldd_output, '\n')) {
    const std::string name = std::string(trim(line)).substr(0, trim(line).find(' '));
    for (const std::string_view bad : forbidden)
      if (name.substr(name.rfind('/') + 1).starts_with(bad)) found.push_back(name);
  }
  return found;
}

TEST(Program, LinksNoCudaLibrary) {
#ifdef HARNESS_PROGRAM
  const auto output = run_command({{"ldd", HARNESS_PROGRAM}});
  ASSERT_TRUE(output.has_value()) << output.error().text();
  ASSERT_TRUE(output->exit.ok()) << output->err;
  ASSERT_NE(output->out.find("libc.so"), std::string::npos) << output->out;
  EXPECT_EQ(join(cuda_libraries(output->out), ", "), "");
#else
  GTEST_SKIP() << "this configuration has no harness program";
#endif
}

TEST(ProgramChecker, FindsACudaLibrary) {
  const std::string ldd =
      "\tlinux-vdso.so.1 (0x00007ffd)\n"
      "\tlibcublasLt.so.13 => /usr/local/cuda/lib64/libcublasLt.so.13 (0x00007f)\n"
      "\tlibcuda.so.1 => not found\n"
      "\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n";
  EXPECT_EQ(cuda_libraries(ldd), (std::vector<std::string>{"libcublasLt.so.13", "libcuda.so.1"}));
}

}  // namespace
}  // namespace harness::tree

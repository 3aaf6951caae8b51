#include "harness/device/cuda/profiling/names.h"

#include <gtest/gtest.h>

#include <array>

namespace harness::cuda {
namespace {

TEST(Names, MakeAFolderNameOfADevice) {
  EXPECT_EQ(machine_class_of("NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(machine_class_of("NVIDIA A100-SXM4-80GB"), "nvidia-a100-sxm4-80gb");
  EXPECT_EQ(machine_class_of("NVIDIA RTX 6000 Ada Generation"), "nvidia-rtx-6000-ada-generation");
  EXPECT_EQ(machine_class_of("NVIDIA H200 MIG 1g.18gb"), "nvidia-h200-mig-1g-18gb");
}

TEST(Names, NeverStartOrEndWithADash) {
  EXPECT_EQ(machine_class_of("  (Tesla) T4! "), "tesla-t4");
  EXPECT_EQ(machine_class_of("../.."), "unknown-gpu");
  EXPECT_EQ(machine_class_of(""), "unknown-gpu");
}

TEST(Names, SpellAUuidAsTheDriverToolsDo) {
  std::array<char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 17);
  EXPECT_EQ(uuid_text(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

TEST(Names, DecodeVersions) {
  EXPECT_EQ(version_text(13000), "13.0");
  EXPECT_EQ(version_text(12090), "12.9");
  EXPECT_EQ(version_text(13020), "13.2");
}

}  // namespace
}  // namespace harness::cuda

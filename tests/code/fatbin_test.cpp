// Containers that nvcc 13.0 wrote (fuzz/corpus/code), and damaged ones.
#include "harness/code/fatbin.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <string>

#include "harness/code/device_file.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using Packing = FatbinImage::Packing;

std::string container(const std::string& name) {
  std::ifstream in(std::string(HARNESS_SOURCE_DIR) + "/tests/fuzz/corpus/code/" + name, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::vector<FatbinImage> images(const std::string& text) {
  const auto found = fatbin_images(bytes(text));
  if (!found) ADD_FAILURE() << found.error().text();
  return found.value_or(std::vector<FatbinImage>());
}

std::string content(const FatbinImage& image) {
  const Result<std::string> found = content_of(image);
  if (!found) ADD_FAILURE() << found.error().text();
  return found.value_or("");
}

TEST(Fatbin, UnpacksEveryCompressionToTheSameText) {
  const std::string plain = container("plain.fatbin"), lz4 = container("lz4.fatbin"),
                    zstd = container("zstd.fatbin");
  ASSERT_THAT(images(plain), SizeIs(1));
  ASSERT_THAT(images(lz4), SizeIs(1));
  ASSERT_THAT(images(zstd), SizeIs(2));
  EXPECT_EQ(images(plain)[0].packing, Packing::none);
  EXPECT_EQ(images(lz4)[0].packing, Packing::lz4);
  EXPECT_EQ(images(zstd)[1].packing, Packing::zstd);
  EXPECT_EQ(images(zstd)[0].kind, ImageKind::cubin);
  const std::string text = content(images(lz4)[0]);
  EXPECT_THAT(text, HasSubstr(".target sm_90"));
  EXPECT_EQ(content(images(zstd)[1]), text);
  EXPECT_THAT(content(images(plain)[0]), testing::StartsWith(text));  // and padding
}

// The bit of Zstandard stands there, too, in nvcc 13.0, and the bytes are no frame of it.
TEST(Fatbin, LeavesCodeForLinkTimeOptimisationAsItIs) {
  const std::string lto = container("lto.fatbin");
  ASSERT_THAT(images(lto), SizeIs(1));
  EXPECT_EQ(images(lto)[0].kind, ImageKind::lto_ir);
  EXPECT_EQ(images(lto)[0].packing, Packing::none);
  const DeviceFile file = read_device_file(bytes(lto));
  EXPECT_NE(file.link_time_code, "");
  EXPECT_TRUE(file.faults.empty());
}

TEST(Fatbin, ContainersStandOneAfterTheOther) {
  const std::string both = container("lz4.fatbin") + std::string(8, '\0') + container("zstd.fatbin");
  EXPECT_THAT(images(both), SizeIs(3));
  EXPECT_FALSE(fatbin_images(bytes(both + "not one")));
}

TEST(Fatbin, DamagedOnesAreRefused) {
  const std::string whole = container("zstd.fatbin");
  for (std::size_t size = 1; size < whole.size(); size += 13)
    EXPECT_FALSE(fatbin_images(bytes(whole.substr(0, size)))) << size;
  std::string damaged = whole;
  damaged[damaged.rfind("\x28\xb5\x2f\xfd")] ^= 1;  // the second frame is none any more
  EXPECT_FALSE(content_of(images(damaged)[1]));
  EXPECT_FALSE(read_device_file(bytes(damaged)).faults.empty());
}

TEST(DeviceFile, NamesKernelsByArchitecture) {
  const std::string text = container("zstd.fatbin");
  const DeviceFile file = read_device_file(bytes(text));
  EXPECT_TRUE(file.kernels.contains({"sm_90", "_Z3addPfPKfi"}));
  EXPECT_TRUE(file.kernels.contains({"compute_90", "_Z3addPfPKfi"}));
  EXPECT_TRUE(file.kernels.contains({"sm_90", "_ZN12_GLOBAL__N_16hiddenEPf"}));
  EXPECT_GT(file.kernels.at({"sm_90", "_Z3addPfPKfi"}).figures.registers, 0);
}

TEST(DeviceFile, ComparesWithAnother) {
  const std::string both = container("zstd.fatbin"), ptx = container("lz4.fatbin");
  const DeviceFile before = read_device_file(bytes(both)), after = read_device_file(bytes(ptx));
  std::size_t removed = 0, same = 0;
  for (const KernelCodeChange& one : compare_device_files("file", before, after)) {
    removed += one.state == CodeState::removed ? 1 : 0;
    same += one.state == CodeState::same ? 1 : 0;
  }
  EXPECT_EQ(removed, 3);
  EXPECT_EQ(same, 3);
  for (const KernelCodeChange& one : compare_device_files("file", after, before))
    EXPECT_TRUE(one.state == CodeState::added || one.state == CodeState::same);
}

}  // namespace
}  // namespace harness

// The CUDA device behind the seam: memory, cache, clocks, ceilings, identity.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

class CudaDevice : public GpuTest {};

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST_F(CudaDevice, GivesBackTheBytesThatWentIn) {
  constexpr std::size_t mebi = std::size_t{1} << 20;
  // Up to three staged pieces of 16 MiB and a part of one; four of 64 MiB and a part.
  for (const std::size_t count : {std::size_t{1}, std::size_t{255}, 8 * mebi - 1, 8 * mebi, 16 * mebi,
                                  16 * mebi + 1, 32 * mebi, 55 * mebi + 7, 300 * mebi + 1}) {
    const std::vector<std::byte> sent = random_bytes(count);
    auto buffer = memory().allocate(count);
    ASSERT_TRUE(buffer) << buffer.error().text();
    EXPECT_EQ((*buffer)->bytes(), count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*buffer)->data()) % 256, 0U);
    ASSERT_TRUE(memory().upload(**buffer, sent));
    std::vector<std::byte> received(count);
    ASSERT_TRUE(memory().download(received, **buffer));
    EXPECT_TRUE(sent == received) << count << " bytes";
  }
}

// Whether the driver knows this memory of the host as locked.
bool is_locked(const std::byte* memory) {
  constexpr int memory_type = 2;   // CU_POINTER_ATTRIBUTE_MEMORY_TYPE (cuda.h)
  constexpr unsigned of_host = 1;  // CU_MEMORYTYPE_HOST
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return false;
  const auto ask =
      reinterpret_cast<int (*)(void*, int, std::uintptr_t)>(dlsym(driver, "cuPointerGetAttribute"));
  unsigned found = 0;
  return ask != nullptr && ask(&found, memory_type, reinterpret_cast<std::uintptr_t>(memory)) == 0 &&
         found == of_host;
}

TEST_F(CudaDevice, DownloadsIntoLockedMemory) {
  const std::vector<std::byte> sent = random_bytes(std::size_t{40} << 20);
  const auto buffer = memory().allocate(sent.size());
  ASSERT_TRUE(buffer) << buffer.error().text();
  ASSERT_TRUE(memory().upload(**buffer, sent));
  sdk::HostBytes received(sent.size());
  const auto comes_back = [&](std::size_t count) {
    std::fill(received.begin(), received.end(), std::byte{0});
    return memory().download(std::span(received).first(count), **buffer).has_value() &&
           std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(count), received.begin());
  };
  {
    const Scope locked = memory().lock(received);
    EXPECT_TRUE(is_locked(received.data()));
    EXPECT_TRUE(comes_back(sent.size()));
    EXPECT_TRUE(comes_back(sent.size() / 3)) << "a part";
  }
  EXPECT_FALSE(is_locked(received.data()));
  EXPECT_TRUE(comes_back(sent.size())) << "after the lock";
}

TEST_F(CudaDevice, CopiesWithinItself) {
  const std::vector<std::byte> sent = random_bytes(100'003);
  const auto from = memory().allocate(sent.size());
  const auto to = memory().allocate(sent.size());
  ASSERT_TRUE(from && to);
  ASSERT_TRUE(memory().upload(**from, sent));
  ASSERT_TRUE(memory().copy(**to, **from));
  std::vector<std::byte> received(sent.size());
  ASSERT_TRUE(memory().download(received, **to));
  EXPECT_TRUE(sent == received);
  EXPECT_FALSE(memory().copy(**to, **memory().allocate(1)));
}

TEST_F(CudaDevice, HasMemoryOfTheHostToo) {
  const std::vector<std::byte> sent = random_bytes(9'000'001);
  const auto from = memory().allocate_on(sdk::host_memory, sent.size());
  const auto to = memory().allocate_on(sdk::host_memory, sent.size());
  const auto on_device = memory().allocate(sent.size());
  ASSERT_TRUE(from && to && on_device);
  EXPECT_TRUE((*from)->of_host());
  EXPECT_FALSE((*on_device)->of_host());
  ASSERT_TRUE(memory().upload(**from, sent));
  EXPECT_EQ(std::memcmp((*from)->data(), sent.data(), sent.size()), 0);
  ASSERT_TRUE(memory().copy(**to, **from));
  ASSERT_TRUE(memory().copy(**on_device, **to));
  std::vector<std::byte> received(sent.size());
  ASSERT_TRUE(memory().download(received, **on_device));
  EXPECT_TRUE(sent == received);
  ASSERT_TRUE(memory().fill(**to, 0x5A));
  ASSERT_TRUE(memory().download(received, **to));
  EXPECT_EQ(std::count(received.begin(), received.end(), std::byte{0x5A}), std::ssize(received));
}

TEST_F(CudaDevice, PoisonsEveryByte) {
  auto buffer = memory().allocate(100'003);
  ASSERT_TRUE(buffer) << buffer.error().text();
  ASSERT_TRUE(memory().fill(**buffer, 0xFF));
  std::vector<std::byte> received(100'003);
  ASSERT_TRUE(memory().download(received, **buffer));
  EXPECT_EQ(std::count(received.begin(), received.end(), std::byte{0xFF}), 100'003);
}

TEST_F(CudaDevice, SumsTellEachByteAndItsPlace) {
  constexpr std::uint64_t key = 12345;
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{15}, std::size_t{4099}, (std::size_t{32} << 20) + 9}) {
    std::vector<std::byte> bytes = random_bytes(count);
    auto buffer = memory().allocate(count);
    ASSERT_TRUE(buffer) << buffer.error().text();
    const auto sum = [&](std::uint64_t by) {
      EXPECT_TRUE(memory().upload(**buffer, bytes));
      const auto found = memory().keyed_sum(**buffer, by);
      EXPECT_TRUE(found && *found);
      return found && *found ? **found : 0;
    };
    const std::uint64_t before = sum(key);
    EXPECT_EQ(sum(key), before);
    EXPECT_NE(sum(key + 1), before);
    for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
      bytes[place] ^= std::byte{1};
      EXPECT_NE(sum(key), before) << count << " " << place;
      bytes[place] ^= std::byte{1};
    }
    if (count > 32) {
      std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8);
      EXPECT_NE(sum(key), before) << "words that changed places";
    }
  }
}

TEST_F(CudaDevice, RefusesWhatDoesNotFitABuffer) {
  auto buffer = memory().allocate(16);
  ASSERT_TRUE(buffer) << buffer.error().text();
  std::vector<std::byte> larger(17);
  EXPECT_FALSE(memory().upload(**buffer, larger));
  EXPECT_FALSE(memory().download(larger, **buffer));
}

TEST_F(CudaDevice, SaysHowMuchMemoryIsFreeWhenThereIsNotEnough) {
  const auto buffer = memory().allocate(std::size_t{1} << 50);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().kind, ErrorKind::environment);
  EXPECT_THAT(buffer.error().message, testing::HasSubstr("cudaErrorMemoryAllocation"));
  EXPECT_THAT(buffer.error().advice, testing::HasSubstr("free"));
  EXPECT_TRUE(memory().allocate(1 << 20)) << "running out of memory is not the end of the device";
}

TEST_F(CudaDevice, EvictsTheCacheBeforeAColdSample) {
  // 8 MB in, 8 MB out: inside the L2 of the GPUs that this is run on, and far outside after a flush.
  Bound copy(device(), catalog(), "probe", "copy", probe_params(2 << 20));
  const double hot = copy.median({.cache = CacheMode::hot});
  const double cold = copy.median({.cache = CacheMode::cold});
  EXPECT_GT(cold, 1.15 * hot);
}

TEST_F(CudaDevice, MeasuresAClockThatAGpuCanHave) {
  ASSERT_TRUE(timer().preheat(0.1));
  const double ghz = sensors().clock_ghz();
  EXPECT_GT(ghz, 0.2);
  EXPECT_LT(ghz, 4.0);
  EXPECT_NEAR(sensors().clock_ghz() / ghz, 1.0, 0.2) << "two readings in a row";
}

TEST_F(CudaDevice, PreheatsForAboutAsLongAsAsked) {
  const Seconds begin = timer().now();
  ASSERT_TRUE(timer().preheat(0.2));
  const Seconds elapsed = timer().now() - begin;
  EXPECT_GE(elapsed, 0.2);
  EXPECT_LT(elapsed, 2.0);
  EXPECT_TRUE(timer().preheat(0));
}

TEST_F(CudaDevice, MeasuresCeilingsThatAGpuCanHave) {
  const Seconds begin = timer().now();
  const auto ceilings = sensors().measure_ceilings();
  ASSERT_TRUE(ceilings) << ceilings.error().text();
  EXPECT_LT(timer().now() - begin, 5.0);
  ASSERT_TRUE(ceilings->contains("copy_bytes_per_s"));
  ASSERT_TRUE(ceilings->contains("gemm_flops_per_s"));
  const double copy = ceilings->at("copy_bytes_per_s");
  const double gemm = ceilings->at("gemm_flops_per_s");
  RecordProperty("copy_bytes_per_s", std::to_string(copy));
  RecordProperty("gemm_flops_per_s", std::to_string(gemm));
  const bool h200 = sensors().fingerprint().machine_class == "nvidia-h200";
  EXPECT_GT(copy, h200 ? 3.5e12 : 5e10);
  EXPECT_LT(copy, h200 ? 4.9e12 : 5e13) << "more than the memory can move";
  EXPECT_GT(gemm, h200 ? 5e14 : 1e12);
  EXPECT_LT(gemm, h200 ? 9.9e14 : 1e16) << "more than the tensor cores can do";
  if (!h200) return;
  ASSERT_TRUE(ceilings->contains("gemm_8bit_flops_per_s"));
  const double small = ceilings->at("gemm_8bit_flops_per_s");
  RecordProperty("gemm_8bit_flops_per_s", std::to_string(small));
  EXPECT_GT(small, 1.2 * gemm);
  EXPECT_LT(small, 1.98e15) << "more than the tensor cores can do";
}

TEST_F(CudaDevice, FingerprintsTheMachine) {
  const Machine machine = sensors().fingerprint();
  EXPECT_THAT(machine.machine_class, testing::MatchesRegex("[a-z0-9]+(-[a-z0-9]+)*"));
  EXPECT_THAT(machine.device_uuid, testing::MatchesRegex("GPU-[0-9a-f-]+"));
  EXPECT_EQ(machine.device_uuid.size(), 40U);
  std::set<std::string> names;
  for (const MachineField& field : machine.fields) {
    EXPECT_NE(field.value, "") << field.name;
    EXPECT_TRUE(names.insert(field.name).second) << field.name << " twice";
    if (field.name == "device") {
      EXPECT_EQ(field.value, device().traits().name);
      EXPECT_EQ(field.kind, FieldClass::block);
    }
    if (field.name == "nvcc_flags") {
      EXPECT_EQ(field.kind, FieldClass::info);
    }
    if (field.name == "cuda_driver") {
      EXPECT_EQ(field.kind, FieldClass::warn);
    }
  }
  for (const char* name :
       {"device", "compute_capability", "memory", "ecc", "cuda_driver", "cuda_runtime", "cublas", "nvcc",
        "architectures", "gate", "multiprocessors", "l2_cache", "cpu", "kernel"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(CudaDevice, KnowsWhatVariantsAskOfIt) {
  const sdk::DeviceTraits& traits = device().traits();
  EXPECT_EQ(traits.kind, "cuda");
  EXPECT_GE(traits.compute_major, 7);
  EXPECT_GT(traits.multiprocessors, 0);
  EXPECT_GE(traits.shared_memory_per_block, std::size_t{48} << 10);
  void* handle = nullptr;
  timer().queue([&](sdk::Stream stream) { handle = stream.handle; });
  EXPECT_NE(handle, nullptr);
}

}  // namespace
}  // namespace harness::gpu

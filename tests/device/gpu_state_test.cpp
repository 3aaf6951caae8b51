// Which GPUs there are, what state they are in and what names them, against a stand-in for the driver's
// library.
#include "harness/device/host/gpu_state.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GpuStateTest : public testing::Test {
 protected:
  GpuStateTest() {
    setenv("HARNESS_NVML", FAKE_NVML_LIBRARY, 1);
    setenv("FAKE_NVML", file_.c_str(), 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_DEVICE_ORDER");
  }
  void TearDown() override {
    unsetenv("HARNESS_NVML");
    unsetenv("FAKE_NVML");
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_DEVICE_ORDER");
  }
  void host(const std::string& lines) { std::ofstream(file_) << lines; }
  void three_gpus() {
    host(
        "driver 580.1\ngpu\nuuid GPU-aaaa\nname NVIDIA H200\ngpu\nuuid GPU-aabb\nname NVIDIA H200\ngpu\n"
        "uuid GPU-cccc\nname NVIDIA L4\n");
  }
  static std::vector<std::string> uuids(const std::vector<const GpuState*>& gpus) {
    std::vector<std::string> out;
    for (const GpuState* gpu : gpus) out.push_back(gpu->uuid);
    return out;
  }

 private:
  TemporaryFolder folder_;
  std::string file_ = (folder_.path() / "gpus").string();
};

TEST_F(GpuStateTest, TellsEverythingThatTheDriverTells) {
  host(
      "driver 580.159.04\ncuda_driver 13020\nuuid GPU-A\nname NVIDIA H200\npci_bus 00000000:18:00.0\nvbios "
      "96.00\n"
      "clock_1 345\nclock_2 3201\nmax_clock_1 1980\nmax_clock_2 3201\napplication_clock_0 1500\n"
      "default_application_clock_0 1980\npower 75500\npower_limit 650000\ndefault_power_limit 700000\n"
      "temperature_0 31\nthreshold_1 92\nreasons 0x21\necc 1\necc_pending 0\nmig 0\npersistence 1\n"
      "compute_mode 3\n");
  const GpuHost seen = read_gpus();
  EXPECT_TRUE(seen.library);
  EXPECT_TRUE(seen.started);
  EXPECT_EQ(seen.driver, "580.159.04");
  EXPECT_EQ(seen.cuda_driver, "13.2");
  ASSERT_EQ(seen.gpus.size(), 1U);
  const GpuState& gpu = seen.gpus.front();
  EXPECT_EQ(gpu.uuid, "GPU-A");
  EXPECT_EQ(gpu.name, "NVIDIA H200");
  EXPECT_EQ(gpu.pci_bus, "00000000:18:00.0");
  EXPECT_EQ(gpu.vbios, "96.00");
  EXPECT_EQ(gpu.sm_clock_mhz, 345);
  EXPECT_EQ(gpu.memory_clock_mhz, 3201);
  EXPECT_EQ(gpu.max_sm_clock_mhz, 1980);
  EXPECT_EQ(gpu.max_memory_clock_mhz, 3201);
  EXPECT_EQ(gpu.application_sm_clock_mhz, 1500);
  EXPECT_EQ(gpu.default_application_sm_clock_mhz, 1980);
  EXPECT_DOUBLE_EQ(*gpu.power_w, 75.5);
  EXPECT_DOUBLE_EQ(*gpu.power_limit_w, 650);
  EXPECT_DOUBLE_EQ(*gpu.default_power_limit_w, 700);
  EXPECT_EQ(gpu.temperature_c, 31);
  EXPECT_EQ(gpu.slowdown_temperature_c, 92);
  EXPECT_THAT(gpu.reasons, ElementsAre("thermal"));
  EXPECT_EQ(gpu.ecc, true);
  EXPECT_EQ(gpu.ecc_pending, false);
  EXPECT_EQ(gpu.mig, false);
  EXPECT_EQ(gpu.persistence, true);
  EXPECT_EQ(gpu.compute_mode, 3U);
  EXPECT_THAT(gpu.processes, IsEmpty());
}

TEST_F(GpuStateTest, LeavesOutWhatTheDriverDoesNotTell) {
  host("uuid GPU-A\n");
  const GpuHost seen = read_gpus();
  ASSERT_EQ(seen.gpus.size(), 1U);
  EXPECT_EQ(seen.driver, "");
  EXPECT_EQ(seen.gpus[0].sm_clock_mhz, std::nullopt);
  EXPECT_EQ(seen.gpus[0].ecc, std::nullopt);
  EXPECT_EQ(seen.gpus[0].compute_mode, std::nullopt);
}

TEST_F(GpuStateTest, NamesOtherProcessesAndTheirMemory) {
  host("uuid GPU-A\nprocesses " + std::to_string(getpid()) + " 4000001\n");
  const std::vector<GpuProcess> processes = read_gpus().gpus.at(0).processes;
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0].pid, static_cast<unsigned>(getpid()));
  EXPECT_EQ(processes[0].name, "test_device");
  EXPECT_EQ(processes[0].bytes, 1U << 20);
  EXPECT_EQ(processes[1].name, "") << "not this process's to see";
  host("uuid GPU-A\nprocess_memory unknown\nprocesses 4000001\n");
  EXPECT_EQ(read_gpus().gpus.at(0).processes.at(0).bytes, std::nullopt);
}

TEST_F(GpuStateTest, TellsALibraryThatIsMissingFromOneThatRefuses) {
  host("refuse 1\n");
  EXPECT_TRUE(read_gpus().library);
  EXPECT_FALSE(read_gpus().started);
  setenv("HARNESS_NVML", "/no/such/library.so", 1);
  EXPECT_FALSE(read_gpus().library);
  EXPECT_THAT(read_gpus().gpus, IsEmpty());
}

TEST_F(GpuStateTest, CountsTheVisibleGpusAsCudaDoes) {
  three_gpus();
  const GpuHost seen = read_gpus();
  const auto visible = [&](const char* text) { return uuids(visible_gpus(seen, text)); };
  EXPECT_THAT(visible(nullptr), ElementsAre("GPU-aaaa", "GPU-aabb", "GPU-cccc"));
  EXPECT_THAT(visible(""), IsEmpty());
  EXPECT_THAT(visible("2,0"), ElementsAre("GPU-cccc", "GPU-aaaa"));
  EXPECT_THAT(visible("1,-1,0"), ElementsAre("GPU-aabb")) << "what names no GPU ends the list";
  EXPECT_THAT(visible("0,7,1"), ElementsAre("GPU-aaaa"));
  EXPECT_THAT(visible("GPU-cc,GPU-aabb"), ElementsAre("GPU-cccc", "GPU-aabb"));
  EXPECT_THAT(visible("GPU-aa"), IsEmpty()) << "two GPUs are called so";
  EXPECT_THAT(visible("GPU-"), IsEmpty());
}

TEST_F(GpuStateTest, ShowsOnlyTheGpusAtHand) {
  EXPECT_EQ(showing_only({2}, nullptr), "2");
  EXPECT_EQ(showing_only({1, 0, 3}, nullptr), "1,0,3") << "the first is cuda:0 afterwards";
  EXPECT_EQ(showing_only({1}, "2, GPU-aabb"), "GPU-aabb") << "counted among the visible ones";
  EXPECT_EQ(showing_only({0}, "MIG-1234"), "MIG-1234");
  EXPECT_EQ(showing_only({2}, "0,1"), std::nullopt);
  EXPECT_EQ(showing_only({0}, ""), "") << "all are hidden, and stay so";
  EXPECT_EQ(showing_only({2'000'000'000}, nullptr), std::nullopt) << "no host has so many";
  three_gpus();
  const GpuHost seen = read_gpus();
  const std::string shown = *showing_only({1, 0}, "2,GPU-aabb,0");
  EXPECT_THAT(uuids(visible_gpus(seen, shown.c_str())), ElementsAre("GPU-aabb", "GPU-cccc"));
}

TEST_F(GpuStateTest, FindsTheGpuThatANameMeansAmongTheVisibleOnes) {
  three_gpus();
  const GpuHost seen = read_gpus();
  EXPECT_EQ((*gpu_named(seen, "cuda"))->uuid, "GPU-aaaa");
  EXPECT_EQ((*gpu_named(seen, "cuda:2"))->uuid, "GPU-cccc");
  setenv("CUDA_VISIBLE_DEVICES", "2,1", 1);
  EXPECT_EQ((*gpu_named(seen, "cuda:0"))->uuid, "GPU-cccc");
  const auto missing = gpu_named(seen, "cuda:2");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().kind, ErrorKind::usage);
  EXPECT_THAT(missing.error().message, HasSubstr("cuda:2"));
  EXPECT_THAT(missing.error().message,
              HasSubstr("cuda:0 NVIDIA L4 (GPU-cccc), cuda:1 NVIDIA H200 (GPU-aabb)"));
  EXPECT_THAT(missing.error().advice,
              testing::AllOf(HasSubstr("CUDA_VISIBLE_DEVICES"), HasSubstr("1 of the 3")));
}

TEST_F(GpuStateTest, LeavesItToAWorkerWhereNvmlCannotTell) {
  EXPECT_EQ(*gpu_named(GpuHost{}, "cuda:5"), nullptr);
  three_gpus();
  setenv("CUDA_VISIBLE_DEVICES", "MIG-1234", 1);
  EXPECT_EQ(*gpu_named(read_gpus(), "cuda:1"), nullptr);
  EXPECT_FALSE(gpu_named(GpuHost{}, "cpu").has_value());
}

TEST_F(GpuStateTest, TellsAUuidOnlyWhereCudaReportsTheSame) {
  three_gpus();
  EXPECT_EQ(certain_uuid(read_gpus(), "cuda:1"), "GPU-aabb");
  EXPECT_EQ(certain_uuid(read_gpus(), "cuda:3"), std::nullopt);
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  EXPECT_EQ(certain_uuid(read_gpus(), "cuda:1"), "GPU-aabb");
  setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST", 1);
  EXPECT_EQ(certain_uuid(read_gpus(), "cuda:1"), std::nullopt);
  unsetenv("CUDA_DEVICE_ORDER");
  setenv("CUDA_VISIBLE_DEVICES", "MIG-1234", 1);
  EXPECT_EQ(certain_uuid(read_gpus(), "cuda:0"), std::nullopt);
  unsetenv("CUDA_VISIBLE_DEVICES");
  host("gpu\nuuid GPU-aaaa\nmig 1\n");
  EXPECT_EQ(certain_uuid(read_gpus(), "cuda:0"), std::nullopt);
  host("gpu\nname NVIDIA H200\n");
  EXPECT_EQ(certain_uuid(read_gpus(), "cuda:0"), std::nullopt);
  EXPECT_EQ(certain_uuid(GpuHost{}, "cuda:0"), std::nullopt);
}

TEST(CudaOrdinal, IsTheNumberBehindTheName) {
  EXPECT_EQ(cuda_ordinal("cuda"), 0);
  EXPECT_EQ(cuda_ordinal("cuda:3"), 3);
  for (const char* wrong : {"cpu", "cuda:", "cuda:-1", "cuda:1x", "cuda3", ""})
    EXPECT_EQ(cuda_ordinal(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace harness

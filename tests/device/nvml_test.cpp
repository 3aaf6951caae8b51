// The NVML wrapper against a stand-in for the driver's library (nvml/fake_nvml.cpp): no GPU needed.
#include "harness/device/host/nvml.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NvmlTest : public testing::Test {
 protected:
  NvmlTest() {
    setenv("HARNESS_NVML", FAKE_NVML_LIBRARY, 1);
    setenv("FAKE_NVML", file_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HARNESS_NVML");
    unsetenv("FAKE_NVML");
  }
  void gpu(const std::string& lines) {
    std::ofstream(file_) << "uuid GPU-A\npci_bus 0000:18:00.0\n" << lines;
  }
  [[nodiscard]] static Conditions conditions() {
    const auto now = Nvml("GPU-A", "").conditions();
    if (!now) ADD_FAILURE() << "NVML does not know the GPU";
    return now.value_or(Conditions{});
  }

 private:
  TemporaryFolder folder_;
  std::string file_ = (folder_.path() / "gpu").string();
};

TEST_F(NvmlTest, TellsTheConditions) {
  gpu("clock_1 1755\nclock_2 3201\npower 612340\ntemperature_0 63\nreasons 0x0\nprocesses\n");
  EXPECT_EQ(conditions(), (Conditions{1755, 3201, 612.34, 63, {}, 0, {}}));
}

TEST_F(NvmlTest, CountsEnergyUnlessTheGpuIsSliced) {
  gpu("energy 9007199254740\n");
  EXPECT_EQ(Nvml("GPU-A", "").joules(), 9007199254.740);
  gpu("energy 1500\nmig 0\n");
  const Nvml whole("GPU-A", "");
  EXPECT_EQ(whole.joules(), 1.5);
  gpu("energy 1750\nmig 0\n");
  EXPECT_EQ(whole.joules(), 1.75);
  gpu("energy 1500\nmig 1\n");
  EXPECT_EQ(Nvml("GPU-A", "").joules(), std::nullopt) << "it counts for all slices";
  gpu("energy 1500\nmig_refused 999\n");
  EXPECT_EQ(Nvml("GPU-A", "").joules(), std::nullopt) << "it may be sliced";
  gpu("power 612340\n");
  EXPECT_EQ(Nvml("GPU-A", "").joules(), std::nullopt);
  EXPECT_EQ(Nvml("GPU-B", "").joules(), std::nullopt);
}

TEST_F(NvmlTest, LeavesOutWhatTheDriverDoesNotTell) {
  gpu("clock_1 1755\n");
  const Conditions now = conditions();
  EXPECT_EQ(now.sm_clock_mhz, 1755);
  EXPECT_EQ(now.memory_clock_mhz, std::nullopt);
  EXPECT_EQ(now.power_w, std::nullopt);
  EXPECT_EQ(now.temperature_c, std::nullopt);
  EXPECT_THAT(now.throttled, IsEmpty());
  EXPECT_EQ(now.other_processes, 0);
}

TEST_F(NvmlTest, NamesTheReasonsForALowClockAndNotThatItIsIdle) {
  gpu("reasons 0x1\n");
  EXPECT_THAT(conditions().throttled, IsEmpty());
  gpu("reasons 0x25\n");
  EXPECT_THAT(conditions().throttled, ElementsAre("power_cap", "thermal"));
  gpu("reasons 0x1fe\n");
  EXPECT_THAT(conditions().throttled,
              ElementsAre("clock_setting", "power_cap", "hardware_slowdown", "sync_boost", "thermal",
                          "hardware_thermal", "power_brake", "display"));
}

TEST_F(NvmlTest, ReadsAnewEachTime) {
  gpu("power 1000\n");
  const Nvml nvml("GPU-A", "");
  EXPECT_EQ(nvml.conditions()->power_w, 1);
  gpu("power 2000\n");
  EXPECT_EQ(nvml.conditions()->power_w, 2);
}

TEST_F(NvmlTest, UnderstandsOlderDrivers) {
  setenv("HARNESS_NVML", FAKE_OLD_NVML_LIBRARY, 1);
  gpu("reasons 0x40\nprocesses " + std::to_string(getpid()) + " 1\n");
  EXPECT_THAT(conditions().throttled, ElementsAre("hardware_thermal"));
  EXPECT_EQ(conditions().other_processes, 1);
}

TEST_F(NvmlTest, CountsOtherProcessesWithoutItself) {
  const std::string own = std::to_string(getpid());
  gpu("processes " + own + "\n");
  EXPECT_EQ(conditions().other_processes, 0);
  gpu("processes 1 " + own + " 4000001 4000002\n");
  EXPECT_EQ(conditions().other_processes, 3);
}

TEST_F(NvmlTest, CountsNoOthersOnlyWhereProcessesAreListed) {
  gpu("clock_1 1755\n");
  EXPECT_EQ(Nvml("GPU-A", "").other_processes(), std::nullopt) << "no list";
  EXPECT_EQ(Nvml("GPU-B", "").other_processes(), std::nullopt) << "no such GPU";
  gpu("processes " + std::to_string(getpid()) + "\n");
  EXPECT_EQ(Nvml("GPU-A", "").other_processes(), 0);
  gpu("processes " + std::to_string(getpid()) + " 1\n");
  EXPECT_EQ(Nvml("GPU-A", "").other_processes(), 1);
}

TEST_F(NvmlTest, TakesOneProcessForItselfWhereNumbersDiffer) {
  gpu("processes 4000001 4000002\n");
  EXPECT_EQ(conditions().other_processes, 1);
}

TEST_F(NvmlTest, CountsMoreProcessesThanFitAtOnce) {
  std::string many = "processes " + std::to_string(getpid());
  for (int i = 0; i < 100; ++i) many += " " + std::to_string(4'000'001 + i);
  gpu(many + "\n");
  EXPECT_EQ(conditions().other_processes, 100);
}

// A child that ends when its pipe closes.
class Sibling {
 public:
  Sibling() {
    if (pipe(ends_) != 0) std::abort();
    pid_ = fork();
    if (pid_ != 0) return;
    close(ends_[1]);
    char byte = 0;
    while (read(ends_[0], &byte, 1) > 0) continue;
    _exit(0);
  }
  ~Sibling() {
    close(ends_[1]);
    waitpid(pid_, nullptr, 0);
    close(ends_[0]);
  }
  Sibling(const Sibling&) = delete;
  Sibling& operator=(const Sibling&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  int ends_[2]{};
  pid_t pid_ = 0;
};

TEST_F(NvmlTest, TakesTheOtherWorkersOfItsParentForItsOwn) {
  const Sibling sibling;
  const std::string parent = std::to_string(getpid());
  const pid_t worker = fork();
  if (worker == 0) {
    gpu("processes " + std::to_string(getpid()) + " " + std::to_string(sibling.pid()) + " " + parent + "\n");
    _exit(conditions().other_processes);
  }
  int status = 0;
  waitpid(worker, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1) << "only its parent, which has no business on the GPU";
}

TEST_F(NvmlTest, TellsTheFactsOfAMachine) {
  gpu("driver 580.1\nvbios 96.00\npower_limit 700000\npersistence 1\necc 1\nmig 0\nmax_clock_1 1980\n");
  const NvmlFacts facts = Nvml("GPU-A", "").facts();
  EXPECT_EQ(facts.driver, "580.1");
  EXPECT_EQ(facts.vbios, "96.00");
  EXPECT_EQ(facts.power_limit_milliwatts, 700000U);
  EXPECT_EQ(facts.persistence, true);
  EXPECT_EQ(facts.ecc, true);
  EXPECT_EQ(facts.mig, false);
  EXPECT_EQ(facts.max_sm_clock_mhz, 1980U);
}

TEST_F(NvmlTest, FindsTheGpuOfASliceByItsBus) {
  gpu("power 5000\ndriver 580.1\n");
  EXPECT_EQ(Nvml("MIG-1", "0000:18:00.0").conditions()->power_w, 5);
  const Nvml unknown("MIG-1", "0000:99:00.0");
  EXPECT_EQ(unknown.conditions(), std::nullopt);
  EXPECT_EQ(unknown.facts().driver, "580.1");
  EXPECT_EQ(unknown.facts().ecc, std::nullopt);
}

TEST_F(NvmlTest, TellsNothingWithoutALibraryOrWhenItRefuses) {
  gpu("refuse 1\ndriver 580.1\npower 1\n");
  EXPECT_EQ(Nvml("GPU-A", "").conditions(), std::nullopt);
  EXPECT_EQ(Nvml("GPU-A", "").facts().driver, std::nullopt);
  setenv("HARNESS_NVML", "/no/such/library.so", 1);
  EXPECT_EQ(Nvml("GPU-A", "").conditions(), std::nullopt);
  EXPECT_EQ(Nvml("GPU-A", "").facts().driver, std::nullopt);
}

}  // namespace
}  // namespace harness

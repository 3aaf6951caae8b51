// Every judgement of a machine, and that each one that is not ok says what to do.
#include "harness/doctor/examine.h"

#include <gmock/gmock.h>

#include <functional>

namespace harness {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t gib = 1U << 30;

// A machine without a fault: an H200 in a quiet host.
MachineFacts good_gpu() {
  MachineFacts facts;
  facts.device = "cuda:0";
  facts.host.cpu = "Some CPU";
  facts.host.kernel = "Linux 6.8.0";
  facts.host.container = "none seen";
  facts.host.online_cpus = facts.host.usable_cpus = 16;
  facts.host.governors = {"performance"};
  facts.host.turbo = true;
  facts.host.smt = true;
  facts.host.load = 0.5;
  facts.host.memory_available = 100 * gib;
  facts.store = {"/data", 100 * gib};
  facts.machine = Machine{"nvidia-h200",
                          "GPU-A",
                          {{"cuda_runtime", "13.0", FieldClass::warn},
                           {"cublas", "13.0.0", FieldClass::warn},
                           {"nvcc", "13.0.48", FieldClass::warn},
                           {"gate", "stream_wait", FieldClass::warn}},
                          {{"copy_bytes_per_s", 4.26e12}, {"gemm_flops_per_s", 801e12}}};
  facts.gpus.library = facts.gpus.started = true;
  facts.gpus.driver = "580.159.04";
  facts.gpus.cuda_driver = "13.0";
  GpuState gpu;
  gpu.uuid = "GPU-A";
  gpu.name = "NVIDIA H200";
  gpu.sm_clock_mhz = 345;
  gpu.max_sm_clock_mhz = 1980;
  gpu.application_sm_clock_mhz = gpu.default_application_sm_clock_mhz = 1980;
  gpu.power_w = 75;
  gpu.power_limit_w = gpu.default_power_limit_w = 700;
  gpu.temperature_c = 31;
  gpu.slowdown_temperature_c = 92;
  gpu.ecc = gpu.ecc_pending = true;
  gpu.mig = false;
  gpu.persistence = true;
  gpu.compute_mode = 0;
  facts.gpu = gpu;
  facts.driver = {true, "580.159.04", true, true};
  facts.may_read_counters = true;
  facts.libraries.cublas = "13.0.0";
  facts.libraries.cupti = "130001";
  facts.libraries.cupti_path = "/lib/libcupti.so.13";
  return facts;
}

MachineFacts good_cpu() {
  MachineFacts facts = good_gpu();
  facts.device = "cpu";
  facts.host.turbo = facts.host.smt = false;
  facts.machine = Machine{"cpu-some-cpu", "host", {}, {{"copy_bytes_per_s", 1e10}}};
  facts.gpu.reset();
  return facts;
}

const Observation* finding(const Examination& examination, const std::string& name) {
  for (const Observation& one : examination.findings)
    if (one.name == name) return &one;
  return nullptr;
}

// One fault more, and the line that is to tell it.
struct Fault {
  const char* name;
  std::function<void(MachineFacts&)> make;
  Fitness fitness;
  const char* value;   // in it
  const char* advice;  // in it
};

void expect_told(const Fault& fault, MachineFacts facts) {
  SCOPED_TRACE(std::string(fault.name) + " " + fault.value);
  fault.make(facts);
  const Examination examination = examine(facts);
  const Observation* found = finding(examination, fault.name);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->fitness, fault.fitness);
  EXPECT_THAT(found->value, HasSubstr(fault.value));
  EXPECT_THAT(found->advice, HasSubstr(fault.advice));
  EXPECT_NE(found->advice, "");
  EXPECT_EQ(fitness_of(examination), fault.fitness) << "and nothing else is wrong";
}

TEST(Examine, FindsNothingWrongWithAGoodGpu) {
  const Examination examination = examine(good_gpu());
  for (const Observation& one : examination.findings) {
    EXPECT_EQ(one.fitness, Fitness::ok) << one.name << ": " << one.value;
    EXPECT_EQ(one.advice, "") << one.name;
  }
  EXPECT_EQ(examination.described, "NVIDIA H200 (GPU-A)");
  EXPECT_EQ(finding(examination, "cupti")->value, "13.0 update 1 (/lib/libcupti.so.13)");
  EXPECT_EQ(finding(examination, "copy")->value,
            "4.26 TB/s, 104 % of the 4.10 TB/s that its class reaches at the least");
  EXPECT_EQ(finding(examination, "sm clock")->value, "345 MHz now, 1980 MHz at most");
}

TEST(Examine, SpeaksOfNoGpuWhereTheCpuIsTheDevice) {
  const Examination examination = examine(good_cpu());
  EXPECT_EQ(fitness_of(examination), Fitness::ok);
  for (const Observation& one : examination.findings)
    EXPECT_TRUE(one.topic == "machine" || one.topic == "store" || one.topic == "ceilings") << one.name;
}

TEST(Examine, TellsTheFaultsOfAnyHost) {
  const Fault faults[] = {
      {"governor",
       [](auto& f) {
         f.host.governors = {"performance", "powersave"};
       },
       Fitness::warn, "powersave", "cpupower"},
      {"cpu limit", [](auto& f) { f.host.cpu_limit = 2.5; }, Fitness::warn, "2.50 CPUs",
       "raise the container's"},
      {"cpu limit", [](auto& f) { f.host.cpu_limit = 0.5; }, Fitness::unfit, "0.50 CPUs",
       "raise the container's"},
      {"memory", [](auto& f) { f.host.memory_available = gib; }, Fitness::warn, "1.0 GiB available",
       "free some"},
      {"memory", [](auto& f) { f.host.memory_limit = gib / 8; }, Fitness::unfit,
       "128 MiB is the control group's", "raise the container's limit"},
      {"tracer", [](auto& f) { f.host.traced_by = "gdb (process 7)"; }, Fitness::unfit, "gdb",
       "measure without"},
      {"disk space", [](auto& f) { f.store.free_bytes = gib / 2; }, Fitness::warn, "512 MiB free in /data",
       "--store"},
      {"disk space", [](auto& f) { f.store.free_bytes = 1U << 20; }, Fitness::unfit, "1 MiB", "make room"},
      {"disk space", [](auto& f) { f.store.free_bytes.reset(); }, Fitness::warn, "not known",
       "can be written to"},
      {"ceilings", [](auto& f) { f.machine->ceilings.clear(); }, Fitness::warn, "not measured", "share"},
      {"ceilings",
       [](auto& f) {
         f.machine.reset();
         f.in_use = "device GPU-A is in use by process 7";
       },
       Fitness::warn, "in use by process 7", "when that run has ended"},
  };
  for (const Fault& fault : faults) {
    expect_told(fault, good_cpu());
    if (fault.fitness == Fitness::unfit || std::string(fault.name) != "ceilings")
      expect_told(fault, good_gpu());
  }
}

TEST(Examine, TellsWhatDisturbsCpuCasesAlone) {
  const Fault faults[] = {
      {"turbo", [](auto& f) { f.host.turbo = true; }, Fitness::warn, "on", "no_turbo"},
      {"smt", [](auto& f) { f.host.smt = true; }, Fitness::warn, "on", "smt/control"},
      {"virtualisation", [](auto& f) { f.host.virtual_machine = true; }, Fitness::warn, "virtual machine",
       "hypervisor"},
      {"load", [](auto& f) { f.host.load = 5; }, Fitness::warn, "5.00", "find them with top"},
      {"load", [](auto& f) { f.host.load = 16; }, Fitness::unfit, "16.00", "find them with top"},
  };
  for (const Fault& fault : faults) expect_told(fault, good_cpu());
  expect_told({"load", [](auto& f) { f.host.load = 15.5; }, Fitness::warn, "15.50", "find them with top"},
              good_gpu());
}

TEST(Examine, TellsTheFaultsOfAGpu) {
  const Fault faults[] = {
      {"nvml", [](auto& f) { f.gpus.started = false; }, Fitness::warn, "does not start", "libnvidia-ml"},
      {"cublas", [](auto& f) { f.machine->fields.erase(f.machine->fields.begin() + 1); }, Fitness::warn,
       "not found", "LD_LIBRARY_PATH"},
      {"application clock", [](auto& f) { f.gpu->application_sm_clock_mhz = 1200; }, Fitness::warn,
       "1200 MHz, not the usual 1980 MHz", "-rac"},
      {"clock events", [](auto& f) { f.gpu->reasons = {"clock_setting"}; }, Fitness::warn, "set by hand",
       "-rgc"},
      {"clock events", [](auto& f) { f.gpu->reasons = {"power_cap"}; }, Fitness::warn, "the power limit",
       "when it is gone"},
      {"clock events", [](auto& f) { f.gpu->reasons = {"thermal"}; }, Fitness::unfit, "its temperature",
       "cool"},
      {"clock events", [](auto& f) { f.gpu->reasons = {"power_brake"}; }, Fitness::unfit, "power brake",
       "power supply"},
      {"clock lock",
       [](auto& f) {
         f.clock_locks = {{{"GPU-A", 1485, 4711, "noon", ""}, false}};
       },
       Fitness::unfit,
       "process 4711 (since noon) locked the SM clock of GPU-A at 1485 MHz and left it behind",
       "harness doctor --unlock-clocks"},
      {"power limit", [](auto& f) { f.gpu->power_limit_w = 500; }, Fitness::warn, "500 W, lowered from 700 W",
       "nvidia-smi -pl 700"},
      {"temperature", [](auto& f) { f.gpu->temperature_c = 88; }, Fitness::unfit, "88 C, slows down at 92 C",
       "let it cool"},
      {"ecc", [](auto& f) { f.gpu->ecc = f.gpu->ecc_pending = false; }, Fitness::warn, "off",
       "nvidia-smi -e 1"},
      {"ecc", [](auto& f) { f.gpu->ecc_pending = false; }, Fitness::warn, "on, off after a reset",
       "do not compare"},
      {"mig", [](auto& f) { f.gpu->mig = true; }, Fitness::warn, "on", "-mig 0"},
      {"persistence", [](auto& f) { f.gpu->persistence = false; }, Fitness::warn, "off", "-pm 1"},
      {"compute mode", [](auto& f) { f.gpu->compute_mode = 2; }, Fitness::unfit, "prohibited", "-c 0"},
      {"compute mode", [](auto& f) { f.gpu->compute_mode = 3; }, Fitness::warn, "exclusive process", "-c 0"},
      {"other processes",
       [](auto& f) {
         f.gpu->processes = {{4711, "python3", 300U << 20}};
       },
       Fitness::unfit, "process 4711, python3, 300 MiB", "end process 4711"},
      {"other processes",
       [](auto& f) {
         f.gpu->processes = {{4711, "", {}}};
       },
       Fitness::unfit, "sees no name, memory not told", "end process 4711"},
      {"gate", [](auto& f) { f.machine->fields.back().value = "spin"; }, Fitness::warn, "spin",
       "HARNESS_CUDA_GATE"},
      {"cupti", [](auto& f) { f.libraries.cupti.clear(); }, Fitness::warn, "not found", "libcupti.so.13"},
      {"cupti holder", [](auto& f) { f.libraries.cupti_holder = "Nsight Systems"; }, Fitness::warn,
       "Nsight Systems", "end that tool"},
      {"cupti holder", [](auto& f) { f.libraries.injected = "/opt/tool.so"; }, Fitness::warn, "/opt/tool.so",
       "CUDA_INJECTION64_PATH"},
      {"counters", [](auto& f) { f.may_read_counters = false; }, Fitness::warn, "which this process is not",
       "NVreg_RestrictProfilingToAdminUsers=0"},
      {"gpu", [](auto& f) { f.gpu.reset(); }, Fitness::warn, "GPU-A", "NVML does not know it"},
  };
  for (const Fault& fault : faults) expect_told(fault, good_gpu());
}

TEST(Examine, NamesTheHolderOfALockThatIsInUse) {
  MachineFacts facts = good_gpu();
  facts.clock_locks = {{{"GPU-B", 900, 1, "", ""}, false}, {{"GPU-A", 1485, 4711, "noon", ""}, true}};
  const Examination examination = examine(facts);
  EXPECT_EQ(fitness_of(examination), Fitness::ok) << "another GPU's is no matter here";
  EXPECT_THAT(finding(examination, "clock lock")->value, HasSubstr("4711 (since noon) locked"));
}

TEST(Examine, CallsAMachineBelowWhatItsClassReachesUnfit) {
  const auto with = [](double copy, double product) {
    MachineFacts facts = good_gpu();
    facts.machine->ceilings = {{"copy_bytes_per_s", copy}, {"gemm_flops_per_s", product}};
    return examine(facts);
  };
  EXPECT_EQ(fitness_of(with(4.1e12, 750e12)), Fitness::ok);
  const Examination slow_copy = with(4.09e12, 760e12), slow_product = with(4.2e12, 749e12);
  EXPECT_EQ(finding(slow_copy, "copy")->fitness, Fitness::unfit);
  EXPECT_EQ(finding(slow_copy, "matrix product")->fitness, Fitness::ok);
  EXPECT_EQ(finding(slow_product, "matrix product")->fitness, Fitness::unfit);
  EXPECT_THAT(finding(slow_product, "matrix product")->advice,
              HasSubstr("the machine is slow, not a kernel"));
  MachineFacts other = good_gpu();
  other.machine->machine_class = "nvidia-l4";
  other.machine->ceilings = {{"copy_bytes_per_s", 1e11}};
  EXPECT_EQ(fitness_of(examine(other)), Fitness::ok) << "nothing is expected of it";
}

TEST(Examine, TellsAMachineWithoutAGpuWhatItLacks) {
  MachineFacts facts;
  facts.device = "cuda:0";
  facts.obstacle = "no NVIDIA driver on this machine (libcuda.so.1 not found)";
  const Examination examination = examine(facts);
  EXPECT_EQ(fitness_of(examination), Fitness::unfit);
  for (const char* name : {"driver", "gpu", "device"}) {
    ASSERT_NE(finding(examination, name), nullptr) << name;
    EXPECT_EQ(finding(examination, name)->fitness, Fitness::unfit) << name;
    EXPECT_NE(finding(examination, name)->advice, "") << name;
  }
}

TEST(Examine, KnowsAWordForEveryClockEvent) {
  for (const char* reason : {"clock_setting", "power_cap", "hardware_slowdown", "sync_boost", "thermal",
                             "hardware_thermal", "power_brake", "display"})
    EXPECT_NE(reason_in_words(reason), reason);
  EXPECT_EQ(reason_in_words("something new"), "something new");
}

}  // namespace
}  // namespace harness

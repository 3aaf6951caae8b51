// Every judgement of a machine: which check, how fit, with which figures. Each bad one has advice.
#include "harness/doctor/examine.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace harness {
namespace {

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
                           {"gate", "stream wait", FieldClass::warn}},
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

const Observation* finding(const Examination& examination, Check check) {
  for (const Observation& one : examination.findings)
    if (one.code == check) return &one;
  return nullptr;
}

// One fault, and the finding that tells it.
struct Fault {
  Check check;
  std::function<void(MachineFacts&)> make;
  Fitness fitness;
  Figures figures;
};

void expect_told(const Fault& fault, MachineFacts facts) {
  SCOPED_TRACE(name_of(fault.check));
  fault.make(facts);
  const Examination examination = examine(facts);
  const Observation* found = finding(examination, fault.check);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->fitness, fault.fitness);
  EXPECT_EQ(found->figures, fault.figures);
  EXPECT_EQ(fitness_of(examination), fault.fitness) << "and nothing else is wrong";
}

TEST(Examine, FindsNothingWrongWithAGoodGpu) {
  const Examination examination = examine(good_gpu());
  for (const Observation& one : examination.findings)
    EXPECT_EQ(one.fitness, Fitness::ok) << name_of(one.code);
  EXPECT_EQ(examination.described, "NVIDIA H200 (GPU-A)");
  EXPECT_EQ(finding(examination, Check::copy)->figures,
            (Figures{{"per_second", 4.26e12}, {"expected", 4.1e12}}));
  EXPECT_EQ(finding(examination, Check::sm_clock)->figures,
            (Figures{{"now_mhz", 345.0}, {"highest_mhz", 1980.0}}));
}

TEST(Examine, SpeaksOfNoGpuWhereTheCpuIsTheDevice) {
  const Examination examination = examine(good_cpu());
  EXPECT_EQ(fitness_of(examination), Fitness::ok);
  for (const Observation& one : examination.findings) {
    const Topic topic = topic_of(one.code);
    EXPECT_TRUE(topic == Topic::machine || topic == Topic::store || topic == Topic::ceilings)
        << name_of(one.code);
  }
}

TEST(Examine, KeepsTheFindingsOfATopicTogether) {
  std::vector<Topic> topics;
  for (const Observation& one : examine(good_gpu()).findings)
    if (topics.empty() || topics.back() != topic_of(one.code)) topics.push_back(topic_of(one.code));
  EXPECT_EQ(topics, (std::vector<Topic>{Topic::machine, Topic::driver, Topic::gpu, Topic::profilers,
                                        Topic::store, Topic::ceilings}));
}

TEST(Examine, TellsTheFaultsOfAnyHost) {
  const Fault faults[] = {
      {Check::governor,
       [](auto& f) {
         f.host.governors = {"performance", "powersave"};
       },
       Fitness::warn,
       {{"governors", "performance, powersave"}}},
      {Check::cpu_limit, [](auto& f) { f.host.cpu_limit = 2.5; }, Fitness::warn, {{"cpus", 2.5}}},
      {Check::cpu_limit, [](auto& f) { f.host.cpu_limit = 0.5; }, Fitness::unfit, {{"cpus", 0.5}}},
      {Check::memory,
       [](auto& f) { f.host.memory_available = gib; },
       Fitness::warn,
       {{"bytes", gib}, {"is_limit", false}}},
      {Check::memory,
       [](auto& f) { f.host.memory_limit = gib / 8; },
       Fitness::unfit,
       {{"bytes", gib / 8}, {"is_limit", true}}},
      {Check::tracer,
       [](auto& f) { f.host.traced_by = "gdb (process 7)"; },
       Fitness::unfit,
       {{"name", "gdb (process 7)"}}},
      {Check::disk_space,
       [](auto& f) { f.store.free_bytes = gib / 2; },
       Fitness::warn,
       {{"folder", "/data"}, {"bytes", gib / 2}}},
      {Check::disk_space,
       [](auto& f) { f.store.free_bytes = 1U << 20; },
       Fitness::unfit,
       {{"folder", "/data"}, {"bytes", 1U << 20}}},
      {Check::disk_space, [](auto& f) { f.store.free_bytes.reset(); }, Fitness::warn, {{"folder", "/data"}}},
      {Check::ceilings, [](auto& f) { f.machine->ceilings.clear(); }, Fitness::warn, {}},
  };
  for (const Fault& fault : faults) {
    expect_told(fault, good_cpu());
    expect_told(fault, good_gpu());
  }
  const auto use = [](auto& f) {
    f.machine.reset();
    f.in_use = "device GPU-A is in use by process 7";
  };
  expect_told({Check::ceilings, use, Fitness::warn, {{"in_use", "device GPU-A is in use by process 7"}}},
              good_cpu());
}

TEST(Examine, TellsWhatDisturbsCpuCasesAlone) {
  const Fault faults[] = {
      {Check::turbo, [](auto& f) { f.host.turbo = true; }, Fitness::warn, {{"on", true}}},
      {Check::smt, [](auto& f) { f.host.smt = true; }, Fitness::warn, {{"on", true}}},
      {Check::virtualisation,
       [](auto& f) { f.host.virtual_machine = true; },
       Fitness::warn,
       {{"virtual_machine", true}}},
      {Check::load, [](auto& f) { f.host.load = 5; }, Fitness::warn, {{"cpus", 5.0}}},
      {Check::load, [](auto& f) { f.host.load = 16; }, Fitness::unfit, {{"cpus", 16.0}}},
  };
  for (const Fault& fault : faults) expect_told(fault, good_cpu());
  expect_told({Check::load, [](auto& f) { f.host.load = 15.5; }, Fitness::warn, {{"cpus", 15.5}}},
              good_gpu());
}

TEST(Examine, TellsTheFaultsOfAGpu) {
  const Fault faults[] = {
      {Check::nvml,
       [](auto& f) { f.gpus.started = false; },
       Fitness::warn,
       {{"library", true}, {"started", false}}},
      {Check::cublas,
       [](auto& f) { f.machine->fields.erase(f.machine->fields.begin() + 1); },
       Fitness::warn,
       {{"version", ""}}},
      {Check::application_clock,
       [](auto& f) { f.gpu->application_sm_clock_mhz = 1200; },
       Fitness::warn,
       {{"mhz", 1200.0}, {"usual_mhz", 1980.0}}},
      {Check::clock_events,
       [](auto& f) { f.gpu->reasons = {"clock_setting"}; },
       Fitness::warn,
       {{"reason", "clock_setting"}}},
      {Check::clock_events,
       [](auto& f) { f.gpu->reasons = {"power_cap"}; },
       Fitness::warn,
       {{"reason", "power_cap"}}},
      {Check::clock_events,
       [](auto& f) { f.gpu->reasons = {"thermal"}; },
       Fitness::unfit,
       {{"reason", "thermal"}}},
      {Check::clock_events,
       [](auto& f) { f.gpu->reasons = {"something new"}; },
       Fitness::unfit,
       {{"reason", "something new"}}},
      {Check::clock_lock,
       [](auto& f) {
         f.clock_locks = {{{"GPU-A", 1485, 4711, "noon", ""}, false}};
       },
       Fitness::unfit,
       {{"gpu", "GPU-A"}, {"mhz", 1485}, {"process", 4711}, {"since", "noon"}, {"held", false}}},
      {Check::power_limit,
       [](auto& f) { f.gpu->power_limit_w = 500; },
       Fitness::warn,
       {{"watts", 500.0}, {"usual_watts", 700.0}}},
      {Check::temperature,
       [](auto& f) { f.gpu->temperature_c = 88; },
       Fitness::unfit,
       {{"celsius", 88.0}, {"slowdown_celsius", 92.0}}},
      {Check::ecc, [](auto& f) { f.gpu->ecc = f.gpu->ecc_pending = false; }, Fitness::warn, {{"on", false}}},
      {Check::ecc,
       [](auto& f) { f.gpu->ecc_pending = false; },
       Fitness::warn,
       {{"on", true}, {"on_after_reset", false}}},
      {Check::mig, [](auto& f) { f.gpu->mig = true; }, Fitness::warn, {{"on", true}}},
      {Check::persistence, [](auto& f) { f.gpu->persistence = false; }, Fitness::warn, {{"on", false}}},
      {Check::compute_mode, [](auto& f) { f.gpu->compute_mode = 2; }, Fitness::unfit, {{"mode", 2}}},
      {Check::compute_mode, [](auto& f) { f.gpu->compute_mode = 3; }, Fitness::warn, {{"mode", 3}}},
      {Check::other_processes,
       [](auto& f) {
         f.gpu->processes = {{4711, "python3", 300U << 20}};
       },
       Fitness::unfit,
       {{"process", 4711}, {"name", "python3"}, {"bytes", 300U << 20}}},
      {Check::other_processes,
       [](auto& f) {
         f.gpu->processes = {{4711, "", {}}};
       },
       Fitness::unfit,
       {{"process", 4711}, {"name", ""}}},
      {Check::gate,
       [](auto& f) { f.machine->fields.back().value = "spinning thread"; },
       Fitness::warn,
       {{"kind", "spinning thread"}}},
      {Check::cupti, [](auto& f) { f.libraries.cupti.clear(); }, Fitness::warn, {{"error", ""}}},
      {Check::cupti_holder,
       [](auto& f) { f.libraries.cupti_holder = "Nsight Systems"; },
       Fitness::warn,
       {{"name", "Nsight Systems"}, {"injected", false}}},
      {Check::cupti_holder,
       [](auto& f) { f.libraries.injected = "/opt/tool.so"; },
       Fitness::warn,
       {{"name", "/opt/tool.so"}, {"injected", true}}},
      {Check::counters,
       [](auto& f) { f.may_read_counters = false; },
       Fitness::warn,
       {{"allowed", false}, {"restricted", true}}},
      {Check::gpu, [](auto& f) { f.gpu.reset(); }, Fitness::warn, {{"uuid", "GPU-A"}}},
  };
  for (const Fault& fault : faults) expect_told(fault, good_gpu());
}

TEST(Examine, NamesTheHolderOfALockThatIsInUse) {
  MachineFacts facts = good_gpu();
  facts.clock_locks = {{{"GPU-B", 900, 1, "", ""}, false}, {{"GPU-A", 1485, 4711, "noon", ""}, true}};
  const Examination examination = examine(facts);
  EXPECT_EQ(fitness_of(examination), Fitness::ok) << "another GPU's is no matter here";
  EXPECT_EQ(finding(examination, Check::clock_lock)->count("process"), 4711);
}

TEST(Examine, CallsAMachineBelowWhatItsClassReachesUnfit) {
  const auto with = [](double copy, double product) {
    MachineFacts facts = good_gpu();
    facts.machine->ceilings = {{"copy_bytes_per_s", copy}, {"gemm_flops_per_s", product}};
    return examine(facts);
  };
  EXPECT_EQ(fitness_of(with(4.1e12, 750e12)), Fitness::ok);
  const Examination slow_copy = with(4.09e12, 760e12), slow_product = with(4.2e12, 749e12);
  EXPECT_EQ(finding(slow_copy, Check::copy)->fitness, Fitness::unfit);
  EXPECT_EQ(finding(slow_copy, Check::matrix_product)->fitness, Fitness::ok);
  EXPECT_EQ(finding(slow_product, Check::matrix_product)->fitness, Fitness::unfit);
  MachineFacts other = good_gpu();
  other.machine->machine_class = "nvidia-l4";
  other.machine->ceilings = {{"copy_bytes_per_s", 1e11}};
  EXPECT_EQ(fitness_of(examine(other)), Fitness::ok) << "nothing is expected of it";
}

TEST(Examine, TellsAMachineWithoutAGpuWhatItLacks) {
  MachineFacts facts;
  facts.device = "cuda:0";
  facts.obstacle = Cause{CauseCode::no_driver};
  const Examination examination = examine(facts);
  EXPECT_EQ(fitness_of(examination), Fitness::unfit);
  for (const Check check : {Check::driver, Check::gpu, Check::device}) {
    ASSERT_NE(finding(examination, check), nullptr) << name_of(check);
    EXPECT_EQ(finding(examination, check)->fitness, Fitness::unfit) << name_of(check);
  }
  EXPECT_EQ(finding(examination, Check::device)->text("obstacle"), "no_driver");
}

}  // namespace
}  // namespace harness

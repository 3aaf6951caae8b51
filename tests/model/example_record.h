// A record with something in every field, for the tests of what reads, writes and stores records.
#pragma once

#include "harness/model/record.h"

namespace harness {

inline ProcessResult example_result(const std::string& case_id, int process) {
  ProcessResult result{case_id, process, Outcome::measured, {}, Verification{1.25e-4, 1.5e-4, 1e-3, 4096},
                       {},      {}};
  result.series.push_back({"gpu_time",
                           "us",
                           Direction::lower_is_better,
                           {{process,
                             {{{23.7, 23.648, 23.616},
                               3,
                               1.98,
                               1763618400.125,
                               Conditions{1980.0, 3201.0, 412.5, 51.0, {"power_cap", "thermal"}, 1, {}},
                               Stop::width},
                              {{23.5, 1.0 / 3, 24}, 0, 0, 0, Conditions{}, Stop::max_time}}}}});
  result.series.push_back({"clock", "GHz", Direction::higher_is_better, {{process, {{{1.98}, 0, 0}}}}});
  result.notes = {told_note("3 samples were forced by the gate's deadline"),
                  {NoteCode::forced_gates, {{"samples", 3}, {"of", 50}, {"deadline", 1.0}}}};
  result.device_uuid = "GPU-A";
  result.phases = {{"construct", 0.25}, {"first_call", 9.425e-5}, {"sampling", 1.5}};
  result.kernels = {
      {"void gemm<half>(half const*)", {132, 1, 1}, {384, 1, 1}, 168, 1024, 233472, 2, 11.5, "c0de"},
      {"epilogue", {64, 8, 1}, {256, 1, 1}, 32, 0, 0, 1, 0.5, "", 96}};
  return result;
}

// The measured case of example_record(), of three processes.
inline CaseRecord example_case() {
  CaseRecord measured;
  measured.id = "linear_gelu/cublas/dtype=f16/m=512";
  measured.workload = "linear_gelu";
  measured.variant = "cublas";
  measured.device = "cuda";
  measured.params =
      sdk::Params({{"dtype", std::string("f16")}, {"m", std::int64_t{512}}, {"scale", 2.0}, {"bias", true}});
  measured.reference = "linear_gelu/broken/dtype=f16/m=512";
  measured.tags = {"fast", "nightly"};
  measured.gate = {
      0.005, 0.02, {{"peak_memory", 0.0, std::nullopt, false}, {"clock", std::nullopt, 0.05, true}}};
  measured.gate.throttled = 0.4;
  measured.sampling.width = 0.003;
  measured.sampling.width_samples = 30;
  measured.sampling.preheat_most = 2.5;
  measured.sampling.steady = 0.02;
  measured.sampling.cache = CacheMode::hot;
  measured.sampling.seed = 18446744073709551615ULL;
  measured.flops = 1.1e9;
  measured.bytes = 3.2e6;
  measured.items = 512;
  measured.item_name = "tokens";
  measured.where = {"suites/fusion.yaml", 12, 3};
  for (const int process : {1, 2, 3}) add_result(measured, example_result(measured.id, process));
  return measured;
}

// A complete record: a measured case, an incorrect one and a skipped one.
inline Record example_record() {
  Record record;
  record.id = "6a1f0c3e-0000-4000-8000-000000000001";
  record.tool = "harness 0.1.0";
  record.suite = {"fusion", "suites/fusion.yaml", "0123456789abcdef0123456789abcdef"};
  record.revision = {"1111111111111111111111111111111111111111", "main", false};
  record.started = "2026-11-20T05:40:00Z";
  record.finished = "2026-11-20T05:41:00Z";
  record.machines["cuda"] = {
      "nvidia-h200",
      "GPU-1234",
      {{"gpu", "NVIDIA H200", FieldClass::block}, {"driver", "580.1", FieldClass::warn}},
      {{"copy_bytes_per_s", 4.1e12}, {"gemm_flops_per_s", 7.5e14}}};
  record.machines["cpu"] = {"cpu-amd-epyc", "feed", {{"cores", "64", FieldClass::info}}, {}};

  const CaseRecord measured = example_case();
  CaseRecord incorrect = measured;
  incorrect.id = "linear_gelu/broken/dtype=f16/m=512";
  incorrect.variant = "broken";
  incorrect.processes.clear();
  incorrect.series.clear();
  add_result(incorrect, {incorrect.id,
                         1,
                         Outcome::incorrect,
                         told_cause("error 0.5 is above 0.001"),
                         Verification{0.5, 0.5, 1e-3, 4096},
                         {},
                         {}});

  CaseRecord skipped;
  skipped.id = "linear_gelu/wgmma/dtype=f16/m=512";
  skipped.device = "cuda";
  skipped.outcome = Outcome::skipped;
  skipped.reason = Cause{CauseCode::architecture, {{"needs", "90a"}, {"has", "80;90"}}};

  record.cases = {measured, incorrect, skipped};
  return record;
}

}  // namespace harness

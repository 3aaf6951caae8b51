#include "fixture.h"

#include <cmath>
#include <memory>

#include "harness/model/code/change_causes.h"

namespace harness::fixture {
namespace {

const std::vector<std::string> shapes{"m=512/n=1024/k=1024", "m=8192/n=8192/k=8192"};
const std::string no_blackwell = "needs compute capability 100a; this build has 90a-real";

std::string id_of(const std::string& variant, const std::string& shape) {
  return "linear_gelu/" + variant + "/dtype=f16/" + shape;
}

sdk::Params params_of(bool large) {
  sdk::Params params;
  params.set("dtype", std::string("f16"));
  params.set("m", std::int64_t{large ? 8192 : 512});
  params.set("n", std::int64_t{large ? 8192 : 1024});
  params.set("k", std::int64_t{large ? 8192 : 1024});
  return params;
}

PlannedCase planned(const std::string& variant, std::size_t shape, int line, const std::string& skip = "") {
  PlannedCase one;
  one.id = id_of(variant, shapes[shape]);
  one.workload = "linear_gelu";
  one.variant = variant;
  one.device = variant.starts_with("threads") ? "cpu" : "cuda";
  one.params = params_of(shape == 1);
  one.reference = id_of("cublas_unfused", shapes[shape]);
  one.metrics = {one.device == "cpu" ? "wall_time" : "gpu_time"};
  one.tags = {"fusion"};
  one.sampling.placements = 5;
  one.sampling.samples = 50;
  one.sampling.timing = TimingMode::events;
  one.flops = shape == 1 ? 2.0 * 8192 * 8192 * 8192 : 2.0 * 512 * 1024 * 1024;
  one.where = {"suites/fusion.yaml", line, 5};
  if (!skip.empty()) one.skip = told_cause(skip);
  return one;
}

// A summary with figures around `center` microseconds that agree with each other.
Summary measured(const std::string& variant, std::size_t shape, double center, double cv, double first_call) {
  Summary summary;
  summary.case_id = id_of(variant, shapes[shape]);
  summary.metric = "gpu_time";
  summary.unit = "us";
  summary.processes = 5;
  summary.samples = 1250;
  summary.center = center;
  summary.median = center * 0.999;
  summary.mean = center * 1.002;
  summary.sd = summary.mean * cv;
  summary.cv = cv;
  summary.min = center * (1 - 1.7 * cv);
  summary.max = center * (1 + 9 * cv);
  summary.p95 = center * (1 + 1.6 * cv);
  summary.p99 = center * (1 + 2.9 * cv);
  summary.mild_outliers = 31;
  summary.far_outliers = 4;
  summary.process_sd = 0.0025;
  summary.interval = Interval{center * 0.9969, center * 1.0031};
  summary.first_call = first_call;
  const double flops = shape == 1 ? 2.0 * 8192 * 8192 * 8192 : 2.0 * 512 * 1024 * 1024;
  const double bytes = shape == 1 ? 2.0 * 3 * 8192 * 8192 : 2.0 * (512 * 1024 + 1024 * 1024 + 512 * 1024);
  summary.flops_per_s = flops / (center * 1e-6);
  summary.bytes_per_s = bytes / (center * 1e-6);
  summary.share_of_ceiling = shape == 1 ? summary.flops_per_s / 742e12 : summary.bytes_per_s / 3.91e12;
  summary.bound = shape == 1 ? "compute" : "memory";
  summary.verification = Verification{4.1e-4, 4.1e-4, 2e-3, 65536};
  return summary;
}

Summary with_speedup(Summary summary, std::size_t shape, double ratio) {
  summary.speedup =
      Speedup{id_of("cublas_unfused", shapes[shape]), ratio, Interval{ratio * 0.9956, ratio * 1.0044}};
  return summary;
}

Summary unmeasured(const std::string& variant, std::size_t shape, Outcome outcome,
                   const std::string& reason) {
  Summary summary;
  summary.case_id = id_of(variant, shapes[shape]);
  summary.outcome = outcome;
  summary.reason = told_cause(reason);
  return summary;
}

Machine h200() {
  Machine machine;
  machine.machine_class = "nvidia-h200";
  machine.device_uuid = "GPU-5f1c7a90-0000-0000-0000-000000000001";
  machine.fields = {{"device", "NVIDIA H200", FieldClass::block},
                    {"ecc", "on", FieldClass::block},
                    {"power_limit", "700 W", FieldClass::warn},
                    {"driver", "580.159.04", FieldClass::warn},
                    {"kernel", "6.8.0", FieldClass::info}};
  machine.ceilings = {{"copy_bytes_per_s", 3.91e12}, {"gemm_f16_flops_per_s", 742e12}};
  return machine;
}

ComparisonRow row_of(const std::string& variant, std::size_t shape, Verdict verdict, double ratio) {
  ComparisonRow row;
  row.case_id = id_of(variant, shapes[shape]);
  row.metric = "gpu_time";
  row.unit = "us";
  row.verdict = verdict;
  row.margin = 0.01;
  row.alpha = 0.01;
  row.where = {"suites/fusion.yaml", shape == 1 ? 21 : 14, 5};
  if (ratio == 0) return row;
  row.ratio = ratio;
  row.interval = Interval{ratio * 0.9962, ratio * 1.0038};
  row.baseline = {5, 20.3, 0.0021, 0.003, {20.27, 20.31, 20.33, 20.28, 20.31}};
  row.current = {5, 20.3 * ratio, 0.0024, 0.004, {}};
  for (const double value : row.baseline.process_values) row.current.process_values.push_back(value * ratio);
  row.degrees_of_freedom = 7.86;
  row.minimum_detectable = 0.0146;
  row.p = 0.91;
  row.p_adjusted = 1.0;
  row.p_improved = 0.93;
  row.p_improved_adjusted = 1.0;
  return row;
}

ComparisonRow regressed_row() {
  ComparisonRow row = row_of("cublaslt_epilogue", 0, Verdict::regressed, 1.0412);
  row.p = 2.1e-7;
  row.p_adjusted = 1.1e-6;
  row.reason = {ReasonCode::worse};
  row.diagnostics = {{DiagnosticCode::same_code_moved}};
  return row;
}

ComparisonRow inconclusive_row() {
  ComparisonRow row = row_of("wmma_fused", 0, Verdict::inconclusive, 1.0105);
  row.interval = Interval{0.9871, 1.0344};
  row.p = 0.471;
  row.p_adjusted = 1.0;
  row.minimum_detectable = 0.0412;
  row.processes_needed = 14;
  row.reason = {ReasonCode::undecided};
  row.diagnostics = {
      {DiagnosticCode::more_processes, {{"processes", 14}}},
      {DiagnosticCode::modes, {{"side", "current"}, {"groups", 2}, {"gap", 0.075}, {"counts", "3 and 2"}}}};
  return row;
}

}  // namespace

Plan plan() {
  Plan plan;
  plan.suite = {"fusion", "suites/fusion.yaml", "0123456789abcdef0123456789abcdef"};
  for (const std::size_t shape : {std::size_t{0}, std::size_t{1}})
    for (const char* variant : {"cublas_unfused", "cublaslt_epilogue", "wmma_fused"})
      plan.cases.push_back(planned(variant, shape, shape == 1 ? 21 : 14));
  for (const std::size_t shape : {std::size_t{0}, std::size_t{1}})
    for (const char* variant : {"tcgen05_fused", "tcgen05_split"})
      plan.cases.push_back(planned(variant, shape, 30, no_blackwell));
  plan.cases.push_back(planned("threads", 1, 40, "a CPU run of this shape would take 9 minutes"));
  return plan;
}

Record record() {
  Record record;
  record.id = "7d1f3c52-0d5e-4c0f-9a4e-0a6f1b2c3d4e";
  record.tool = "harness 0.1.0";
  record.suite = plan().suite;
  record.revision = {"3f2c1d9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e", "faster-epilogue", true};
  record.machines["cuda"] = h200();
  record.started = "2026-11-20T05:40:00Z";
  record.finished = "2026-11-20T05:41:12Z";
  for (const PlannedCase& one : plan().cases) record.cases.push_back(planned_record(one));
  for (CaseRecord& one : record.cases) {
    one.outcome =
        one.variant.starts_with("tcgen05") || one.variant == "threads" ? Outcome::skipped : Outcome::measured;
    if (one.outcome == Outcome::measured) one.series = {{"gpu_time", "us", Direction::lower_is_better, {}}};
  }
  return record;
}

std::vector<Summary> summaries() {
  std::vector<Summary> all;
  all.push_back(measured("cublas_unfused", 0, 12.43, 0.031, 61240));
  all.push_back(with_speedup(measured("cublaslt_epilogue", 0, 8.214, 0.042, 4180), 0, 1.513));
  all.push_back(with_speedup(measured("wmma_fused", 0, 15.97, 0.019, 311.2), 0, 0.7783));
  all.push_back(measured("cublas_unfused", 1, 1904, 0.004, 63110));
  all.push_back(with_speedup(measured("cublaslt_epilogue", 1, 1652, 0.0052, 5730), 1, 1.1525));
  all.push_back(unmeasured("wmma_fused", 1, Outcome::incorrect,
                           "output `y` is off by 0.31 after timing (tolerance 0.002); first at [17, 4096]"));
  for (const std::size_t shape : {std::size_t{0}, std::size_t{1}})
    for (const char* variant : {"tcgen05_fused", "tcgen05_split"})
      all.push_back(unmeasured(variant, shape, Outcome::skipped, no_blackwell));
  all.push_back(unmeasured("threads", 1, Outcome::skipped, "a CPU run of this shape would take 9 minutes"));
  all[2].diagnostics = {{DiagnosticCode::forced_gates, {{"forced", 3}, {"samples", 1250}}}};
  return all;
}

Comparison comparison() {
  Comparison comparison;
  comparison.suite = "fusion";
  comparison.suite_file = "suites/fusion.yaml";
  comparison.baseline = {"11111111-2222-4333-8444-555555555555",
                         {SourceCode::ancestor, {{"name", "main"}, {"fork", record().revision.commit}}},
                         {"abc1234000000000000000000000000000000000", "main", false},
                         "NVIDIA H200 GPU-5f1c7a90",
                         2};
  comparison.current = {"7d1f3c52-0d5e-4c0f-9a4e-0a6f1b2c3d4e",
                        {SourceCode::revision, {{"name", "HEAD"}}},
                        record().revision,
                        "NVIDIA H200 GPU-5f1c7a90",
                        0};
  comparison.rows.push_back(regressed_row());
  ComparisonRow missing = row_of("wmma_split", 1, Verdict::missing, 0);
  missing.reason = {ReasonCode::new_case};
  comparison.rows.push_back(missing);
  comparison.rows.push_back(inconclusive_row());
  comparison.rows.push_back(row_of("wmma_fused", 1, Verdict::improved, 0.9306));
  comparison.rows.back().p_improved = 3e-18;
  comparison.rows.back().p_improved_adjusted = 1.8e-17;
  comparison.rows.back().reason = {ReasonCode::better};
  comparison.rows.push_back(row_of("cublas_unfused", 0, Verdict::unchanged, 1.0018));
  comparison.rows.push_back(row_of("cublas_unfused", 1, Verdict::unchanged, 0.9991));
  comparison.rows.push_back(row_of("cublaslt_epilogue", 1, Verdict::unchanged, 1.00001));
  for (ComparisonRow& row : comparison.rows)
    if (row.verdict == Verdict::unchanged) row.reason = {ReasonCode::within};
  for (const std::size_t shape : {std::size_t{0}, std::size_t{1}}) {
    comparison.rows.push_back(row_of("tcgen05_fused", shape, Verdict::skipped, 0));
    comparison.rows.back().reason = {ReasonCode::skipped};
    comparison.rows.back().cause = told_cause(no_blackwell);
  }
  comparison.differences = {{"", {"driver", "580.126.09", "580.159.04"}}};
  comparison.verdict = overall_verdict(comparison.rows);
  return comparison;
}

// A kernel whose machine code differs, and why it is slower.
static std::shared_ptr<const ChangeCauses> causes_of(const std::string& kernel,
                                                     const std::string& architecture) {
  CodeSides code{kernel, kernel, architecture};
  code.baseline.figures.registers = 64;
  code.current.figures.registers = 96;
  code.baseline.figures.instructions = 120;
  code.current.figures.instructions = 1214;
  code.baseline.global_by_width = {0, 0, 0, 0, 4};
  code.current.global_by_width = {0, 0, 16, 0, 0};
  code.lines = {
      {"S2R", "S2R"}, {"LDG.128", "LDG.32"}, {"", "LDG.32 +0x4"}, {"FFMA", "FFMA", true}, {"EXIT", ""}};
  code.different = 57;
  ChangeCauses causes;
  causes.code = {code};
  causes.found = {{ChangeCauseCode::memory_access,
                   {{"kernel", kernel}, {"how", "width"}, {"baseline", 16.0}, {"current", 4.0}}},
                  {ChangeCauseCode::occupancy,
                   {{"kernel", kernel},
                    {"baseline", 4},
                    {"current", 2},
                    {"warps_baseline", 32},
                    {"warps_current", 16},
                    {"limit", "registers"},
                    {"limit_baseline", 64},
                    {"limit_current", 96}}},
                  {ChangeCauseCode::kernels, {{"added", "splitKreduce_kernel"}, {"removed", ""}}}};
  return std::make_shared<const ChangeCauses>(std::move(causes));
}

Comparison governed_comparison() {
  Comparison governed = comparison();
  const Waiver waiver{"linear_gelu/cublaslt_epilogue/*",
                      "gpu_time",
                      0.05,
                      "2026-12-31",
                      "the new layout costs 4 % until the next release",
                      "#12",
                      {"suites/waivers.yaml", 3, 1}};
  governed.rows.erase(governed.rows.begin() + 1);  // the missing case
  governed.rows[0].waiver = waiver;
  const KernelUse before{
      "void epilogue<__half, 128>(float*, int)", {132, 1, 1}, {256, 1, 1}, 64, 0, 0, 1, 5, {}};
  KernelUse after = before, added = before;
  after.registers = 96;
  after.us = 5.31;
  added.name = "splitKreduce_kernel";
  added.us = 0.9;
  governed.rows[0].kernels = {{KernelChange::Kind::reshaped, before, after, 0},
                              {KernelChange::Kind::appeared, {}, added, 0.74}};
  governed.rows[0].causes = causes_of(before.name, "sm_90a");
  ComparisonRow informative = row_of("cublaslt_epilogue", 1, Verdict::regressed, 1.21);
  informative.metric = "memory";
  informative.unit = "MiB";
  informative.informative = true;
  informative.reason = {ReasonCode::worse};
  governed.rows.push_back(informative);
  governed.policy.waivers = {waiver};
  governed.policy.waivers_file = "suites/waivers.yaml";
  governed.policy.today = "2026-11-20";
  governed.policy.fail_on_improved = true;
  governed.policy.allow_inconclusive = true;
  governed.policy_facts = {
      {{PolicyCode::margin, {{"value", 0.01}}}, PolicyOrigin::standard},
      {{PolicyCode::allowed, {{"verdicts", "inconclusive"}}}, PolicyOrigin::command_line}};
  Waiver expired = waiver;
  expired.pattern = "linear_gelu/wmma_fused/*";
  expired.metric.clear();
  expired.issue.clear();
  expired.expires = "2026-10-31";
  expired.where.line = 9;
  governed.rows[1].proposed = ProposedGate{0.08, 0.01, 0.2, false};
  governed.rows[1].diagnostics.push_back({DiagnosticCode::gate_proposed,
                                          {{"margin", 0.08},
                                           {"alpha", 0.01},
                                           {"informative", 0},
                                           {"counted_margin", 0.01},
                                           {"counted_alpha", 0.01}}});
  Waiver proposed = waiver;
  proposed.pattern = "linear_gelu/*";
  proposed.undecided = proposed.proposed = true;
  governed.policy.waiver_trust = WaiverTrust::baseline;
  governed.policy.waivers_commit = "5f0c1e2d3b4a59687766554433221100ffeeddcc";
  governed.policy_facts.push_back(
      {{PolicyCode::waivers, {{"holds", 1}, {"unused", 1}, {"proposed", 1}}}, PolicyOrigin::waivers_file});
  governed.policy_facts.push_back(
      {{PolicyCode::proposed, {{"gates", 1}, {"waivers", 1}, {"accepted", 0}}}, PolicyOrigin::change});
  governed.waivers = {
      {waiver, WaiverUse::State::holds, 1, 0, {{WaiverAdviceCode::expires_soon, {{"days", 41}}}}},
      {expired,
       WaiverUse::State::unused,
       0,
       0,
       {{WaiverAdviceCode::expired_unused, {{"expires", "2026-10-31"}}}}},
      {proposed, WaiverUse::State::proposed, 0, 0, {{WaiverAdviceCode::proposed, {{"results", 1}}}}}};
  governed.remarks = {{RemarkCode::idle_gate, {{"metric", "memroy"}, {"near", "memory"}}}};
  governed.verdict = overall_verdict(governed.rows);
  return governed;
}

Comparison proven_comparison() {
  Comparison proven = comparison();
  proven.rows.clear();
  ComparisonRow open = row_of("wmma_fused", 0, Verdict::inconclusive, 1.0061);
  open.reason = {ReasonCode::not_confirmed, {{"first", 0.0181}, {"fresh", -0.0021}}};
  open.unproven = ProofGap{{ProofGapCode::other_launches}};
  open.current.processes = 10;
  open.confirmation = Confirmation{false,
                                   {1.0181, Interval{1.0141, 1.0221}, 0.0008, 5},
                                   {0.9979, Interval{0.9931, 1.0024}, 0.93, 5},
                                   {1.0061, open.interval, 0.31, 10}};
  ComparisonRow moved = row_of("wmma_fused", 1, Verdict::environment, 1.0312);
  moved.proven = true;
  moved.reason = {ReasonCode::proven_moved, {{"cause", "clock_shift"}}};
  moved.diagnostics = {
      {DiagnosticCode::clock_shift, {{"baseline", 1.98}, {"current", 1.92}, {"cycles", 0.0004}}}};
  ComparisonRow placed = row_of("cublas_unfused", 1, Verdict::moved, 1.0132);
  placed.reason = {ReasonCode::moved};
  placed.over_places =
      OverPlaces{1.0008, Interval{0.9998, 1.0018}, 0.99, 0.0004, 8, 2, 0.0141, 0.9912, 1.014, 4, 20.144};
  ComparisonRow passing = row_of("cublas_unfused", 0, Verdict::not_worse, 0.9961);
  passing.reason = {ReasonCode::within};
  passing.unproven = ProofGap{{ProofGapCode::other_machine}, {}, {{"cublas", "13.0.1", "13.0.2"}}};
  proven.rows = {open, moved, placed, passing};
  for (const std::size_t shape : {std::size_t{0}, std::size_t{1}})
    for (const char* variant : {"cublaslt_epilogue", "tcgen05_fused"}) {
      ComparisonRow row = row_of(variant, shape, Verdict::identical, 0);
      row.baseline = row_of(variant, shape, Verdict::identical, 1).baseline;
      row.proven = true;
      row.reason = {ReasonCode::proven};
      proven.rows.push_back(row);
    }
  ComparisonRow& built = proven.rows.back();
  built.by_build = true;
  built.reason = {ReasonCode::same_build};
  built.unproven =
      ProofGap{{ProofGapCode::unreadable, {{"side", "baseline"}}}, Cause{CauseCode::calls_differ}};
  proven.remarks = {
      {RemarkCode::not_covered, {{"metrics", "launch_time"}}},
      {RemarkCode::confirmed, {{"cases", 1}, {"processes", 5}}},
      {RemarkCode::code_shifted, {{"cases", 1}, {"places", 8}, {"processes", 2}}},
      {RemarkCode::code_unshifted,
       {{"cases", "gelu/fused"}, {"reason", "both builds were measured in processes of their own"}}}};
  proven.verdict = overall_verdict(proven.rows);
  return proven;
}

std::vector<std::string> hostile_names() {
  return {"a\x1b[31mred\x1b[0m\x07",
          "line\nbreak\r\n| cell | cell |\n\n# heading",
          "right\u202eot-left\u2066\u200b\u061c\u200f\u2067x\u2069",
          "cdata]]><failure/><!-- --><?xml?>&#0;&#x1F;",
          std::string("nul\0inside", 10),
          "-leading --dash",
          "surrogate \xed\xa0\x80 overlong \xc0\xaf nonchar \xef\xbf\xbe beyond \xf5\x80\x80\x80",
          "##[error]pwned ##[add-mask]x",
          "%0A::error::twice %25 %",
          "a,b:c;d=e",
          "<script>alert(1)</script><img src=x onerror=y>&amp;",
          "a|b\\|c`d``e`f",
          "@everyone @org/team #1 https://evil.example/x www.evil.example [x](javascript:y) ![z](w)",
          "*bold* _under_ ~~gone~~ $math$ - + = 1. > quote",
          "\xff\xfe not utf-8 \xe2\x82",
          std::string(10240, 'x') + "/" + std::string(64, 'y'),
          std::string(3000, '/'),
          "::error file=a::pwned",
          "</summary></details><code>",
          "`",
          ""};
}

Plan hostile_plan(const std::string& name) {
  Plan hostile = plan();
  hostile.suite = {name, name, name};
  hostile.modules = {name};
  int count = 0;
  for (PlannedCase& one : hostile.cases) {
    one.id = name + std::to_string(count++);
    one.workload = one.variant = one.device = one.reference = name;
    one.tags = one.metrics = {name};
    if (one.skip) one.skip = told_cause(name);
  }
  return hostile;
}

Record hostile_record(const std::string& name) {
  Record hostile = record();
  hostile.id = hostile.tool = hostile.started = hostile.finished = name;
  hostile.suite = {name, name, name};
  hostile.revision = {name, name, false};
  hostile.machines[name] = {name, name, {{name, name, FieldClass::block}}, {{name, NAN}}};
  hostile.promotion = Promotion{name, name, name};
  int count = 0;
  for (CaseRecord& one : hostile.cases) one.id = name + std::to_string(count++);
  return hostile;
}

std::vector<Summary> hostile_summaries(const std::string& name) {
  std::vector<Summary> hostile = summaries();
  int count = 0;
  for (Summary& one : hostile) {
    one.case_id = name + std::to_string(count++);
    one.metric = one.unit = one.bound = name;
    if (one.reason) one.reason = told_cause(name);
    if (one.speedup) one.speedup->reference = name + "0";
    one.notes = {told_note(name)};
    one.diagnostics = {{DiagnosticCode::no_speedup, {{"reference", name}}}};
  }
  return hostile;
}

Comparison hostile_comparison(const std::string& name) {
  Comparison hostile = comparison();
  hostile.suite = hostile.suite_file = name;
  hostile.baseline.device = name;
  hostile.baseline.found = {SourceCode::pinned, {{"path", name}, {"name", name}, {"pin_error", name}}};
  hostile.current.found = {SourceCode::file, {{"path", name}}};
  hostile.differences = {{name, {name, name, name}}};
  int count = 0;
  for (ComparisonRow& row : hostile.rows) {
    row.case_id = name + std::to_string(count++);
    row.metric = row.unit = row.where.file = name;
    row.cause = told_cause(name);
    row.reason = {ReasonCode::skipped_now};
    row.diagnostics = {{DiagnosticCode::renamed_to, {{"case", name}}}};
    KernelUse kernel;
    kernel.name = name;
    row.kernels = {{KernelChange::Kind::moved, kernel, kernel, 0}};
    row.causes = causes_of(name, name);
  }
  hostile.rows[0].waiver = Waiver{name, name, 0.05, name, name, name, {name, 1, 1}};
  hostile.rows[3].informative = true;
  hostile.policy_facts = {{{PolicyCode::informative, {{"metrics", name}}}, PolicyOrigin::suite}};
  hostile.waivers = {{*hostile.rows[0].waiver,
                      WaiverUse::State::expired,
                      1,
                      2,
                      {{WaiverAdviceCode::no_such_metric, {{"metric", name}, {"near", name}}}}}};
  hostile.remarks = {{RemarkCode::idle_gate, {{"metric", name}, {"near", name}}}};
  return hostile;
}

}  // namespace harness::fixture

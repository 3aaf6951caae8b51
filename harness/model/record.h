// Record: what one run of a suite measured, on which machine, at which revision. Raw samples are kept as
// taken. Plain data; record_fields.h lists the fields as files hold them, and codec.h writes and reads them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/cause.h"
#include "harness/model/instrument_readings.h"
#include "harness/model/note.h"
#include "harness/model/plan.h"
#include "harness/schema/enum_names.h"
#include "harness/schema/rare.h"

namespace harness {

enum class Outcome {
  measured,
  looked_at,  // its launches were read for a proof; nothing was timed
  incorrect,
  failed,
  timed_out,
  skipped,
};

template <>
inline constexpr auto enum_names<sdk::DType> = [] {
  std::array<std::pair<sdk::DType, std::string_view>, std::size(sdk::dtypes)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {sdk::dtypes[i], sdk::name_of(sdk::dtypes[i])};
  return names;
}();

template <>
inline constexpr auto enum_names<Outcome> = names<Outcome>({{Outcome::measured, "measured"},
                                                            {Outcome::looked_at, "looked_at"},
                                                            {Outcome::incorrect, "incorrect"},
                                                            {Outcome::failed, "failed"},
                                                            {Outcome::timed_out, "timed_out"},
                                                            {Outcome::skipped, "skipped"}});

enum class Direction { lower_is_better, higher_is_better };
template <>
inline constexpr auto enum_names<Direction> = names<Direction>({{Direction::lower_is_better, "lower"},
                                                                {Direction::higher_is_better, "higher"}});

// The load that kept the host's CPUs from the work at hand. A figure that the system does not tell is absent.
struct HostLoad {
  std::optional<int> cpus;        // of the system
  std::optional<double> others;   // of these, others kept so many busy on average: processes and guests
  std::optional<double> stolen;   // of these, guests of the machine
  std::optional<double> queue;    // other threads that ran or waited to, right before and right after
  std::optional<double> stalled;  // share of the time in which some thread waited for a CPU
  std::optional<double> held;     // CPUs' worth of time for which a quota held threads back

  bool operator==(const HostLoad&) const = default;
};

// The device's conditions around one placement. A value is absent where the device does not tell.
struct Conditions {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::vector<std::string> throttled;  // why the device held its clock down: "power_cap", "thermal"
  int other_processes = 0;             // other processes that used the device meanwhile
  std::optional<HostLoad> load;        // of work on the CPU

  bool operator==(const Conditions&) const = default;
};

// Why a placement has as many samples as it has.
enum class Stop {
  unknown,   // of an import
  count,     // all that were asked for
  width,     // the interval of their mean was narrow enough
  max_time,  // the time was used up
};
template <>
inline constexpr auto enum_names<Stop> = names<Stop>(
    {{Stop::unknown, ""}, {Stop::count, "count"}, {Stop::width, "width"}, {Stop::max_time, "max_time"}});

// One allocation of the buffers within a process.
struct Placement {
  std::vector<double> samples;  // in the order taken, in the series' unit
  int forced_gates = 0;         // samples whose launch gate opened on its deadline
  // Mean device clock, read right after each sample, or with `power: sustained` before the first and after
  // the last; 0 when unknown.
  double clock_ghz = 0;
  double started = 0;  // start of sampling, Unix time in seconds; 0 when unknown
  Rare<Conditions> conditions = {};
  Stop stopped = Stop::unknown;
  double duty = 0;       // share of the sampling time in which the device worked; 0 when unknown
  int slow_samples = 0;  // kept samples that were below the boost clock

  bool operator==(const Placement&) const = default;
};

// The conditions of a process: counts of placements with samples, and means over those that tell.
// Means have five significant digits, which no sensor exceeds. pin/figures.h takes them.
struct ConditionFigures {
  int known = 0;                            // placements that tell conditions
  int named = 0;                            // of these, with any reason in Conditions::throttled
  int throttled = 0;                        // of these, with a reason that counts
  int throttled_samples = 0;                // of the throttled placements
  int shared = 0;                           // with other processes on the device
  int most_others = 0;                      // processes, in one placement
  int loads = 0;                            // that tell how many CPUs others kept busy
  std::map<std::string, int> reasons = {};  // placements by a reason that counts
  std::optional<double> clock_ghz = {};     // the driver's figure where the device has none of its own
  std::optional<double> sm_clock_mhz = {};
  std::optional<double> memory_clock_mhz = {};
  std::optional<double> power_w = {};
  std::optional<double> temperature_c = {};
  std::optional<HostLoad> load = {};

  bool operator==(const ConditionFigures&) const = default;
};

// In a pin, what a comparison takes of the samples of one process, in place of the samples.
struct ProcessFigures {
  double log_value = 0;                 // log of the process's value (stats/estimate/estimator.h)
  double mean = 0;                      // of all samples, in the series' unit
  std::optional<double> plain = {};     // mean over placements of their means; of what is no time
  std::optional<double> median = {};    // of all samples; of what is a time
  std::optional<double> constant = {};  // the value of every sample, where all are the same
  std::optional<double> slowing = {};   // log of the last quarter of a placement's samples over the first
  double started = 0;                   // of the first placement, Unix time in ms; 0 when unknown
  int samples = 0;
  int placements = 0;    // with samples
  int slow = 0;          // samples above the value by more than `slow_call`
  int mild = 0;          // samples beyond 1.5 IQR but not 3, by their placement's quartiles
  int far = 0;           // beyond 3 IQR
  int forced_gates = 0;  // as in Placement
  int slow_samples = 0;  // likewise
  double duty = 0;       // mean over placements, in hundredths; 0 when unknown
  ConditionFigures conditions = {};

  bool operator==(const ProcessFigures&) const = default;
};

struct ProcessSamples {
  int process = 0;  // numbered from 1 within the record
  std::vector<Placement> placements;
  int session =
      0;  // of a pooled baseline: number of its record, from 1; of an import: its session; 0: unknown
  Rare<ProcessFigures> figures = {};  // of a pin, in place of the placements

  bool operator==(const ProcessSamples&) const = default;
};

// In a pin, of all samples of a series together.
struct SeriesFigures {
  int samples = 0;  // that are finite
  double mean = 0, sd = 0, min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
  double step = 0;  // least distance of distinct samples, where these are few; else 0

  bool operator==(const SeriesFigures&) const = default;
};

// One metric of one case.
struct Series {
  std::string metric;  // "gpu_time", "wall_time", or an import's own name
  std::string unit;    // "us" for times that the harness measures
  Direction direction = Direction::lower_is_better;
  std::vector<ProcessSamples> processes;
  bool informs = false;          // nothing says what is better: it decides only where a gate names the metric
  Rare<SeriesFigures> all = {};  // of a pin, where processes have figures

  bool operator==(const Series&) const = default;
};

// ||out - ref|| / ||ref|| of the worst output, before and after timing.
struct Verification {
  double before = 0;
  double after = 0;
  double tolerance = 0;
  std::int64_t elements = 0;  // checked per output

  bool operator==(const Verification&) const = default;
};

// Wall time of one part of measuring a case in one process: "construct", "first_call", "sampling"; the
// names are in README.md.
struct Phase {
  std::string name;
  Seconds duration = 0;

  bool operator==(const Phase&) const = default;
};

// A place where a traced program launches a kernel, as a start that is not timed saw it.
struct Caller {
  std::string range = {};   // NVTX ranges of the thread, the outermost first: "step/loss"; ""
  std::string python = {};  // "train.py:41 in loss": outside of installed packages, where one is; ""
  std::string host = {};    // function that asked CUDA, or "libgemm.so" where it has no name; ""
  int launches = 0;         // that were seen

  bool operator==(const Caller&) const = default;
};

// One device kernel that a call launches, as a separate profiling pass saw it.
struct KernelUse {
  std::string name;                       // demangled
  std::array<std::int64_t, 3> grid{};     // blocks
  std::array<std::int64_t, 3> block{};    // threads
  int registers = 0;                      // a thread
  std::int64_t static_shared_bytes = 0;   // a block
  std::int64_t dynamic_shared_bytes = 0;  // a block
  int launches = 0;                       // a call
  double us = 0;                          // median time of one launch; 0: not timed
  std::string code;                       // hash of its machine code, "" when unknown
  std::int64_t local_bytes = 0;           // a thread: its stack, and registers spilled to memory
  std::string arguments = {};  // hash of those of all its launches in a traced run, "" when unknown
  // In a traced run, 8 digits for each word of its arguments: a hash of that word in all launches; "" when
  // unknown, or where launches have different numbers of words.
  std::string words = {};
  std::vector<Caller> callers = {};  // in a traced run, the most frequent first

  bool operator==(const KernelUse&) const = default;
};

// Copies of one size that a traced program took from the host.
struct InputGroup {
  std::int64_t bytes = 0;  // of one copy; 0: of several sizes
  std::int64_t copies = 0;
  std::string hash;  // of what they copied, in the order of the host's calls

  bool operator==(const InputGroup&) const = default;
};

// The bytes that a traced start took from the host, from its beginning to the end of its last step. Only some
// starts are read for that.
struct Inputs {
  std::vector<InputGroup> groups = {};
  Rare<Cause> gap = {};  // why not all of it is known

  bool operator==(const Inputs&) const = default;
};

// The work that a call asks of its device: two calls with the same digest launch the same machine
// code with the same arguments in the same order. See device/code/call_identity.h.
struct Identity {
  std::string digest;    // hash of all launches, "2." before it (digest_rules()); "" where there is a gap
  Rare<Cause> gap = {};  // why there is no digest
  // Likewise of a traced program, but without the words of arguments that its kernels have hashes of.
  std::string frame = {};
  // The id of the record of the same build that this was taken from, so that nothing was run; "": somebody
  // read it (cli/deciding/known_looks.h).
  std::string same_build = {};
  // A traced program alone has launches outside its steps, before the last one ends, and what it took from
  // the host.
  std::vector<KernelUse> setup = {};
  Rare<Inputs> inputs = {};  // absent when not read
  // An observed program alone has hashes of what it found (device/observe/). Their names: "word:0001" of its
  // command, "setting:prepare" of its suite, "machine:flags", "variable:LANG", "file:./data.txt". Then
  // "list:./cases", the names in a folder, and "look:./cases", what it looked for there. "files:./cases"
  // stands for files that are too many for a line each.
  std::map<std::string, std::string> files = {};

  bool operator==(const Identity&) const = default;
};

// Numbers of processes tell what they measured. Imports may have that many plain ones.
inline constexpr int last_plain_process = 1'000'000;
// These measured a regression again, to confirm it (verdict/decide/confirm.h).
inline constexpr int last_confirming_process = 2'000'000;
// In an A/B run whose processes hold both builds, these held one build alone.
inline constexpr int last_process_alone = 3'000'000;
constexpr bool is_alone(int process) {
  return process > last_confirming_process && process <= last_process_alone;
}
constexpr bool confirms(int process) {
  return process > last_plain_process && !is_alone(process);
}

using Texts = std::map<std::string, std::string>;

// The file of another tool tells this of a case beside its name. If an import has two cases of one name, the
// id of each ends with the values that differ: "llama 7B Q4_0/pp512/n_threads=8". The same case can have
// another id in another record, so cases pair by these members (verdict/check/tool_cases.h).
struct ToolCase {
  std::string name;       // as the tool calls it
  Texts parameters = {};  // "n_threads": "8". Cases are compared only where the values agree that both know
  Texts launch = {};      // "grid", "block" of a kernel, which another build may choose otherwise
  Texts source = {};      // "model_filename": paths. Equal within an import, shown, and never part of an id

  bool operator==(const ToolCase&) const = default;
};

// One worker process's report of one case; one transaction in the store.
struct ProcessResult {
  std::string case_id;
  int process = 0;  // from 1; 0: the look before a run, which times nothing
  Outcome outcome = Outcome::measured;
  Rare<Cause> reason = {};  // when not measured
  Rare<Verification> verification;
  std::vector<Series> series;  // each has exactly this process
  Notes notes = {};
  std::vector<Phase> phases = {};       // in the order they ended
  std::vector<KernelUse> kernels = {};  // in launch order; empty when not read
  Rare<Control> control = {};           // of short cases and batches
  Rare<Batching> batching = {};
  int input_sets = 1;                         // sets of buffers that calls took turns with
  std::string device_uuid = {};               // where processes used several devices, else ""
  Rare<Identity> identity = {};               // absent when not read
  std::optional<TimingMode> timing = {};      // as measured, also where the plan left it open
  std::string choice = {};                    // that the variant made (sdk::Kernel::choose), "" without one
  std::optional<sdk::DType> multiplies = {};  // sdk::Kernel::multiplies
  Rare<ToolCase> tool_case = {};              // of a program's output; moved to the case

  bool operator==(const ProcessResult&) const = default;
};

// All that decides the launches of a run, part by part (cli/provenance/tool.h).
using BuildParts = std::map<std::string, std::string>;

// One case of a record: what was planned and what each process found.
struct CaseRecord {
  std::string id;
  std::string workload;
  std::string variant;
  std::string device;
  sdk::Params params;
  std::string reference;  // id, or ""
  std::vector<std::string> tags;
  Gate gate;
  Sampling sampling;
  double flops = 0;  // per call, 0 when unknown
  double bytes = 0;
  double items = 0;
  std::string item_name;                // "tokens"
  double link_bytes = 0;                // see PlannedCase
  int gpus = 1;                         // see PlannedCase
  std::string hides = {};               // see PlannedCase
  Location where;                       // in the suite
  Outcome outcome = Outcome::measured;  // the worst of its processes (see worst_outcome)
  Rare<Cause> reason = {};
  std::vector<ProcessResult> processes;  // `series` here are moved to `series` below
  std::vector<Series> series;            // merged over processes, process order
  std::vector<Series> alone = {};        // the same, of the processes that held this build alone
  Rare<Sampling> suite_sampling = {};    // see PlannedCase
  Rare<Program> program = {};            // see PlannedCase; without its folder
  Rare<sdk::Params> tuned = {};          // see PlannedCase
  Rare<BuildParts> build = {};           // in a pooled baseline: of the records that it comes from
  Rare<ToolCase> tool_case = {};         // of an import, where the file tells more than a name

  bool operator==(const CaseRecord&) const = default;
};

// How a field of the fingerprint affects comparing two records.
enum class FieldClass { block, warn, info };
template <>
inline constexpr auto enum_names<FieldClass> =
    names<FieldClass>({{FieldClass::block, "block"}, {FieldClass::warn, "warn"}, {FieldClass::info, "info"}});

struct MachineField {
  std::string name;   // "driver"
  std::string value;  // "580.159.04"
  FieldClass kind = FieldClass::info;

  bool operator==(const MachineField&) const = default;
};

// The bytes per second that a GPU sends to another one, where a run used several.
inline constexpr const char* link_ceiling = "link_bytes_per_s";

struct Machine {
  std::string machine_class;  // folder name in baselines/: "nvidia-h200", "cpu-amd-epyc"
  std::string device_uuid;    // of the GPU; a hash of host and CPU for the CPU device
  std::vector<MachineField> fields;
  std::map<std::string, double> ceilings;  // measured: "copy_bytes_per_s", "gemm_flops_per_s"; link_ceiling

  bool operator==(const Machine&) const = default;
};

struct Revision {
  std::string commit;  // 40 hex digits, or "" outside a repository
  std::string branch;
  bool dirty = false;
  std::string changes = {};  // content_hash of the uncommitted changes of tracked files, "" when clean

  bool operator==(const Revision&) const = default;
};

// Who pinned a baseline and why; present only in files under baselines/.
struct Promotion {
  std::string author;
  std::string reason;
  std::string date;

  bool operator==(const Promotion&) const = default;
};

// A record that was measured together with another build's, so that drift, device and session cancel: two
// records with the same id are the two sides of one A/B run.
struct Pairing {
  enum class Kind {
    session,  // in processes of their own that took turns
    process,  // in the same processes, sample by sample
  };
  std::string id;  // UUID
  Kind kind = Kind::session;
  std::string side = {};  // "baseline" or "current"; "" in records of before
  bool alone = false;     // of kind process: others measured each build alone (is_alone())

  bool operator==(const Pairing&) const = default;
};
template <>
inline constexpr auto enum_names<Pairing::Kind> = names<Pairing::Kind>({{Pairing::Kind::session, "session"},
                                                                        {Pairing::Kind::process, "process"}});

struct Record {
  std::string id;    // UUID
  std::string tool;  // "harness 0.1.0"
  SuiteIdentity suite;
  Revision revision;
  std::map<std::string, Machine> machines;     // by device kind: "cpu", "cuda"; imports: "import"
  std::string started;                         // UTC
  std::string finished;                        // UTC, or "" while incomplete
  std::string estimator = "trimmed_log_mean";  // see stats/estimate/estimator.h
  std::optional<Promotion> promotion;
  bool partial = false;                 // --filter or --tag left some cases out
  bool calibration = false;             // a run of `harness calibrate`: no baseline
  std::optional<Pairing> pairing = {};  // of an A/B run: a baseline only for its partner
  // The session that an import names, in which builds took turns; "": none. Two records of one session on one
  // device have no variance between sessions.
  std::string session = {};
  // The build that all results are of. Empty: not known, or several. Two records of one build launch the
  // same.
  BuildParts build = {};
  std::vector<CaseRecord> cases;

  bool operator==(const Record&) const = default;
};

// Before the digest of a GPU's launches. The rules of 1 hashed relocations of line tables, too
// (code/cubin.h).
inline constexpr std::string_view gpu_digest_rules = "2.";
inline constexpr std::string_view trace_digest_rules = "3.";
inline constexpr std::string_view files_digest_rules = "4.";
// The rules that a digest was made by: "2" of "2.5f0c1e", "1" without a point. Digests of other rules tell
// nothing about each other.
std::string_view digest_rules(std::string_view digest);
// The digest by the same rules of what has `digest` and of `more`.
std::string extended_digest(std::string_view digest, std::string_view more);

// The digest that the looks at a case agree on.
struct AgreedDigest {
  std::string digest = {};              // common to all looks without a gap; else ""
  bool disagree = false;                // two looks have different digests
  std::optional<Identity> unread = {};  // a look with a gap
};
AgreedDigest agreed_digest(const CaseRecord& record);

// Unknown code counts as the same: only a run's first process looks it up.
bool may_be_same_code(const KernelUse& one, const KernelUse& other);

// Whether two processes launched the same kernels in whatever order; their times may differ.
bool same_launches(const std::vector<KernelUse>& one, const std::vector<KernelUse>& other);

// The kernels of the first process that saw some. If it did not time them, their times are of the first
// process that timed the same launches.
std::vector<KernelUse> kernels_of(const CaseRecord& record);

// Whether their times are known.
bool are_timed(const std::vector<KernelUse>& kernels);

// The outcome of a case given its processes': incorrect > failed > timed_out > measured > skipped.
Outcome worst_outcome(const std::vector<ProcessResult>& processes);

// The build that made the results of a case. Empty: not known.
BuildParts build_of(const Record& record, const CaseRecord& one);

// Whether both are one machine in one state: all that is known of it, but for measured ceilings.
bool in_same_state(const Machine& one, const Machine& other);

// Measures what `plan` leaves open as `record` did, so that both can be compared: how calls are timed, and
// the choices of variants. Cases of another power mode are timed as they need, because they do not compare
// anyway.
void take_decisions(Plan& plan, const Record& record);

// The choice that the first process with one made; "" without one.
std::string choice_of(const CaseRecord& record);

// The plan with the benchmarks that `record` knows of its programs, behind its own cases.
Plan with_benchmarks(Plan plan, const Record& record);

// A CaseRecord with everything the plan knows and no results yet.
CaseRecord planned_record(const PlannedCase& planned);

// Adds one process's result: keeps its outcome and notes, merges its series, updates the worst outcome. A
// repeated (case, process) replaces the old one. Where the plan leaves open how calls are timed, the first
// result decides.
void add_result(CaseRecord& record, ProcessResult result);

}  // namespace harness

// ProgramSession: the programs of one task, started one after the other. One start gives the results of all
// cases of a program: of itself, and of the benchmarks in its output. One thread uses it.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/device/observe/seen_files.h"
#include "harness/measure/program/start_program.h"
#include "harness/measure/schedule/worker_session.h"
#include "harness/model/results/program_trace.h"

namespace harness {

class ProgramSession {
 public:
  // `open`: cases of programs; the session takes out those that are over.
  ProgramSession(const Task& task, TaskContext context, Experience& experience,
                 std::vector<const PlannedCase*>& open)
      : task_(task), context_(context), experience_(experience), open_(open) {}

  // An Error when the journal fails. It ends early when the user wants to stop.
  Status run();

 private:
  struct Started {
    ProgramEnd end;
    bool preparing = false;  // it is `prepare` that ended
  };
  // Whether a start is traced, and with the contents of what it copies from the host.
  enum class Trace { no, yes, contents };

  [[nodiscard]] Trace trace_of(const PlannedCase& planned, int start) const;

  Status measure(const std::vector<const PlannedCase*>& cases);
  [[nodiscard]] Result<Started> start(const PlannedCase& planned, const std::filesystem::path& file,
                                      Trace trace, SeenFiles* seen = nullptr) const;
  [[nodiscard]] Result<Started> start_observed(const PlannedCase& planned, const std::filesystem::path& file);
  Status take(const std::vector<const PlannedCase*>& cases, const Started& started,
              const std::filesystem::path& file);
  Status take_look(const std::vector<const PlannedCase*>& cases, ProcessResult own, const Started& started,
                   const std::filesystem::path& file);
  // The benchmarks of an output, and the kernels of a trace, which adds to the program's own result. The
  // cause says why there are none.
  using Rows = tl::expected<std::vector<ProcessResult>, Cause>;
  [[nodiscard]] Rows read_output(const PlannedCase& planned, const Started& started,
                                 const std::filesystem::path& file) const;
  [[nodiscard]] Rows read_trace(const PlannedCase& planned, ProcessResult& own, const ProgramEnd& end,
                                const std::filesystem::path& folder) const;
  Status take_benchmarks(const std::vector<const PlannedCase*>& cases, std::vector<ProcessResult> rows);
  Status compare_with_others(const std::string& program, const std::set<std::string>& seen);
  Status take_failure(const std::vector<const PlannedCase*>& cases, ProcessResult own, const Started& started,
                      const std::filesystem::path& file);
  Status end_all(const std::vector<const PlannedCase*>& cases, Outcome outcome, const Cause& cause);
  Status keep(ProcessResult result);

  const Task& task_;
  TaskContext context_;
  Experience& experience_;
  std::vector<const PlannedCase*>& open_;
  std::vector<TracedKernel> called_ = {};  // kernels of a start that told where they are launched
  Seconds untraced_ = 0;  // a start of the program at hand without its trace; 0: there was none
  Rare<Inputs> inputs_;   // of the program at hand, from a start that is not timed
  Rare<Identity> found_;  // likewise, by what it found in files
};

}  // namespace harness

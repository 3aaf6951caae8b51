// The commands of `harness`, one source file each. add_*() declares a command's options on the
// program's parser and leaves in `chosen` what to do when that command was given; main() runs it.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace harness {

using Action = std::function<int()>;  // returns the exit status (see exit_status.h)

void add_list(CLI::App& program, Action& chosen);
void add_run(CLI::App& program, Action& chosen);
void add_compare(CLI::App& program, Action& chosen);
void add_report(CLI::App& program, Action& chosen);
void add_explain(CLI::App& program, Action& chosen);
void add_plot(CLI::App& program, Action& chosen);
void add_table(CLI::App& program, Action& chosen);
void add_import(CLI::App& program, Action& chosen);
void add_baseline(CLI::App& program, Action& chosen);
void add_history(CLI::App& program, Action& chosen);
void add_ab(CLI::App& program, Action& chosen);
void add_bisect(CLI::App& program, Action& chosen);
void add_calibrate(CLI::App& program, Action& chosen);
void add_selftest(CLI::App& program, Action& chosen);
void add_plan(CLI::App& program, Action& chosen);
void add_doctor(CLI::App& program, Action& chosen);
void add_worker(CLI::App& program, Action& chosen);
void add_clock_guard(CLI::App& program, Action& chosen);
void add_library_probe(CLI::App& program, Action& chosen);

}  // namespace harness

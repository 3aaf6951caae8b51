#include "harness/report/reporter.h"

namespace harness::report {

const Reporter terminal_reporter{Format::terminal, "terminal", terminal_plan, terminal_run,
                                 terminal_comparison};

}  // namespace harness::report

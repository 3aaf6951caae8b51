// harness: performance CI for CUDA kernels.
#include <exception>
#include <new>
#include <system_error>

#include "harness/base/process.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/run_program.h"

int main(int argc, char** argv) {
  harness::prepare_process();
  try {
    return harness::run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    return harness::report_error(
        {harness::ErrorKind::environment, "out of memory", {}, "compare fewer cases at a time, by --filter"});
  } catch (const std::system_error& error) {  // a folder, a thread
    return harness::report_error({harness::ErrorKind::environment, error.what(), {}, {}});
  } catch (const std::exception& error) {
    return harness::report_error(
        {harness::ErrorKind::internal, error.what(), {}, "this is a bug in harness; please report it"});
  }
}

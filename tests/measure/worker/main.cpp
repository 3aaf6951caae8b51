// The worker program of the tests: what `harness worker` does, without the rest of the binary.
#include "harness/measure/worker/worker.h"

#include <cstdlib>

int main() {
  setenv("HARNESS_CACHE_DIR", "/dev/null/none", 1);  // what tests measure counts nowhere else
  return harness::run_worker();
}

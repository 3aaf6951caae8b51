// The worker program of the tests: what `harness worker` does, without the rest of the binary.
#include "harness/measure/worker.h"

int main() {
  return harness::run_worker();
}

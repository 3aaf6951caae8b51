// The player program of the tests: `harness worker --player` without the rest of the binary.
#include "harness/measure/referee/player.h"

int main() {
  return harness::referee::run_player();
}

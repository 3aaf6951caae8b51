// A player's process: one build's code for one case, on memory that the referee owns. `harness worker
// --player` runs it, started by `harness referee`. It reads messages (messages.h) from standard input and
// answers on descriptor 3.
#pragma once

namespace harness::referee {

// Returns the exit status.
int run_player();

}  // namespace harness::referee

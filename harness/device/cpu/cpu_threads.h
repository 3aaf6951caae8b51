// Runs work on every hardware thread that this process may use, each pinned to a CPU of its own, all started
// together. The CPU device uses it for work that must touch every core.
#pragma once

#include <functional>

namespace harness {

// Hardware threads in this process's affinity mask, at least 1.
int usable_threads();

// Calls work(0) ... work(threads - 1), each on a thread that is pinned to its own CPU, and returns when all
// have returned. The share of a thread that cannot be started runs here, after the others.
void on_every_thread(int threads, const std::function<void(int)>& work);

}  // namespace harness

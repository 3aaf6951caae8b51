// Parallel: the same work for many items, on several threads. Calls may only read shared data, or must guard
// it. Each writes its own result, so the result is the same on any number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace harness {

// Calls work(i) once for each i below `count`, from `threads` threads, of which the caller's is one; 0 is as
// many as there are processors. Lower numbers begin first. Returns when all calls have: then everything that
// they wrote is seen. Where a call throws, no more are begun, and the first exception is thrown on. Threads
// that the system refuses are done without.
void for_each_index(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace harness

// Parallel: the same work for many items, on several threads. Calls may only read shared data, or must guard
// it. Each writes its own result, so the result is the same on any number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace harness {

// Calls work(i) once for each i below `count`, on `threads` threads, the caller's included (0: one a
// processor). Lower numbers begin first. Returns when all calls have returned. After an exception no more
// calls begin, and the first exception is rethrown. Works with fewer threads if the system refuses some.
void for_each_index(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace harness

// The interface between tests and the stand-in for libcupti. The library and the test share one.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct FakeCupti {
  // The behaviour that a test asks for.
  std::uint32_t version = CUPTI_API_VERSION;
  std::string holder;                           // who holds CUPTI already; "" : nobody
  std::map<std::string, CUptiResult> failures;  // of functions, by their name without `cupti`
  std::size_t dropped = 0;                      // records, beside those that found no buffer
  int passes = 1;
  std::map<std::string, double> counters;  // values
  std::size_t ranges = 1;                  // that a measurement ends up with
  std::size_t dropped_ranges = 0;

  // The calls that were made.
  bool subscribed = false;
  int finalized = 0;
  std::vector<CUpti_ActivityKind> kinds;  // enabled now
  int replays = 0;
  bool in_range = false;
  bool profiling = false;  // the Range Profiler is enabled
  int hosts = 0;           // objects that are open

  std::uint64_t clock = 1000;     // ns
  std::uint32_t correlation = 0;  // of the last launch
};

// Symbols of the library, by dlsym.
using FakeCuptiState = FakeCupti* (*)();
// The device executes a kernel, or "[memset]", for so many nanoseconds; timed = false: without a time stamp.
using FakeCuptiExecute = void (*)(const char* name, std::uint64_t nanoseconds, bool timed);
// The driver loads a module.
using FakeCuptiLoad = void (*)(const char* image, std::size_t bytes);
// The driver's function begins, does `work`, and ends.
using FakeCuptiCall = void (*)(CUpti_CallbackId id, const char* function, const void* params,
                               const char* kernel, const std::function<void()>* work);

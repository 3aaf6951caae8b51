// CounterHost: the half of CUPTI's profiler that knows the hardware counters of every chip and needs no GPU.
// It tells which names exist, their units, how many replays of a call they take, and the values in collected
// data. One thread uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cuda/profiling/cupti_library.h"
#include "harness/model/counter.h"

namespace harness::cuda {

class CounterHost {
 public:
  // `chip` as CUPTI calls it: "GH100". `availability`: the counters that this GPU offers; empty without a
  // GPU. An error lists the chips that the library knows.
  static Result<CounterHost> open(const Cupti& cupti, std::string chip,
                                  std::vector<std::uint8_t> availability = {});
  CounterHost(const CounterHost&) = delete;
  CounterHost& operator=(const CounterHost&) = delete;
  CounterHost(CounterHost&& other) noexcept;
  CounterHost& operator=(CounterHost&&) = delete;
  ~CounterHost();

  // Names that the chip does not have, each with the nearest known one.
  std::vector<UnknownCounter> unknown(const std::vector<std::string>& names);

  // Chooses the counters, once: the names must be known. Returns the configuration for the GPU.
  Result<std::vector<std::uint8_t>> configure(const std::vector<std::string>& names);
  Result<int> passes(std::vector<std::uint8_t>& configuration);

  // "bytes", "%", "ns", ...; "" when the library does not say.
  std::string unit(const std::string& name);

  // The values of the first range that was collected, in the order of `names`.
  Result<std::vector<double>> evaluate(std::span<const std::uint8_t> collected,
                                       const std::vector<std::string>& names);

 private:
  CounterHost(const Cupti& cupti, std::string chip, std::vector<std::uint8_t> availability)
      : cupti_(cupti), chip_(std::move(chip)), availability_(std::move(availability)) {}
  bool knows(const std::string& name);
  std::vector<std::string> base_names();
  std::vector<std::string> endings(const std::string& base);  // ".sum", ".avg.per_second"

  const Cupti& cupti_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;  // read for as long as the object lives
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> base_names_;
};

// How many replays `names` take together on `chip`; needs no GPU and makes no context.
CounterPlan plan_counters(const std::string& chip, const std::vector<std::string>& names);

}  // namespace harness::cuda

#include "harness/device/cpu/cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/kernel_clock.h"
#include "harness/base/text.h"
#include "harness/device/control.h"
#include "harness/device/cpu/cpu_facts.h"
#include "harness/device/cpu/cpu_threads.h"
#include "harness/device/cpu/object_code.h"
#include "harness/device/loop_batch.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t sweep_limit = std::size_t{256} << 20;

}  // namespace

CpuDevice::CpuDevice() {
  traits_.kind = cpu_kind.name;
  traits_.name = cpu_model();
  traits_.multiprocessors = usable_threads();
}

Machine CpuDevice::fingerprint() {
  return host_machine(traits_.multiprocessors);
}

Seconds CpuDevice::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Every thread reads its share of the buffer, one load a line. That evicts the previous sample's data from
// the shared cache and the caches of the cores. The buffer was written once, because unwritten pages are all
// the same page of zeros and would evict nothing.
Status CpuDevice::sweep_cache() {
  if (sweep_.empty()) {
    try {
      sweep_.assign(std::min(2 * last_level_cache_bytes(), sweep_limit), std::byte{1});
    } catch (const std::bad_alloc&) {
      return fail(ErrorKind::environment, "no memory for the buffer that evicts the cache",
                  "set `cache: hot` in the suite, or free some memory");
    }
  }
  const auto threads = static_cast<std::size_t>(traits_.multiprocessors);
  const std::size_t share = sweep_.size() / threads;
  on_every_thread(traits_.multiprocessors, [&](int thread) {
    const std::byte* begin = sweep_.data() + static_cast<std::size_t>(thread) * share;
    unsigned sum = 0;
    for (std::size_t i = 0; i < share; i += cache_line) sum += std::to_integer<unsigned>(begin[i]);
    [[maybe_unused]] volatile unsigned keep = sum;
  });
  return {};
}

Result<Timing> CpuDevice::time(const Work& work, const TimingOptions& options) {
  if (options.cache == CacheMode::cold)
    if (const Status swept = sweep_cache(); !swept) return fail(swept.error());
  const Seconds before = options.audited ? kernel_clock() : 0;
  const auto begin = std::chrono::steady_clock::now();
  work({});
  std::uint64_t touched = 0;
  for (const std::span<const std::byte> memory : options.touched) touched = bytes_of_pages(memory, touched);
  const auto end = std::chrono::steady_clock::now();
  Timing timing{std::chrono::duration<double>(end - begin).count(), false, {}};
  if (options.audited) timing.passed = kernel_clock() - before;
  if (!options.touched.empty()) timing.touched = touched;
  return timing;
}

void CpuDevice::idle(Seconds duration) {
  std::this_thread::sleep_for(std::chrono::duration<double>(duration));
}

Result<std::unique_ptr<Batch>> CpuDevice::record(int calls, NumberedWork work) {
  return loop_batch(*this, calls, std::move(work));
}

Result<Seconds> CpuDevice::time_first_call(const Work& work) {
  const Result<Timing> timing = time(work, {.cache = CacheMode::hot, .gated = false});
  if (!timing) return fail(timing.error());
  return timing->elapsed;
}

std::optional<Control> CpuDevice::control() {
  if (!control_) control_ = measure_control(*this, [](sdk::Stream) {});
  return control_;
}

std::size_t CpuDevice::cache_bytes() const {
  return std::min(last_level_cache_bytes(), sweep_limit / 2);
}

Since<Conditions> CpuDevice::watch_conditions() {
  watch_.begin(read_cpu());
  return [watch = watch_] {
    CpuReading now = read_cpu();
    if (const Seconds early = watch.too_early_by(now); early > 0) {  // once in a process
      std::this_thread::sleep_for(std::chrono::duration<double>(early));
      now.host = read_cpu().host;
    }
    return watch.conditions_at(now);
  };
}

Result<Launches> CpuDevice::launches(const CaseCalls& calls) {
  if (calls.code == nullptr) return Launches{{}, Identity{"", Cause{CauseCode::no_code}}};
  const auto [found, is_new] = identities_.try_emplace(object_of(calls.code));
  if (is_new) {
    const Result<std::string> code = object_code_hash(calls.code);
    if (code)
      found->second.digest =
          content_hash(fmt::format("cpu 1\n{}\n{} threads\n", *code, traits_.multiprocessors));
    else
      found->second.gap = Cause{CauseCode::code_unread, {{"problem", printable(code.error().message)}}};
  }
  return Launches{{}, found->second};
}

Status CpuDevice::preheat(Seconds duration) {
  const Seconds end = now() + duration;
  on_every_thread(traits_.multiprocessors, [&](int) {
    double value = 1;
    while (now() < end)
      for (int i = 0; i < 1000; ++i) value = value * 1.0000001 + 1e-9;
    [[maybe_unused]] volatile double keep = value;
  });
  return {};
}

}  // namespace harness

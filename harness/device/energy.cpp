#include "harness/device/energy.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace harness {
namespace {

// The thread ends with the last copy of the function that asks for the log.
class EnergyThread {
 public:
  EnergyThread(std::function<std::optional<double>()> read, std::function<Seconds()> now, Seconds apart)
      : read_(std::move(read)), now_(std::move(now)), apart_(apart) {}
  EnergyThread(const EnergyThread&) = delete;
  EnergyThread& operator=(const EnergyThread&) = delete;
  ~EnergyThread() { (void)end(); }

  // False where there is no counter.
  bool begin() {
    const Seconds asked = now_();
    const std::optional<double> first = read_();
    if (!first) return false;
    steps_.add(first, asked, now_());
    thread_ = std::thread([this] { watch(); });
    return true;
  }

  EnergyLog end() {
    ending_ = true;
    if (thread_.joinable()) thread_.join();
    return steps_.take();
  }

 private:
  void watch() {
    while (!ending_) {
      const Seconds asked = now_();
      const std::optional<double> value = read_();
      const Seconds told = now_();
      if (!steps_.add(value, asked, told)) return;
      if (asked + apart_ > told)
        std::this_thread::sleep_for(std::chrono::duration<double>(asked + apart_ - told));
    }
  }

  std::function<std::optional<double>()> read_;
  std::function<Seconds()> now_;
  Seconds apart_;
  EnergySteps steps_;  // the thread's, until it has ended
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace

bool EnergySteps::add(std::optional<double> joules, Seconds asked, Seconds told) {
  const bool first = log_.readings == 0;
  if (!joules || (!first && *joules < last_)) {
    (joules ? log_.went_back : log_.fell_silent) = true;
    return false;
  }
  if (!first && *joules > last_) log_.steps.push_back({*joules, last_asked_, told});
  ++log_.readings;
  spent_ += told - asked;
  last_ = *joules;
  last_asked_ = asked;
  return true;
}

EnergyLog EnergySteps::take() {
  if (log_.readings > 0) log_.reading = spent_ / static_cast<double>(log_.readings);
  return std::exchange(log_, {});
}

Since<EnergyLog> read_energy_apart(std::function<std::optional<double>()> read, std::function<Seconds()> now,
                                   Seconds apart) {
  const auto thread = std::make_shared<EnergyThread>(std::move(read), std::move(now), apart);
  if (!thread->begin()) return [] { return std::nullopt; };
  return [thread]() -> std::optional<EnergyLog> { return thread->end(); };
}

}  // namespace harness

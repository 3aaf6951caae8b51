// One worker process as its parent sees it: started with a job, read message by message, killed if necessary.
// Its output goes to an unlinked file of bounded size, whose end is quoted after a crash. One thread owns it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/process.h"
#include "harness/measure/schedule/output_log.h"
#include "harness/measure/worker/message_seal.h"
#include "harness/measure/worker/worker.h"

namespace harness {

struct WorkerEnd {
  Exit exit;
  std::string printed;  // the last lines that it printed, safe to show, or ""
};

class WorkerProcess {
 public:
  // `command`: starts a worker; empty: this program with the argument `worker`. `folder`: its working
  // directory; empty: the parent's. The worker opens its device, then waits for begin().
  static Result<WorkerProcess> start(const std::vector<std::string>& command, const Job& job,
                                     const std::filesystem::path& folder = {});

  WorkerProcess(WorkerProcess&& other) noexcept = default;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills the group if it still runs

  // Tells it that nothing else uses its device now.
  void begin();

  struct Closed {};       // the worker ended, or closed its pipe
  struct TimedOut {};     // nothing came before the deadline
  struct Interrupted {};  // the user wants to stop
  struct Forged {};       // a line came that the worker did not seal
  // A message, and the line that it came in.
  struct Said {
    Message message;
    std::string line;
    // The JSON text of its result, or of one of its two.
    [[nodiscard]] std::string text(std::size_t index) const {
      return std::string(payloads_of(line).at(index));
    }
  };
  using Event = std::variant<Said, Closed, TimedOut, Interrupted, Forged, Error>;

  // The next message, waiting at most `deadline` seconds; calls `tick` several times a second.
  Event next(Seconds deadline, const std::function<void()>& tick = {});

  // Ends a worker that closed its pipe.
  WorkerEnd post_mortem();
  void kill();
  // Lets it end by itself for a moment, as after its last message; then kills it.
  void dismiss();
  // The last lines that it printed for the case at hand, safe to show, or "".
  [[nodiscard]] std::string printed() const;

 private:
  WorkerProcess(Child child, OutputLog log, std::string key)
      : child_(std::move(child)), log_(std::move(log)), seal_(std::move(key)) {}

  Child child_;
  OutputLog log_;
  MessageSeal seal_;
  bool sealed_ = false;  // what the worker sends
};

// Workers that have sent their last message but take a tenth of a second or more to end, because the driver
// frees their memory. Do not measure before wait(). One thread owns it.
class EndingWorkers {
 public:
  EndingWorkers() = default;
  EndingWorkers(const EndingWorkers&) = delete;
  EndingWorkers& operator=(const EndingWorkers&) = delete;
  ~EndingWorkers() { wait(); }

  [[nodiscard]] bool none() const { return workers_.empty(); }
  void add(WorkerProcess worker) { workers_.push_back(std::move(worker)); }
  void wait();

 private:
  std::vector<WorkerProcess> workers_;
};

}  // namespace harness

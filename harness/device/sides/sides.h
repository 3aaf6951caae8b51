// One device as several processes see it. The referee's process has the memory and the clock. A player's
// process opens that memory, waits for the referee's word, does its work and says that it has ended.
//
// On a GPU the memory is of cudaIpcMemHandle_t, and the order is of cudaIpcEventHandle_t: events that cannot
// time. On a CPU the memory is a memfd, and the order is that of the messages. One thread uses a side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/device/memory.h"
#include "harness/sdk/variant.h"

namespace harness {

// Bytes that are written right before the clock starts.
struct SharedWrite {
  void* to = nullptr;
  const void* from = nullptr;  // null: `fill` is written
  std::size_t bytes = 0;
  unsigned char fill = 0;
};

// An element that is read right before the clock stops.
struct SharedRead {
  const void* from = nullptr;
  std::size_t bytes = 0;  // at most 8
};

// One batch of calls that one player makes.
struct Play {
  int player = 0;
  int calls = 0;
  std::span<const SharedWrite> writes;
  std::span<const SharedRead> reads;
  std::function<Status()> start;  // tells the player to begin, and returns once it has answered
  Seconds deadline = 0;           // for what the player has queued
  // Called now and then while the end is awaited. An error ends the wait: the player cannot reach it.
  std::function<Status()> look = {};
  // How long nothing is written yet, though the player has queued its calls. Work that waits for nobody's
  // word runs meanwhile, and reads old values. On a CPU calls run as they are made.
  Seconds hold = 0;
};

struct PlayTiming {
  Seconds elapsed = 0;       // from the last write to the last read
  Seconds used = 0;          // of the device, with all writes and reads
  bool gate_forced = false;  // the player had not queued everything in time
};

class RefereeSide {
 public:
  RefereeSide() = default;
  RefereeSide(const RefereeSide&) = delete;
  RefereeSide& operator=(const RefereeSide&) = delete;
  virtual ~RefereeSide() = default;

  struct Block {
    std::unique_ptr<Buffer> memory;
    std::string handle;
  };
  // Memory that a player can open.
  virtual Result<Block> share(std::size_t bytes) = 0;

  // For PlayerSide::join().
  [[nodiscard]] virtual std::string start_handle() const { return {}; }
  // Learns how a player tells that its work has ended.
  virtual Status meet(int player, const std::string& end_handle) {
    (void)player, (void)end_handle;
    return {};
  }

  // Writes, times and reads: `read` gets 8 bytes a read, the element first. The clock is the referee's. It
  // starts when everything is written, and stops when everything is read. So work that goes on after the
  // player has told its end is late for the reads, or its time counts.
  virtual Result<PlayTiming> time(const Play& play, std::span<std::uint64_t> read) = 0;

  // Whether the device still waits for a player whose work will never end. Then nothing more can be done on
  // it, and giving memory back would wait, too.
  [[nodiscard]] virtual bool lost() const { return false; }
};

class PlayerSide {
 public:
  PlayerSide() = default;
  PlayerSide(const PlayerSide&) = delete;
  PlayerSide& operator=(const PlayerSide&) = delete;
  virtual ~PlayerSide() = default;

  // The address of a block here. It stays open until another one is opened.
  virtual Result<std::byte*> open(const std::string& handle, std::size_t bytes) = 0;
  // Returns the handle for RefereeSide::meet().
  virtual Result<std::string> join(const std::string& start_handle) = 0;
  // Queues `calls` behind the referee's word; on a CPU makes them. `round` chooses the stream.
  virtual Status play(int round, const std::function<void(sdk::Stream)>& calls) = 0;
  // An error if what was queued cannot end any more. Does not wait.
  virtual Status look() { return {}; }
  // Makes one call that nobody times, and waits for it.
  virtual Status practise(const std::function<void(sdk::Stream)>& call) = 0;
};

// For a device that this process has opened (open_device()). An error says why it cannot be shared.
Result<std::unique_ptr<RefereeSide>> open_referee_side(std::string_view device);
Result<std::unique_ptr<PlayerSide>> open_player_side(std::string_view device);

// The sides of memory of the host.
std::unique_ptr<RefereeSide> host_referee_side();
std::unique_ptr<PlayerSide> host_player_side();

}  // namespace harness

// Sides on a CPU: memory without a name that both processes map.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "harness/device/sides/sides.h"

namespace harness {
namespace {

Seconds referee_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

tl::unexpected<Error> memory_error(const std::string& what) {
  return fail(ErrorKind::environment, fmt::format("{}: {}", what, std::strerror(errno)));
}

// A mapping of a file, which is closed with it.
class MappedBlock final : public Buffer {
 public:
  static Result<std::unique_ptr<MappedBlock>> map(int file, std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
      auto error = memory_error("shared memory cannot be mapped");
      close(file);
      return error;
    }
    return std::unique_ptr<MappedBlock>(new MappedBlock(file, memory, bytes));
  }
  MappedBlock(const MappedBlock&) = delete;
  MappedBlock& operator=(const MappedBlock&) = delete;
  ~MappedBlock() override {
    munmap(memory_, bytes_);
    close(file_);
  }
  [[nodiscard]] void* data() const override { return memory_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  MappedBlock(int file, void* memory, std::size_t bytes) : file_(file), memory_(memory), bytes_(bytes) {}

  int file_;
  void* memory_;
  std::size_t bytes_;
};

class HostReferee final : public RefereeSide {
 public:
  Result<Block> share(std::size_t bytes) override {
    const int file = memfd_create("referee", MFD_CLOEXEC);
    if (file < 0) return memory_error("shared memory cannot be made");
    if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      auto error = memory_error(fmt::format("{} bytes of shared memory cannot be had", bytes));
      close(file);
      return error;
    }
    auto block = MappedBlock::map(file, bytes);
    if (!block) return fail(block.error());
    return Block{std::move(*block), fmt::format("/proc/{}/fd/{}", getpid(), file)};
  }

  Result<PlayTiming> time(const Play& play, std::span<std::uint64_t> read) override {
    const Seconds entered = referee_clock();
    for (const SharedWrite& one : play.writes) {
      if (one.from == nullptr)
        std::memset(one.to, one.fill, one.bytes);
      else
        std::memcpy(one.to, one.from, one.bytes);
    }
    const Seconds begin = referee_clock();
    if (const Status played = play.start(); !played) return fail(played.error());
    for (std::size_t i = 0; i < play.reads.size(); ++i) {
      read[i] = 0;
      std::memcpy(&read[i], play.reads[i].from, play.reads[i].bytes);
    }
    const Seconds end = referee_clock();
    return PlayTiming{end - begin, end - entered, false};
  }
};

class HostPlayer final : public PlayerSide {
 public:
  Result<std::byte*> open(const std::string& handle, std::size_t bytes) override {
    const int file = ::open(handle.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return memory_error("the referee's memory cannot be opened");
    auto block = MappedBlock::map(file, bytes);
    if (!block) return fail(block.error());
    block_ = std::move(*block);
    return static_cast<std::byte*>(block_->data());
  }
  Result<std::string> join(const std::string& /*start_handle*/) override { return std::string(); }
  Status play(int /*round*/, const std::function<void(sdk::Stream)>& calls) override {
    calls({});
    return {};
  }
  Status practise(const std::function<void(sdk::Stream)>& call) override {
    call({});
    return {};
  }

 private:
  std::unique_ptr<Buffer> block_;
};

}  // namespace

std::unique_ptr<RefereeSide> host_referee_side() {
  return std::make_unique<HostReferee>();
}

std::unique_ptr<PlayerSide> host_player_side() {
  return std::make_unique<HostPlayer>();
}

}  // namespace harness

// Sides on a GPU. The exports of the CUDA module that open_sides.cpp finds by name.
//
//   referee   close gate   writes   flush   event   start.............................  done   reads   event
//   player                                              wait   calls ...   record done
//
// The gate opens once both have queued everything, at times somewhat later (Play::hold). A context switch
// lies at each end, which the slope over batches of different lengths does not contain
// (measure/referee/README.md).
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/sides/shared_kernels.h"
#include "harness/device/cuda/timing/cache.h"
#include "harness/device/cuda/timing/gate.h"
#include "harness/device/sides/sides.h"

namespace harness::cuda {
namespace {

constexpr int player_streams = 16;
constexpr Seconds gate_deadline = 0.5;  // for a player to queue its calls
constexpr Seconds look_every = 0.25;    // at a player whose end is awaited

Seconds host_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Handles are bytes; messages are text.
template <class Handle>
std::string text_of(const Handle& handle) {
  std::string text;
  for (const unsigned char byte : handle.reserved) text += fmt::format("{:02x}", byte);
  return text;
}

template <class Handle>
Result<Handle> handle_of(const std::string& text) {
  Handle handle{};
  if (text.size() != 2 * sizeof handle.reserved)
    return fail(ErrorKind::environment, "this is no handle of a GPU's memory or event");
  for (std::size_t i = 0; i < sizeof handle.reserved; ++i)
    handle.reserved[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return handle;
}

constexpr const char* advice =
    "memory is shared only within one container, on Linux, and not where the GPU is split (MIG)";

class OwnedStream {
 public:
  static Result<OwnedStream> create() {
    cudaStream_t stream = nullptr;
    if (auto status = check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
        !status)
      return fail(std::move(status.error()));
    return OwnedStream(stream);
  }
  OwnedStream(OwnedStream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  OwnedStream& operator=(OwnedStream&&) = delete;
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  ~OwnedStream() {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  explicit OwnedStream(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t stream_;
};

class OwnedEvent {
 public:
  explicit OwnedEvent(cudaEvent_t event = nullptr) : event_(event) {}
  OwnedEvent(OwnedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  OwnedEvent& operator=(OwnedEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  OwnedEvent(const OwnedEvent&) = delete;
  OwnedEvent& operator=(const OwnedEvent&) = delete;
  ~OwnedEvent() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }
  static Result<OwnedEvent> create(unsigned flags) {
    cudaEvent_t event = nullptr;
    if (auto status = check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreate", advice); !status)
      return fail(std::move(status.error()));
    return OwnedEvent(event);
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_;
};

constexpr unsigned of_all_processes = cudaEventDisableTiming | cudaEventInterprocess;

Result<OwnedEvent> open_event(const std::string& text) {
  const Result<cudaIpcEventHandle_t> handle = handle_of<cudaIpcEventHandle_t>(text);
  if (!handle) return fail(handle.error());
  cudaEvent_t event = nullptr;
  if (auto status = check(cudaIpcOpenEventHandle(&event, *handle), "cudaIpcOpenEventHandle", advice); !status)
    return fail(std::move(status.error()));
  return OwnedEvent(event);
}

class SharedMemory final : public Buffer {
 public:
  SharedMemory(DeviceMemory memory, std::size_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}
  [[nodiscard]] void* data() const override { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  DeviceMemory memory_;
  std::size_t bytes_;
};

// Memory of the GPU that grows.
class Room {
 public:
  Result<void*> of(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_.reset();
      bytes_ = 0;
      auto memory = allocate_device_memory(bytes);
      if (!memory) return fail(std::move(memory.error()));
      memory_ = std::move(*memory);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  DeviceMemory memory_;
  std::size_t bytes_ = 0;
};

class CudaReferee final : public RefereeSide {
 public:
  static Result<std::unique_ptr<CudaReferee>> create() {
    int device = 0, l2 = 0;
    if (auto status = check(cudaGetDevice(&device), "cudaGetDevice"); !status)
      return fail(std::move(status.error()));
    if (auto status = check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device), "L2 size"); !status)
      return fail(std::move(status.error()));
    auto stream = OwnedStream::create();
    if (!stream) return fail(stream.error());
    auto gate = Gate::create(stream->get());
    if (!gate) return fail(gate.error());
    std::array<Result<OwnedEvent>, 4> events{
        OwnedEvent::create(of_all_processes), OwnedEvent::create(cudaEventDefault),
        OwnedEvent::create(cudaEventDefault), OwnedEvent::create(cudaEventDisableTiming)};
    for (const auto& one : events)
      if (!one) return fail(one.error());
    cudaIpcEventHandle_t handle{};
    if (auto status =
            check(cudaIpcGetEventHandle(&handle, events[0]->get()), "cudaIpcGetEventHandle", advice);
        !status)
      return fail(std::move(status.error()));
    std::unique_ptr<CudaReferee> made(new CudaReferee(std::move(*stream), static_cast<std::size_t>(l2)));
    made->gate_ = std::move(*gate);
    made->start_ = std::move(*events[0]);
    made->begin_ = std::move(*events[1]);
    made->end_ = std::move(*events[2]);
    made->over_ = std::move(*events[3]);
    made->handle_ = text_of(handle);
    if (const Status ready = made->warm_up(); !ready) return fail(ready.error());
    return made;
  }

  Result<Block> share(std::size_t bytes) override {
    auto memory = allocate_device_memory(bytes);
    if (!memory) return fail(std::move(memory.error()));
    cudaIpcMemHandle_t handle{};
    if (auto status = check(cudaIpcGetMemHandle(&handle, memory->get()), "cudaIpcGetMemHandle", advice);
        !status)
      return fail(std::move(status.error()));
    return Block{std::make_unique<SharedMemory>(std::move(*memory), bytes), text_of(handle)};
  }

  [[nodiscard]] std::string start_handle() const override { return handle_; }

  Status meet(int player, const std::string& end_handle) override {
    Result<OwnedEvent> event = open_event(end_handle);
    if (!event) return fail(event.error());
    done_.insert_or_assign(player, std::move(*event));
    return {};
  }

  Result<PlayTiming> time(const Play& play, std::span<std::uint64_t> read) override {
    const Seconds entered = host_clock();
    if (const Status listed = bring_lists(play); !listed) return fail(listed.error());
    Result<HeldGate> gate = gate_->close(stream_.get(), gate_deadline);
    if (!gate) return fail(gate.error());
    if (const Status queued = queue_before(play); !queued) return fail(queued.error());
    if (const Status played = play.start(); !played) {
      gate->open();
      return fail(played.error());
    }
    if (const Status queued = queue_after(play); !queued) return fail(queued.error());
    if (play.hold > 0) std::this_thread::sleep_for(std::chrono::duration<double>(play.hold));
    const bool forced = gate->open();
    if (const Status ended = wait_for_end(play); !ended) {
      lost_ = true;  // the stream waits for the player, and an event recorded in its place frees it not
      return fail(ended.error());
    }
    float milliseconds = 0;
    if (auto status =
            check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime");
        !status)
      return fail(std::move(status.error()));
    std::memcpy(read.data(), fetched_.data(), play.reads.size() * sizeof(std::uint64_t));
    return PlayTiming{1e-3 * static_cast<double>(milliseconds), host_clock() - entered, forced};
  }

  [[nodiscard]] bool lost() const override { return lost_; }

 private:
  CudaReferee(OwnedStream stream, std::size_t l2_bytes) : stream_(std::move(stream)), flusher_(l2_bytes) {}

  // Loads the code of both kernels and makes the cache's buffer: nothing may be loaded behind a closed gate.
  Status warm_up() {
    Result<void*> place = results_.of(sizeof(std::uint64_t));
    if (!place) return fail(place.error());
    const SharedWrite write{*place, nullptr, sizeof(std::uint64_t), 0};
    const SharedRead read{*place, sizeof(std::uint64_t)};
    const Play all{.writes = {&write, 1}, .reads = {&read, 1}};
    if (const Status listed = bring_lists(all); !listed) return listed;
    if (const Status before = queue_before(all); !before) return before;
    launch_reads(stream_.get(), reads_, 1, results_at_);
    if (Status launched = check_launch("the referee's reads"); !launched) return launched;
    return check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

  Status bring_lists(const Play& play) {
    const std::size_t writes = play.writes.size_bytes(), reads = play.reads.size_bytes();
    const Result<void*> list = lists_.of(std::max<std::size_t>(writes + reads, 1));
    if (!list) return fail(list.error());
    auto* const at = static_cast<std::byte*>(*list);
    writes_ = reinterpret_cast<const SharedWrite*>(at);
    reads_ = reinterpret_cast<const SharedRead*>(at + writes);
    fetched_.resize(play.reads.size());
    const Result<void*> place = results_.of(std::max<std::size_t>(8 * play.reads.size(), 8));
    if (!place) return fail(place.error());
    results_at_ = static_cast<std::uint64_t*>(*place);
    if (writes > 0)
      if (auto status =
              check(cudaMemcpy(at, play.writes.data(), writes, cudaMemcpyHostToDevice), "cudaMemcpy");
          !status)
        return status;
    if (reads > 0)
      return check(cudaMemcpy(at + writes, play.reads.data(), reads, cudaMemcpyHostToDevice), "cudaMemcpy");
    return {};
  }

  Status queue_before(const Play& play) {
    launch_writes(stream_.get(), writes_, play.writes.size());
    if (Status launched = check_launch("the referee's writes"); !launched) return launched;
    if (Status flushed = flusher_.flush(stream_.get()); !flushed) return flushed;
    if (Status recorded = check(cudaEventRecord(begin_.get(), stream_.get()), "cudaEventRecord"); !recorded)
      return recorded;
    return check(cudaEventRecord(start_.get(), stream_.get()), "cudaEventRecord");
  }

  Status queue_after(const Play& play) {
    const auto done = done_.find(play.player);
    if (done == done_.end()) return fail(ErrorKind::internal, "a player that the referee has not met");
    if (Status waits =
            check(cudaStreamWaitEvent(stream_.get(), done->second.get(), 0), "cudaStreamWaitEvent");
        !waits)
      return waits;
    launch_reads(stream_.get(), reads_, play.reads.size(), results_at_);
    if (Status launched = check_launch("the referee's reads"); !launched) return launched;
    if (Status recorded = check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord"); !recorded)
      return recorded;
    return check(cudaEventRecord(over_.get(), stream_.get()), "cudaEventRecord");
  }

  Status wait_for_end(const Play& play) {
    const Seconds begun = host_clock();
    Seconds looked = begun;
    cudaError_t state = cudaErrorNotReady;
    while ((state = cudaEventQuery(over_.get())) == cudaErrorNotReady) {
      const Seconds now = host_clock();
      if (now - begun > play.deadline)
        return fail(ErrorKind::environment,
                    fmt::format("the calls did not end within {:g} s", play.deadline));
      if (play.look && now - looked > look_every) {
        if (Status alive = play.look(); !alive) return alive;
        looked = host_clock();
      }
      std::this_thread::yield();
    }
    if (Status ended = check(state, "the end of the calls"); !ended) return ended;
    if (fetched_.empty()) return {};
    return check(cudaMemcpy(fetched_.data(), results_at_, 8 * fetched_.size(), cudaMemcpyDeviceToHost),
                 "cudaMemcpy");
  }

  OwnedStream stream_;  // destroyed after the gate, which waits for it
  CacheFlusher flusher_;
  std::unique_ptr<Gate> gate_;
  OwnedEvent start_, begin_, end_, over_;
  std::string handle_;
  std::map<int, OwnedEvent> done_;
  Room lists_, results_;
  const SharedWrite* writes_ = nullptr;
  const SharedRead* reads_ = nullptr;
  std::uint64_t* results_at_ = nullptr;
  std::vector<std::uint64_t> fetched_;
  bool lost_ = false;
};

class CudaPlayer final : public PlayerSide {
 public:
  static Result<std::unique_ptr<CudaPlayer>> create() {
    auto made = std::unique_ptr<CudaPlayer>(new CudaPlayer);
    for (int i = 0; i < player_streams; ++i) {
      auto stream = OwnedStream::create();
      if (!stream) return fail(stream.error());
      made->streams_.push_back(std::move(*stream));
    }
    auto done = OwnedEvent::create(of_all_processes);
    if (!done) return fail(done.error());
    made->done_ = std::move(*done);
    return made;
  }
  CudaPlayer(const CudaPlayer&) = delete;
  CudaPlayer& operator=(const CudaPlayer&) = delete;
  ~CudaPlayer() override { close(); }

  Result<std::byte*> open(const std::string& handle, std::size_t /*bytes*/) override {
    close();
    const Result<cudaIpcMemHandle_t> parsed = handle_of<cudaIpcMemHandle_t>(handle);
    if (!parsed) return fail(parsed.error());
    if (auto status = check(cudaIpcOpenMemHandle(&block_, *parsed, cudaIpcMemLazyEnablePeerAccess),
                            "cudaIpcOpenMemHandle", advice);
        !status)
      return fail(std::move(status.error()));
    return static_cast<std::byte*>(block_);
  }

  Result<std::string> join(const std::string& start_handle) override {
    Result<OwnedEvent> start = open_event(start_handle);
    if (!start) return fail(start.error());
    start_ = std::move(*start);
    cudaIpcEventHandle_t handle{};
    if (auto status = check(cudaIpcGetEventHandle(&handle, done_.get()), "cudaIpcGetEventHandle", advice);
        !status)
      return fail(std::move(status.error()));
    return text_of(handle);
  }

  Status play(int round, const std::function<void(sdk::Stream)>& calls) override {
    const cudaStream_t stream = streams_[static_cast<std::size_t>(round) % streams_.size()].get();
    if (Status waits = check(cudaStreamWaitEvent(stream, start_.get(), 0), "cudaStreamWaitEvent"); !waits)
      return waits;
    calls({stream});
    if (Status launched = check_launch("a call"); !launched) return launched;
    return check(cudaEventRecord(done_.get(), stream), "cudaEventRecord");
  }

  Status look() override {
    const cudaError_t state = cudaEventQuery(done_.get());
    if (state == cudaErrorNotReady) return {};
    return check(state, "the calls");
  }

  Status practise(const std::function<void(sdk::Stream)>& call) override {
    call({streams_.front().get()});
    if (Status launched = check_launch("a call"); !launched) return launched;
    return check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

 private:
  CudaPlayer() = default;
  void close() {
    if (block_ == nullptr) return;
    (void)cudaDeviceSynchronize();
    (void)cudaIpcCloseMemHandle(std::exchange(block_, nullptr));
  }

  std::vector<OwnedStream> streams_;
  OwnedEvent start_, done_;
  void* block_ = nullptr;
};

template <class Side, class Made>
Side* made_or_told(Result<std::unique_ptr<Made>> (*create)(), Error* error) {
  try {
    auto side = create();
    if (side) return side->release();
    if (error != nullptr) *error = std::move(side.error());
  } catch (const std::exception& exception) {
    if (error != nullptr)
      *error =
          Error{ErrorKind::environment, std::string("the GPU cannot be shared: ") + exception.what(), {}, {}};
  }
  return nullptr;
}

}  // namespace
}  // namespace harness::cuda

extern "C" __attribute__((visibility("default"))) harness::RefereeSide* harness_cuda_referee_side(
    harness::Error* error) {
  return harness::cuda::made_or_told<harness::RefereeSide>(&harness::cuda::CudaReferee::create, error);
}

extern "C" __attribute__((visibility("default"))) harness::PlayerSide* harness_cuda_player_side(
    harness::Error* error) {
  return harness::cuda::made_or_told<harness::PlayerSide>(&harness::cuda::CudaPlayer::create, error);
}

// How well does the slope over batches, timed by one process, tell the time of calls that another one makes?
//
//   nvcc -O2 -std=c++17 -arch=sm_90 two_processes.cu -o two_processes && ./two_processes
//
// One referee and two players, as harness/measure/referee has them, with kernels of a fixed length. Prints
// the time of a batch without calls, and that of work which is left running. For each length it prints the
// slope by events of the player's own process (alone), by the referee, and the ratio of the two players.
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int blocks = 132, threads = 256, streams = 16, sessions = 4, rounds = 16;

#define CHECK(call)                                                                      \
  do {                                                                                   \
    if (const cudaError_t code = (call); code != cudaSuccess) {                          \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code)); \
      _exit(1);                                                                          \
    }                                                                                    \
  } while (0)

__global__ void work(float* out, int loops) {
  float x = threadIdx.x;
  for (int i = 0; i < loops; ++i) x = fmaf(x, 0.999F, 1.0F);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Gate {
 public:
  Gate() {
    void *flag = nullptr, *on_device = nullptr, *found = nullptr;
    CHECK(cudaHostAlloc(&flag, sizeof(unsigned), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&on_device, flag, 0));
    cudaDriverEntryPointQueryResult how;
    CHECK(cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &found, 11070, cudaEnableDefault, &how));
    flag_ = static_cast<volatile unsigned*>(flag);
    *flag_ = 0;
    on_device_ = reinterpret_cast<CUdeviceptr>(on_device);
    wait_ = reinterpret_cast<Wait>(found);
  }
  void close(cudaStream_t stream) { wait_(stream, on_device_, ++round_, CU_STREAM_WAIT_VALUE_GEQ); }
  void open() { *flag_ = round_; }

 private:
  using Wait = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
  volatile unsigned* flag_;
  CUdeviceptr on_device_;
  unsigned round_ = 0;
  Wait wait_;
};

enum class Kind { end, play, alone };
struct Message {
  Kind kind;
  int round, calls, loops;
  int left_running;  // loops of a kernel on another stream
  double microseconds;
};
struct Setup {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t start;
};

template <class T>
void send(int pipe, const T& value) {
  if (write(pipe, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) _exit(2);
}
template <class T>
void receive(int pipe, T& value) {
  auto* to = reinterpret_cast<char*>(&value);
  for (std::size_t rest = sizeof value; rest > 0;) {
    const ssize_t count = read(pipe, to, rest);
    if (count <= 0) _exit(3);
    to += count;
    rest -= static_cast<std::size_t>(count);
  }
}

float elapsed(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, from, to));
  return milliseconds * 1e3F;
}

[[noreturn]] void play(int pipe) {
  Setup setup;
  receive(pipe, setup);
  float* memory = nullptr;
  cudaEvent_t start, done, from, to;
  CHECK(
      cudaIpcOpenMemHandle(reinterpret_cast<void**>(&memory), setup.memory, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenEventHandle(&start, setup.start));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  std::vector<cudaStream_t> own(streams);
  for (cudaStream_t& one : own) CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  Gate gate;
  work<<<blocks, threads, 0, own[0]>>>(memory, 1);
  CHECK(cudaDeviceSynchronize());
  cudaIpcEventHandle_t handle;
  CHECK(cudaIpcGetEventHandle(&handle, done));
  send(pipe, handle);
  for (;;) {
    Message message;
    receive(pipe, message);
    const cudaStream_t stream = own[message.round % streams];
    if (message.kind == Kind::end) _exit(0);
    if (message.kind == Kind::play) {
      CHECK(cudaStreamWaitEvent(stream, start, 0));
    } else {
      gate.close(stream);
      CHECK(cudaEventRecord(from, stream));
    }
    for (int i = 0; i < message.calls; ++i) work<<<blocks, threads, 0, stream>>>(memory, message.loops);
    if (message.left_running > 0) {
      const cudaStream_t other = own[(message.round + 1) % streams];
      CHECK(cudaStreamWaitEvent(other, start, 0));
      work<<<blocks, threads, 0, other>>>(memory, message.left_running);
    }
    if (message.kind == Kind::play) {
      CHECK(cudaEventRecord(done, stream));
    } else {
      CHECK(cudaEventRecord(to, stream));
      gate.open();
      CHECK(cudaEventSynchronize(to));
      message.microseconds = elapsed(from, to);
    }
    CHECK(cudaGetLastError());
    send(pipe, message);
  }
}

struct Summary {
  double mean = 0, sd = 0;
};
Summary summary(const std::vector<double>& values) {
  Summary all;
  for (const double one : values) all.mean += one / static_cast<double>(values.size());
  for (const double one : values) all.sd += (one - all.mean) * (one - all.mean);
  all.sd = values.size() > 1 ? std::sqrt(all.sd / static_cast<double>(values.size() - 1)) : 0;
  return all;
}

struct Length {
  double microseconds;
  int shorter, longer;
};
constexpr Length lengths[] = {{0, 32, 256},  {3, 32, 256}, {5, 32, 256}, {10, 32, 256},
                              {20, 25, 200}, {50, 10, 80}, {100, 5, 40}, {300, 1, 14}};

class Referee {
 public:
  Referee() {
    for (int& pipe : pipes_) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(4);
      if (fork() == 0) close(ends[0]), play(ends[1]);
      close(ends[1]);
      pipe = ends[0];
    }
    Setup setup;
    CHECK(cudaMalloc(&memory_, 1 << 24));
    CHECK(cudaMalloc(&own_, 1 << 20));
    CHECK(cudaIpcGetMemHandle(&setup.memory, memory_));
    CHECK(cudaEventCreateWithFlags(&start_, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaIpcGetEventHandle(&setup.start, start_));
    for (cudaEvent_t* one : {&begin_, &end_}) CHECK(cudaEventCreate(one));
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    work<<<1, threads, 0, stream_>>>(own_, 1);
    CHECK(cudaStreamSynchronize(stream_));
    for (const int pipe : pipes_) send(pipe, setup);
    for (int i = 0; i < 2; ++i) {
      cudaIpcEventHandle_t handle;
      receive(pipes_[i], handle);
      CHECK(cudaIpcOpenEventHandle(&done_[i], handle));
    }
    gate_ = new Gate;
  }
  ~Referee() {
    for (const int pipe : pipes_) send(pipe, Message{Kind::end, 0, 0, 0, 0, 0}), close(pipe);
    while (wait(nullptr) > 0) {
    }
  }

  // A batch by the referee's clock, which stops behind a kernel of its own.
  double batch(int player, int round, int calls, int loops, int left_running = 0) {
    gate_->close(stream_);
    CHECK(cudaEventRecord(begin_, stream_));
    CHECK(cudaEventRecord(start_, stream_));
    Message message{Kind::play, round, calls, loops, left_running, 0};
    send(pipes_[player], message);
    receive(pipes_[player], message);
    CHECK(cudaStreamWaitEvent(stream_, done_[player], 0));
    work<<<1, threads, 0, stream_>>>(own_, 1);
    CHECK(cudaEventRecord(end_, stream_));
    gate_->open();
    CHECK(cudaEventSynchronize(end_));
    return elapsed(begin_, end_);
  }
  double alone(int player, int round, int calls, int loops) {
    Message message{Kind::alone, round, calls, loops, 0, 0};
    send(pipes_[player], message);
    receive(pipes_[player], message);
    return message.microseconds;
  }

 private:
  int pipes_[2];
  float *memory_ = nullptr, *own_ = nullptr;
  cudaEvent_t start_, begin_, end_, done_[2];
  cudaStream_t stream_;
  Gate* gate_;
};

void session(int number) {
  Referee referee;
  for (const double until = now() + 0.5; now() < until;) referee.alone(0, 0, 100, 20000);
  const double loop = (referee.alone(0, 0, 50, 20000) - referee.alone(0, 0, 50, 2000)) / 50 / 18000;
  if (number == 0) {
    std::vector<double> none;
    for (int i = 0; i < 40; ++i) none.push_back(referee.batch(i % 2, i, 0, 0));
    std::printf("a batch without calls: %.1f us, sd %.1f us\n", summary(none).mean, summary(none).sd);
    for (const double left : {500.0, 1500.0, 5000.0})
      std::printf("one empty call, and %.0f us of work left on another stream: %.0f us\n", left,
                  referee.batch(0, 0, 1, 0, static_cast<int>(left / loop)));
    usleep(20000);
  }
  for (const Length& length : lengths) {
    const int loops = static_cast<int>(std::max(0.0, length.microseconds - 1.8) / loop);
    const int calls = length.longer - length.shorter;
    std::vector<double> alone, by_referee, ratios;
    for (int round = 0; round < rounds; ++round) {
      double slope[2];
      for (int turn = 0; turn < 2; ++turn) {
        const int player = (round + turn) % 2;
        const double longer = referee.batch(player, round, length.longer, loops);
        slope[player] = (longer - referee.batch(player, round, length.shorter, loops)) / calls;
        by_referee.push_back(slope[player]);
        const double own = referee.alone(player, round, length.longer, loops);
        alone.push_back((own - referee.alone(player, round, length.shorter, loops)) / calls);
      }
      ratios.push_back(std::log(slope[1] / slope[0]));
    }
    const Summary one = summary(alone), other = summary(by_referee), ratio = summary(ratios);
    std::printf("session %d, %2d and %3d calls: alone %7.3f us, referee %7.3f us (%+.3f %%); ", number,
                length.shorter, length.longer, one.mean, other.mean, 100 * (other.mean / one.mean - 1));
    std::printf("players %+.3f %%, sd of a round %.3f %%\n", 100 * ratio.mean, 100 * ratio.sd);
  }
}

}  // namespace

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  for (int number = 0; number < sessions; ++number) {
    std::fflush(stdout);
    const pid_t child = fork();  // before anything uses CUDA
    if (child == 0) {
      session(number);
      std::fflush(stdout);
      return 0;
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) return 1;
  }
  return 0;
}

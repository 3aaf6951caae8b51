#include "harness/device/cuda/cuda_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"
#include "harness/device/cuda/timing/cache.h"
#include "harness/sdk/fresh_pages.h"
#include "harness/sdk/workload.h"

namespace harness::cuda {
namespace {

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(DeviceMemory memory, std::size_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}
  [[nodiscard]] void* data() const override { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  DeviceMemory memory_;
  std::size_t bytes_;
};

// Page-locked memory of the host. GPUs reach it by the same addresses (unified addressing).
class LockedBuffer final : public Buffer {
 public:
  // `owner` frees it.
  LockedBuffer(void* memory, std::size_t bytes, Scope owner)
      : memory_(memory), bytes_(bytes), owner_(std::move(owner)) {}
  [[nodiscard]] void* data() const override { return memory_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] bool of_host() const override { return true; }

 private:
  void* memory_;
  std::size_t bytes_;
  Scope owner_;
};

bool register_pages(std::span<std::byte> memory) {
  constexpr unsigned for_all = cudaHostRegisterPortable | cudaHostRegisterMapped;
  if (cudaHostRegister(memory.data(), memory.size(), for_all) == cudaSuccess) return true;
  (void)cudaGetLastError();
  return false;
}

// Whether registering locks pages, and GPUs reach them by the host's addresses (cudaHostRegister(), CUDA 13).
bool locks_mapped_pages() {
  int device = 0, by_host_tables = 1, by_host_address = 0;
  const bool told = cudaGetDevice(&device) == cudaSuccess &&
                    cudaDeviceGetAttribute(&by_host_tables, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
                                           device) == cudaSuccess &&
                    cudaDeviceGetAttribute(&by_host_address, cudaDevAttrCanUseHostPointerForRegisteredMem,
                                           device) == cudaSuccess;
  if (!told) (void)cudaGetLastError();
  return told && by_host_tables == 0 && by_host_address != 0;
}

// Pages of 2 MiB, which are found, cleared and locked sooner than those that the runtime takes. Null where
// there are none. At least sdk::least_mapped_bytes, because pages are locked as a whole.
std::unique_ptr<Buffer> lock_large_pages(std::size_t bytes) {
  try {
    const auto memory = std::make_shared<sdk::HostBytes>(bytes);
    if (register_pages(*memory))
      return std::make_unique<LockedBuffer>(memory->data(), bytes,
                                            Scope([memory] { (void)cudaHostUnregister(memory->data()); }));
  } catch (const std::bad_alloc&) {
  }
  return nullptr;
}

Status size_error(std::string_view what, std::size_t host, std::size_t device) {
  return fail(ErrorKind::internal,
              fmt::format("{} of {} bytes does not fit a device buffer of {} bytes", what, host, device));
}

}  // namespace

// Work of the host on memory that the GPU may be using.
template <class Work>
Status CudaMemory::when_idle(const Work& work) {
  if (auto status = queue_.synchronize(); !status) return status;
  work();
  return {};
}

Result<std::unique_ptr<Buffer>> CudaMemory::allocate(std::size_t bytes) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  auto memory = allocate_device_memory(bytes);
  if (!memory) return fail(std::move(memory.error()));
  return std::make_unique<CudaBuffer>(std::move(*memory), bytes);
}

Result<CudaMemory::Place> CudaMemory::place_of(const Buffer& buffer) {
  Peers& peers = queue_.peers();
  if (peers.none()) return Place{Scope(), queue_.use(), staging_[0]};
  cudaPointerAttributes found{};
  if (auto status = check(cudaPointerGetAttributes(&found, buffer.data()), "cudaPointerGetAttributes");
      !status)
    return fail(std::move(status.error()));
  int gpu = 0;
  while (gpu + 1 < peers.gpus() && peers.ordinal(gpu) != found.device) ++gpu;
  auto current = peers.on(gpu);
  if (!current) return fail(current.error());
  return Place{std::move(*current), gpu == 0 ? queue_.use() : peers.stream(gpu), staging_[gpu]};
}

Result<std::unique_ptr<Buffer>> CudaMemory::allocate_on(int gpu, std::size_t bytes) {
  if (gpu == sdk::host_memory) {
    if (auto status = usable(); !status) return fail(std::move(status.error()));
    if (bytes >= sdk::least_mapped_bytes && locks_mapped_pages())
      if (auto locked = lock_large_pages(bytes)) return locked;
    void* memory = nullptr;
    if (auto status = check(cudaHostAlloc(&memory, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable),
                            "cudaHostAlloc of a tensor");
        !status)
      return fail(std::move(status.error()));
    return std::make_unique<LockedBuffer>(memory, bytes, Scope([memory] { (void)cudaFreeHost(memory); }));
  }
  const auto current = queue_.peers().on(gpu);
  if (!current) return fail(current.error());
  return allocate(bytes);
}

Status CudaMemory::upload(Buffer& to, std::span<const std::byte> from) {
  if (from.size() > to.bytes()) return size_error("an upload", from.size(), to.bytes());
  if (auto status = usable(); !status || from.empty()) return status;
  if (to.of_host()) return when_idle([&] { copy_on_threads(to.data(), from.data(), from.size()); });
  const auto place = place_of(to);
  if (!place) return fail(place.error());
  if (auto status = place->staging.upload(to.data(), from, place->stream); !status) return status;
  return queue_.synchronize();
}

Status CudaMemory::download(std::span<std::byte> to, const Buffer& from) {
  if (to.size() > from.bytes()) return size_error("a download", to.size(), from.bytes());
  if (auto status = usable(); !status || to.empty()) return status;
  if (from.of_host()) return when_idle([&] { copy_on_threads(to.data(), from.data(), to.size()); });
  const auto place = place_of(from);
  if (!place) return fail(place.error());
  const auto locked = locked_.find(to.data());
  const Status got =
      locked != locked_.end() && to.size() <= locked->second
          ? check(cudaMemcpyAsync(to.data(), from.data(), to.size(), cudaMemcpyDeviceToHost, place->stream),
                  "cudaMemcpyAsync to the host")
          : place->staging.download(to, from.data(), place->stream);
  if (!got) return got;
  return queue_.synchronize();
}

Scope CudaMemory::lock(std::span<std::byte> memory) {
  if (!usable() || !register_pages(memory)) return Scope();
  locked_[memory.data()] = memory.size();
  return Scope([this, begin = memory.data()] {
    locked_.erase(begin);
    (void)cudaHostUnregister(begin);
  });
}

Status CudaMemory::copy(Buffer& to, const Buffer& from) {
  if (from.bytes() != to.bytes())
    return fail(ErrorKind::internal,
                fmt::format("a copy of {} bytes to a device buffer of {} bytes", from.bytes(), to.bytes()));
  if (auto status = usable(); !status || to.bytes() == 0) return status;
  if (to.of_host() && from.of_host())
    return when_idle([&] { copy_on_threads(to.data(), from.data(), to.bytes()); });
  const auto place = place_of(to);
  if (!place) return fail(place.error());
  if (auto status =
          check(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDefault, place->stream),
                "cudaMemcpyAsync within the device");
      !status)
    return status;
  return queue_.synchronize();
}

// A piece at a time, so that the host needs no second copy of large inputs.
Result<std::optional<std::size_t>> CudaMemory::first_difference(const Buffer& buffer,
                                                                std::span<const std::byte> expected) {
  if (expected.size() > buffer.bytes())
    return fail(size_error("a comparison", expected.size(), buffer.bytes()).error());
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  if (auto status = queue_.synchronize(); !status) return fail(std::move(status.error()));
  constexpr std::size_t most_piece = std::size_t{32} << 20;
  const auto* held = static_cast<const std::byte*>(buffer.data());
  sdk::HostBytes piece(buffer.of_host() ? 0 : std::min(most_piece, expected.size()));
  for (std::size_t begin = 0; begin < expected.size(); begin += most_piece) {
    const auto wanted = expected.subspan(begin, std::min(most_piece, expected.size() - begin));
    const std::byte* got = held + begin;
    if (!buffer.of_host()) {
      const auto place = place_of(buffer);
      if (!place) return fail(place.error());
      const auto to = std::span<std::byte>(piece).first(wanted.size());
      if (auto status = place->staging.download(to, got, place->stream); !status)
        return fail(std::move(status.error()));
      if (auto status = queue_.synchronize(); !status) return fail(std::move(status.error()));
      got = piece.data();
    }
    if (std::memcmp(got, wanted.data(), wanted.size()) == 0) continue;
    return begin +
           static_cast<std::size_t>(std::mismatch(wanted.begin(), wanted.end(), got).first - wanted.begin());
  }
  return std::nullopt;
}

Result<std::optional<std::uint64_t>> CudaMemory::keyed_sum(const Buffer& buffer, std::uint64_t key) {
  if (buffer.of_host()) return std::nullopt;
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  const auto place = place_of(buffer);
  if (!place) return fail(place.error());
  const auto sum = allocate_device_memory(sizeof(std::uint64_t));
  if (!sum) return fail(sum.error());
  std::uint64_t found = 0;
  if (auto status = check(cudaMemsetAsync(sum->get(), 0, sizeof found, place->stream), "cudaMemsetAsync");
      !status)
    return fail(std::move(status.error()));
  launch_keyed_sum(place->stream, buffer.data(), buffer.bytes(), key,
                   static_cast<std::uint64_t*>(sum->get()));
  if (auto status = check_launch("the sum of a buffer"); !status) return fail(std::move(status.error()));
  if (auto status =
          check(cudaMemcpyAsync(&found, sum->get(), sizeof found, cudaMemcpyDeviceToHost, place->stream),
                "cudaMemcpyAsync to the host");
      !status)
    return fail(std::move(status.error()));
  if (auto status = queue_.synchronize(); !status) return fail(std::move(status.error()));
  return found;
}

Status CudaMemory::fill(Buffer& buffer, unsigned char value) {
  if (auto status = usable(); !status || buffer.bytes() == 0) return status;
  if (buffer.of_host()) return when_idle([&] { std::memset(buffer.data(), value, buffer.bytes()); });
  const auto place = place_of(buffer);
  if (!place) return fail(place.error());
  if (auto status = check(cudaMemsetAsync(buffer.data(), value, buffer.bytes(), place->stream),
                          "cudaMemsetAsync (fill)");
      !status)
    return status;
  return queue_.synchronize();
}

Since<std::size_t> CudaMemory::watch_peak() {
  return [this, before = meter_.begin()] { return meter_.peak_since(before); };
}

}  // namespace harness::cuda

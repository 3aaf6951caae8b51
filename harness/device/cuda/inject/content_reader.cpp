#include "harness/device/cuda/inject/content_reader.h"

// The functions that need no initialisation of the whole library: a guest in somebody's program starts
// nothing.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/launch_words.h"

namespace harness::inject {
namespace {

using cuda::is_in;
using cuda::params;

// Each call, and the same with streams of a thread of their own.
const std::vector<CUpti_CallbackId> plain{
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz};
const std::vector<CUpti_CallbackId> either{
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy, CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz};
const std::vector<CUpti_CallbackId> to_array{
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoA_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoA_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoAAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoAAsync_v2_ptsz};
const std::vector<CUpti_CallbackId> flat{
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2,          CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DUnaligned_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DUnaligned_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2,     CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2_ptsz};
const std::vector<CUpti_CallbackId> solid{
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy3D_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpy3D_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2_ptsz};
const std::vector<CUpti_CallbackId> batches{
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync_v2_ptsz};

const std::byte* at(const void* begin, std::uint64_t offset) {
  return static_cast<const std::byte*>(begin) + offset;
}

}  // namespace

const std::vector<CUpti_CallbackId>& content_calls() {
  static const std::vector<CUpti_CallbackId> all = [] {
    std::vector<CUpti_CallbackId> calls;
    for (const auto* more : {&plain, &either, &to_array, &flat, &solid, &batches})
      calls.insert(calls.end(), more->begin(), more->end());
    return calls;
  }();
  return all;
}

// Memory that the driver does not know is the host's.
bool ContentReader::on_host(std::uint64_t address) const {
  const Word word = cuda::word_of(driver_, address);
  return word.memory == Word::Memory::none || word.memory == Word::Memory::host;
}

// A plane or a cuboid. A pitch or a height of 0 is that of what is copied.
template <class Copy>
void ContentReader::add_box(std::vector<Piece>& pieces, const Copy& from, std::uint64_t first_slice,
                            std::uint64_t rows_a_slice, std::uint64_t slices) const {
  const void* begin = from.srcHost;
  if (from.srcMemoryType == CU_MEMORYTYPE_UNIFIED && on_host(from.srcDevice))
    begin = reinterpret_cast<const void*>(from.srcDevice);
  else if (from.srcMemoryType != CU_MEMORYTYPE_HOST)
    return;
  const std::uint64_t pitch = from.srcPitch != 0 ? from.srcPitch : from.WidthInBytes;
  const std::uint64_t height = rows_a_slice != 0 ? rows_a_slice : from.Height;
  pieces.push_back({at(begin, (first_slice * height + from.srcY) * pitch + from.srcXInBytes),
                    from.WidthInBytes, from.Height, pitch, slices, height * pitch});
}

std::vector<ContentReader::Piece> ContentReader::pieces_of(CUpti_CallbackId id,
                                                           const CUpti_CallbackData& data) const {
  std::vector<Piece> pieces;
  const auto take_if_host = [&](CUdeviceptr from, std::uint64_t bytes) {
    if (on_host(from)) pieces.push_back({reinterpret_cast<const void*>(from), bytes});
  };
  if (is_in(plain, id)) {
    const auto& from = params<cuMemcpyHtoD_v2_params>(data);  // the asynchronous one begins with the same
    pieces.push_back({from.srcHost, from.ByteCount});
  } else if (is_in(either, id)) {
    const auto& from = params<cuMemcpy_params>(data);  // likewise
    take_if_host(from.src, from.ByteCount);
  } else if (is_in(to_array, id)) {
    const auto& from = params<cuMemcpyHtoA_v2_params>(data);  // likewise
    pieces.push_back({from.srcHost, from.ByteCount});
  } else if (is_in(flat, id)) {
    if (const CUDA_MEMCPY2D* from = params<cuMemcpy2D_v2_params>(data).pCopy; from != nullptr)  // likewise
      add_box(pieces, *from, 0, 0, 1);
  } else if (is_in(solid, id)) {
    if (const CUDA_MEMCPY3D* from = params<cuMemcpy3D_v2_params>(data).pCopy; from != nullptr)  // likewise
      add_box(pieces, *from, from->srcZ, from->srcHeight, from->Depth);
  } else if (is_in(batches, id)) {
    const auto& from = params<cuMemcpyBatchAsync_params>(data);  // the second version begins with the same
    for (std::size_t i = 0; i < from.count; ++i) take_if_host(from.srcs[i], from.sizes[i]);
  }
  return pieces;
}

std::optional<trace::Content> ContentReader::take(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite != CUPTI_API_ENTER || data.functionParams == nullptr) return std::nullopt;
  const std::vector<Piece> pieces = pieces_of(id, data);
  std::uint64_t bytes = 0;
  for (const Piece& one : pieces) bytes += one.bytes * one.rows * one.slices;
  if (bytes == 0) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
    if (problem_.empty() && bytes_ > most_bytes) problem_ = "more than 8 GB";
    if (problem_.empty() && took_ > longest) problem_ = "more than 2 s of hashing";
    if (!problem_.empty()) return std::nullopt;
  }
  const auto begin = std::chrono::steady_clock::now();
  SHA256_CTX hash;
  SHA256_Init(&hash);
  std::vector<std::uint64_t> words;
  for (const Piece& one : pieces)
    for (std::uint64_t slice = 0; slice < one.slices; ++slice)
      for (std::uint64_t row = 0; row < one.rows; ++row) {
        const std::byte* const from = at(one.from, slice * one.depth + row * one.pitch);
        if (bytes > small || one.bytes % sizeof(std::uint64_t) != 0) {
          SHA256_Update(&hash, from, one.bytes);
          continue;
        }
        words.resize(one.bytes / sizeof(std::uint64_t));
        std::memcpy(words.data(), from, one.bytes);
        replace_addresses(words);
        SHA256_Update(&hash, words.data(), words.size() * sizeof(std::uint64_t));
      }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> all{};
  SHA256_Final(all.data(), &hash);
  trace::Content content{data.correlationId, {}};
  std::memcpy(content.hash, all.data(), sizeof content.hash);
  const std::lock_guard lock(mutex_);
  took_ += std::chrono::steady_clock::now() - begin;
  return content;
}

// An address takes four words: a mark, which no address is, the allocation's number and size, and the offset.
void ContentReader::replace_addresses(std::vector<std::uint64_t>& words) {
  constexpr std::uint64_t of_device = ~std::uint64_t{1}, of_host = ~std::uint64_t{2};
  if (std::none_of(words.begin(), words.end(), may_be_address)) return;
  std::vector<std::uint64_t> all;
  const std::lock_guard lock(mutex_);
  for (const std::uint64_t value : words) {
    const Word word = may_be_address(value) ? cuda::word_of(driver_, value) : Word{};
    if (word.memory != Word::Memory::none && word.allocation.contains(value)) {
      const auto [place, fresh] = numbers_.try_emplace(word.id, numbers_.size());
      if (fresh && word.memory == Word::Memory::host) shared_ += word.allocation.bytes;
      const std::uint64_t number = place->second;
      all.insert(all.end(), {of_device, number, word.allocation.bytes, value - word.allocation.begin});
    } else if (may_be_address(value) && host_.contain(value)) {
      all.push_back(of_host);
    } else {
      all.push_back(value);
    }
  }
  words = std::move(all);
}

std::uint64_t ContentReader::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::uint64_t ContentReader::shared_bytes() const {
  const std::lock_guard lock(mutex_);
  return shared_;
}

std::string ContentReader::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace harness::inject

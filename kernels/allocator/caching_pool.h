// CachingPool: memory that is taken from a source in segments, cut into blocks, and kept when it is given
// back. Sizes of segments, and when a block is cut, are those of PyTorch's caching allocator (c10/cuda,
// CUDACachingAllocator.cpp). Free pieces lie in bins by size, of which a bitmap tells the first that is not
// empty, as in Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems" (2004). Both
// operations take constant time. The notes on pieces are in host memory, so the memory itself is never
// touched.
//
// A block that is given back is handed out again at once. On a GPU this is right where all work on the blocks
// is on one stream. One thread uses a pool. Host code.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace allocator {

// Where a pool takes its segments from.
class MemorySource {
 public:
  MemorySource() = default;
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;
  virtual ~MemorySource() = default;

  // `bytes` at an address that is a multiple of CachingPool::granule; null where there are not so many.
  virtual void* take(std::size_t bytes) = 0;
  virtual void give(void* segment) = 0;
};

class CachingPool {
 public:
  static constexpr std::size_t granule = 512;  // sizes and addresses of blocks are multiples
  static constexpr std::size_t small_bytes = std::size_t{1} << 20U;  // blocks up to this are small
  static constexpr std::size_t small_segment = std::size_t{2} << 20U;
  static constexpr std::size_t large_segment = std::size_t{20} << 20U;
  static constexpr std::size_t largest_shared = std::size_t{10} << 20U;  // larger ones get their own segment

  struct Block {
    void* address = nullptr;
    std::int32_t piece = -1;
  };

  explicit CachingPool(MemorySource& source) : source_(source) {
    for (Bins& bins : bins_) bins.first.fill(-1);
  }
  // All blocks must have been given back.
  ~CachingPool() { release(); }
  CachingPool(const CachingPool&) = delete;
  CachingPool& operator=(const CachingPool&) = delete;

  // A block of at least `bytes`, more than 0. Throws std::runtime_error where the source has no more.
  Block take(std::size_t bytes) {
    const std::size_t wanted = (bytes + granule - 1) / granule * granule;
    const bool small = wanted <= small_bytes;
    Bins& bins = bins_[small ? 0 : 1];
    std::int32_t found = find(bins, wanted);
    if (found < 0)
      found = grow(wanted, small);
    else
      unlink(bins, found);
    const std::size_t rest = pieces_[place(found)].bytes - wanted;
    if (small ? rest > 0 : rest > small_bytes) cut(bins, found, wanted);
    Piece& piece = pieces_[place(found)];
    piece.free = false;
    return {piece.begin, found};
  }

  // Joins the block with free neighbours.
  void give(const Block& block) {
    std::int32_t kept = block.piece;
    Bins& bins = bins_[pieces_[place(kept)].small ? 0 : 1];
    const std::int32_t after = pieces_[place(kept)].after, before = pieces_[place(kept)].before;
    if (after >= 0 && pieces_[place(after)].free) {
      unlink(bins, after);
      join(kept, after);
    }
    if (before >= 0 && pieces_[place(before)].free) {
      unlink(bins, before);
      join(before, kept);
      kept = before;
    }
    link(bins, kept);
  }

  // Gives the source all segments back in which no block is left.
  void release() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Piece& piece = pieces_[i];
      if (!piece.free || piece.before >= 0 || piece.after >= 0) continue;
      unlink(bins_[piece.small ? 0 : 1], static_cast<std::int32_t>(i));
      reserved_ -= piece.bytes;
      source_.give(piece.begin);
      piece.free = false;
      unused_.push_back(static_cast<std::int32_t>(i));
    }
  }

  // Bytes of all segments now, and at most so far.
  [[nodiscard]] std::size_t reserved() const { return reserved_; }
  [[nodiscard]] std::size_t most_reserved() const { return most_reserved_; }

 private:
  // A stretch of a segment: a block, or free. Numbers of others, -1 for none.
  struct Piece {
    unsigned char* begin = nullptr;
    std::size_t bytes = 0;
    std::int32_t before = -1, after = -1;   // beside it in the segment
    std::int32_t previous = -1, next = -1;  // in its bin
    bool free = false;
    bool small = false;
  };

  // Below 16 granules a bin has one size. Above, 16 bins share each power of two.
  static constexpr unsigned fine_bits = 4;
  static constexpr std::size_t fine = std::size_t{1} << fine_bits;
  static constexpr std::size_t bin_count = 640;
  struct Bins {
    std::array<std::int32_t, bin_count> first = {};
    std::array<std::uint64_t, bin_count / 64> filled = {};  // a bit a bin
    std::uint64_t filled_words = 0;                         // a bit for each word above that is not 0
  };

  static std::size_t place(std::int32_t piece) { return static_cast<std::size_t>(piece); }

  static std::size_t bin_of(std::size_t bytes) {
    const std::size_t granules = bytes / granule;
    if (granules < fine) return granules;
    const unsigned shift = static_cast<unsigned>(std::bit_width(granules)) - 1 - fine_bits;
    return (shift + 1) * fine + ((granules >> shift) & (fine - 1));
  }

  // The first bin in which every piece has `bytes`.
  static std::size_t bin_that_fits(std::size_t bytes) {
    const std::size_t granules = bytes / granule;
    if (granules < fine) return granules;
    const unsigned shift = static_cast<unsigned>(std::bit_width(granules)) - 1 - fine_bits;
    return bin_of((granules + (std::size_t{1} << shift) - 1) * granule);
  }

  // A free piece of at least `wanted` bytes, or -1. A few pieces of the block's own bin are tried first,
  // because a training step asks for the same sizes again.
  [[nodiscard]] std::int32_t find(const Bins& bins, std::size_t wanted) const {
    constexpr int tries = 4;
    std::int32_t piece = bins.first[bin_of(wanted)];
    for (int i = 0; i < tries && piece >= 0; ++i, piece = pieces_[place(piece)].next)
      if (pieces_[place(piece)].bytes >= wanted) return piece;
    const std::size_t bin = bin_that_fits(wanted);
    std::size_t word = bin / 64;
    std::uint64_t bits = bins.filled[word] & (~std::uint64_t{0} << (bin % 64));
    if (bits == 0) {
      const std::uint64_t later = bins.filled_words & ~((std::uint64_t{2} << word) - 1);
      if (later == 0) return -1;
      word = static_cast<std::size_t>(std::countr_zero(later));
      bits = bins.filled[word];
    }
    return bins.first[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
  }

  void link(Bins& bins, std::int32_t index) {
    Piece& piece = pieces_[place(index)];
    const std::size_t bin = bin_of(piece.bytes);
    piece.free = true;
    piece.previous = -1;
    piece.next = bins.first[bin];
    if (piece.next >= 0) pieces_[place(piece.next)].previous = index;
    bins.first[bin] = index;
    bins.filled[bin / 64] |= std::uint64_t{1} << (bin % 64);
    bins.filled_words |= std::uint64_t{1} << (bin / 64);
  }

  void unlink(Bins& bins, std::int32_t index) {
    Piece& piece = pieces_[place(index)];
    piece.free = false;
    if (piece.next >= 0) pieces_[place(piece.next)].previous = piece.previous;
    if (piece.previous >= 0) {
      pieces_[place(piece.previous)].next = piece.next;
      return;
    }
    const std::size_t bin = bin_of(piece.bytes);
    bins.first[bin] = piece.next;
    if (piece.next >= 0) return;
    bins.filled[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
    if (bins.filled[bin / 64] == 0) bins.filled_words &= ~(std::uint64_t{1} << (bin / 64));
  }

  std::int32_t new_piece() {
    if (unused_.empty()) {
      pieces_.emplace_back();
      return static_cast<std::int32_t>(pieces_.size()) - 1;
    }
    const std::int32_t piece = unused_.back();
    unused_.pop_back();
    pieces_[place(piece)] = {};
    return piece;
  }

  // A new segment as one piece.
  std::int32_t grow(std::size_t wanted, bool small) {
    const std::size_t bytes = small ? small_segment
                              : wanted < largest_shared
                                  ? large_segment
                                  : (wanted + small_segment - 1) / small_segment * small_segment;
    void* segment = source_.take(bytes);
    if (segment == nullptr) {
      release();
      segment = source_.take(bytes);
    }
    if (segment == nullptr)
      throw std::runtime_error("the pool holds " + std::to_string(reserved_) + " bytes and gets no further " +
                               std::to_string(bytes));
    reserved_ += bytes;
    most_reserved_ = std::max(most_reserved_, reserved_);
    const std::int32_t piece = new_piece();
    pieces_[place(piece)].begin = static_cast<unsigned char*>(segment);
    pieces_[place(piece)].bytes = bytes;
    pieces_[place(piece)].small = small;
    return piece;
  }

  // Leaves `wanted` bytes in the piece, and the rest as a free one behind it.
  void cut(Bins& bins, std::int32_t index, std::size_t wanted) {
    const std::int32_t rest = new_piece();
    Piece &piece = pieces_[place(index)], &behind = pieces_[place(rest)];
    behind.begin = piece.begin + wanted;
    behind.bytes = piece.bytes - wanted;
    behind.small = piece.small;
    behind.before = index;
    behind.after = piece.after;
    if (behind.after >= 0) pieces_[place(behind.after)].before = rest;
    piece.bytes = wanted;
    piece.after = rest;
    link(bins, rest);
  }

  // `second`, which lies behind `first`, becomes a part of it.
  void join(std::int32_t first, std::int32_t second) {
    Piece &kept = pieces_[place(first)], &gone = pieces_[place(second)];
    kept.bytes += gone.bytes;
    kept.after = gone.after;
    if (kept.after >= 0) pieces_[place(kept.after)].before = first;
    gone.free = false;
    unused_.push_back(second);
  }

  MemorySource& source_;
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> unused_;  // numbers of pieces that are none any more
  std::array<Bins, 2> bins_;          // of small and of large pieces
  std::size_t reserved_ = 0;
  std::size_t most_reserved_ = 0;
};

}  // namespace allocator

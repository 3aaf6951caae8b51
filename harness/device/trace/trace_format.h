// Trace file: what one traced process asked of its GPUs, in the order in which it was learnt. The injected
// library writes it (device/cuda/inject/), trace_reader.h reads it. README.md of this folder describes it.
//
// A file is a FileHeader and then records. A record begins with a RecordHead, whose `bytes` tells where the
// next one begins; a reader skips kinds that it does not know. All numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace harness::trace {

inline constexpr char magic[8] = {'H', 'R', 'N', 'T', 'R', 'A', 'C', 'E'};
inline constexpr std::uint32_t trace_version = 5;
inline constexpr const char* file_ending = ".trace";
inline constexpr std::uint16_t longest_text = 32'000;  // bytes; longer ones are cut

struct FileHeader {
  char mark[8] = {};
  std::uint32_t version = trace_version;
  std::uint32_t bytes = sizeof(FileHeader);  // of this header; later versions may append to it
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  std::uint64_t began = 0;  // Unix time in ns
};

enum class RecordKind : std::uint8_t {
  text = 1,
  shape,
  launch,
  transfer,
  range,
  fact,
  tally,
  asked,
  words,
  contents,
  ordered,
  called
};

struct RecordHead {
  RecordKind kind{};
  std::uint8_t flags = 0;
  std::uint16_t bytes = 0;  // of the whole record
};

// Followed by the text. Ids count from 1, in order; 0 is no text.
struct TextRecord {
  RecordHead head;
  std::uint32_t id = 0;
};

// A kernel as it is launched. Ids count from 1, in order.
struct ShapeRecord {
  RecordHead head;
  std::uint32_t id = 0;
  std::uint32_t name = 0;  // text: the mangled name
  std::uint32_t code = 0;  // text: hash of its machine code; 0: unknown
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t cluster[3] = {};
  std::uint32_t registers = 0;       // a thread
  std::uint32_t static_shared = 0;   // bytes a block
  std::uint32_t dynamic_shared = 0;  // bytes a block
  std::uint32_t local = 0;           // bytes a thread
  std::uint32_t cooperative = 0;     // how it is launched, as CUPTI numbers it
  std::uint32_t cache = 0;           // preference between L1 cache and shared memory, as CUPTI numbers it
  std::uint32_t carveout = 0;        // asked for shared memory: percent + 1; 0: nothing
  std::uint32_t scheduling = 0;      // of clusters, as CUPTI numbers it
};

// Times are ns on the profiler's clock. Correlations are numbered in the order of the host's calls.
struct LaunchRecord {
  RecordHead head;
  std::uint32_t shape = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t correlation = 0;
  std::uint32_t stream = 0;
  std::uint16_t device = 0;
  std::uint16_t context = 0;
  std::uint32_t node = 0;  // of a graph; 0: launched without one
};

// A copy or a fill of memory.
struct TransferRecord {
  RecordHead head;
  std::uint8_t fill = 0;  // 1: a fill
  std::uint8_t way = 0;   // of a copy: a Way
  std::uint16_t device = 0;
  std::uint64_t size = 0;  // bytes
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t correlation = 0;
  std::uint32_t stream = 0;
  std::uint32_t value = 0;  // of a fill
  std::uint32_t node = 0;
};
enum class Way : std::uint8_t { other, to_device, to_host, on_device, to_peer };

// An NVTX range of one thread that has ended.
struct RangeRecord {
  RecordHead head;
  std::uint32_t name = 0;    // text
  std::uint32_t domain = 0;  // text; 0: the default domain
  std::uint32_t thread = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t first = 0;  // correlation of the last launch before it
  std::uint32_t last = 0;   // of the last launch in it; both 0: launches were not counted
};

// Followed by Asked entries up to the end of the record: the launches that the host asked for, in pieces.
struct AskedRecord {
  RecordHead head;
};
struct Asked {
  std::uint32_t correlation = 0;  // of the call; that of its launch is the same, or comes shortly before
  // The hash of everything that the call was given beside the shape: arguments, with addresses as allocations
  // and offsets, and attributes. 0: something could not be read.
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};
inline constexpr std::size_t most_asked = 5'000;  // of one record

// Followed by a hash of 32 bits for each word that went into the hash of an Asked, in the same order; once
// for each such hash.
struct WordsRecord {
  RecordHead head;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};
inline constexpr std::size_t most_words = 16'000;                      // of one record
inline constexpr std::size_t most_word_bytes = std::size_t{16} << 20;  // of a file; then no more are written

// Followed by Content entries up to the end of the record: what copies took from the host, in pieces.
struct ContentsRecord {
  RecordHead head;
};
struct Content {
  std::uint32_t correlation = 0;  // of the call; that of its copy is the same
  std::uint32_t hash[4] = {};     // the first 128 bits of the SHA-256 of the bytes
};
inline constexpr std::size_t most_contents = 3'000;  // of one record

// Followed by Ordered entries up to the end of the record: the calls that put streams in order, in pieces.
struct OrderedRecord {
  RecordHead head;
};
struct Ordered {
  std::uint32_t correlation = 0;
  std::uint32_t what =
      0;  // hash of what the call does: records an event in a stream, or lets one wait for it
};
inline constexpr std::size_t most_ordered = 8'000;  // of one record

// Followed by Called entries up to the end of the record: where launches were made, in pieces.
struct CalledRecord {
  RecordHead head;
};
struct Called {
  std::uint32_t correlation = 0;  // of the call
  std::uint32_t site = 0;         // text, as LaunchSites reads it
};
inline constexpr std::size_t most_called = 8'000;  // of one record

enum class FactCode : std::uint32_t {
  refused_by = 1,  // CUPTI is held by this tool, so there are no records
  problem,         // a function of CUPTI failed, so there may be no records
  cupti,           // file of the library
  unread,          // why no call's arguments are read
  machine,         // GPUs and driver, in words
  by_handle,       // no text: a launch whose shape has no code has that of its module in its hash
  hashed,          // bytes that were hashed, in digits: the contents of all copies from the host are told
  unhashed,        // why not those of all are
  shared,          // bytes of memory that the host and the GPU share, in digits; one more each time
};

struct FactRecord {
  RecordHead head;
  FactCode code{};
  std::uint32_t text = 0;
};

// So far. The last one counts.
struct TallyRecord {
  RecordHead head;
  std::uint32_t ended = 0;     // 1: written at the end of the process, after the last records
  std::uint64_t launches = 0;  // records of launches and transfers
  std::uint64_t dropped = 0;   // records that CUPTI dropped
  std::uint64_t lost = 0;      // records that could not be written
  std::uint64_t clock = 0;     // ns
};

static_assert(sizeof(RecordHead) == 4 && sizeof(LaunchRecord) == 40 && sizeof(TransferRecord) == 48 &&
              sizeof(Asked) == 12 && sizeof(WordsRecord) == 12 && sizeof(Content) == 20);
static_assert(std::is_trivially_copyable_v<ShapeRecord> && std::is_trivially_copyable_v<RangeRecord>);

}  // namespace harness::trace

// Reads a trace file (trace_format.h) of any version so far. The bytes may be anything: a broken record is an
// error that names its offset. Pure, but for read_traces().
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/trace/launch_sites.h"
#include "harness/device/trace/trace_format.h"

namespace harness::trace {

// A kernel as it is launched.
struct Shape {
  std::string name;  // mangled
  std::string code;  // hash of its machine code, "" when unknown
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  std::array<std::int64_t, 3> cluster{};
  int registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t local_bytes = 0;
  std::array<std::int64_t, 4> settings{};  // `cooperative` and what follows in ShapeRecord

  bool operator==(const Shape&) const = default;
};

struct Launch {
  std::uint32_t shape = 0;  // index
  std::uint32_t correlation = 0;
  std::uint64_t start = 0;  // ns
  std::uint64_t end = 0;
  std::uint32_t stream = 0;
  std::uint32_t device = 0;
  std::uint32_t node = 0;
  std::uint64_t given = 0;  // hash of arguments and attributes (Asked); 0: unknown
  std::uint32_t site = 0;   // number of a site, from 1; 0: unknown
};

struct Transfer {
  bool fill = false;
  Way way = Way::other;
  std::uint64_t size = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t correlation = 0;
  std::uint32_t stream = 0;
  std::uint32_t device = 0;
  std::uint32_t value = 0;
  std::uint32_t node = 0;
  std::array<std::uint32_t, 4> content{};  // hash of what comes from the host (Content); all 0: unknown
};

struct Range {
  std::string name;
  std::string domain;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t first = 0;  // see RangeRecord
  std::uint32_t last = 0;
};

// One process.
struct ProcessTrace {
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  std::string refused_by;    // the tool that holds CUPTI, or ""
  std::string problem;       // a function of CUPTI that failed, or ""
  std::string cupti;         // file of the library
  std::string unread;        // why no launch's arguments are known, or ""
  std::string machine;       // GPUs and driver, in words
  bool by_handle = false;    // a launch whose shape has no code has that of its module in `given`
  bool hashed = false;       // the contents of copies from the host are told
  std::string unhashed;      // why not those of all are, or ""
  std::uint64_t shared = 0;  // bytes of memory that the host and the GPU share
  std::vector<Shape> shapes;
  std::vector<Launch> launches;     // in the order of the host's calls
  std::vector<Transfer> transfers;  // likewise
  std::vector<Range> ranges;        // in the order in which they began
  std::vector<Site> sites;          // see Called
  std::vector<Ordered> ordered;     // calls that put streams in order, in the order of the host's calls
  // Hashes of the words behind the hash `given` of a launch. Not all launches need have them.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> words;
  std::uint64_t dropped = 0;    // by CUPTI
  std::uint64_t lost = 0;       // by the writer
  std::uint64_t untimed = 0;    // records without a start or an end
  std::uint64_t backwards = 0;  // records that end before they start
  bool ended = false;           // the process wrote its last records
  std::uint64_t bytes = 0;      // of the file
};

// `file` is for errors.
Result<ProcessTrace> read_trace(std::string_view bytes, const std::string& file);

// All processes of a folder, in the order in which they began.
Result<std::vector<ProcessTrace>> read_traces(const std::filesystem::path& folder);

}  // namespace harness::trace

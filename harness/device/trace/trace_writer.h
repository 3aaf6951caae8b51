// TraceWriter: writes a trace file (trace_format.h) in large pieces. One thread at a time; the caller locks.
//
//   TraceWriter writer;
//   writer.open("/tmp/t/123.trace", 123, 1);
//   writer.launch(shape, record);      // interns the shape and its texts
//   writer.tally(dropped, clock, false);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/device/trace/trace_format.h"

namespace harness::trace {

class TraceWriter {
 public:
  TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  ~TraceWriter();  // writes what is buffered

  // Makes the file, which must not exist. False: it cannot be made, with errno.
  bool open(const char* path, std::uint32_t pid, std::uint32_t parent);
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  // Closes the file without writing what is buffered: of a child process that has a copy of this object.
  void abandon();

  // The id of a text, which is written when it is new. "" has the id 0.
  std::uint32_t text(std::string_view text);
  // `name` and `code` of the shape are ids of texts; its own id and head are filled in.
  std::uint32_t shape(ShapeRecord shape);
  void launch(LaunchRecord launch);
  void transfer(TransferRecord transfer);
  void range(RangeRecord range);
  void fact(FactCode code, std::string_view told);
  void asked(std::span<const Asked> calls);
  // The words behind the hash `given`, at most most_words.
  void words(std::uint64_t given, std::span<const std::uint32_t> hashes);
  void contents(std::span<const Content> copies);
  void ordered(std::span<const Ordered> calls);
  void called(std::span<const Called> calls);
  // Writes all that is buffered, and how much there is.
  void tally(std::uint64_t dropped, std::uint64_t clock, bool ended);

 private:
  void put(const void* bytes, std::size_t count);
  template <class Record>
  void put_record(Record& record, RecordKind kind);
  // Entries in records of at most so many.
  template <class Record, class Entry>
  void put_entries(RecordKind kind, std::span<const Entry> entries, std::size_t most);
  void write_out();

  int descriptor_ = -1;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::string, std::uint32_t> shapes_;  // by their bytes
  std::uint64_t events_ = 0;
  std::uint64_t buffered_events_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace harness::trace

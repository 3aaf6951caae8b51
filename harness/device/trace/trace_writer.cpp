#include "harness/device/trace/trace_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace harness::trace {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

// False: the rest cannot be written.
bool write_all(int descriptor, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

TraceWriter::~TraceWriter() {
  if (!is_open()) return;
  write_out();
  ::close(descriptor_);
}

bool TraceWriter::open(const char* path, std::uint32_t pid, std::uint32_t parent) {
  descriptor_ = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (!is_open()) return false;
  buffer_.resize(buffer_bytes);
  FileHeader header;
  std::memcpy(header.mark, magic, sizeof magic);
  header.pid = pid;
  header.parent = parent;
  header.began = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                std::chrono::system_clock::now().time_since_epoch())
                                                .count());
  put(&header, sizeof header);
  write_out();  // so that the file of a killed process can be read
  return is_open();
}

void TraceWriter::abandon() {
  if (is_open()) ::close(descriptor_);
  descriptor_ = -1;
}

// After a failed write the file ends within a record, so nothing more is written.
void TraceWriter::write_out() {
  if (used_ > 0 && !write_all(descriptor_, buffer_.data(), used_)) {
    lost_ += buffered_events_;
    abandon();
  }
  used_ = 0;
  buffered_events_ = 0;
}

void TraceWriter::put(const void* bytes, std::size_t count) {
  if (!is_open()) return;
  if (used_ + count > buffer_.size()) write_out();
  if (!is_open()) return;
  std::memcpy(buffer_.data() + used_, bytes, count);
  used_ += count;
}

template <class Record>
void TraceWriter::put_record(Record& record, RecordKind kind) {
  record.head = {kind, record.head.flags, static_cast<std::uint16_t>(sizeof record)};
  put(&record, sizeof record);
}

std::uint32_t TraceWriter::text(std::string_view text) {
  if (text.empty()) return 0;
  text = text.substr(0, longest_text);
  const auto [known, fresh] =
      texts_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size() + 1));
  if (!fresh) return known->second;
  TextRecord record;
  record.head = {RecordKind::text, 0, static_cast<std::uint16_t>(sizeof record + text.size())};
  record.id = known->second;
  put(&record, sizeof record);
  put(text.data(), text.size());
  return known->second;
}

std::uint32_t TraceWriter::shape(ShapeRecord shape) {
  shape.head = {};
  shape.id = 0;
  std::string bytes(sizeof shape, '\0');
  std::memcpy(bytes.data(), &shape, sizeof shape);
  const auto [known, fresh] =
      shapes_.try_emplace(std::move(bytes), static_cast<std::uint32_t>(shapes_.size() + 1));
  if (!fresh) return known->second;
  shape.id = known->second;
  put_record(shape, RecordKind::shape);
  return known->second;
}

void TraceWriter::launch(LaunchRecord launch) {
  put_record(launch, RecordKind::launch);
  ++events_;
  ++buffered_events_;
}

void TraceWriter::transfer(TransferRecord transfer) {
  put_record(transfer, RecordKind::transfer);
  ++events_;
  ++buffered_events_;
}

void TraceWriter::range(RangeRecord range) {
  put_record(range, RecordKind::range);
}

void TraceWriter::fact(FactCode code, std::string_view told) {
  FactRecord record;
  record.code = code;
  record.text = text(told);
  put_record(record, RecordKind::fact);
}

template <class Record, class Entry>
void TraceWriter::put_entries(RecordKind kind, std::span<const Entry> entries, std::size_t most) {
  while (!entries.empty()) {
    const std::span<const Entry> piece = entries.first(std::min(entries.size(), most));
    Record record;
    record.head = {kind, 0, static_cast<std::uint16_t>(sizeof record + piece.size_bytes())};
    put(&record, sizeof record);
    put(piece.data(), piece.size_bytes());
    entries = entries.subspan(piece.size());
  }
}

void TraceWriter::asked(std::span<const Asked> calls) {
  put_entries<AskedRecord>(RecordKind::asked, calls, most_asked);
}

void TraceWriter::contents(std::span<const Content> copies) {
  put_entries<ContentsRecord>(RecordKind::contents, copies, most_contents);
}

void TraceWriter::ordered(std::span<const Ordered> calls) {
  put_entries<OrderedRecord>(RecordKind::ordered, calls, most_ordered);
}

void TraceWriter::called(std::span<const Called> calls) {
  put_entries<CalledRecord>(RecordKind::called, calls, most_called);
}

void TraceWriter::words(std::uint64_t given, std::span<const std::uint32_t> hashes) {
  WordsRecord record;
  record.head = {RecordKind::words, 0, static_cast<std::uint16_t>(sizeof record + hashes.size_bytes())};
  record.low = static_cast<std::uint32_t>(given);
  record.high = static_cast<std::uint32_t>(given >> 32);
  put(&record, sizeof record);
  put(hashes.data(), hashes.size_bytes());
}

void TraceWriter::tally(std::uint64_t dropped, std::uint64_t clock, bool ended) {
  TallyRecord record;
  record.ended = ended ? 1 : 0;
  record.launches = events_;
  record.dropped = dropped;
  record.lost = lost_;
  record.clock = clock;
  put_record(record, RecordKind::tally);
  if (is_open()) write_out();
}

}  // namespace harness::trace

#include "harness/device/trace/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness::trace {
namespace fs = std::filesystem;
namespace {

template <class Record>
void sort_by_call(std::vector<Record>& records) {
  const auto key = [](const Record& one) { return std::tuple(one.correlation, one.node, one.start); };
  const auto before = [&](const Record& one, const Record& other) { return key(one) < key(other); };
  if (!std::is_sorted(records.begin(), records.end(), before))
    std::stable_sort(records.begin(), records.end(), before);
}

// The numbers of everything that the device did, in order.
std::vector<std::uint32_t> numbers_of(const ProcessTrace& trace) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(trace.launches.size() + trace.transfers.size());
  for (const Launch& one : trace.launches) numbers.push_back(one.correlation);
  for (const Transfer& one : trace.transfers) numbers.push_back(one.correlation);
  if (!trace.transfers.empty()) std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The call of a launch or copy is the first that comes with its number or after it, before that of the next.
// Calls while a graph is captured have none.
template <class Call, class Record, class Take>
void join(std::vector<Call>& calls, std::vector<Record>& records, const std::vector<std::uint32_t>& numbers,
          const Take& take) {
  const auto before = [](const Call& one, const Call& other) { return one.correlation < other.correlation; };
  if (!std::is_sorted(calls.begin(), calls.end(), before))
    std::stable_sort(calls.begin(), calls.end(), before);
  auto call = calls.begin();
  auto next = numbers.begin();
  for (Record& one : records) {
    while (call != calls.end() && call->correlation < one.correlation) ++call;
    while (next != numbers.end() && *next <= one.correlation) ++next;
    if (call == calls.end() || (next != numbers.end() && call->correlation >= *next)) continue;
    take(one, *call);
  }
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Result<ProcessTrace> read() {
    read_header();
    while (!error_ && at_ < bytes_.size() && read_record()) {
    }
    if (error_) return fail(*error_);
    if (trace_.ended) count_missing();
    trace_.bytes = bytes_.size();
    sort_by_call(trace_.launches);
    sort_by_call(trace_.transfers);
    const std::vector<std::uint32_t> numbers = numbers_of(trace_);
    join(asked_, trace_.launches, numbers,
         [](Launch& launch, const Asked& call) { launch.given = call.low | std::uint64_t{call.high} << 32; });
    join(called_, trace_.launches, numbers,
         [](Launch& launch, const Called& call) { launch.site = call.site; });
    join(contents_, trace_.transfers, numbers, [](Transfer& copy, const Content& call) {
      if (copy.way == Way::to_device && !copy.fill)
        std::copy_n(call.hash, copy.content.size(), copy.content.begin());
    });
    std::stable_sort(
        trace_.ordered.begin(), trace_.ordered.end(),
        [](const Ordered& one, const Ordered& other) { return one.correlation < other.correlation; });
    std::stable_sort(trace_.ranges.begin(), trace_.ranges.end(),
                     [](const Range& one, const Range& other) { return one.begin < other.begin; });
    return std::move(trace_);
  }

 private:
  void read_header() {
    FileHeader header;
    if (bytes_.size() < sizeof header) return refuse("has no whole header");
    std::memcpy(&header, bytes_.data(), sizeof header);
    if (std::memcmp(header.mark, magic, sizeof magic) != 0) return refuse("is no trace of the harness");
    if (header.version != trace_version)
      return refuse(fmt::format("has version {}; this program reads {}", header.version, trace_version));
    if (header.bytes < sizeof header || header.bytes > bytes_.size())
      return refuse(fmt::format("has a header of {} bytes", header.bytes));
    trace_.pid = header.pid;
    trace_.parent = header.parent;
    at_ = header.bytes;
  }

  // False at a record that the process did not write in full, because it was killed.
  bool read_record() {
    RecordHead head;
    if (bytes_.size() - at_ < sizeof head) return false;
    std::memcpy(&head, bytes_.data() + at_, sizeof head);
    if (head.bytes < sizeof head) {
      refuse(fmt::format("a record of {} bytes", head.bytes));
      return false;
    }
    if (head.bytes > bytes_.size() - at_) return false;
    record_ = bytes_.substr(at_, head.bytes);
    take(head);
    at_ += head.bytes;
    return true;
  }

  void take(const RecordHead& head) {
    switch (head.kind) {
      case RecordKind::text: return with<TextRecord>([this](const TextRecord& one) { take_text(one); });
      case RecordKind::shape: return with<ShapeRecord>([this](const ShapeRecord& one) { take_shape(one); });
      case RecordKind::launch:
        return with<LaunchRecord>([this](const LaunchRecord& one) { take_launch(one); });
      case RecordKind::transfer:
        return with<TransferRecord>([this](const TransferRecord& one) { take_transfer(one); });
      case RecordKind::range: return with<RangeRecord>([this](const RangeRecord& one) { take_range(one); });
      case RecordKind::fact: return with<FactRecord>([this](const FactRecord& one) { take_fact(one); });
      case RecordKind::asked: return take_entries<AskedRecord>(asked_);
      case RecordKind::called: return take_called();
      case RecordKind::ordered: return take_entries<OrderedRecord>(trace_.ordered);
      case RecordKind::contents: return take_entries<ContentsRecord>(contents_);
      case RecordKind::words: return with<WordsRecord>([this](const WordsRecord& one) { take_words(one); });
      case RecordKind::tally: return with<TallyRecord>([this](const TallyRecord& one) { take_tally(one); });
    }
  }

  template <class Record, class Take>
  void with(const Take& take) {
    Record record;
    if (record_.size() < sizeof record)
      return refuse(fmt::format("a record of kind {} with {} bytes instead of {}", record_.front() + 0,
                                record_.size(), sizeof record));
    std::memcpy(&record, record_.data(), sizeof record);
    take(record);
  }

  template <class Record, class Entry>
  void take_entries(std::vector<Entry>& all) {
    const std::string_view entries = record_.substr(sizeof(Record));
    if (entries.size() < sizeof(Entry)) return;
    const std::size_t known = all.size();
    all.resize(known + entries.size() / sizeof(Entry));
    std::memcpy(all.data() + known, entries.data(), (all.size() - known) * sizeof(Entry));
  }

  // The numbers of texts become those of sites.
  void take_called() {
    const std::size_t known = called_.size();
    take_entries<CalledRecord>(called_);
    for (std::size_t i = known; i < called_.size(); ++i) {
      const auto [site, fresh] = sites_.try_emplace(called_[i].site, trace_.sites.size() + 1);
      if (fresh) trace_.sites.push_back(launch_sites_.read(text(called_[i].site)));
      called_[i].site = static_cast<std::uint32_t>(site->second);
    }
  }

  void take_words(const WordsRecord& record) {
    const std::string_view hashes = record_.substr(sizeof record);
    std::vector<std::uint32_t>& words = trace_.words[record.low | std::uint64_t{record.high} << 32];
    words.resize(hashes.size() / sizeof(std::uint32_t));
    // Neither may be null for memcpy, not even without a word.
    if (!words.empty()) std::memcpy(words.data(), hashes.data(), words.size() * sizeof(std::uint32_t));
  }

  void take_text(const TextRecord& text) {
    if (text.id != texts_.size() + 1) return refuse(fmt::format("a text with the number {}", text.id));
    texts_.emplace_back(record_.substr(sizeof text));
  }

  std::string text(std::uint32_t id) {
    if (id == 0) return {};
    if (id <= texts_.size()) return texts_[id - 1];
    refuse(fmt::format("there is no text {}", id));
    return {};
  }

  void take_shape(const ShapeRecord& record) {
    if (record.id != trace_.shapes.size() + 1)
      return refuse(fmt::format("a kernel with the number {}", record.id));
    Shape shape;
    shape.name = text(record.name);
    shape.code = text(record.code);
    for (std::size_t i = 0; i < shape.grid.size(); ++i) {
      shape.grid.at(i) = record.grid[i];
      shape.block.at(i) = record.block[i];
      shape.cluster.at(i) = record.cluster[i];
    }
    shape.registers = static_cast<int>(std::min<std::uint32_t>(record.registers, 1U << 16));
    shape.static_shared_bytes = record.static_shared;
    shape.dynamic_shared_bytes = record.dynamic_shared;
    shape.local_bytes = record.local;
    shape.settings = {record.cooperative, record.cache, record.carveout, record.scheduling};
    trace_.shapes.push_back(std::move(shape));
  }

  // Whether a record has a time.
  bool check_times(std::uint64_t start, std::uint64_t end) {
    if (start == 0 || end == 0)
      ++trace_.untimed;
    else if (end < start)
      ++trace_.backwards;
    else
      return true;
    return false;
  }

  void take_launch(const LaunchRecord& record) {
    if (record.shape == 0 || record.shape > trace_.shapes.size())
      return refuse(fmt::format("there is no kernel {}", record.shape));
    ++read_;
    if (!check_times(record.start, record.end)) return;
    trace_.launches.push_back({record.shape - 1, record.correlation, record.start, record.end, record.stream,
                               record.device, record.node});
  }

  void take_transfer(const TransferRecord& record) {
    ++read_;
    if (!check_times(record.start, record.end)) return;
    trace_.transfers.push_back(
        {record.fill != 0,
         record.way <= static_cast<std::uint8_t>(Way::to_peer) ? static_cast<Way>(record.way) : Way::other,
         record.size, record.start, record.end, record.correlation, record.stream, record.device,
         record.value, record.node});
  }

  void take_range(const RangeRecord& record) {
    if (record.end < record.begin) return void(++trace_.backwards);
    trace_.ranges.push_back(
        {text(record.name), text(record.domain), record.begin, record.end, record.first, record.last});
  }

  void take_fact(const FactRecord& record) {
    switch (record.code) {
      case FactCode::refused_by: trace_.refused_by = text(record.text); return;
      case FactCode::problem:
        if (trace_.problem.empty()) trace_.problem = text(record.text);
        return;
      case FactCode::cupti: trace_.cupti = text(record.text); return;
      case FactCode::unread: trace_.unread = text(record.text); return;
      case FactCode::machine: trace_.machine = text(record.text); return;
      case FactCode::by_handle: trace_.by_handle = true; return;
      case FactCode::hashed: trace_.hashed = true; return;
      case FactCode::unhashed: trace_.unhashed = text(record.text); return;
      case FactCode::shared: trace_.shared += number_in(text(record.text)); return;
    }
  }

  void take_tally(const TallyRecord& record) {
    trace_.dropped = record.dropped;
    trace_.lost = record.lost;
    trace_.ended = record.ended != 0;
    written_ = record.launches;
  }

  // Records that the process wrote, and that are not in the file or that it did not count.
  void count_missing() {
    const std::uint64_t known = trace_.lost + read_;
    const std::uint64_t missing = written_ > known ? written_ - known : known - written_;
    trace_.lost += missing;
  }

  void refuse(const std::string& problem) {
    if (error_) return;
    error_ = Error{ErrorKind::usage, fmt::format("byte {}: {}", at_, problem), Location{file_},
                   "trace the program again"};
  }

  std::string_view bytes_;
  std::string file_;
  std::size_t at_ = 0;
  std::string_view record_;
  std::vector<std::string> texts_;
  std::vector<Asked> asked_;
  std::vector<Content> contents_;
  std::vector<Called> called_;
  LaunchSites launch_sites_;
  std::unordered_map<std::uint32_t, std::size_t> sites_;  // numbers, by those of texts
  std::uint64_t read_ = 0;                                // records of launches and transfers
  std::uint64_t written_ = 0;                             // likewise, by the last tally
  ProcessTrace trace_;
  std::optional<Error> error_;
};

}  // namespace

Result<ProcessTrace> read_trace(std::string_view bytes, const std::string& file) {
  return Reader(bytes, file).read();
}

Result<std::vector<ProcessTrace>> read_traces(const fs::path& folder) {
  std::vector<std::pair<std::string, fs::path>> files;  // by the time in their names
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(file_ending)) files.emplace_back(name.substr(name.find('-') + 1), entry.path());
  }
  if (code) return fail(ErrorKind::usage, Location{folder.string()}, "cannot be read: " + code.message());
  std::sort(files.begin(), files.end());
  std::vector<ProcessTrace> traces;
  for (const auto& [time, path] : files) {
    const Result<std::string> text = read_file(path);
    if (!text) return fail(text.error());
    Result<ProcessTrace> trace = read_trace(*text, path.string());
    if (!trace) return fail(trace.error());
    traces.push_back(std::move(*trace));
  }
  return traces;
}

}  // namespace harness::trace

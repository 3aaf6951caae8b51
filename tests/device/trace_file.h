// Trace files, made as the injected library makes them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/device/trace/trace_reader.h"
#include "harness/device/trace/trace_writer.h"

namespace harness::trace {

constexpr std::size_t asked_bytes = sizeof(AskedRecord) + sizeof(Asked);  // that follow a launch here

// Writes the trace of one process, a launch after the other.
class Program {
 public:
  explicit Program(const TemporaryFolder& folder, std::uint32_t pid = 7)
      : path_(folder.path() / (std::to_string(pid) + "-1.trace")) {
    EXPECT_TRUE(writer_.open(path_.c_str(), pid, 1));
  }

  // `given`: the hash of its arguments; `later`: the call's number beyond the launch's.
  void launch(const std::string& name, std::uint64_t ns, std::uint32_t grid = 8, std::uint32_t stream = 1,
              std::uint64_t given = 5, std::uint32_t later = 0) {
    ShapeRecord shape;
    shape.name = writer_.text(name);
    if (const auto code = codes_.find(name); code != codes_.end())
      shape.code = writer_.text(code->second);
    else
      shape.code = writer_.text("code of " + name);
    shape.grid[0] = grid;
    shape.grid[1] = shape.grid[2] = shape.block[1] = shape.block[2] = 1;
    shape.block[0] = 256;
    LaunchRecord record;
    record.shape = writer_.shape(shape);
    record.start = clock_;
    record.end = clock_ + ns;
    record.correlation = ++correlation_;
    record.stream = stream;
    record.node = node_;
    writer_.launch(record);
    clock_ += ns + pause_;
    ask(given, later);
  }
  // A copy from the host, of contents with this hash; 0: nobody saw its call.
  void upload(std::uint64_t ns, std::uint64_t bytes, std::uint32_t hash) {
    copy(ns, bytes, Way::to_device);
    const Content content{correlation_, {hash}};
    if (hash != 0) writer_.contents({&content, 1});
  }
  void copy(std::uint64_t ns, std::uint64_t bytes = 64, Way way = Way::to_host) {
    TransferRecord record;
    record.way = static_cast<std::uint8_t>(way);
    record.size = bytes;
    record.start = clock_;
    record.end = clock_ + ns;
    record.correlation = ++correlation_;
    writer_.transfer(record);
    clock_ += ns;
  }
  void fill(std::uint64_t ns, std::uint64_t bytes, std::uint32_t value) {
    TransferRecord record;
    record.fill = 1;
    record.value = value;
    record.size = bytes;
    record.start = clock_;
    record.end = clock_ + ns;
    record.correlation = ++correlation_;
    writer_.transfer(record);
    clock_ += ns;
  }
  // `work` inside an NVTX range.
  void range(const std::string& name, const std::function<void()>& work) {
    RangeRecord record;
    record.begin = clock_;
    record.first = correlation_;
    work();
    record.last = correlation_;
    record.end = clock_;
    record.name = writer_.text(name);
    writer_.range(record);
  }
  // The host asks for a launch, as the number `later` calls after the last one.
  void ask(std::uint64_t given, std::uint32_t later = 0) {
    const Asked asked{correlation_ + later, static_cast<std::uint32_t>(given),
                      static_cast<std::uint32_t>(given >> 32)};
    writer_.asked({&asked, 1});
  }
  // The launch before was made there: NVTX ranges, the line of Python and the host's function, a line each.
  void call_from(const std::string& site) {
    const Called called{correlation_, writer_.text(site)};
    writer_.called({&called, 1});
  }
  // The words behind the hash of a launch.
  void tell_words(std::uint64_t given, const std::vector<std::uint32_t>& words) {
    writer_.words(given, words);
  }
  void set_code(const std::string& name, const std::string& code) { codes_[name] = code; }
  void set_node(std::uint32_t node) { node_ = node; }  // of a graph that launches all that follow
  void again(std::uint32_t node) {                     // what follows is of the same call
    node_ = node;
    --correlation_;
  }
  // A call that puts streams in order.
  void order(std::uint32_t what) {
    const Ordered call{++correlation_, what};
    writer_.ordered({&call, 1});
  }
  void skip() { ++correlation_; }
  void go_back(std::uint64_t ns) { clock_ -= ns; }
  void untimed(const std::string& name) {
    ShapeRecord shape;
    shape.name = writer_.text(name);
    LaunchRecord record;
    record.shape = writer_.shape(shape);
    writer_.launch(record);
  }
  TraceWriter& writer() { return writer_; }
  void end(std::uint64_t dropped = 0) { writer_.tally(dropped, clock_, true); }

  [[nodiscard]] std::string bytes() const { return *read_file(path_); }
  [[nodiscard]] ProcessTrace read() const {
    const auto trace = read_trace(bytes(), "t");
    EXPECT_TRUE(trace) << trace.error().text();
    return *trace;
  }

 private:
  std::filesystem::path path_;
  TraceWriter writer_;
  std::uint64_t clock_ = 1000;
  std::uint32_t correlation_ = 0;
  std::uint32_t node_ = 0;
  std::uint64_t pause_ = 100;
  std::map<std::string, std::string> codes_;  // by kernel; else one by its name
};

}  // namespace harness::trace

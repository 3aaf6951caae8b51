// Tracer: subscribes to CUPTI in a traced process and writes what it tells into one trace file. It never
// makes a context. Any thread calls it; CUPTI's own threads hand records in.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/device/cuda/inject/argument_reader.h"
#include "harness/device/cuda/inject/call_sites.h"
#include "harness/device/cuda/inject/content_reader.h"
#include "harness/device/cuda/inject/cupti_entry.h"
#include "harness/device/cuda/inject/module_codes.h"
#include "harness/device/trace/trace_writer.h"

namespace harness::inject {

class Tracer {
 public:
  static Tracer& shared();  // never destroyed: CUPTI's threads may outlive static destructors

  // Begins to trace into the folder HARNESS_TRACE_FOLDER. The file holds the reason where that is impossible.
  void start();
  // The last records; nothing is traced afterwards.
  void finish();
  // After a fork the child must not write into its parent's file.
  void forget() { writing_ = false; }

  struct Moment {
    std::uint64_t time = 0;         // ns on CUPTI's clock; 0: nothing is traced
    std::uint32_t correlation = 0;  // of the last launch
  };
  [[nodiscard]] Moment now() const;
  void range(std::string_view name, std::string_view domain, Moment begin);
  // Who tells the ranges that a thread is in.
  void tell_ranges_by(std::string (*open)()) { open_ranges_ = open; }

 private:
  Tracer() = default;
  static void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
  static void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t bytes, std::size_t valid);
  static void CUPTIAPI called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

  bool subscribe();
  bool record_activities();
  bool check(const char* function, CUptiResult code);
  void watch_calls();
  void take_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void take_content(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void take_site(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void tell_contents();
  void keep_words(ArgumentReader::Given given);
  void write_asked();
  std::uint64_t code_of(std::size_t function);
  void take(const std::uint8_t* buffer, std::size_t valid);
  void take_record(const CUpti_Activity& record);
  void take_kernel(const CUpti_ActivityKernel10& record);
  void take_copy(const CUpti_ActivityMemcpy6& record);
  void take_peer_copy(const CUpti_ActivityMemcpyPtoP4& record);
  void take_fill(const CUpti_ActivityMemset4& record);
  void learn_code(const char* image, std::size_t bytes);
  std::uint32_t name_of(const char* name, std::uint32_t& code);
  void flush_each_second();

  CuptiEntry cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<bool> writing_ = false;
  std::atomic<std::uint32_t> last_launch_ = 0;
  std::atomic<bool> finishing_ = false;
  std::atomic<std::string (*)()> open_ranges_ = nullptr;
  std::atomic<bool> forced_ = false;  // records of work that is not done come, too

  std::mutex mutex_;  // of the writer and what follows
  trace::TraceWriter writer_;
  std::uint64_t dropped_ = 0;
  struct Name {
    std::uint32_t text = 0;
    std::uint32_t code = 0;
  };
  std::unordered_map<std::string, Name> names_;
  ModuleCodes codes_;

  std::optional<ArgumentReader> arguments_;  // where there is a driver to ask
  std::optional<ContentReader> contents_;    // where contents count
  std::optional<CallSites> sites_;           // likewise
  std::once_flag machine_told_;
  std::mutex asked_mutex_;
  struct Call {
    std::uint32_t correlation = 0;
    std::uint64_t given = 0;
    std::size_t function = 0;
    std::shared_ptr<const std::vector<std::size_t>> functions = {};  // of a graph
  };
  std::vector<Call> asked_;                   // not written yet
  std::vector<trace::Content> copied_;        // likewise
  std::vector<trace::Ordered> ordered_;       // likewise
  std::vector<ArgumentReader::Given> words_;  // likewise
  struct Site {
    std::uint32_t correlation = 0;
    std::string text;
  };
  std::vector<Site> called_;                 // likewise
  std::unordered_set<std::uint64_t> known_;  // hashes whose words were met
  std::size_t word_bytes_ = 0;               // of all records of them

  std::mutex buffers_mutex_;
  std::vector<std::uint8_t*> free_;
  std::size_t made_ = 0;

  std::mutex pause_mutex_;
  std::condition_variable pause_;
  bool stop_ = false;
  std::thread flusher_;
};

}  // namespace harness::inject

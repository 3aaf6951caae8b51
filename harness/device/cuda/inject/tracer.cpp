#include "harness/device/cuda/inject/tracer.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "harness/base/environment.h"
#include "harness/device/cuda/inject/machine_text.h"
#include "harness/device/cuda/profiling/calls/load_calls.h"

namespace harness::inject {
namespace {

using trace::FactCode;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t most_buffers = 48;
constexpr auto flush_period = std::chrono::seconds(1);

constexpr std::array activities{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};
// Node by node: graphs as a whole (CUPTI_ACTIVITY_KIND_GRAPH_TRACE) stay off.
constexpr std::array graphs{CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                            CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

trace::Way way_of(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return trace::Way::to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return trace::Way::to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD: return trace::Way::on_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return trace::Way::to_peer;
    default: return trace::Way::other;
  }
}

std::uint32_t positive(std::int32_t value) {
  return value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

template <class Record>
trace::TransferRecord transfer_of(const Record& record) {
  trace::TransferRecord transfer;
  transfer.device = static_cast<std::uint16_t>(record.deviceId);
  transfer.size = record.bytes;
  transfer.start = record.start;
  transfer.end = record.end;
  transfer.correlation = record.correlationId;
  transfer.stream = record.streamId;
  transfer.node = static_cast<std::uint32_t>(record.graphNodeId);
  return transfer;
}

}  // namespace

Tracer& Tracer::shared() {
  static auto* const tracer = new Tracer;
  return *tracer;
}

void Tracer::start() {
  const char* folder = environment::trace_folder();
  if (folder == nullptr || writing_) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string path =
      std::string(folder) + "/" + std::to_string(getpid()) + "-" + std::to_string(now) + trace::file_ending;
  {
    const std::lock_guard lock(mutex_);
    if (!writer_.open(path.c_str(), static_cast<std::uint32_t>(getpid()),
                      static_cast<std::uint32_t>(getppid())))
      return;
    std::string problem;
    if (!find_cupti(cupti_, problem)) {
      writer_.fact(FactCode::problem, "CUPTI cannot be loaded: " + problem);
      writer_.tally(0, 0, true);
      return;
    }
    writer_.fact(FactCode::cupti, cupti_.file);
  }
  if (!subscribe() || !record_activities()) {
    const std::lock_guard lock(mutex_);
    writer_.tally(0, 0, true);
    return;
  }
  writing_ = true;
  watch_calls();
  pthread_atfork(nullptr, nullptr, [] { shared().forget(); });
  std::atexit([] { shared().finish(); });
  std::at_quick_exit([] { shared().finish(); });
  // The program's signals are not for this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    flusher_ = std::thread([this] { flush_each_second(); });
  } catch (const std::system_error&) {
    // Then nothing is written before the end.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Tracer::check(const char* function, CUptiResult code) {
  if (code == CUPTI_SUCCESS) return true;
  const std::lock_guard lock(mutex_);
  writer_.fact(FactCode::problem, cupti_.problem(function, code));
  return false;
}

bool Tracer::subscribe() {
  std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> holder{};
  CUptiResult code = CUPTI_SUCCESS;
  if (cupti_.Subscribe_v2 != nullptr) {
    CUpti_SubscriberParams parameters{};
    parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    parameters.subscriberName = "harness trace";
    parameters.oldSubscriberName = holder.data();
    parameters.oldSubscriberSize = holder.size();
    code = cupti_.Subscribe_v2(&subscriber_, &Tracer::called, this, &parameters);
  } else {
    code = cupti_.Subscribe(&subscriber_, &Tracer::called, this);
  }
  holder.back() = '\0';
  if (code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    const std::lock_guard lock(mutex_);
    writer_.fact(FactCode::refused_by, holder.front() != '\0' ? holder.data() : "another profiler");
    return false;
  }
  if (!check("cuptiSubscribe", code)) return false;
  // Where this fails, the code of kernels stays unknown, and everything else is traced.
  (void)cupti_.EnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  return true;
}

bool Tracer::record_activities() {
  if (!check("cuptiActivityRegisterCallbacks",
             cupti_.ActivityRegisterCallbacks(&Tracer::requested, &Tracer::completed)))
    return false;
  for (const CUpti_ActivityKind kind : activities)
    if (!check("cuptiActivityEnable", cupti_.ActivityEnable(kind))) return false;
  return true;
}

// Launches are counted for ranges, too.
void Tracer::watch_calls() {
  if (environment::trace_contents()) sites_.emplace(cupti_.file);
  const Result<cuda::Driver> driver = environment::trace_arguments()
                                          ? cuda::load_driver()
                                          : fail(ErrorKind::environment, "HARNESS_TRACE_ARGUMENTS=off");
  if (driver) {
    arguments_.emplace(*driver);
    if (environment::trace_contents()) contents_.emplace(*driver);
  } else {
    const std::lock_guard lock(mutex_);
    writer_.fact(FactCode::unread, driver.error().message);
  }
  for (const CUpti_CallbackId id : argument_calls())
    if (arguments_ || is_launch(id))
      (void)cupti_.EnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
  if (arguments_) {
    const std::lock_guard lock(mutex_);
    writer_.fact(FactCode::by_handle, "");
    for (const auto* calls : {&cuda::load_calls(), &order_calls()})
      for (const CUpti_CallbackId id : *calls)
        (void)cupti_.EnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
  if (contents_)
    for (const CUpti_CallbackId id : content_calls())
      (void)cupti_.EnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const auto id : graphs)
    if (!arguments_) (void)cupti_.EnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
}

void Tracer::called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  auto& tracer = *static_cast<Tracer*>(self);
  if (data == nullptr || !tracer.writing_) return;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    return tracer.take_call(id, *static_cast<const CUpti_CallbackData*>(data));
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(
      static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
  if (module != nullptr && module->pCubin != nullptr && module->cubinSize > 0)
    tracer.learn_code(module->pCubin, module->cubinSize);
}

void Tracer::take_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const std::uint32_t now = data.correlationId;
  if (is_launch(id) || std::find(graphs.begin(), graphs.end(), id) != graphs.end()) {
    std::uint32_t last = last_launch_;
    while (last < now && !last_launch_.compare_exchange_weak(last, now)) {
    }
  }
  if (sites_) take_site(id, data);
  if (!arguments_) return;
  try {
    codes_.take(id, data);
    if (const std::optional<std::uint32_t> what = arguments_->take_order(id, data)) {
      const std::lock_guard lock(asked_mutex_);
      ordered_.push_back({now, *what});
      return;
    }
    if (contents_) take_content(id, data);
    std::optional<ArgumentReader::Given> given = arguments_->take(id, data);
    if (!given) return;
    std::call_once(machine_told_, [this] {
      const std::string text = machine_text();
      const std::lock_guard lock(mutex_);
      if (writing_) writer_.fact(FactCode::machine, text);
    });
    const std::lock_guard lock(asked_mutex_);
    asked_.push_back({now, given->hash, given->function, given->functions});
    keep_words(std::move(*given));
  } catch (const std::exception&) {
    return;  // the launch's arguments are unknown
  }
}

void Tracer::take_content(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const std::optional<trace::Content> content = contents_->take(id, data);
  if (!content) return;
  const std::lock_guard lock(asked_mutex_);
  copied_.push_back(*content);
}

void Tracer::take_site(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool launches = is_launch(id) || std::find(graphs.begin(), graphs.end(), id) != graphs.end();
  if (!launches || data.callbackSite != CUPTI_API_ENTER) return;
  const int error_of_program = errno;
  try {
    std::string (*const open)() = open_ranges_;
    std::optional<std::string> site = sites_->here(open != nullptr ? open() : std::string());
    if (!site) return;
    const std::lock_guard lock(asked_mutex_);
    called_.push_back({data.correlationId, std::move(*site)});
  } catch (const std::exception&) {
    // A place explains. Arguments and contents decide, and are read all the same.
  }
  errno = error_of_program;
}

// With the writer locked.
void Tracer::tell_contents() {
  if (!contents_) return;
  writer_.fact(FactCode::hashed, std::to_string(contents_->bytes()));
  if (const std::string problem = contents_->problem(); !problem.empty())
    writer_.fact(FactCode::unhashed, problem);
  if (const std::uint64_t shared = arguments_->shared_bytes() + contents_->shared_bytes(); shared > 0)
    writer_.fact(FactCode::shared, std::to_string(shared));
}

// With asked_mutex_ locked.
void Tracer::keep_words(ArgumentReader::Given given) {
  const std::size_t bytes = sizeof(trace::WordsRecord) + given.words.size() * sizeof(std::uint32_t);
  if (given.hash == 0 || given.words.size() > trace::most_words ||
      word_bytes_ + bytes > trace::most_word_bytes || !known_.insert(given.hash).second)
    return;
  word_bytes_ += bytes;
  words_.push_back(std::move(given));
}

// The code of a launched function where its name alone does not tell it, as a number; 0: its name tells it.
constexpr std::uint64_t unknown_code = ~std::uint64_t{0};

std::uint64_t Tracer::code_of(std::size_t function) {
  const LaunchedFunction launched = arguments_->function(function);
  if (!codes_.by_name(launched.name).empty()) return 0;
  const std::string code = codes_.of(launched);
  if (code.empty()) return unknown_code;
  return std::clamp<std::uint64_t>(std::hash<std::string>()(code), 1, unknown_code - 1);
}

// With the writer locked. The program's threads wait for neither. A launch whose kernel's name has several
// codes is given the one of its module, as one more word.
void Tracer::write_asked() {
  std::vector<Call> calls;
  std::vector<ArgumentReader::Given> words;
  std::vector<trace::Content> copied;
  std::vector<trace::Ordered> ordered;
  std::vector<Site> called;
  {
    const std::lock_guard lock(asked_mutex_);
    calls.swap(asked_);
    words.swap(words_);
    copied.swap(copied_);
    ordered.swap(ordered_);
    called.swap(called_);
  }
  std::unordered_map<std::size_t, std::uint64_t> codes;
  // The codes that names do not tell; nothing where one is not known at all.
  using Codes = std::optional<std::vector<std::uint64_t>>;
  const auto codes_for = [&](const auto& call) -> Codes {
    std::vector<std::uint64_t> found;
    const std::vector<std::size_t> one{call.function};
    for (const std::size_t function : call.functions ? *call.functions : one) {
      const auto [known, fresh] = codes.try_emplace(function);
      if (fresh) known->second = code_of(function);
      if (known->second == unknown_code) return std::nullopt;
      if (known->second != 0) found.push_back(known->second);
    }
    return found;
  };
  const auto with_codes = [](std::uint64_t given, const Codes& more) {
    if (given == 0 || !more) return std::uint64_t{0};
    for (const std::uint64_t code : *more)
      given = std::max<std::uint64_t>((given ^ code) * 0x9e3779b97f4a7c15U, 1);
    return given;
  };
  for (ArgumentReader::Given& one : words) {
    const Codes more = codes_for(one);
    if (!more) continue;
    for (const std::uint64_t code : *more) one.words.push_back(static_cast<std::uint32_t>(code));
    if (one.words.size() <= trace::most_words) writer_.words(with_codes(one.hash, more), one.words);
  }
  std::vector<trace::Asked> asked;
  asked.reserve(calls.size());
  for (const Call& one : calls) {
    const std::uint64_t given = with_codes(one.given, one.given == 0 ? Codes() : codes_for(one));
    asked.push_back(
        {one.correlation, static_cast<std::uint32_t>(given), static_cast<std::uint32_t>(given >> 32)});
  }
  writer_.asked(asked);
  writer_.contents(copied);
  writer_.ordered(ordered);
  std::vector<trace::Called> sites;
  sites.reserve(called.size());
  for (const Site& one : called) sites.push_back({one.correlation, writer_.text(one.text)});
  writer_.called(sites);
}

void Tracer::learn_code(const char* image, std::size_t bytes) {
  try {
    if (!codes_.add(std::span(reinterpret_cast<const std::byte*>(image), bytes))) return;
    const std::lock_guard lock(mutex_);
    names_.clear();  // they may have another code now
  } catch (const std::exception&) {
    return;
  }
}

void Tracer::requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  Tracer& tracer = shared();
  const std::lock_guard lock(tracer.buffers_mutex_);
  *buffer = nullptr;
  *bytes = *most_records = 0;
  if (!tracer.free_.empty()) {
    *buffer = tracer.free_.back();
    tracer.free_.pop_back();
  } else if (tracer.made_ < most_buffers) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, buffer_bytes));
    if (*buffer != nullptr) ++tracer.made_;
  }
  if (*buffer != nullptr) *bytes = buffer_bytes;  // else CUPTI drops records, and counts them
}

void Tracer::completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                       std::size_t valid) {
  Tracer& tracer = shared();
  std::size_t dropped = 0;
  (void)tracer.cupti_.ActivityGetNumDroppedRecords(context, stream, &dropped);
  if (tracer.writing_) {
    const std::lock_guard lock(tracer.mutex_);
    tracer.dropped_ += dropped;
    tracer.take(buffer, valid);
    tracer.write_asked();
  }
  const std::lock_guard lock(tracer.buffers_mutex_);
  tracer.free_.push_back(buffer);
}

void Tracer::take(const std::uint8_t* buffer, std::size_t valid) {
  if (valid == 0) return;
  try {
    auto* const records = const_cast<std::uint8_t*>(buffer);
    CUpti_Activity* record = nullptr;
    CUptiResult code = CUPTI_SUCCESS;
    while ((code = cupti_.ActivityGetNextRecord(records, valid, &record)) == CUPTI_SUCCESS)
      take_record(*record);
    const bool unfinished = forced_ && code == CUPTI_ERROR_INVALID_KIND;   // work that is not done
    if (code != CUPTI_ERROR_MAX_LIMIT_REACHED && !unfinished) ++dropped_;  // the rest cannot be read
  } catch (const std::exception&) {
    ++dropped_;
  }
}

void Tracer::take_record(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return take_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY: return take_copy(reinterpret_cast<const CUpti_ActivityMemcpy6&>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return take_peer_copy(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET: return take_fill(reinterpret_cast<const CUpti_ActivityMemset4&>(record));
    default: return;
  }
}

std::uint32_t Tracer::name_of(const char* name, std::uint32_t& code) {
  const auto [known, fresh] = names_.try_emplace(name != nullptr ? name : "[kernel without a name]");
  if (fresh) {
    known->second.text = writer_.text(known->first);
    known->second.code = writer_.text(codes_.by_name(known->first));
  }
  code = known->second.code;
  return known->second.text;
}

void Tracer::take_kernel(const CUpti_ActivityKernel10& record) {
  trace::ShapeRecord shape;
  shape.name = name_of(record.name, shape.code);
  shape.grid[0] = positive(record.gridX);
  shape.grid[1] = positive(record.gridY);
  shape.grid[2] = positive(record.gridZ);
  shape.block[0] = positive(record.blockX);
  shape.block[1] = positive(record.blockY);
  shape.block[2] = positive(record.blockZ);
  shape.cluster[0] = record.clusterX;
  shape.cluster[1] = record.clusterY;
  shape.cluster[2] = record.clusterZ;
  shape.registers = record.registersPerThread;
  shape.static_shared = positive(record.staticSharedMemory);
  shape.dynamic_shared = positive(record.dynamicSharedMemory);
  shape.local = record.localMemoryPerThread;
  shape.cooperative = record.launchType;
  shape.cache = record.cacheConfig.config.requested;
  shape.carveout =
      record.isSharedMemoryCarveoutRequested != 0 ? record.sharedMemoryCarveoutRequested + 1U : 0U;
  shape.scheduling = static_cast<std::uint32_t>(record.clusterSchedulingPolicy);
  trace::LaunchRecord launch;
  launch.shape = writer_.shape(shape);
  launch.start = record.start;
  launch.end = record.end;
  launch.correlation = record.correlationId;
  launch.stream = record.streamId;
  launch.device = static_cast<std::uint16_t>(record.deviceId);
  launch.context = static_cast<std::uint16_t>(record.contextId);
  launch.node = static_cast<std::uint32_t>(record.graphNodeId);
  writer_.launch(launch);
}

void Tracer::take_copy(const CUpti_ActivityMemcpy6& record) {
  trace::TransferRecord copy = transfer_of(record);
  copy.way = static_cast<std::uint8_t>(way_of(record.copyKind));
  writer_.transfer(copy);
}

void Tracer::take_peer_copy(const CUpti_ActivityMemcpyPtoP4& record) {
  trace::TransferRecord copy = transfer_of(record);
  copy.way = static_cast<std::uint8_t>(trace::Way::to_peer);
  writer_.transfer(copy);
}

void Tracer::take_fill(const CUpti_ActivityMemset4& record) {
  trace::TransferRecord fill = transfer_of(record);
  fill.fill = 1;
  fill.value = record.value;
  writer_.transfer(fill);
}

Tracer::Moment Tracer::now() const {
  Moment moment;
  if (!writing_ || cupti_.GetTimestamp(&moment.time) != CUPTI_SUCCESS) return {};
  moment.correlation = last_launch_;
  return moment;
}

void Tracer::range(std::string_view name, std::string_view domain, Moment begin) {
  const Moment end = now();
  if (end.time == 0) return;
  trace::RangeRecord range;
  range.thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
  range.begin = begin.time;
  range.end = end.time;
  range.first = begin.correlation;
  range.last = end.correlation;
  const std::lock_guard lock(mutex_);
  range.name = writer_.text(name);
  range.domain = writer_.text(domain);
  writer_.range(range);
}

void Tracer::flush_each_second() {
  std::unique_lock pause(pause_mutex_);
  while (!pause_.wait_for(pause, flush_period, [this] { return stop_; })) {
    (void)cupti_.ActivityFlushAll(0);
    const Moment moment = now();
    const std::lock_guard lock(mutex_);
    if (!writing_) continue;
    write_asked();
    writer_.tally(dropped_, moment.time, false);
  }
}

// Complete buffers first: forced, CUPTI hands in records of work that is not done, too.
void Tracer::finish() {
  if (!writing_ || finishing_.exchange(true)) return;
  {
    const std::lock_guard pause(pause_mutex_);
    stop_ = true;
  }
  pause_.notify_all();
  if (flusher_.joinable()) flusher_.join();
  (void)cupti_.ActivityFlushAll(0);
  forced_ = true;
  (void)cupti_.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const Moment moment = now();
  const std::lock_guard lock(mutex_);
  if (!writing_.exchange(false)) return;
  write_asked();
  tell_contents();
  writer_.tally(dropped_, moment.time, true);
}

}  // namespace harness::inject

#include "harness/device/cuda/inject/nvtx_ranges.h"

#include <cwchar>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "harness/device/cuda/inject/tracer.h"

namespace harness::inject {
namespace {

// The structures behind NVTX's handles live as long as the process.
struct Domain {
  std::string name;
};
struct RegisteredText {
  std::string text;
};

struct OpenRange {
  std::string name;
  Domain* domain = nullptr;  // null: the default one
  Tracer::Moment begin;
};

// Never destroyed: the program may launch while its thread ends.
std::vector<OpenRange>& stack() {
  thread_local auto* const open = new std::vector<OpenRange>;
  return *open;
}

struct Started {
  std::mutex mutex;
  std::map<nvtxRangeId_t, OpenRange> open;
  nvtxRangeId_t last = 0;
};
Started& started() {
  static auto* const ranges = new Started;
  return *ranges;
}

// ASCII where it is; other characters as "?".
std::string narrow(const wchar_t* text) {
  std::string result;
  for (; text != nullptr && *text != L'\0'; ++text) result += *text < 128 ? static_cast<char>(*text) : '?';
  return result;
}

std::string text_of(const char* text) {
  return text != nullptr ? text : "";
}

std::string message_of(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return {};
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return text_of(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE: return narrow(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const auto* known = reinterpret_cast<const RegisteredText*>(attributes->message.registered);
      return known != nullptr ? known->text : std::string();
    }
    default: return {};
  }
}

Domain* domain_of(nvtxDomainHandle_t handle) {
  return reinterpret_cast<Domain*>(handle);
}

void write(const OpenRange& range) {
  Tracer::shared().range(range.name, range.domain != nullptr ? range.domain->name : "", range.begin);
}

// Ranges of one domain are nested within themselves, not within those of another.
int push(Domain* domain, std::string name) {
  int level = 0;
  for (const OpenRange& open : stack()) level += open.domain == domain ? 1 : 0;
  stack().push_back({std::move(name), domain, Tracer::shared().now()});
  return level;
}

int pop(Domain* domain) {
  std::vector<OpenRange>& open = stack();
  for (std::size_t i = open.size(); i-- > 0;) {
    if (open[i].domain != domain) continue;
    const OpenRange range = std::move(open[i]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    write(range);
    int level = 0;
    for (const OpenRange& left : open) level += left.domain == domain ? 1 : 0;
    return level;
  }
  return NVTX_NO_PUSH_POP_TRACKING;
}

nvtxRangeId_t start(Domain* domain, std::string name) {
  const Tracer::Moment begin = Tracer::shared().now();
  const std::lock_guard lock(started().mutex);
  const nvtxRangeId_t id = ++started().last;
  started().open[id] = {std::move(name), domain, begin};
  return id;
}

void end(nvtxRangeId_t id) {
  OpenRange range;
  {
    const std::lock_guard lock(started().mutex);
    const auto found = started().open.find(id);
    if (found == started().open.end()) return;
    range = std::move(found->second);
    started().open.erase(found);
  }
  write(range);
}

int NVTX_API push_ex(const nvtxEventAttributes_t* attributes) {
  return push(nullptr, message_of(attributes));
}
int NVTX_API push_a(const char* message) {
  return push(nullptr, text_of(message));
}
int NVTX_API push_w(const wchar_t* message) {
  return push(nullptr, narrow(message));
}
int NVTX_API pop_default() {
  return pop(nullptr);
}
nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t* attributes) {
  return start(nullptr, message_of(attributes));
}
nvtxRangeId_t NVTX_API start_a(const char* message) {
  return start(nullptr, text_of(message));
}
nvtxRangeId_t NVTX_API start_w(const wchar_t* message) {
  return start(nullptr, narrow(message));
}
void NVTX_API end_default(nvtxRangeId_t id) {
  end(id);
}
int NVTX_API domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return push(domain_of(domain), message_of(attributes));
}
int NVTX_API domain_pop(nvtxDomainHandle_t domain) {
  return pop(domain_of(domain));
}
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return start(domain_of(domain), message_of(attributes));
}
void NVTX_API domain_end(nvtxDomainHandle_t, nvtxRangeId_t id) {
  end(id);
}
nvtxDomainHandle_t NVTX_API create_a(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new Domain{text_of(name)});
}
nvtxDomainHandle_t NVTX_API create_w(const wchar_t* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new Domain{narrow(name)});
}
nvtxStringHandle_t NVTX_API register_a(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(new RegisteredText{text_of(text)});
}
nvtxStringHandle_t NVTX_API register_w(nvtxDomainHandle_t, const wchar_t* text) {
  return reinterpret_cast<nvtxStringHandle_t>(new RegisteredText{narrow(text)});
}

// "step/loss": the ranges that this thread is in, the outermost first.
std::string open_ranges() {
  std::string names;
  for (const OpenRange& one : stack()) names += (names.empty() ? "" : "/") + one.name;
  return names;
}

struct Table {
  NvtxFunctionTable functions = nullptr;
  unsigned int size = 0;

  template <class Function>
  void put(unsigned int id, Function* function) const {
    if (id < size && functions[id] != nullptr)
      *functions[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
};

void fill_core(const Table& table) {
  table.put(NVTX_CBID_CORE_RangePushEx, &push_ex);
  table.put(NVTX_CBID_CORE_RangePushA, &push_a);
  table.put(NVTX_CBID_CORE_RangePushW, &push_w);
  table.put(NVTX_CBID_CORE_RangePop, &pop_default);
  table.put(NVTX_CBID_CORE_RangeStartEx, &start_ex);
  table.put(NVTX_CBID_CORE_RangeStartA, &start_a);
  table.put(NVTX_CBID_CORE_RangeStartW, &start_w);
  table.put(NVTX_CBID_CORE_RangeEnd, &end_default);
}

void fill_core2(const Table& table) {
  table.put(NVTX_CBID_CORE2_DomainRangePushEx, &domain_push);
  table.put(NVTX_CBID_CORE2_DomainRangePop, &domain_pop);
  table.put(NVTX_CBID_CORE2_DomainRangeStartEx, &domain_start);
  table.put(NVTX_CBID_CORE2_DomainRangeEnd, &domain_end);
  table.put(NVTX_CBID_CORE2_DomainCreateA, &create_a);
  table.put(NVTX_CBID_CORE2_DomainCreateW, &create_w);
  table.put(NVTX_CBID_CORE2_DomainRegisterStringA, &register_a);
  table.put(NVTX_CBID_CORE2_DomainRegisterStringW, &register_w);
}

}  // namespace

int attach_ranges(NvtxGetExportTableFunc_t export_table) {
  if (export_table == nullptr) return 0;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks)) return 0;
  Tracer::shared().tell_ranges_by(&open_ranges);
  Table core, core2;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core.functions, &core.size) == 0) return 0;
  fill_core(core);
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &core2.functions, &core2.size) != 0)
    fill_core2(core2);
  return 1;
}

}  // namespace harness::inject

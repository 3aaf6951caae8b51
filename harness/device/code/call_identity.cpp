#include "harness/device/code/call_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/base/files.h"
#include "harness/device/code/kernel_launches.h"

namespace harness {
namespace {

using Kind = DriverCall::Kind;

const char* name_of_kind(Kind kind) {
  switch (kind) {
    case Kind::kernel: return "kernel";
    case Kind::copy: return "copy";
    case Kind::fetch: return "fetch";
    case Kind::fill: return "fill";
    case Kind::order: return "order";
  }
  return "?";
}

const AddressRange* range_of(const std::vector<AddressRange>& ranges, std::uint64_t address) {
  const auto found = std::find_if(ranges.begin(), ranges.end(),
                                  [&](const AddressRange& one) { return one.contains(address); });
  return found == ranges.end() ? nullptr : &*found;
}

// Puts calls into a text that is the same in every process. Numbers what it names in the order of first use.
class Scribe {
 public:
  // `changing`: tensors in the host's memory whose content is left out.
  Scribe(const CallHistory& history, const CallSurroundings& surroundings,
         std::set<const AddressRange*> changing = {})
      : history_(history), surroundings_(surroundings), changing_(std::move(changing)) {
    streams_[surroundings.stream] = 0;
    contexts_[surroundings.context] = 0;
    text_ = "identity 1\n";
    for (const auto& [name, value] : surroundings.state) text_ += fmt::format("{}={}\n", name, value);
  }

  void write(const DriverCall& call) {
    text_ += fmt::format("{} {}", name_of_kind(call.kind), call.name);
    if (call.kind == Kind::kernel) write_kernel(call);
    if (call.stream) text_ += " stream " + stream_text(*call.stream);
    if (call.event) text_ += fmt::format(" event {}", number_in(events_, *call.event));
    for (const auto& [name, value] : call.figures) text_ += fmt::format(" {}={}", name, value);
    for (const Word& word : call.words) text_ += " " + word_text(call, word);
    const AddressRange* const tensor = call.host == 0 ? nullptr : range_of(surroundings_.buffers, call.host);
    if (tensor != nullptr) text_ += " host " + buffer_text(*tensor, call.host);
    if (!call.content.empty() && !changing_.contains(tensor)) text_ += " content " + call.content;
    text_ += "\n";
  }

  // The current device's own context, number 0, is left out.
  void write_kernel(const DriverCall& call) {
    text_ += " code " + code_of(call);
    if (const std::size_t context = number_in(contexts_, call.context); context > 0)
      text_ += fmt::format(" context {}", context);
  }

  void write(const std::vector<DriverCall>& calls) {
    for (const DriverCall& call : calls) write(call);
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Cause>& gaps() const { return gaps_; }

 private:
  using Numbers = std::map<std::uint64_t, std::size_t>;

  static std::size_t number_in(Numbers& numbers, std::uint64_t handle) {
    return numbers.try_emplace(handle, numbers.size()).first->second;
  }

  // The handles of the default streams are the same in every process.
  std::string stream_text(std::uint64_t handle) {
    constexpr std::uint64_t last_default = 2;  // 0: default, 1: legacy, 2: of the thread
    if (handle <= last_default) return fmt::format("default-{}", handle);
    return fmt::format("{}", number_in(streams_, handle));
  }

  std::string code_of(const DriverCall& kernel) {
    std::string code = surroundings_.code(kernel);
    if (!code.empty()) return code;
    gaps_.push_back({CauseCode::code_unknown, {{"kernel", demangled(kernel.name)}}});
    return "unknown";
  }

  [[nodiscard]] std::string buffer_text(const AddressRange& buffer, std::uint64_t address) const {
    return fmt::format("<buffer {}+{}>", &buffer - surroundings_.buffers.data(), address - buffer.begin);
  }

  std::string word_text(const DriverCall& call, const Word& word) {
    if (const AddressRange* buffer = range_of(surroundings_.buffers, word.value))
      return buffer_text(*buffer, word.value);
    switch (word.memory) {
      case Word::Memory::device: return device_text(call, word);
      case Word::Memory::managed:
      case Word::Memory::host: return host_text(call);
      case Word::Memory::none: break;
    }
    if (range_of(surroundings_.host_memory, word.value) == nullptr) return fmt::format("{:x}", word.value);
    return surroundings_.device_reads_host && call.kind == Kind::kernel ? host_text(call) : "<host>";
  }

  // Only the case's own allocations have contents that are known. For other memory, the copy or fill itself
  // describes what it writes.
  std::string device_text(const DriverCall& call, const Word& word) {
    if (call.kind == Kind::kernel && !history_.own.contains(word.id))
      gaps_.push_back({CauseCode::older_memory_used, {{"kernel", demangled(call.name)}}});
    return fmt::format("<memory {} of {}+{}>", number_in(memory_, word.id), word.allocation.bytes,
                       word.value - word.allocation.begin);
  }

  std::string host_text(const DriverCall& call) {
    gaps_.push_back({CauseCode::host_memory_used,
                     {{"kernel", call.kind == Kind::kernel ? demangled(call.name) : call.name}}});
    return "<host>";
  }

  const CallHistory& history_;
  const CallSurroundings& surroundings_;
  std::set<const AddressRange*> changing_;
  std::string text_;
  std::vector<Cause> gaps_;
  Numbers contexts_, streams_, events_, memory_;
};

// Finds what earlier cases left behind that the case at hand may see.
class Reach {
 public:
  explicit Reach(const CallHistory& history) : modules_(launched_modules(history)) {
    for (const std::vector<DriverCall>* calls : calls_of(history))
      for (const DriverCall& call : *calls)
        for (const Word& word : call.words) memory_.insert(memory_of(word));
  }

  [[nodiscard]] bool finds(const LeftBehind& one) const {
    const Word& to = one.call.words.front();
    if (to.memory == Word::Memory::none || memory_.contains(memory_of(to))) return true;
    if (one.modules.contains(0) || (modules_.contains(0) && !one.modules.empty())) return true;
    return std::any_of(one.modules.begin(), one.modules.end(),
                       [&](std::uint64_t module) { return modules_.contains(module); });
  }

 private:
  using Memory = std::pair<std::uint64_t, std::uint64_t>;  // id and address; memory that is mapped has no id
  static Memory memory_of(const Word& word) { return {word.id, word.allocation.begin}; }

  std::set<std::uint64_t> modules_;
  std::set<Memory> memory_;
};

// Finds the earlier calls whose effects the further calls can see.
class LiveState {
 public:
  LiveState(const CallHistory& history, const CallSurroundings& surroundings)
      : history_(history), surroundings_(surroundings) {
    for (const std::vector<DriverCall>* calls : {&history.one, &history.next})
      for (const DriverCall& call : *calls) use(call);
  }

  // From the last to the first: a call matters when a later one that matters, or a further call, uses its
  // memory.
  std::vector<DriverCall> calls() {
    std::vector<DriverCall> live;
    for (auto call = history_.before.rbegin(); call != history_.before.rend(); ++call) {
      if (!matters(*call)) continue;
      use(*call);
      live.push_back(*call);
    }
    std::reverse(live.begin(), live.end());
    return live;
  }

 private:
  // Whether only the case knows the word's memory. Then only calls that get the address can change it.
  [[nodiscard]] bool is_own(const Word& word) const {
    return word.memory == Word::Memory::device && history_.own.contains(word.id) &&
           range_of(surroundings_.buffers, word.value) == nullptr;
  }

  void use(const DriverCall& call) {
    for (const Word& word : call.words)
      if (is_own(word)) used_.insert(word.id);
  }

  // A call that works on memory of the case alone matters only where that memory is used.
  [[nodiscard]] bool matters(const DriverCall& call) const {
    if (call.kind == Kind::order || call.kind == Kind::fetch) return false;
    bool own = false;
    for (const Word& word : call.words) {
      if (range_of(surroundings_.buffers, word.value) != nullptr) return true;
      if (!is_own(word)) continue;
      if (used_.contains(word.id)) return true;
      own = true;
    }
    return !own;
  }

  const CallHistory& history_;
  const CallSurroundings& surroundings_;
  std::set<std::uint64_t> used_;
};

Identity unknown(Cause gap) {
  return {"", std::move(gap)};
}

// Other driver functions, listed together by name.
Cause first_of(const std::vector<Cause>& gaps) {
  Cause first = gaps.front();
  if (first.code != CauseCode::call_not_followed) return first;
  std::set<std::string> names;
  for (const Cause& gap : gaps)
    if (gap.code == first.code) names.insert(gap.text("call"));
  first.figures = {{"call", fmt::format("{}", fmt::join(names, ", "))}};
  return first;
}

std::string text_of(const std::vector<DriverCall>& calls, const CallHistory& history,
                    const CallSurroundings& surroundings, std::set<const AddressRange*> changing = {}) {
  Scribe scribe(history, surroundings, std::move(changing));
  scribe.write(calls);
  return scribe.text();
}

// Tensors in the host's memory to which these calls bring results, so that the next call may send other
// bytes.
std::set<const AddressRange*> fetched(const std::vector<DriverCall>& calls,
                                      const CallSurroundings& surroundings) {
  std::set<const AddressRange*> tensors;
  for (const DriverCall& call : calls)
    if (const AddressRange* tensor = range_of(surroundings.buffers, call.host);
        call.kind == Kind::fetch && call.host != 0 && tensor != nullptr)
      tensors.insert(tensor);
  return tensors;
}

// The whole text: the context, the state before the call, and the call; and the next one where that sends
// other bytes, because code of the host may take part in them.
Scribe written(const CallHistory& history, const CallSurroundings& surroundings) {
  Scribe all(history, surroundings);
  const Reach reach(history);
  for (const LeftBehind& one : history.earlier)
    if (reach.finds(one)) all.write(one.call);
  all.write(LiveState(history, surroundings).calls());
  all.write(history.one);
  if (text_of(history.one, history, surroundings) != text_of(history.next, history, surroundings))
    all.write(history.next);
  return all;
}

// Whether a gap stands for launches that nobody could follow, and not for mapping memory, for example.
bool hides_launches(const Cause& gap) {
  const std::string call = gap.text("call");
  return gap.code == CauseCode::call_not_followed &&
         (call.find("Launch") != std::string::npos || call.find("Graph") != std::string::npos);
}

}  // namespace

std::array<const std::vector<DriverCall>*, 3> calls_of(const CallHistory& history) {
  return {&history.before, &history.one, &history.next};
}

std::set<std::uint64_t> launched_modules(const CallHistory& history) {
  std::set<std::uint64_t> modules;
  for (const std::vector<DriverCall>* calls : calls_of(history))
    for (const DriverCall& call : *calls) {
      if (call.kind != Kind::kernel) continue;
      std::set<std::uint64_t> own(call.modules.begin(), call.modules.end());
      if (own.size() > 1) own.erase(0);  // a kernel may have only one of both
      modules.merge(own);
    }
  if (std::any_of(history.gaps.begin(), history.gaps.end(), hides_launches)) modules.insert(0);
  return modules;
}

std::int64_t launches_in(const std::vector<DriverCall>& calls) {
  return std::count_if(calls.begin(), calls.end(),
                       [](const DriverCall& call) { return call.kind != Kind::order; });
}

std::string identity_text(const CallHistory& history, const CallSurroundings& surroundings) {
  return written(history, surroundings).text();
}

Identity identity_of(const CallHistory& history, const CallSurroundings& surroundings) {
  if (!history.gaps.empty()) return unknown(first_of(history.gaps));
  const Scribe all = written(history, surroundings);
  if (!all.gaps().empty()) return unknown(first_of(all.gaps()));
  const std::set<const AddressRange*> changing = fetched(history.one, surroundings);
  if (text_of(history.one, history, surroundings, changing) !=
      text_of(history.next, history, surroundings, changing))
    return unknown({CauseCode::calls_differ});
  return {std::string(gpu_digest_rules) + content_hash(all.text()), {}};
}

}  // namespace harness

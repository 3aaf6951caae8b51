// The code and data of a program or a shared object that the host executes and reads, as a graph: functions
// and objects, and which refers to which. Two parts of two builds are equal if their graphs are, wherever the
// linker put them. Names of variables count, those of functions and constants do not. Without symbols, or
// where something is not understood, there is no graph. Pure.
//
// Followed are calls, jumps, addresses in instructions and in data (relocations), tables of jumps, parts of
// functions that the compiler moved away, and what handles a function's exceptions. Not followed are
// functions that somebody finds by name at run time, and libraries.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

using NameSet = std::set<std::string, std::less<>>;

// All that can be reached from some roots.
struct HostReach {
  std::string digest;  // equal for equal graphs
  NameSet functions;   // mangled, as source_name() writes them
  NameSet imports;     // functions and objects of libraries
  NameSet writable;    // variables
};

class HostCode {
 public:
  // Points into the image, which must live as long. An error says what is not understood.
  static Result<HostCode> read(std::span<const std::byte> image);
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;
  HostCode(HostCode&&) noexcept;
  HostCode& operator=(HostCode&&) noexcept;
  ~HostCode();

  // Functions with these kernel_key()s count with their names: those that launch a kernel are all alike.
  void count_names(const NameSet& keys);

  [[nodiscard]] bool has(std::string_view function) const;
  [[nodiscard]] std::vector<std::string> functions_with_prefix(std::string_view prefix) const;

  // From the functions of these names. Functions that `is_end` names are not entered; they count by their
  // names.
  using IsEnd = std::function<bool(std::string_view function)>;
  [[nodiscard]] HostReach reach(const std::vector<std::string>& roots, const IsEnd& is_end) const;
  // Likewise from all that the outside can start: exports, initialisers, the program's entry.
  [[nodiscard]] HostReach reach_of_outside(const IsEnd& is_end) const;

  // A hash of a function or an object and of the names that it refers to, for telling which of those that two
  // graphs hold differ. "" where there is none of this name.
  [[nodiscard]] std::string content_of(std::string_view name) const;
  // The variables that it refers to itself.
  [[nodiscard]] NameSet variables_of(std::string_view function) const;

 private:
  struct Graph;
  explicit HostCode(std::unique_ptr<Graph> graph);
  std::unique_ptr<Graph> graph_;
};

// The libraries that an object needs, and the folders that it names for them ("$ORIGIN" as it stands).
struct NeededLibraries {
  std::vector<std::string> names;
  std::vector<std::string> folders;
};
NeededLibraries needed_libraries(std::span<const std::byte> image);

// A hash of all sections that are loaded, except device code and the tables of the dynamic linker.
Result<std::string> loaded_host_hash(std::span<const std::byte> image);

}  // namespace harness

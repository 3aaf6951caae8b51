#include "harness/report/documents/affected/code_change_words.h"

#include <fmt/format.h>

#include <vector>

#include "harness/base/text.h"

namespace harness::report {
namespace {

std::string with_names(std::string text, const CaseChange& change) {
  return change.names.empty() ? text : text + ": " + join(change.names, ", ");
}

}  // namespace

std::string words(const CaseChange& change) {
  switch (change.reason) {
    case ChangeReason::nothing: return "nothing that it executes differs";
    case ChangeReason::kernel: return with_names("a kernel differs that it may launch", change);
    case ChangeReason::kernel_steers:
      return with_names("a kernel of its program differs, and may steer what else is launched", change);
    case ChangeReason::host_code:
      return with_names(fmt::format("its host code in {} differs", change.file), change);
    case ChangeReason::common_host:
      return with_names(fmt::format("host code in {} differs that all results use", change.file), change);
    case ChangeReason::host_file:
      return fmt::format("{} differs, and its symbols do not tell who uses what differs", change.file);
    case ChangeReason::library: return fmt::format("the library {} differs", change.file);
    case ChangeReason::library_missing: return fmt::format("the library {} is not here", change.file);
    case ChangeReason::opens_libraries: return "it opens libraries at run time, and nobody knows which ones";
    case ChangeReason::driver_compiles: return with_names("a driver compiles PTX that differs", change);
    case ChangeReason::link_time_code:
      return fmt::format("{} has device code for a linker at run time, which differs", change.file);
    case ChangeReason::unknown_image:
      return with_names(fmt::format("{} has device code that cannot be read", change.file), change);
    case ChangeReason::file_missing: return fmt::format("only one build has {}", change.file);
    case ChangeReason::script: return fmt::format("{} is no machine code, and may run anything", change.file);
    case ChangeReason::unknown_file: return "no file of both builds is known to hold it";
    case ChangeReason::other_command:
      return fmt::format("{}, which its command names, differs or is in no build", change.file);
    case ChangeReason::device:
      return fmt::format("{} differs, whose places in memory count on a CPU, too", change.file);
  }
  return {};
}

std::string figure_words(const KernelCodeChange& change) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, std::int64_t before, std::int64_t after) {
    if (before != after) parts.push_back(fmt::format("{} {} -> {}", name, before, after));
  };
  const KernelFigures &before = change.before, &after = change.after;
  add("registers", before.registers, after.registers);
  add("stack", before.stack_bytes, after.stack_bytes);
  add("shared memory", before.shared_bytes, after.shared_bytes);
  add("constants", before.constant_bytes, after.constant_bytes);
  add("instructions", before.instructions, after.instructions);
  for (const auto& [kind, name] : enum_names<InstructionClass>)
    add(name, before.by_class[static_cast<std::size_t>(kind)],
        after.by_class[static_cast<std::size_t>(kind)]);
  return join(parts, ", ");
}

}  // namespace harness::report

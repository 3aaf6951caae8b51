#include "harness/report/words/observed/file_words.h"

#include <fmt/format.h>

#include <charconv>

#include "harness/base/text.h"
#include "harness/model/observed/file_gap.h"

namespace harness::report {

std::string file_gap_words(const Cause& cause) {
  const std::string name = "`" + cause.text("name") + "`";
  const auto gap = parse_name<FileGap>(cause.text("gap"));
  if (!gap) return "not all that it reads is known";
  switch (*gap) {
    case FileGap::network: return fmt::format("it talks to another process by a socket ({})", name);
    case FileGap::shared: return fmt::format("it uses memory or a queue that others may share ({})", name);
    case FileGap::elsewhere: return fmt::format("it changes where paths lead to ({})", name);
    case FileGap::processes: return fmt::format("it reads the memory of another process ({})", name);
    case FileGap::device: return fmt::format("it opens {}, a device or a pipe", name);
    case FileGap::gpu: return fmt::format("it opens {}, and files do not tell what a GPU does", name);
    case FileGap::kernel: return fmt::format("it opens {}, whose content nobody knows in advance", name);
    case FileGap::rights:
      return fmt::format("it changes its rights, or starts a program that does ({})", name);
    case FileGap::filter: return fmt::format("it filters its own system calls ({})", name);
    case FileGap::call: return fmt::format("it makes a system call that is not followed ({})", name);
    case FileGap::foreign:
      return "it makes system calls of another architecture, or older than this harness knows";
    case FileGap::unread: return fmt::format("the observer could not read what it asks for ({})", name);
    case FileGap::attributes: return fmt::format("it reads extended attributes of files ({})", name);
    case FileGap::too_much:
      return fmt::format(
          "it reads more than 8 GB, or hashing takes longer than 2 s; {} was the first file beyond", name);
    case FileGap::moved_folder: return fmt::format("it renames the folder {}", name);
    case FileGap::own_folder: return fmt::format("it reads {}, in a folder of git or of the harness", name);
    case FileGap::format:
      return fmt::format("it starts {}, which is neither a script nor a program of this machine", name);
    case FileGap::failed: return "the observed start failed";
  }
  return "?";
}

std::string file_change_words(const Fact<ProofGapCode>& why) {
  const auto change = parse_name<FileChange>(why.text("change"));
  if (!change) return "its program changed, or what this reads; its own row names the first difference";
  const auto more = why.count("files") - 1;
  const std::string rest = more == 1  ? ", and 1 more thing differs"
                           : more > 1 ? fmt::format(", and {} more things differ", more)
                                      : "";
  const std::string name = printable(why.text("name"));
  switch (*change) {
    case FileChange::word: {
      int number = 0;
      std::from_chars(name.data(), name.data() + name.size(), number);
      return number == 0 ? "its command is another program" + rest
                         : fmt::format("argument {} of its command changed{}", number, rest);
    }
    case FileChange::variable: return fmt::format("the variable {} of its environment changed{}", name, rest);
    case FileChange::setting: return fmt::format("`{}` of its suite changed{}", name, rest);
    case FileChange::machine: return fmt::format("the machine changed: {}{}", name, rest);
    case FileChange::content: return fmt::format("`{}` changed{}", name, rest);
    case FileChange::fresh: return fmt::format("`{}` is new among the files that it reads{}", name, rest);
    case FileChange::gone: return fmt::format("`{}` is gone from the files that it reads{}", name, rest);
    case FileChange::names: return fmt::format("the names in the folder `{}` changed{}", name, rest);
    case FileChange::looks:
      return fmt::format("it finds other things than before where it looks in `{}`{}", name, rest);
  }
  return "?";
}

}  // namespace harness::report

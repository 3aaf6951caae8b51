#include "harness/cli/provenance/markdown_reads.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;

MarkdownReads::MarkdownReads() {
  const std::optional<fs::path> root = repository_root(".");
  if (!root) return;
  std::set<fs::path> folders;
  for (const std::string& file : tracked_files(*root, {"*.md"})) {
    tracked_.push_back((*root / file).string());
    folders.insert(fs::path(tracked_.back()).parent_path());
  }
  std::sort(tracked_.begin(), tracked_.end());
  if (!tracked_.empty()) queue_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  for (const fs::path& folder : folders)
    if (const int watch = inotify_add_watch(queue_, folder.c_str(), IN_OPEN); watch >= 0)
      folders_.emplace_back(watch, folder);
  if (folders_.size() == folders.size()) return;
  // Too many folders for this system: as if all had been read.
  if (queue_ >= 0) close(queue_);
  queue_ = -1;
}

MarkdownReads::~MarkdownReads() {
  if (queue_ >= 0) close(queue_);
}

std::vector<std::string> MarkdownReads::seen() {
  if (tracked_.empty()) return {};
  if (queue_ < 0) return {"(unknown)"};
  std::set<std::string> files;
  alignas(inotify_event) std::array<char, 65536> events{};
  for (ssize_t bytes = 0; (bytes = read(queue_, events.data(), events.size())) > 0;)
    for (ssize_t at = 0; at < bytes;) {
      const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      if ((event->mask & IN_Q_OVERFLOW) != 0) files.insert("(unknown)");
      if (event->len == 0) continue;
      for (const auto& [watch, folder] : folders_) {
        const std::string file = (folder / event->name).string();
        if (watch == event->wd && std::binary_search(tracked_.begin(), tracked_.end(), file))
          files.insert(file);
      }
    }
  return {files.begin(), files.end()};
}

}  // namespace harness

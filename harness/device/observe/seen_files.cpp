#include "harness/device/observe/seen_files.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/base/text.h"
#include "harness/device/observe/own_folders.h"
#include "harness/device/observe/python_cache.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_names = 2000;  // of files, one by one; more count by folder
constexpr int most_interpreters = 4;
constexpr const char* valid_cache = "cache";  // the state of a cache of Python that it takes
constexpr std::size_t longest_first_line = 4096;

// The dynamic linker finds libraries by it. The libraries that it finds count, and each place without one.
constexpr std::string_view linker_cache = "/etc/ld.so.cache";

std::string folder_above(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  const auto same = [](const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         same(one.st_mtim, other.st_mtim) && same(one.st_ctim, other.st_ctim);
}

bool can_make_in(const std::string& folder) {
  struct stat about {};
  return stat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && access(folder.c_str(), W_OK) == 0;
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int number() const { return file_; }

 private:
  int file_;
};

// The program that the kernel starts for a file: of its first line, or of its ELF header. "": it is none.
std::string interpreter_of(const std::string& path) {
  const OpenFile file(path);
  std::string head(longest_first_line, '\0');
  const ssize_t count = pread(file.number(), head.data(), head.size(), 0);
  if (count <= 0) return "";
  head.resize(static_cast<std::size_t>(count));
  if (head.starts_with("#!")) {
    const std::string line = head.substr(2, head.find('\n') - 2);
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : line.substr(begin, line.find_first_of(" \t", begin) - begin);
  }
  Elf64_Ehdr elf{};
  if (head.size() < sizeof elf) return "";
  std::memcpy(&elf, head.data(), sizeof elf);
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_phentsize != sizeof(Elf64_Phdr))
    return "";
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr part{};
    const auto at = static_cast<off_t>(elf.e_phoff + i * sizeof part);
    if (pread(file.number(), &part, sizeof part, at) != static_cast<ssize_t>(sizeof part)) return "";
    if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > longest_first_line) continue;
    std::string name(part.p_filesz, '\0');
    if (pread(file.number(), name.data(), name.size(), static_cast<off_t>(part.p_offset)) <= 0) return "";
    return name.c_str();  // it ends with a zero
  }
  return "";
}

bool is_harmless_device(const std::string& path) {
  constexpr std::array names{"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                             "/dev/urandom", "/dev/tty",  "/dev/ptmx"};
  return std::find(names.begin(), names.end(), path) != names.end() || path.starts_with("/dev/pts/");
}

bool is_gpu(const std::string& path) {
  return path.starts_with("/dev/nvidia") || path.starts_with("/dev/dri/") || path == "/dev/kfd";
}

// Whether the kernel starts it by itself: a script, or an ELF file of this machine. Others need a helper that
// somebody registered (binfmt_misc).
bool is_known_program(const std::string& path) {
  const OpenFile file(path);
  Elf64_Ehdr elf{};
  if (pread(file.number(), &elf, sizeof elf, 0) < 2) return false;
  if (std::memcmp(elf.e_ident, "#!", 2) == 0) return true;
#if defined(__aarch64__)
  constexpr unsigned machine = EM_AARCH64;
#else
  constexpr unsigned machine = EM_X86_64;
#endif
  return std::memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 && elf.e_machine == machine;
}

// Files in which the kernel tells of the machine, or of the process itself.
bool tells_of_machine(const std::string& path, pid_t process) {
  constexpr std::array files{"cpuinfo", "meminfo",    "stat",      "loadavg",     "uptime",
                             "version", "mounts",     "cmdline",   "filesystems", "vmstat",
                             "swaps",   "interrupts", "diskstats", "zoneinfo"};
  constexpr std::array folders{
      "/proc/sys",           "/proc/bus",      "/proc/self",     "/proc/thread-self",
      "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm", "/sys/devices/virtual/dmi",
      "/sys/firmware",       "/sys/hypervisor"};
  const auto is = [&](const char* name) { return path == fmt::format("/proc/{}", name); };
  return std::any_of(files.begin(), files.end(), is) ||
         std::any_of(folders.begin(), folders.end(), [&](const char* one) { return is_below(path, one); }) ||
         is_below(path, fmt::format("/proc/{}", process));
}

// Who tells names of users, groups and hosts. Like /etc/passwd they are the machine's.
bool is_name_service(const std::string& path) {
  constexpr std::array folders{"/run/nscd", "/run/systemd/userdb", "/var/lib/sss/pipes"};
  return std::any_of(folders.begin(), folders.end(), [&](const char* one) { return is_below(path, one); });
}

}  // namespace

SeenFiles::SeenFiles(const ObservedPlaces& places, HashLimits limits)
    : root_(fs::weakly_canonical(places.root).string()),
      output_(fs::weakly_canonical(places.output).string()),
      left_out_(own_folders(places.root)),
      limits_(limits) {}

void SeenFiles::add_gap(FileGap gap, const std::string& name) {
  if (gap_) return;
  gap_ = Cause{CauseCode::files_unknown, {{"gap", std::string(name_of(gap))}}};
  if (!name.empty()) gap_->figures.emplace_back("name", printable(name));
}

void SeenFiles::refuse(const std::string& problem) {
  gap_ = Cause{CauseCode::files_unseen, {{"problem", printable(problem)}}};
}

std::string SeenFiles::name_of_path(const std::string& path) const {
  const auto relative = [&](const std::string& folder, const char* name) {
    return name + path.substr(folder.size());
  };
  if (is_below(path, output_)) return relative(output_, output_mark);
  if (is_below(path, folder_above(output_)) && folder_above(output_) != "/")
    return relative(folder_above(output_), "{output}/..");
  return root_ != "/" && is_below(path, root_) ? relative(root_, ".") : path;
}

bool SeenFiles::is_left_out(const std::string& path) const {
  return std::any_of(left_out_.begin(), left_out_.end(),
                     [&](const std::string& one) { return is_below(path, one); });
}

// Calls are told before they happen, and may fail. So what it made anew must have been seen to be there, and
// what was there before must be gone or changed.
bool SeenFiles::took_effect(const std::string& path, Made& made) {
  struct stat now {};
  const bool there = lstat(path.c_str(), &now) == 0;
  if (made.before) return !there || !is_same_file(*made.before, now);
  made.seen = made.seen || there;
  return made.seen;
}

bool SeenFiles::is_made(const std::string& path) {
  const auto itself = made_.find(path);
  if (itself != made_.end() && took_effect(path, itself->second)) return true;
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const auto folder = made_.find(path.substr(0, slash));
    if (folder != made_.end() && !folder->second.before && took_effect(folder->first, folder->second))
      return true;
  }
  return false;
}

// Whether it is the kernel's, so that there is nothing more to know of it.
bool SeenFiles::take_kernel_file(const ResolvedPath& found, bool unknown) {
  if (!found.of_kernel) return false;
  if (unknown)
    add_gap(found.path.starts_with("/proc/driver/nvidia") ? FileGap::gpu : FileGap::kernel, found.path);
  return true;
}

// Only git itself may read what git keeps; else it is data, which differs from commit to commit.
bool SeenFiles::is_of_git(const std::string& path, pid_t process) {
  if (!is_left_out(path)) return false;
  constexpr std::array known{"HEAD", "config", "index", "packed-refs"};
  const std::string name = fs::path(path).filename().string();
  const bool usual =
      std::find(known.begin(), known.end(), name) != known.end() || path.find("/refs/") != std::string::npos;
  const std::string asking = fs::path(link_text(fmt::format("/proc/{}/exe", process))).filename().string();
  const bool own = asking.starts_with("git") && !fs::path(program_).filename().string().starts_with("git");
  if ((!usual && !own) || is_below(path, root_ + "/.harness")) add_gap(FileGap::own_folder, path);
  return true;
}

// `executed`: by the kernel, or by the dynamic linker. A file that is read as well counts whole.
void SeenFiles::read(const ResolvedPath& found, pid_t process, bool executed) {
  const std::string& path = found.path;
  if (has_gap() || path == linker_cache || is_of_git(path, process) || is_made(path)) return;
  const auto known = contents_.find(path);
  if (known != contents_.end() && (known->second.whole || executed)) return;
  if (const std::string source = source_of_python_cache(path); !source.empty()) {
    states_.try_emplace(path, valid_cache);
    return read(resolve_path(source, LastLink::followed, process), process, false);
  }
  if (is_below(path, "/dev/shm")) return add_gap(FileGap::shared, path);
  const OpenFile file(path);
  if (file.number() < 0 && (errno == EACCES || errno == EPERM)) {
    states_.try_emplace(path, fmt::format("-{}", errno));
    return;
  }
  std::optional<std::string> hash = hash_of_file(file.number(), limits_, executed);
  if (!hash) return add_gap(limits_.seconds > 0 ? FileGap::unread : FileGap::too_much, path);
  contents_.insert_or_assign(path, Content{std::move(*hash), found.about, !executed});
}

std::string SeenFiles::state_of(const ResolvedPath& found) const {
  if (found.error != 0) return fmt::format("-{}", found.error);
  const mode_t mode = found.about.st_mode;
  if (S_ISDIR(mode)) return "folder";
  if (S_ISLNK(mode)) {
    const std::string to = link_text(found.path);
    return "link " + (to.starts_with('/') ? name_of_path(to) : to);
  }
  if (!S_ISREG(mode)) return "special";
  return fmt::format("file{} {}", (mode & S_IXUSR) != 0 ? "*" : "", found.about.st_size);
}

void SeenFiles::take_probe(const ResolvedPath& found) {
  const std::string& path = found.path;
  if (has_gap() || found.of_kernel || is_left_out(path) || is_made(path)) return;
  if (!states_.contains(path)) states_.emplace(path, state_of(found));
}

void SeenFiles::probe(const std::string& path, LastLink last, pid_t process) {
  if (!has_gap()) take_probe(resolve_path(path, last, process));
}

void SeenFiles::open(const std::string& path, int flags, pid_t process) {
  if (has_gap()) return;
  std::error_code ignored;
  const bool exclusive = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
  const LastLink last = exclusive || (flags & O_NOFOLLOW) != 0 ? LastLink::kept : LastLink::followed;
  const ResolvedPath found = resolve_path(path, last, process);
  const bool to_read =
      (flags & O_PATH) == 0 && fs::exists(found.path, ignored) && !fs::is_directory(found.path, ignored);
  if (take_kernel_file(found, to_read && !tells_of_machine(found.path, process))) return;
  const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if (found.error == ENOENT && (flags & O_CREAT) != 0 && !nameless && can_make_in(folder_above(found.path)))
    return make_anew(found.path);
  const mode_t mode = found.about.st_mode;
  if (found.error != 0 || exclusive || nameless || (flags & O_PATH) != 0 || S_ISDIR(mode) || S_ISLNK(mode))
    return take_probe(found);
  if (!S_ISREG(mode)) {
    if (!is_harmless_device(found.path) && !is_made(found.path))
      add_gap(is_gpu(found.path) ? FileGap::gpu : FileGap::device, found.path);
    return;
  }
  const bool empties = (flags & O_TRUNC) != 0 && access(found.path.c_str(), W_OK) == 0;
  const bool library = fs::path(found.path).filename().string().find(".so") != std::string::npos;
  if (!empties) return read(found, process, library);
  if (!is_made(found.path)) made_.insert_or_assign(found.path, Made{found.about});
}

void SeenFiles::execute(const std::string& path, pid_t process) {
  std::string program = path;
  for (int i = 0; i <= most_interpreters && !program.empty() && !has_gap(); ++i) {
    if (!program.starts_with('/')) return add_gap(FileGap::unread, program);
    const ResolvedPath found = resolve_path(program, LastLink::followed, process);
    if (found.of_kernel) return add_gap(FileGap::kernel, found.path);
    if (found.error != 0 || !S_ISREG(found.about.st_mode)) return take_probe(found);
    const bool raises = (found.about.st_mode & (S_ISUID | S_ISGID)) != 0 ||
                        getxattr(found.path.c_str(), "security.capability", nullptr, 0) > 0;
    if (raises) return add_gap(FileGap::rights, found.path);
    if (program_.empty()) program_ = found.path;
    read(found, process, true);
    if (!is_known_program(found.path)) return add_gap(FileGap::format, found.path);
    program = interpreter_of(found.path);
  }
}

void SeenFiles::list(const std::string& folder, pid_t process) {
  if (has_gap()) return;
  const ResolvedPath found = resolve_path(folder, LastLink::followed, process);
  if (take_kernel_file(found, !tells_of_machine(found.path, process))) return;
  if (found.error != 0 || is_left_out(found.path) || is_made(found.path) || lists_.contains(found.path))
    return;
  lists_.emplace(found.path, names_in(found.path, false));
}

// The names that it made itself are left out. Where `next` start is meant, those that this one left count.
std::string SeenFiles::names_in(const std::string& folder, bool next) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (!open) return "unreadable";
  std::vector<std::string> names;
  while (const dirent* one = readdir(open.get())) {
    const std::string name = one->d_name, path = (folder == "/" ? "" : folder) + "/" + name;
    if (name == "." || name == ".." || is_left_out(path)) continue;
    if (folder == root_ && (name == ".git" || name == ".harness")) continue;
    const auto made = made_.find(path);
    if (made != made_.end() && (!next || made->second.before)) continue;
    names.push_back(fmt::format("{}\n{}", name,
                                one->d_type == DT_DIR   ? "folder"
                                : one->d_type == DT_LNK ? "link"
                                                        : "file"));
  }
  std::sort(names.begin(), names.end());
  return text_hash(join(names, "\n"));
}

void SeenFiles::truncate(const std::string& path, pid_t process) {
  open(path, O_WRONLY, process);
}

void SeenFiles::make(const std::string& path, pid_t process) {
  if (has_gap()) return;
  const ResolvedPath found = resolve_path(path, LastLink::kept, process);
  if (found.error == ENOENT && can_make_in(folder_above(found.path)))
    make_anew(found.path);
  else
    take_probe(found);
}

// Temporary files have another name in each start, and a library may look first whether it is free. Where
// something is there, that is known by itself.
void SeenFiles::make_anew(const std::string& path) {
  if (is_left_out(path)) return;
  made_.try_emplace(path, Made{});
  if (const auto looked = states_.find(path); looked != states_.end()) {
    states_.erase(looked);
    missed_.insert(path);
  }
}

void SeenFiles::remove(const std::string& path, pid_t process) {
  if (has_gap()) return;
  const ResolvedPath found = resolve_path(path, LastLink::kept, process);
  if (found.of_kernel) return;
  take_probe(found);
  if (found.error == 0 && !is_made(found.path)) made_.insert_or_assign(found.path, Made{found.about});
}

void SeenFiles::link(const std::string& from, LastLink last, const std::string& to, pid_t process) {
  if (has_gap()) return;
  const ResolvedPath found = resolve_path(from, last, process);
  if (found.error == 0 && !found.of_kernel && S_ISREG(found.about.st_mode))
    read(found, process, false);
  else
    take_probe(found);
  make(to, process);
}

void SeenFiles::rename(const std::string& from, const std::string& to, unsigned flags, pid_t process) {
  if (has_gap()) return;
  if ((flags & ~RENAME_NOREPLACE) != 0) return add_gap(FileGap::call, "renameat2");
  const ResolvedPath old = resolve_path(from, LastLink::kept, process);
  const ResolvedPath fresh = resolve_path(to, LastLink::kept, process);
  if (old.of_kernel || fresh.of_kernel) return add_gap(FileGap::call, "rename");
  const bool fails = (flags & RENAME_NOREPLACE) != 0 && fresh.error == 0;
  if (old.error != 0 || fails || !can_make_in(folder_above(fresh.path))) {
    take_probe(old);
    return take_probe(fresh);
  }
  if (S_ISDIR(old.about.st_mode) && !is_made(old.path)) return add_gap(FileGap::moved_folder, old.path);
  if (S_ISREG(old.about.st_mode)) read(old, process, false);
  if (S_ISLNK(old.about.st_mode)) take_probe(old);
  for (const ResolvedPath* one : {&old, &fresh})
    if (one->error == 0 && !is_made(one->path)) made_.insert_or_assign(one->path, Made{one->about});
  if (fresh.error != 0) make_anew(fresh.path);
}

void SeenFiles::connect(const std::string& path, pid_t process) {
  if (has_gap()) return;
  const ResolvedPath found = resolve_path(path, LastLink::followed, process);
  if (found.error != 0) return take_probe(found);
  if (!is_made(found.path) && !is_name_service(found.path)) add_gap(FileGap::network, found.path);
}

bool SeenFiles::is_settled() {
  if (has_gap()) return true;
  HashLimits limits;
  for (const auto& [path, content] : contents_) {
    struct stat now {};
    if (lstat(path.c_str(), &now) != 0) return false;
    if (is_same_file(content.about, now)) continue;
    const OpenFile file(path);
    if (hash_of_file(file.number(), limits, !content.whole) != content.hash) return false;
  }
  const auto same_state = [&](const auto& one) {
    return one.second.starts_with("file") || one.second == valid_cache ||
           state_of(resolve_path(one.first, LastLink::kept, 0)) == one.second;
  };
  const auto is_there = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  return std::none_of(missed_.begin(), missed_.end(), is_there) &&
         std::all_of(states_.begin(), states_.end(), same_state) &&
         std::all_of(lists_.begin(), lists_.end(),
                     [&](const auto& one) { return names_in(one.first, true) == one.second; });
}

Identity SeenFiles::identity(const std::vector<std::string>& words, const Surroundings& around) const {
  Identity found;
  if (gap_) {
    found.gap = *gap_;
    return found;
  }
  std::map<std::string, std::string> all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all.emplace(fmt::format("word:{:04}", i), text_hash(words[i]));
  for (const auto& [name, value] : around.variables) all.emplace("variable:" + name, text_hash(value));
  for (const auto& [name, value] : around.settings) all.emplace("setting:" + name, text_hash(value));
  for (const auto& [name, value] : around.machine) all.emplace("machine:" + name, text_hash(value));
  // By folder: what it looked for, and files where they are too many. Where folders are, too, all in one.
  std::map<std::string, std::string> folders;
  for (const auto& [path, state] : states_) {
    const auto content = contents_.find(path);  // where it counts whole, its size follows
    const bool known = state.starts_with("file") && content != contents_.end() && content->second.whole;
    folders["look:" + name_of_path(path == root_ ? path : folder_above(path))] +=
        fmt::format("{}\n{}\n", name_of_path(path), known ? state.substr(0, state.find(' ')) : state);
  }
  for (const auto& [path, content] : contents_) {
    if (contents_.size() <= most_names)
      all.emplace("file:" + name_of_path(path), content.hash);
    else
      folders["files:" + name_of_path(folder_above(path))] +=
          fmt::format("{}\n{}\n", name_of_path(path), content.hash);
  }
  if (folders.size() + lists_.size() <= most_names) {
    for (const auto& [name, text] : folders) all.emplace(name, text_hash(text));
    for (const auto& [path, hash] : lists_) all.emplace("list:" + name_of_path(path), hash);
  } else {
    std::string together;
    for (const auto& [name, text] : folders) together += fmt::format("{}\n{}\n", name, text_hash(text));
    for (const auto& [path, hash] : lists_) together += fmt::format("{}\n{}\n", name_of_path(path), hash);
    all.emplace("look:/", text_hash(together));
  }
  std::string text;
  for (const auto& [name, hash] : all) text += fmt::format("{}\n{}\n", name, hash);
  found.digest = std::string(files_digest_rules) + text_hash(text);
  found.files = std::move(all);
  return found;
}

}  // namespace harness

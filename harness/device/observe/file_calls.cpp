#include "harness/device/observe/file_calls.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace harness {
namespace {

#if defined(__x86_64__)
constexpr unsigned architecture = AUDIT_ARCH_X86_64;
constexpr unsigned other_numbers = 0x40000000;  // those of x32
#elif defined(__aarch64__)
constexpr unsigned architecture = AUDIT_ARCH_AARCH64;
constexpr unsigned other_numbers = 0;
#else
constexpr unsigned architecture = 0;
constexpr unsigned other_numbers = 0;
#endif

// Newer than some headers; the numbers are those of all architectures.
enum {
  io_uring_setup = 425,
  open_tree = 428,
  move_mount = 429,
  fsopen = 430,
  fspick = 433,
  clone3 = 435,
  openat2 = 437,
  pidfd_getfd = 438,
  faccessat2 = 439,
  mount_setattr = 442,
  getxattrat = 464
};

constexpr FileCall gap_at(long number, const char* name, FileGap gap, int only = -1,
                          unsigned long bits = ~0UL) {
  return {number, name, FileCallKind::gap, -1, -1, -1, gap, only, bits};
}

constexpr FileCall file_calls[] = {
#if defined(__x86_64__)
    {SYS_open, "open", FileCallKind::open, -1, 0, 1},
    {SYS_creat, "creat", FileCallKind::creat, -1, 0},
    {SYS_stat, "stat", FileCallKind::probe, -1, 0},
    {SYS_lstat, "lstat", FileCallKind::probe_link, -1, 0},
    {SYS_access, "access", FileCallKind::probe, -1, 0},
    {SYS_chmod, "chmod", FileCallKind::probe, -1, 0},
    {SYS_readlink, "readlink", FileCallKind::probe_link, -1, 0},
    {SYS_getdents, "getdents", FileCallKind::list, 0},
    {SYS_mkdir, "mkdir", FileCallKind::make, -1, 0},
    {SYS_mknod, "mknod", FileCallKind::make, -1, 0},
    {SYS_symlink, "symlink", FileCallKind::make, -1, 1},
    {SYS_unlink, "unlink", FileCallKind::remove, -1, 0},
    {SYS_rmdir, "rmdir", FileCallKind::remove, -1, 0},
    {SYS_link, "link", FileCallKind::link, -1, 0},
    {SYS_rename, "rename", FileCallKind::rename, -1, 0},
#endif
    {SYS_openat, "openat", FileCallKind::open, 0, 1, 2},
    {openat2, "openat2", FileCallKind::open_how, 0, 1, 2},
    {SYS_execve, "execve", FileCallKind::execute, -1, 0},
    {SYS_execveat, "execveat", FileCallKind::execute, 0, 1, 4},
    {SYS_newfstatat, "newfstatat", FileCallKind::probe, 0, 1, 3},
    {SYS_statx, "statx", FileCallKind::probe, 0, 1, 2},
    {SYS_faccessat, "faccessat", FileCallKind::probe, 0, 1},
    {faccessat2, "faccessat2", FileCallKind::probe, 0, 1, 3},
    {SYS_readlinkat, "readlinkat", FileCallKind::probe_link, 0, 1},
    {SYS_chdir, "chdir", FileCallKind::probe, -1, 0},
    {SYS_utimensat, "utimensat", FileCallKind::probe, 0, 1, 3},
    {SYS_fchmodat, "fchmodat", FileCallKind::probe, 0, 1},
    {SYS_statfs, "statfs", FileCallKind::probe, -1, 0},
    {SYS_inotify_add_watch, "inotify_add_watch", FileCallKind::probe, -1, 1},
    {SYS_listxattr, "listxattr", FileCallKind::probe, -1, 0},
    {SYS_llistxattr, "llistxattr", FileCallKind::probe_link, -1, 0},
    {SYS_getdents64, "getdents64", FileCallKind::list, 0},
    {SYS_truncate, "truncate", FileCallKind::truncate, -1, 0},
    {SYS_mkdirat, "mkdirat", FileCallKind::make, 0, 1},
    {SYS_mknodat, "mknodat", FileCallKind::make, 0, 1},
    {SYS_symlinkat, "symlinkat", FileCallKind::make, 1, 2},
    {SYS_unlinkat, "unlinkat", FileCallKind::remove, 0, 1},
    {SYS_linkat, "linkat", FileCallKind::link, 0, 1, 4},
    {SYS_renameat, "renameat", FileCallKind::rename, 0, 1},
    {SYS_renameat2, "renameat2", FileCallKind::rename, 0, 1, 4},
    {SYS_connect, "connect", FileCallKind::connect, -1, 1},
    {SYS_bind, "bind", FileCallKind::bind, -1, 1},
    {SYS_sendmsg, "sendmsg", FileCallKind::send_message, -1, 1},
    {SYS_clone, "clone", FileCallKind::clone, -1, -1, -1, FileGap::elsewhere, 0, name_space_flags},
    {clone3, "clone3", FileCallKind::clone_how, -1, 0},
    gap_at(SYS_accept, "accept", FileGap::network),
    gap_at(SYS_accept4, "accept4", FileGap::network),
    gap_at(SYS_sendto, "sendto", FileGap::network, 4),
    gap_at(SYS_sendmmsg, "sendmmsg", FileGap::network),
    gap_at(SYS_shmget, "shmget", FileGap::shared, 0),
    gap_at(SYS_semget, "semget", FileGap::shared, 0),
    gap_at(SYS_msgget, "msgget", FileGap::shared, 0),
    gap_at(SYS_mq_open, "mq_open", FileGap::shared),
    gap_at(SYS_unshare, "unshare", FileGap::elsewhere, 0, name_space_flags),
    gap_at(SYS_setns, "setns", FileGap::elsewhere),
    gap_at(SYS_chroot, "chroot", FileGap::elsewhere),
    gap_at(SYS_pivot_root, "pivot_root", FileGap::elsewhere),
    gap_at(SYS_mount, "mount", FileGap::elsewhere),
    gap_at(SYS_umount2, "umount2", FileGap::elsewhere),
    gap_at(open_tree, "open_tree", FileGap::elsewhere),
    gap_at(move_mount, "move_mount", FileGap::elsewhere),
    gap_at(fsopen, "fsopen", FileGap::elsewhere),
    gap_at(fspick, "fspick", FileGap::elsewhere),
    gap_at(mount_setattr, "mount_setattr", FileGap::elsewhere),
    gap_at(SYS_ptrace, "ptrace", FileGap::processes),
    gap_at(SYS_process_vm_readv, "process_vm_readv", FileGap::processes),
    gap_at(pidfd_getfd, "pidfd_getfd", FileGap::processes),
    gap_at(SYS_setuid, "setuid", FileGap::rights),
    gap_at(SYS_setgid, "setgid", FileGap::rights),
    gap_at(SYS_setreuid, "setreuid", FileGap::rights),
    gap_at(SYS_setregid, "setregid", FileGap::rights),
    gap_at(SYS_setresuid, "setresuid", FileGap::rights),
    gap_at(SYS_setresgid, "setresgid", FileGap::rights),
    gap_at(SYS_setfsuid, "setfsuid", FileGap::rights),
    gap_at(SYS_setfsgid, "setfsgid", FileGap::rights),
    gap_at(SYS_setgroups, "setgroups", FileGap::rights),
    gap_at(SYS_capset, "capset", FileGap::rights),
    gap_at(SYS_getxattr, "getxattr", FileGap::attributes),
    gap_at(SYS_lgetxattr, "lgetxattr", FileGap::attributes),
    gap_at(SYS_fgetxattr, "fgetxattr", FileGap::attributes),
    gap_at(getxattrat, "getxattrat", FileGap::attributes),
    gap_at(SYS_seccomp, "seccomp", FileGap::filter, 0),  // 0, the strict mode, allows no call that is watched
    {SYS_prctl, "prctl", FileCallKind::gap, -1, -1, -1, FileGap::filter, 0, PR_SET_SECCOMP, true},
    gap_at(io_uring_setup, "io_uring_setup", FileGap::call),
    gap_at(SYS_open_by_handle_at, "open_by_handle_at", FileGap::call),
    gap_at(SYS_add_key, "add_key", FileGap::call),
    gap_at(SYS_request_key, "request_key", FileGap::call),
    gap_at(SYS_keyctl, "keyctl", FileGap::call),
    gap_at(SYS_bpf, "bpf", FileGap::call),
    gap_at(SYS_fanotify_init, "fanotify_init", FileGap::call),
    gap_at(SYS_quotactl, "quotactl", FileGap::call),
};

void add_call(std::vector<sock_filter>& filter, const FileCall& call) {
  const sock_filter tell = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  const auto number = static_cast<unsigned>(call.number);
  if (call.only < 0) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(tell);
    return;
  }
  static_assert(std::endian::native == std::endian::little);
  const auto argument =
      static_cast<unsigned>(offsetof(seccomp_data, args)) + 8 * static_cast<unsigned>(call.only);
  const auto low = static_cast<unsigned>(call.bits), high = static_cast<unsigned>(call.bits >> 32);
  if (call.exact) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, low, 0, 1));
    filter.push_back(tell);
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    return;
  }
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 6));
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, low, 2, 0));
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument + 4));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, high, 0, 1));
  filter.push_back(tell);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

}  // namespace

const FileCall* find_file_call(long number) {
  const auto* const found = std::find_if(std::begin(file_calls), std::end(file_calls),
                                         [&](const FileCall& one) { return one.number == number; });
  return found == std::end(file_calls) ? nullptr : found;
}

std::vector<sock_filter> watching_filter() {
  if (architecture == 0) return {};
  const sock_filter tell = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0),
      tell,
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  if (other_numbers != 0) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, other_numbers, 0, 1));
    filter.push_back(tell);
  }
  for (const FileCall& one : file_calls) add_call(filter, one);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

unsigned filtered_architecture() {
  return architecture;
}

}  // namespace harness

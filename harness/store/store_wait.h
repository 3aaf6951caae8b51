// Stores that another process has locked: who is told of the wait, and how long it may take. For the calling
// thread but for on_store_wait().
#pragma once

#include <functional>
#include <string>

namespace harness {

// `told` is called with the store's name once a wait has taken a second. Set it before a store is opened.
void on_store_wait(std::function<void(const std::string& place)> told);

// While it lives, stores wait a moment instead of half a minute, and tell nobody.
class BriefPatience {
 public:
  BriefPatience();
  ~BriefPatience();
  BriefPatience(const BriefPatience&) = delete;
  BriefPatience& operator=(const BriefPatience&) = delete;
};

// Whether the last call of a store ended because another process had it locked for too long.
bool store_was_locked();

}  // namespace harness

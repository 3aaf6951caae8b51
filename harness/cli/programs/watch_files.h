// --watch: waits until a file changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace harness {

// The state of files: when each was last written, and its size. Files that are not there have a state, too.
using FileStates = std::vector<std::string>;
FileStates states_of(const std::vector<std::string>& files);

// Looks again after each pause() until a state differs from `before` and then stays the same, because a
// compiler writes for a while. False: pause() returned false, which means to stop.
bool wait_for_change(const std::vector<std::string>& files, const FileStates& before,
                     const std::function<bool()>& pause);

// Waits likewise, asking several times a second, until Ctrl-C. Then executes this program again from disk,
// with the same arguments. Returns only when interrupted or when that fails.
void start_again_on_change(const std::vector<std::string>& files, const FileStates& before);

}  // namespace harness

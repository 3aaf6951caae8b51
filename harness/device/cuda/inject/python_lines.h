// PythonLines: the line of Python that a thread of a traced process executes. Most launches come while their
// thread has released the interpreter's lock, and waiting for it could block the program. CPython's own
// writer of frames for crashes needs no lock: a thread's frames do not change while it is in a launch.
// Nothing of the program is touched: no signal, no thread, and no descriptor that outlives the call.
#pragma once

#include <string>
#include <string_view>

namespace harness::inject {

// "train.py:41 in loss": of this thread. The innermost line outside of installed packages, else the innermost
// one;
// "" where no Python runs here. CPython exports that writer in 3.6 to 3.8, 3.11 and 3.12. With others lines
// are told only while the thread holds the interpreter's lock. Any thread may call it.
std::string python_line();

// One of the frames in that writer's text, the innermost first: `  File "/a/train.py", line 41 in loss`.
// Files below `folder` lose it; of others two parts of the path are left.
std::string told_line(std::string_view frames, std::string_view folder);

}  // namespace harness::inject

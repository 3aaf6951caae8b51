// Why the files that a start of a program read do not tell all that it worked on.
#pragma once

#include "harness/schema/enum_names.h"

namespace harness {

// `name` in the figures of CauseCode::files_unknown: a path or a call.
enum class FileGap {
  network,       // it talks to another process by a socket
  shared,        // memory or queues that other processes may share
  elsewhere,     // it changes what paths mean: another root, mount or name space
  processes,     // it reads or controls other processes
  device,        // it opens a device, a pipe or a socket
  gpu,           // likewise, of a GPU
  kernel,        // it opens a file of /proc or /sys whose content nobody knows in advance
  rights,        // it changes its user, or starts a program that would
  filter,        // it filters its own calls
  call,          // it makes a call that is not followed
  foreign,       // it makes calls of another architecture
  unread,        // the observer cannot read the file, the path or the process
  attributes,    // it reads extended attributes
  too_much,      // more than is hashed
  moved_folder,  // it renames a folder that was there before
  own_folder,    // it reads in a folder of git or of the harness
  format,        // it starts a file that is neither a script nor an ELF file of this machine
  failed,        // the start ended badly
};

template <>
inline constexpr auto enum_names<FileGap> = names<FileGap>({{FileGap::network, "network"},
                                                            {FileGap::shared, "shared"},
                                                            {FileGap::elsewhere, "elsewhere"},
                                                            {FileGap::processes, "processes"},
                                                            {FileGap::device, "device"},
                                                            {FileGap::gpu, "gpu"},
                                                            {FileGap::kernel, "kernel"},
                                                            {FileGap::rights, "rights"},
                                                            {FileGap::filter, "filter"},
                                                            {FileGap::call, "call"},
                                                            {FileGap::foreign, "foreign"},
                                                            {FileGap::unread, "unread"},
                                                            {FileGap::attributes, "attributes"},
                                                            {FileGap::too_much, "too_much"},
                                                            {FileGap::moved_folder, "moved_folder"},
                                                            {FileGap::own_folder, "own_folder"},
                                                            {FileGap::format, "format"},
                                                            {FileGap::failed, "failed"}});

}  // namespace harness

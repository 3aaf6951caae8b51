// Shown: the figure of each case that a README's table shows.
#pragma once

#include "harness/schema/enum_names.h"

namespace harness {

namespace report {
enum class Shown { time, speedup, flops, bytes, items, share };
}

template <>
inline constexpr auto enum_names<report::Shown> = names<report::Shown>({{report::Shown::time, "time"},
                                                                        {report::Shown::speedup, "speedup"},
                                                                        {report::Shown::flops, "flops"},
                                                                        {report::Shown::bytes, "bytes"},
                                                                        {report::Shown::items, "items"},
                                                                        {report::Shown::share, "share"}});

}  // namespace harness

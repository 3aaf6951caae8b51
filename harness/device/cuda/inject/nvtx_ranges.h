// NVTX ranges of a traced process. Each library with NVTX in it has a table of functions; these are put into
// it.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace harness::inject {

// 1: the functions are in place. 0: the table is not known.
int attach_ranges(NvtxGetExportTableFunc_t export_table);

}  // namespace harness::inject

// An export of the CUDA module: it loads each library that a kernel may load and that is here, so that a
// process can tell which ones these are. They stay as long as the process.
#include "kernels/libraries/library_names.h"

extern "C" __attribute__((visibility("default"))) void harness_cuda_load_libraries() {
  for (const kernels::LibraryName& name : kernels::library_names::all()) try {
      const kernels::LoadedLibrary library(name, kernels::LoadedLibrary::candidates(name));
    } catch (const harness::sdk::Unsupported&) {  // it is not here, so no kernel uses it
    }
}

#include "kernels/backends/cpu_network.h"

HARNESS_VARIANT(conv, threads, cpu, "threads; what follows a product is done on its tiles in cache",
                backends::Threads<backends::Network::conv>)

// Registers the workload matmul: matmul_workload.h.
#include "kernels/matmul/matmul_workload.h"

#include "harness/sdk/registry.h"

HARNESS_WORKLOAD(matmul, matmul::MatmulWorkload)

// matmul/register_tiles: see register_tiles.cuh.
#include "kernels/matmul/rungs/register_tiles.cuh"

#include "kernels/matmul/rungs/run_rung.cuh"

MATMUL_RUNG(register_tiles, RegisterTiles, "8 x 8 elements a thread in registers; FP32",
            "the rung for FP32 on CUDA cores: it multiplies f32 alone", ptx::F32)

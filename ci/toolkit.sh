#!/usr/bin/env bash
# The CUDA toolkit from NVIDIA's wheels, whose versions are pinned one by one: `ci/toolkit.sh FOLDER` prints CUDA_HOME=... .
set -euo pipefail
folder=${1:?the folder for the wheels}
python3 -m pip install --quiet --no-deps --target "$folder" \
  nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 \
  nvidia-cuda-cccl==13.0.85 nvidia-cublas==13.1.0.3 nvidia-nvtx==13.0.85 nvidia-cuda-cupti==13.0.85 >&2
cd "$folder/nvidia/cu13"
ln -s lib lib64
for library in lib/lib*.so.13; do ln -s "${library##*/}" "${library%.13}"; done
echo "CUDA_HOME=$PWD"

#!/usr/bin/env bash
# Builds the programs of the scoreboard from a checkout of HeCBench (f27000a51), for sm_90.
#
#   tests/scoreboard/programs/build.sh CHECKOUT FOLDER
set -euo pipefail

checkout=${1:?usage: build.sh CHECKOUT FOLDER}
folder=${2:?usage: build.sh CHECKOUT FOLDER}
mkdir -p "$folder"
for program in aidw atomicReduction attention convolutionSeparable gelu heat jacobi laplace3d matern softmax stencil1d; do
  shopt -s nullglob
  sources=("$checkout/src/$program-cuda/"*.{cu,cpp,c})
  nvcc -O3 -std=c++17 -arch=sm_90 -I "$checkout/src/$program-cuda" -I "$checkout/src/include" -x cu "${sources[@]}" \
    -o "$folder/$program"
done

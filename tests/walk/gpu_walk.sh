#!/usr/bin/env bash
# gpu_walk.sh FOLDER: README.md and the manual on a GPU, with what ci/bundle.sh made in FOLDER; nothing is compiled and no network is
# used. The build of a commit is a copy: of FOLDER/slower where the commit has a file `slower`. ci/gpu.sh calls it.
folder=$(cd "${1:?the folder that ci/bundle.sh made}" && pwd) || exit 2
[ -f "$folder/slower/lib/libharness_cuda.so" ] || { echo "gpu_walk: $folder has no slower build" >&2; exit 2; }
export HARNESS=$folder/bin/harness PLUGIN=$folder/lib/libharness_kernels.so
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"
unset HARNESS_SYSTEM_ROOT  # this machine is the one to look at

# A clone's files, with one shape of fusion.yaml, in five processes.
git init -q -b main .
printf '%s\n' .harness/ build/ '*.json' '*.db' >.gitignore
mkdir -p ci tests/data
cp -r "$source_root/suites" suites
cp -r "$data/h200" tests/data/h200
sed -Ei '/# The exact form/,/# On a CPU/{/# On a CPU/!d}; /\{m: (512|8192), n: /d; /match: \{m: 512\}/d
  /match: \{(n|k): (4096|14336)\}/d; s/dtype: \[f16, bf16\]/dtype: [f16]/; s/placements: 6\}/processes: 5, placements: 6}/
  s/margin: 1%/margin: 0.5%/' suites/fusion.yaml
cat >ci/bootstrap.sh <<SH_END
#!/bin/sh
rm -rf build/release && mkdir -p build/release
cp -r "$folder/bin" "$folder/lib" build/release/
[ ! -f slower ] || cp "$folder"/slower/lib/*.so build/release/lib/
[ \$# -eq 0 ] || exec build/release/bin/harness "\$@"
SH_END
chmod +x ci/bootstrap.sh
printf 'version: 1\nall: {device: cuda}\n' >"$scratch/defaults.yaml"
export HARNESS_DEFAULTS=$scratch/defaults.yaml
commit "a clone"
ln -sf "$work/build/release/bin/harness" "$scratch/path/harness"
slower=linear_gelu/wmma_fused  # of the build in FOLDER/slower

page README.md 'Two commands'
step 0 "ci/bootstrap.sh run"
names wgmma_fused cublaslt_epilogue

page README.md 'The first verdict'
git checkout -qb my-branch && touch slower && commit "slower by two percent"
git checkout -q main
step 0 "harness doctor"
step 1 "harness ab"
names $slower
no_trees_left

page manual/read-a-verdict.md 'Start'
step 0 "harness import"
step 0 "harness import"
step 1 "harness compare"
names gelu/mode=hot gelu/mode=cold
step 0 "harness explain"

# The branch has a commit that is as fast, the slower one, and a third.
git tag v1.2
git checkout -q my-branch && git reset -q --hard main
echo words >note && commit "a note"
touch slower && commit "slower"
culprit=$(git rev-parse --short=10 HEAD)
echo more >note && commit "more words"
git checkout -q main && ci/bootstrap.sh
page manual/gate-kernels.md 'This tree'
step 0 "harness list"
names wgmma_fused
step 0 "harness run"
step 1 "git checkout my-branch && ci/bootstrap.sh run"
names $slower
step 0 "harness history"
step 0 "harness bisect"
names "$culprit"
no_trees_left
step 0 "harness calibrate"
names wmma_fused fusion_bound
git rm -q slower && git commit -qm "as fast as before" && ci/bootstrap.sh
expect 0 harness run suites/fusion.yaml --against main
names IDENTICAL

# Commands of the reference that need a GPU: one is watched there, and one names another build command.
expect 0 harness run suites/fusion.yaml --quick --set m=512,1024 --filter '/wgmma|cublas/'
names m=512 m=1024
expect 0 harness bisect suites/fusion.yaml --good v1.2 --bad HEAD~1 --case '*/dtype=f16/*'
names "$culprit"
finish_walk

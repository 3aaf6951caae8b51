#!/usr/bin/env bash
# `harness init`: a suite and workflows for what a repository has. The suites can be read, and nothing that is there is lost.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
manual=$(cd "$tests/.." && pwd)/manual/gate-a-program.md

# fresh: an empty repository.
fresh() {
  cd "$scratch" && rm -rf work && mkdir work && cd work || exit 1
  git init -q -b "${1:-main}" .
}
# cases FILE TOKEN...: the suite is one, and its commands have these.
cases() {
  expect 0 "$HARNESS" list "$1"
  names "${@:2}"
}
# program FILE PYTHON... : each is true of the suite, as a list of `programs`.
programs() {
  python3 - "$@" <<'PY' || problem "$1 is another: $(cat "$1")"
import json, re, sys
text = open(sys.argv[1]).read()
programs = [dict(re.findall(r"^    (\w+): (.*?)(?:  #.*)?$", part, re.M)) for part in text.split("\n  - ")[1:]]
for one in programs:
    one["command"] = json.loads(one["command"])
wrong = [expression for expression in sys.argv[2:] if not eval(expression)]
print(*wrong, sep="\n", file=sys.stderr)
sys.exit(bool(wrong))
PY
}

# A program of the user's own, which make builds: the workflow is that of the manual.
fresh
printf 'sort:\n\techo done >sort\n' >Makefile && echo sort >.gitignore && commit "a program"
expect 0 "$HARNESS" init -- ./sort 1000
names suite.yaml perf.yml perf-comment.yml OWNER
programs suite.yaml 'len(programs) == 1' 'programs[0]["command"] == ["./sort", "1000"]' "programs[0]['build'] == '\"make\"'"
cases suite.yaml ./sort
python3 "$tests/walk/commands.py" --file "$manual" yaml 1 >wanted.yml
cmp .github/workflows/perf.yml wanted.yml || problem "the manual shows another workflow: $(cat .github/workflows/perf.yml)"
[ "$(wc -l <.github/workflows/perf.yml)" -le 12 ] || problem "the workflow has more than 12 lines"
[ "$(wc -l <.github/workflows/perf-comment.yml)" -eq 4 ] || problem "the second file has not four lines"
grep -q 'workflows: \[perf\]' .github/workflows/perf-comment.yml || problem "the second file waits for another workflow"

# Files that are there stay, and the others are written.
cp suite.yaml before && echo "# mine" >>suite.yaml && cp suite.yaml before && rm .github/workflows/perf.yml
expect 0 "$HARNESS" init --from acme/harness -- ./other
cmp suite.yaml before || problem "the suite was overwritten"
grep -q "uses: acme/harness/.github/workflows/gate.yml@v0" .github/workflows/perf.yml || problem "the workflow calls another"
silent_about "place of OWNER"
# Nobody knows which machine a suite needs that is there already.
! grep -q runner .github/workflows/perf.yml || problem "the program that was named decides the machine of another suite"
names require
printf 'name: perf\non: push\n' >.github/workflows/perf.yml && rm .github/workflows/perf-comment.yml
expect 0 "$HARNESS" init -- ./other
silent_about require
names perf.yml rename
absent .github/workflows/perf-comment.yml
rm suite.yaml && ln -s nowhere suite.yaml
expect 0 "$HARNESS" init -- ./sort
[ -L suite.yaml ] || problem "a link to nothing was replaced"
absent nowhere

# A program that make builds for a GPU needs a machine with one. The branch of changes is that of origin, in a linked tree too.
fresh
printf 'sort: sort.cu\n\tnvcc -o sort sort.cu\n' >Makefile && touch sort.cu && commit "a program"
git update-ref refs/remotes/origin/dev HEAD && git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/dev
git worktree add -q "$scratch/linked" && cd "$scratch/linked" || exit 1
expect 0 "$HARNESS" init -- ./sort
! grep -q runner .github/workflows/perf.yml || problem "a machine without a GPU"
grep -q 'branches: \["dev"\]' .github/workflows/perf.yml || problem "another branch: $(cat .github/workflows/perf.yml)"

# Targets of CMake, in the project above them, and files of pytest.
fresh trunk
mkdir -p bench engine/perf tests
printf 'project(all)\nadd_subdirectory(bench)\n' >CMakeLists.txt
# shellcheck disable=SC2016  # as in CMake
printf 'add_executable(sorting sorting.cpp)\ntarget_link_libraries(sorting PRIVATE\n  sort benchmark::benchmark_main)\ntarget_link_libraries(${name} benchmark::benchmark)\n' \
  >bench/CMakeLists.txt
printf 'project(engine)\n' >engine/CMakeLists.txt
printf 'ADD_EXECUTABLE(kernels kernels.cu)\nTarget_Link_Libraries(kernels PRIVATE nvbench::main)\n' >engine/perf/CMakeLists.txt
# No programs: a library, a comment, another command.
printf 'add_library(common common.cpp)\ntarget_link_libraries(common benchmark::benchmark)\n# add_executable(old old.cpp)\n# target_link_libraries(old benchmark::benchmark)\nmy_add_executable(mine mine.cpp)\ntarget_link_libraries(mine benchmark::benchmark)\n' \
  >>engine/perf/CMakeLists.txt
printf 'def test_sort(benchmark):\n  benchmark(sorted, [2, 1])\n' >tests/test_sort.py
printf 'def test_other():\n  pass\n' >tests/test_other.py
commit "benchmarks"
expect 0 "$HARNESS" init --suite perf/all.yaml
names sorting kernels test_sort perf/all.yaml bench/CMakeLists.txt engine/build/ .gitignore
for name in test_other common old mine; do silent_about "$name"; done
programs perf/all.yaml '[one["reads"] for one in programs] == ["google_benchmark", "nvbench", "pytest_benchmark"]' \
  'programs[0]["command"][0] == "build/bench/sorting"' '"--target sorting" in programs[0]["build"]' \
  'programs[1]["command"][0] == "build/engine/perf/kernels" or programs[1]["command"][0] == "engine/build/perf/kernels"' \
  'programs[1]["device"] == "cuda"' 'programs[2]["command"][-1] == "tests/test_sort.py"'
expect 0 "$HARNESS" list perf/all.yaml --device cpu
names sorting test_sort
# A machine with a GPU, and the branch that is here.
grep -q 'branches: \["trunk"\]' .github/workflows/perf.yml || problem "another branch"
! grep -q runner .github/workflows/perf.yml || problem "a machine without a GPU"

# Two targets whose names are one in a suite; and a module that needs what its project installs.
fresh
printf 'project(all)\nadd_executable(a+b a.cpp)\ntarget_link_libraries(a+b benchmark::benchmark)\nadd_executable(a.b b.cpp)\ntarget_link_libraries(a.b benchmark::benchmark)\n' >CMakeLists.txt
echo build/ >.gitignore && commit "benchmarks"
expect 0 "$HARNESS" init
silent_about .gitignore
programs suite.yaml 'len(programs) == 2'
cases suite.yaml a_b a_b_2
grep -q runner .github/workflows/perf.yml || problem "a machine with a GPU for programs that need none"
fresh
printf 'def test_sort(benchmark):\n  benchmark(sorted, [2, 1])\n' >test_sort.py && touch pyproject.toml && commit "benchmarks"
expect 0 "$HARNESS" init
names build:
programs suite.yaml '"build" not in programs[0]'
! grep -q runner .github/workflows/perf.yml || problem "packages are missing there"

# A script that git has is built by nothing; a program of which nobody knows how it is built is told.
fresh
echo 'echo 1' >run.sh && commit "a script"
expect 0 "$HARNESS" init -- sh run.sh 'a "b" \c'
programs suite.yaml "programs[0]['command'] == ['sh', 'run.sh', 'a \"b\" \\\\c']" "programs[0]['build'] == '\"true\"'"
cases suite.yaml run.sh
! grep -q runner .github/workflows/perf.yml || problem "nobody knows what the script needs"
rm -rf suite.yaml .github
expect 0 "$HARNESS" init -- sh run.sh $'a\nb'
programs suite.yaml 'programs[0]["command"] == ["sh", "run.sh", "a\nb"]'
# Nothing that the machine has is of the commit.
for tool in "$(command -v sort)" sort; do
  rm -rf suite.yaml .github
  expect 0 "$HARNESS" init -- "$tool" 1000
  programs suite.yaml '"build" not in programs[0]'
  ! grep -q runner .github/workflows/perf.yml || problem "another machine may lack $tool"
done
rm -rf suite.yaml .github
touch binary
expect 0 "$HARNESS" init -- ./binary
names build:
programs suite.yaml '"build" not in programs[0]'
! grep -q runner .github/workflows/perf.yml || problem "nobody can build its base there"

# Nothing to measure, and no repository.
fresh
echo text >note && commit "a note"
expect 4 "$HARNESS" init
names benchmark::benchmark nvbench::nvbench init
absent suite.yaml .github
cd "$scratch" && mkdir none && cd none || exit 1
expect 2 "$HARNESS" init -- ./sort
names git
finish

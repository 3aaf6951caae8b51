#!/usr/bin/env bash
# Processes and files that nobody may leave behind: a kernel's children and daemons, the build of a killed command, the
# temporary file of a pin. And a module that ends the process that loads it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# ours: the processes with the mark of this test, but for its own shells.
ours() {
  local found line
  # shellcheck disable=SC2013  # a path in /proc has no space
  for found in $(grep -lzxF "HARNESS_TEST_FOLDER=$scratch" /proc/[0-9]*/environ 2>/dev/null); do
    line=$({ tr "\0" " " <"${found%environ}cmdline"; } 2>/dev/null)
    [[ $line == *harness* || $line == *build.sh* || $line == tail* ]] && echo "$line"
  done
}
nothing_left() { [ -z "$(ours)" ]; }

repository
speeds 100
# A plain child used to cost 5 s a process, and a daemon lived on.
for variant in forks daemons stops; do
  suite $variant && commit $variant
  begin=$(date +%s)
  expect 0 timeout 120 "$HARNESS" run suite.yaml --device cpu --report json=run.json
  [ $(($(date +%s) - begin)) -lt 25 ] || problem "$variant: five processes took $(($(date +%s) - begin)) s"
  eventually nothing_left
done

# A build ends with the command that started it, its daemons too.
suite right && cat >build.sh <<SH
#!/bin/sh
setsid tail -f /dev/null &
touch "$scratch/building"
tail -f /dev/null
SH
chmod +x build.sh && commit "a build without an end"
"$HARNESS" ab suite.yaml --baseline HEAD --build ./build.sh >"$printed" 2>&1 &
pid=$!
eventually test -e "$scratch/building"
kill -KILL $pid
wait $pid 2>/dev/null
eventually nothing_left

# The process that lists loads no module itself.
expect 0 "$HARNESS" list suite.yaml
names right
killed_by_signals
for way in crash end; do
  expect 2 env TEST_PLUGIN_LOADS=$way "$HARNESS" list suite.yaml
  names suite.yaml
done

# A file's name drives no terminal.
expect 2 "$HARNESS" run $'\e[31mred.yaml'
silent_about $'\e'
finish

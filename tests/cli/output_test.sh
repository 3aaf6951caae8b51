#!/usr/bin/env bash
# Where reports go: several at once, whole or not at all, without hiding the verdict; and the colours.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100 && commit "fast"
expect 0 run --output fast.json
speeds 104 && commit "slower"
expect 0 run --output slow.json
compare() { "$HARNESS" compare --baseline fast.json --current slow.json "$@"; }

# A list, repeated; folders are made; a comma belongs to a name behind a backslash; - is standard output.
expect 1 compare --report json=a/one.json,markdown=b/two.md --report 'json=three\,four.json' --report markdown=-
names REGRESSED "###"
for file in a/one.json b/two.md three,four.json; do [ -s "$file" ] || problem "$file was not written"; done
cmp -s a/one.json three,four.json || problem "the same report differs from file to file"

# Slips are told before anything is compared, with what was meant.
expect 2 compare --report jsn=x
names jsn json
expect 2 compare --format jsno
names jsno json
expect 2 compare --report json=a,b.json
names b.json '\,'
expect 2 compare --report json=
expect 2 compare --report json
expect 2 compare --report json=x.json,markdown=./y/../x.json
absent x.json
expect 2 compare --report json=-,markdown=-
expect 2 run --output z.json --report json=z.json
expect 2 "$HARNESS" report slow.json --output z.json --report json=./z.json
expect 2 compare --markdown-limit 12
names 1000000
expect 2 compare --markdown-limit many

# A report that fails is named, stops no other and hides no verdict. It sets the status of a passing comparison.
expect 1 compare --report json=/dev/full,markdown=after3.md
names /dev/full
[ -s after3.md ] || problem "a report after one that failed was not written"
expect 2 compare --margin 20% --report json=/dev/full
[ -c /dev/full ] || problem "a report replaced a device"

# A stored record again, and two of them: the comparison is compare's, the exit status is no verdict.
expect 0 "$HARNESS" report slow.json --report json=run.json
holds run.json 'len(report["cases"]) == 1'
expect 0 "$HARNESS" report slow.json --baseline fast.json --report json=again.json
cmp -s a/one.json again.json || problem "report --baseline says something else than compare"
expect 0 "$HARNESS" report slow.json --baseline fast.json --margin 20% --report json=wide.json
holds wide.json 'report["verdict"] == "unchanged"' 'report["exit_code"] == 0'
expect 2 "$HARNESS" report slow.json --baseline nowhere.json
expect 2 "$HARNESS" report slow.json --baseline fast.json --margin 200%

# Colour: asked for, forced, refused.
coloured() { grep -q $'\x1b\[' "$printed"; }
expect 1 compare
coloured && problem "colour in a file"
expect 1 compare --color always
coloured || problem "no colour although --color always"
expect 1 env CLICOLOR_FORCE=1 "$HARNESS" compare --baseline fast.json --current slow.json
coloured || problem "no colour although CLICOLOR_FORCE=1"
expect 1 env CLICOLOR_FORCE=0 "$HARNESS" compare --baseline fast.json --current slow.json
coloured && problem "colour although CLICOLOR_FORCE=0"
expect 1 env CLICOLOR_FORCE=1 NO_COLOR=1 "$HARNESS" compare --baseline fast.json --current slow.json
coloured && problem "colour although NO_COLOR=1"
expect 1 env NO_COLOR=1 "$HARNESS" compare --baseline fast.json --current slow.json --color always
coloured || problem "NO_COLOR won over --color always"

# On a terminal, by itself.
on_a_terminal() {
  python3 - "$HARNESS" compare --baseline fast.json --current slow.json <<'PY'
import os, pty, sys
os.environ.update({"TERM": "xterm"})
seen = b""
def keep(fd):
    global seen
    data = os.read(fd, 65536)
    seen += data
    return b""
pty.spawn(sys.argv[1:], keep, lambda fd: b"")
print("coloured" if b"\x1b[" in seen else "plain")
PY
}
expect 0 env -u NO_COLOR -u CLICOLOR bash -c "$(declare -f on_a_terminal); on_a_terminal"
names coloured
expect 0 env NO_COLOR= bash -c "$(declare -f on_a_terminal); on_a_terminal"
names coloured
expect 0 env NO_COLOR=1 bash -c "$(declare -f on_a_terminal); on_a_terminal"
names plain
expect 0 env -u NO_COLOR CLICOLOR=0 bash -c "$(declare -f on_a_terminal); on_a_terminal"
names plain
finish

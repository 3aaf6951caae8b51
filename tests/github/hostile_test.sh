#!/usr/bin/env bash
# A suite, a kernel or a broken program may put anything into the log and the report: none of it becomes a
# workflow command, leaves its block of text or costs the summary.
# shellcheck disable=SC2119  # perf takes what the last event says
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages

repository_with_workflows
suite right && speeds 100 && commit "a suite" && pushed
event push

# program STATUS: a harness that prints $scratch/prints and whose reports are the files of $scratch of
# the same names. It leaves its arguments there, and a word when the machine's lock was free.
PROGRAM=$scratch/program
program() {
  cat >"$PROGRAM" <<SH
#!/usr/bin/env bash
[ "\$1" = run ] || exit 0
printf '%s\n' "\$@" >"$scratch/arguments"
flock --nonblock "$scratch/gpu.lock" true && echo free >"$scratch/lock-was"
cat "$scratch/prints"
for argument in "\$@"; do
  case \$argument in *=harness-report/*) cp "$scratch/\${argument#*/}" "\${argument#*=}" 2>/dev/null ;; esac
done
exit $1
SH
  chmod +x "$PROGRAM"
}
comparison() {
  printf '{"format": "harness-comparison", "verdict": %s, "baseline": {"id": "x", "described": "x"}, "cases": []}' \
    "$1" >"$scratch/verdict.json"
}

# Lines that look like commands, in the log and where annotations belong.
program 0
comparison '"unchanged"'
printf '::error::planted\n  ::warning file=x::planted\n##[error]planted\n::set-output name=verdict::planted\n' >"$scratch/prints"
printf '::notice title=one::kept\n::add-mask::planted\nplanted\n' >"$scratch/annotations.txt"
echo "fine" >"$scratch/summary.md"
perf
gives 'result["conclusion"] == "success"' 'result["outputs"]["verdict"] == "unchanged"' \
  'result["annotations"] == [{"kind": "notice", "title": "one", "message": "kept"}]' 'result["summary"] == "fine\n"'
[ ! -e "$scratch/lock-was" ] || problem "the machine's lock was not held while measuring"
grep -qx -- --markdown-limit "$scratch/arguments" || problem "the harness was not told the limit of a summary"

# A verdict that would be another output's line.
comparison '"unchanged\nstatus=0\nregressions=7"'
perf
gives 'result["outputs"]["verdict"] == "error"' 'result["outputs"]["regressions"] == "0"' 'result["status"] == 2'

# A summary over 1 MiB is cut at a line, with a sentence, and its block is closed.
{
  printf '# whole\n<details>\n```text\n'
  seq -f 'row %08.0f, and something to make it longer, with an umlaut: ä' 40000
} >"$scratch/summary.md"
comparison '"unchanged"'
perf
gives 'len(result["summary"].encode()) < 1024 * 1024' 'len(result["summary"]) > 900000' \
  '"**Cut here:**" in result["summary"]' 'result["summary"].count("```") == 2' \
  'result["summary"].count("</details>") == 1' 'result["conclusion"] == "success"'

# No report at all: the end of the log, in a block that it cannot leave, without escape sequences.
rm "$scratch"/verdict.json "$scratch"/summary.md "$scratch"/annotations.txt
program 137
printf 'error: \033[31mred\033[0m \xe2\x80\xae ```` @everyone <img src=x>\n  advice: ::error::100%% and more\n' >"$scratch/prints"
perf
gives 'result["status"] == 137' 'result["outputs"]["verdict"] == "error"' '"`````text\nerror: red" in result["summary"]' \
  '"\x1b" not in result["summary"] and "\u202e" not in result["summary"]' 'len(result["annotations"]) == 1' \
  '"advice: ::error::100% and more" in annotation("error")[0]["message"]'

# A status that no verdict has is no pass, though there is a report.
comparison '"unchanged"'
program 2
perf
gives 'result["status"] == 2' 'result["outputs"]["verdict"] == "error"'

# A report that is not one.
program 0
for text in '[]' '{"format": "harness-comparison", "cases": {}' '"x"' ''; do
  printf '%s' "$text" >"$scratch/verdict.json"
  perf
  gives 'result["outputs"]["verdict"] == "error"' 'result["conclusion"] == "failure"'
done

# The step was killed before it could say how it ended.
comparison '"unchanged"'
cat >"$PROGRAM" <<'SH'
#!/usr/bin/env bash
[ "$1" = run ] || exit 0
kill -KILL $PPID
SH
perf
gives 'result["outputs"]["verdict"] == "interrupted"' 'result["conclusion"] == "failure"' \
  '"### Interrupted" in result["summary"]'
finish

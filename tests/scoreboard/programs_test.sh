#!/usr/bin/env bash
# programs_test.sh BUILD: on starts of real programs ours turns no unchanged suite red, and finds a program that is
# slower by 2 %. The samples show that a plain test does turn them red.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
table=$(HARNESS_BUILD=$1 "$here/programs.sh" --splits 200)

# share ROWS COLUMN DECIDER: a percentage of the table whose head begins with ROWS.
share() {
  awk -F' *[|] *' -v head="$1" -v column="$2" -v decider="$3" '
    $2 == "decider" { here = index($0, head) > 0; at = 0; for (i = 1; i <= NF; ++i) if (!at && $i == column) at = i }
    here && $2 == decider { split($at, words, " "); print words[1]; exit }' <<<"$table"
}

for decider in "harness, stored" "harness ab"; do
  red=$(share "suite of 18 red" "suite of 18 red" "$decider")
  found=$(share "program +0.5" "+2 %" "$decider")
  awk -v red="$red" -v found="$found" 'BEGIN { exit !(red == 0 && found >= 90) }' ||
    { echo "$decider: unchanged suites red $red %, +2 % found $found %"; exit 1; }
done
plain=$(share "suite of 18 red" "suite of 18 red" "Welch, p < .05")
awk -v red="$plain" 'BEGIN { exit !(red > 10) }' || { echo "Welch: red $plain %: are these the samples?"; exit 1; }

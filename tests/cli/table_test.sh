#!/usr/bin/env bash
# harness table: one figure of real samples as a Markdown table, printed and put into a file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

expect 0 "$HARNESS" import "$data/h200/main.jsonl" --suite probe --as main.json

expect 0 "$HARNESS" table main.json --filter 'gemm*'
names "|" gemm4096 gemm2048 gpu_time
silent_about "gelu"
expect 0 "$HARNESS" table main.json --filter '!gemm*'
names gelu
silent_about "gemm4096"

printf '# notes\n<!-- measured: gemm -->\nnot yet\n<!-- end of gemm -->\nafter\n' >notes.md
expect 0 "$HARNESS" table main.json --filter 'gemm*' --into notes.md --mark gemm
expect 0 cat notes.md
says "# notes" "<!-- end of gemm -->" after
names gemm4096
silent_about "not yet"
cp notes.md once.md
expect 0 "$HARNESS" table main.json --filter 'gemm*' --into notes.md --mark gemm
expect 0 cmp notes.md once.md

# Mistakes are told with what would be right, and leave the file as it was.
expect 0 "$HARNESS" table main.json --filter 'gemm*' --report csv=table.csv --format json
names harness-table
[ "$(head -c 18 table.csv)" = "table,section,row," ] || problem "the CSV has no header: $(head -1 table.csv)"
expect 2 "$HARNESS" table main.json --show tme
names time
expect 2 "$HARNESS" table main.json --show speedup
expect 2 "$HARNESS" table main.json --filter 'nothing*'
expect 2 "$HARNESS" table main.json --into notes.md
names --mark
expect 2 "$HARNESS" table main.json --into notes.md --mark other
says "<!-- measured: other -->"
expect 2 "$HARNESS" table none.json
expect 0 cmp notes.md once.md
finish

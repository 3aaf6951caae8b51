#!/usr/bin/env bash
# harness table: one figure of real samples as a Markdown table, printed and put into a file.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

expect 0 "$HARNESS" import "$here/../data/h200/main.jsonl" --suite probe --as main.json

expect 0 "$HARNESS" table main.json --filter 'gemm*'
says "| " "gemm4096" "gemm2048" "gpu_time" "8 processes a case"
silent_about "gelu"

printf '# notes\n<!-- measured: gemm -->\nnot yet\n<!-- end of gemm -->\nafter\n' >notes.md
expect 0 "$HARNESS" table main.json --filter 'gemm*' --into notes.md --mark gemm
expect 0 cat notes.md
says "# notes" "gemm4096" "<!-- end of gemm -->" "after"
silent_about "not yet"
cp notes.md once.md
expect 0 "$HARNESS" table main.json --filter 'gemm*' --into notes.md --mark gemm
expect 0 cmp notes.md once.md

# Mistakes are told with what would be right, and leave the file as it was.
expect 2 "$HARNESS" table main.json --show tme
says "did you mean \`time\`?"
expect 2 "$HARNESS" table main.json --show speedup
says "speedups need a reference"
expect 2 "$HARNESS" table main.json --filter 'nothing*'
says "no measured case"
expect 2 "$HARNESS" table main.json --into notes.md
says "--mark NAME"
expect 2 "$HARNESS" table main.json --into notes.md --mark other
says "notes.md" "<!-- measured: other -->"
expect 2 "$HARNESS" table none.json
expect 0 cmp notes.md once.md
finish

#!/usr/bin/env bash
# A store that may only be read, as that of another account or on a file system that is mounted so, serves all that reads.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
printf '%s\n' '*.json' '*.db*' >>.gitignore && echo '!speed.json' >>.gitignore
suite right && speeds 100 && commit "fast"
mkdir shared && expect 0 run --store shared/results.db --output fast.json
git checkout -qb change && speeds 104 && commit "slower"
expect 0 run --store own.db --output slow.json

# reader COMMAND... : as somebody who may write nothing below shared/. The superuser may write everything.
reader() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid 65534 --clear-groups "$@"
  else
    "$@"
  fi
}
chmod -R a+rX "$scratch" && chmod a+rwx "$scratch" "$scratch/locks" . .git
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
chmod a-w shared shared/*
before=$(sha256sum shared/results.db)
expect 0 reader "$HARNESS" history --store shared/results.db --branch main
expect 0 reader "$HARNESS" report main --store shared/results.db
expect 0 reader "$HARNESS" records list --store shared/results.db
expect 1 reader "$HARNESS" compare --baseline main --current slow.json --store shared/results.db
expect 1 reader "$HARNESS" run suite.yaml --device scripted:speed.json --against main --store shared/results.db --keep-in "$scratch/own.db"
# A name that means something in an address of SQLite.
cp -r shared 'shared?mode=rw#1' && chmod a-w 'shared?mode=rw#1'
expect 0 reader "$HARNESS" records list --store 'shared?mode=rw#1/results.db'
# A command that would write says so.
expect 2 reader "$HARNESS" run suite.yaml --device scripted:speed.json --store shared/results.db
names shared/results.db
same "the store" "$(sha256sum shared/results.db)" "$before"
chmod -R u+w shared*
finish

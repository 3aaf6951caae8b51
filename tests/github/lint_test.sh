#!/usr/bin/env bash
# actionlint, shellcheck and the tree's own rules over the workflows and the action.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages
HARNESS_SOURCE=$source_root exec node --test "$NODE_WORK/lint_test.mjs"

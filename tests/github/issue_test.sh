#!/usr/bin/env bash
# The issue for what got slower, against an API on the loopback.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages
# The API client asks the environment for proxies.
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
HARNESS_SOURCE=$source_root exec node --test "$NODE_WORK/issue_test.mjs"

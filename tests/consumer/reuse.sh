#!/usr/bin/env bash
# reuse.sh COMPILER ARGUMENT...: compiles, or copies the object that another build made of the same source by the same
# command. REUSE_FROM and REUSE_SOURCE are that build's folder and its source's, BUILT and TREE those of this build.
# REUSE_COMMANDS lists that build's commands, the folders written @build and @source.
set -euo pipefail
command=${*//"$BUILT"/@build}
command=${command//"$TREE"/@source}
source=${*: -1}
object=${*: -3:1}
original=${source/#"$BUILT"/"$REUSE_FROM"}
original=${original/#"$TREE"/"$REUSE_SOURCE"}
if [ -f "$REUSE_FROM/$object" ] && cmp -s "$source" "$original" && grep -qxF -e "$command" "$REUSE_COMMANDS"; then
  echo "$object: $source" >"$object.d"
  exec cp "$REUSE_FROM/$object" "$object"
fi
echo "$source" >>"$REUSE_COMMANDS.compiled"
launcher=$(type -P ccache || type -P env)
exec "$launcher" "$@"

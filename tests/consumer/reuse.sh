#!/usr/bin/env bash
# reuse.sh COMPILER ARGUMENT...: compiles, or copies the object that another build made of the same source by the same
# command. REUSE_FROM and REUSE_SOURCE are that build's folder and its source's, BUILT and TREE those of this build.
# REUSE_COMMANDS lists that build's commands, the folders written @build and @source. A source that only includes others
# counts as the same if it includes the same, because TREE is a copy.
set -euo pipefail
command=${*//"$BUILT"/@build}
command=${command//"$TREE"/@source}
same() { cmp -s <(sed "s#$BUILT#@build#g; s#$TREE#@source#g" "$1") <(sed "s#$REUSE_FROM#@build#g; s#$REUSE_SOURCE#@source#g" "$2"); }
source=${*: -1}
object=${*: -3:1}
original=${source/#"$BUILT"/"$REUSE_FROM"}
original=${original/#"$TREE"/"$REUSE_SOURCE"}
if [ -f "$REUSE_FROM/$object" ] && same "$source" "$original" && grep -qxF -e "$command" "$REUSE_COMMANDS"; then
  echo "$object: $source" >"$object.d"
  exec cp "$REUSE_FROM/$object" "$object"
fi
echo "$source" >>"$REUSE_COMMANDS.compiled"
launcher=$(type -P ccache || type -P env)
exec "$launcher" "$@"

#!/usr/bin/env bash
# iperf3 3.12 (Debian 12) exits with 0 when it cannot connect, if JSON was asked for with -J.
# The only mark of the failure is the member "error" of the JSON document.
# Without -J the same failure exits with 1, so a script that reads the status sees a success only with -J.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq iperf3 libiperf0 libsctp1 2>/dev/null
for d in *.deb; do dpkg -x "$d" root; done
export LD_LIBRARY_PATH=$t/root/usr/lib/x86_64-linux-gnu
iperf3=$t/root/usr/bin/iperf3
"$iperf3" --version | head -1 | grep '^iperf 3\.12 '
port=59981 # nobody listens there
text=0; "$iperf3" -c 127.0.0.1 -p $port -t 1 > text.txt 2>&1 || text=$?
json=0; "$iperf3" -c 127.0.0.1 -p $port -t 1 -J > out.json 2> err.txt || json=$?
grep '"error"' out.json
echo "exit status: $text without -J, $json with -J"
test "$text" = 1 && test "$json" = 0

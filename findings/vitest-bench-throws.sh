#!/usr/bin/env bash
# vitest 3.2.7 (npm): `vitest bench --run` exits with 0 when a benchmark throws at every call. The report of --outputJson
# lists that benchmark with a rank and without any time, and does not hold the error; the table says "NaNx faster".
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
echo '{"type":"module","private":true}' > package.json
npm install --silent --no-audit --no-fund vitest@3.2.7 > npm.txt 2>&1
cat > a.bench.js <<'J'
import { bench, describe } from 'vitest'
describe('sums', () => {
  bench('fold', () => { let s = 0; for (let i = 0; i < 1000; i++) s ^= i }, { time: 20 })
  bench('throws', () => { throw new Error('no device') }, { time: 20 })
})
J
status=0; npx vitest bench --run --outputJson=out.json a.bench.js > out.txt 2>&1 || status=$?
node -e '
const b = JSON.parse(require("fs").readFileSync("out.json")).files[0].groups[0].benchmarks.find(x => x.name === "throws");
console.log("exit status " + process.argv[1] + ", the report says", JSON.stringify(b));
process.exit(b && b.mean === undefined && b.error === undefined && b.rank > 0 ? 0 : 1)' "$status"
test "$status" = 0
! grep -q 'no device' out.txt out.json

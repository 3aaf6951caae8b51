#!/usr/bin/env bash
# A change that asks less of its cases than the baseline did makes proposals. Cases that nobody measured stay open in CI. A
# change that has lost its baseline is not the first.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
printf '*.json\n!speed.json\n*.db*\n' >>.gitignore
suite right also_right slow && speeds 100 && commit "three cases"
expect 0 run
case=twice/right/n=64

# Weaker settings: the baseline's measure, and the report tells.
git checkout -qb weaker
sed -i 's/processes: 5, placements: 3, samples: 20/processes: 3, placements: 3, samples: 10, seed: 7/' suite.yaml
commit "fewer samples of other inputs"
expect 0 run --against main --output now.json --report json=verdict.json
names --accept-proposed
holds now.json 'all((one["sampling"]["processes"], one["sampling"]["samples"], one["sampling"]["seed"]) == (5, 20, 1) for one in report["cases"])'
holds verdict.json 'any(one["code"] == "sampling_proposed" for one in row("'$case'")["diagnostics"])'
# So in a campaign.
cp .harness/results.db farm.db
expect 0 "$HARNESS" farm plan suite.yaml --against main --device scripted:speed.json --store farm.db --measure all --no-confirm --looks 1
expect 0 "$HARNESS" farm work --store farm.db --quiet
expect 0 "$HARNESS" farm judge --store farm.db --report json=verdict.json
holds verdict.json 'any(one["code"] == "sampling_proposed" for one in row("'$case'")["diagnostics"])' 'row("'$case'")["processes"] == [5, 5]'
names --accept-proposed
# Accepted, they count.
expect 0 run --against main --accept-proposed --output now.json
holds now.json 'all(one["sampling"]["seed"] == 7 for one in report["cases"])'
# A record that was measured with them is of other cases.
git commit -q --allow-empty -m "measured alone"
expect 0 run
expect 4 "$HARNESS" compare --baseline main --current HEAD --report json=verdict.json
holds verdict.json 'row("'$case'")["reason_fact"]["code"] == "case_differs"'
expect 3 "$HARNESS" compare --baseline main --current HEAD --accept-proposed
git checkout -q main

# Other inputs: the baseline's measure, whatever the change states. Accepted, nothing is comparable.
git checkout -qb zeros && sed -i 's/samples: 20/samples: 20, inputs: zeros/' suite.yaml && commit "on zeros"
expect 0 "$HARNESS" list suite.yaml --device scripted:speed.json
names zeros
expect 0 run --against main --output now.json --report json=verdict.json
holds now.json 'all("inputs" not in one["sampling"] for one in report["cases"])'
holds verdict.json 'any(one["code"] == "sampling_proposed" for one in row("'$case'")["diagnostics"])'
expect 4 run --against main --accept-proposed --output now.json --report json=verdict.json
holds now.json 'all(one["sampling"]["inputs"] == "zeros" for one in report["cases"])'
holds verdict.json 'row("'$case'")["reason_fact"]["code"] == "sampling_differs"'
# Who states the same as the baseline meets none of this.
git commit -q --allow-empty -m "as before"
expect 0 run --against HEAD~1
expect 0 run
git commit -q --allow-empty -m "once more"
expect 0 run --against HEAD~1 --output now.json
holds now.json 'all(one["sampling"]["inputs"] == "zeros" for one in report["cases"])'
# Merged without being accepted, they stay a proposal: nobody's comparison breaks.
git checkout -qb merged main && sed -i 's/samples: 20/samples: 20, inputs: zeros/' suite.yaml && commit "on zeros, too"
expect 0 run --against main
git commit -q --allow-empty -m "after the merge"
expect 0 run --against HEAD~1 --output now.json --report json=verdict.json
holds now.json 'all("inputs" not in one["sampling"] for one in report["cases"])'
holds verdict.json 'any(one["code"] == "sampling_proposed" for one in row("'$case'")["diagnostics"])'
git checkout -q main

# More samples count at once, and by hand anything does.
git checkout -qb stronger && sed -i 's/samples: 20/samples: 30/' suite.yaml && commit "more samples"
expect 0 run --against main --output now.json
holds now.json 'all(one["sampling"]["samples"] == 30 for one in report["cases"])'
silent_about --accept-proposed
git checkout -q main
expect 0 run --against main --seed 7 --output now.json
holds now.json 'all(one["sampling"]["seed"] == 7 for one in report["cases"])'

# Left out by a filter: by hand the status is that of the others, and the headline says how many. In CI they stay open.
git checkout -qb part && git commit -q --allow-empty -m "nothing" 
speeds 100
expect 0 run --against main --filter '*/right/*' --report json=part.json
holds part.json 'len({one["case"] for one in report["cases"]}) == 1'
grep -qF "only 1 of 3 cases" "$printed" || problem "the headline does not say how many cases"
CI=true expect 3 run --against main --filter '*/right/*' --report json=part.json,junit=part.xml
holds part.json 'row("twice/slow/n=64")["reason_fact"]["code"] == "left_out"' 'row("'$case'", "wall_time")["verdict"] == "unchanged"'
grep -q 'twice/slow/n=64' part.xml || problem "JUnit does not name the case"
CI=true expect 0 run --against main --filter '*/right/*' --allow left-out
CI=true expect 0 run --against main
CI=true expect 0 run --against main --filter '*'
git checkout -q main

# A suite that the change deletes is named; one that only moves is not.
mkdir more && sed 's/name: demo/name: other/; s|./plugin.so|../plugin.so|' suite.yaml >more/other.yaml
sed 's/name: demo/name: third/; s|./plugin.so|../plugin.so|' suite.yaml >more/third.yaml
printf 'a: 1\n' >more/notes.yaml
commit "two suites more"
expect 0 "$HARNESS" run more/third.yaml --device scripted:speed.json
git checkout -qb deleted && git rm -q more/other.yaml more/notes.yaml && commit "one is gone"
expect 0 "$HARNESS" run more/third.yaml --device scripted:speed.json --against main
names more/other.yaml
silent_about more/notes.yaml
git checkout -q main && git checkout -qb moved && git mv more/other.yaml more/renamed.yaml && commit "one moves"
expect 0 "$HARNESS" run more/third.yaml --device scripted:speed.json --against main
silent_about more/other.yaml
git checkout -q main

# A pull request without a measured ancestor, where the store knows the suite on this device.
git checkout -q --orphan before && git rm -rqf --cached . && git add suite.yaml speed.json .gitignore && git commit -qm "before all"
git checkout -qb early && git commit -q --allow-empty -m "branches off too early"
git update-ref refs/remotes/origin/before before
expect 4 run --against before --report json=lost.json  # by hand: nobody has measured this history
holds lost.json '"elsewhere" not in report["baseline"]["found"]'
GITHUB_BASE_REF=before expect 4 run --against before --report json=lost.json
holds lost.json 'report["baseline"]["found"]["elsewhere"] == 1'
GITHUB_BASE_REF=before expect 4 run --against before --store new.db --report json=lost.json
holds lost.json '"elsewhere" not in report["baseline"]["found"]'  # nobody has measured the suite: the action records
# A tag does not stand in for a branch.
git tag main before
expect 2 run --against main
names refs/heads/main
finish

#!/bin/sh
# kill -9 at five moments of a study: the same rows and the same models.
. "$(dirname "$0")/../support/expect.sh"
. "$(dirname "$0")/../support/study_kill.sh"
built_with yaml || { echo "this build has no libyaml: studies are not tested"; exit 77; }
cat >"$work/grid.yaml" <<'END'
limit: 20
seeds: 2
base: {data: "shapes:size=16,train=200,test=20,classes=2", arch: tiny, width: 4, epochs: 6, batch: 12}
vary: {pool: [max, lps, tips, tips-exact], down: [1, 2]}
analysis: [{kind: table}]
END
kill_and_resume "$work/grid.yaml" 5 --jobs 2 --threads 2
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

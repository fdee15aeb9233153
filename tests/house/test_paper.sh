#!/bin/sh
# docs/paper.md is what the table in the code says, its recipes exist and call themselves as it says, and 'tips paper' judges studies.
. "$(dirname "$0")/../support/expect.sh"
"$tips" paper --markdown >"$work/table" || complain "tips paper --markdown failed"
grep '^|' "$source/docs/paper.md" | cmp - "$work/table" || complain "docs/paper.md is not what 'tips paper --markdown' prints"
"$tips" paper --json >"$work/items" || complain "tips paper --json failed"
labels=$(grep -c '"label":' "$work/items")
[ "$labels" -ge 37 ] && [ "$labels" -eq "$(($(wc -l <"$work/table") - 2))" ] || complain "$labels items"
grep -o 'recipes/[a-z0-9-]*\.yaml' "$work/table" | sort -u | while read -r recipe; do
    study=$(sed -n 's/^study: //p' "$source/$recipe")
    grep -q "\"study\": \"$study\"" "$work/items" || echo "$recipe calls itself '$study', which no item does"
done >"$work/wrong" 2>&1
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"

# A study's folder: differences with Welch's interval, as NumPy has it, and r. A folder of something else says nothing.
mkdir "$work/a" "$work/b" "$work/c"
model() { printf '{"pool": "%s", "axes": {"seed": "1"}, "standard_consistency": %s}' "$1" "$2"; }
printf '{"study": "levels", "done": 6, "cells": 8, "models": [%s, %s, %s, %s, %s, %s]}' "$(model tips 70)" "$(model tips 71)" "$(model tips 72.5)" \
    "$(model max 80)" "$(model max 82)" "$(model max 81)" >"$work/a/study.json"
expect 0 'a: 6 of 8 models; tips - max, standard_consistency -9.83 (-12.[0-9]* to -7.[0-9]*); does not hold' paper "$work/a" "$work/c"
# Models that share all else are compared in pairs: what networks do to both is left out.
pair() { printf '{"axes": {"pool": "%s", "network": "%s", "seed": "1"}, "standard_consistency": %s}' "$1" "$2" "$3"; }
printf '{"study": "levels", "done": 6, "cells": 6, "models": [%s, %s, %s, %s, %s, %s]}' "$(pair tips a 30)" "$(pair tips b 61)" "$(pair tips c 92)" \
    "$(pair max a 20)" "$(pair max b 50)" "$(pair max c 80)" >"$work/a/study.json"
expect 0 'tips - max, standard_consistency +11.00 (8.52 to 13.48), 3 pairs; holds' paper "$work/a" # 11 +- 4.3027 / sqrt(3)
printf '{"study": "correlation", "done": 9, "cells": 9, "models": [], "analyses": [{"correlations": [{"x": "msb", "y": "standard_consistency", "group": "all", "n": 9, "r": -0.5,
"clustered": [-0.8, -0.1]}]}]}' >"$work/b/study.json"
expect 0 'b: 9 of 9 models; r of msb and standard_consistency -0.500 (-0.80 to -0.10); holds' paper "$work/b"
sed -i 's/-0.1\]/0.1]/' "$work/b/study.json"
expect 0 'not told: the interval holds 0' paper "$work/b"
expect 0 "c: there is no study.json; 'tips study GRID.yaml --merge --out .*c' makes it" paper "$work/c"
expect 1 'there is no such folder' paper "$work/nowhere"
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

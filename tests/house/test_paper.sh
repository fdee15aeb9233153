#!/bin/sh
# docs/paper.md is what the code and the rows of docs/results/data say, its recipes exist and call themselves as it says, and 'tips paper' judges studies.
. "$(dirname "$0")/../support/expect.sh"
"$tips" paper --markdown >"$work/table" || complain "tips paper --markdown failed"
sed '1,/^<!-- figures paper:/d;/^<!-- end of figures/,$d' "$source/docs/paper.md" | sed 1d | cmp - "$work/table" || complain "docs/paper.md is not what 'tips paper --markdown' prints"
"$tips" paper --json >"$work/items" || complain "tips paper --json failed"
labels=$(grep -c '"label":' "$work/items")
[ "$labels" -ge 38 ] && [ "$labels" -eq "$(($(wc -l <"$work/table") - 2))" ] || complain "$labels items"
grep -o 'recipes/[a-z0-9-]*\.yaml' "$work/table" | sort -u | while read -r recipe; do
    study=$(sed -n 's/^study: //p' "$source/$recipe")
    grep -q "\"study\": \"$study\"" "$work/items" || echo "$recipe calls itself '$study', which no item does"
done >"$work/wrong" 2>&1
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"


# The page and the program say what the rows that were kept say: recorded, and looked at again.
TIPS=$tips sh "$source/tools/paper_results.sh" | cmp - "$source/src/study/paper_results.def" ||
    complain "src/study/paper_results.def is not what docs/results/data says: tools/paper_results.sh"
"$tips" paper --json "$source/docs/results/data" >"$work/looked" || complain "tips paper docs/results/data failed"
awk '
    function value() { v = $0; sub(/^[^:]*: "/, "", v); sub(/",?$/, "", v); return v }
    /^      "label":/ { label = value() }
    /^      "verdict":/ { verdict = value() }
    /^          "judgement":/ { if (verdict != "cannot be tested here" && judged && value() != verdict) print label ": " verdict ", and of the rows " value() }
    /^          "claims": \[\]/ { judged = 0 }
    /^          "claims": \[$/ { judged = 1 }' "$work/looked" >"$work/wrong"
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
grep -q '"fig:msb_cons' "$work/looked" || complain "the rows of the correlation were not looked at"
# One operator in each row that says something of TIPS, and the figures of tips cost.
awk -F ' *\\| *' 'NR > 2 && $8 != "*cannot be tested here*" && $6 == "" && $2 !~ /msb_cons/ { print $2 ": which operator?" }
    NF != 10 { print $2 ": " NF " cells" }' "$work/table" >"$work/wrong"
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
"$tips" cost --arch mobilenet_v1 --size 224 --classes 1000 --stem imagenet --pool max,tips,tips-official,none --no-time --no-memory --json |
    awk '/"pool":/ { gsub(/[",]/, ""); pool = $2 } /"multiply_adds":/ { sub(/,/, ""); of[pool] = $2 }
        END { printf "max %.2f, tips %.2f, tips-official %.2f, GAP %.2f GFLOP\ntips %.2f times max, tips-official %.2f\n", 2e-9 * of["max"],
            2e-9 * of["tips"], 2e-9 * of["tips-official"], 2e-9 * of["none"], of["tips"] / of["max"], of["tips-official"] / of["max"] }' >"$work/cost"
while read -r figures; do
    grep -qF "$figures" "$work/table" || complain "docs/paper.md does not say '$figures'"
done <"$work/cost"

# A study's folder: differences with Welch's interval, as NumPy has it, and r. A folder of something else says nothing.
mkdir "$work/a" "$work/b" "$work/c"
model() { printf '{"pool": "%s", "axes": {"seed": "1"}, "standard_consistency": %s}' "$1" "$2"; }
printf '{"study": "levels", "done": 6, "cells": 8, "models": [%s, %s, %s, %s, %s, %s]}' "$(model tips 70)" "$(model tips 71)" "$(model tips 72.5)" \
    "$(model max 80)" "$(model max 82)" "$(model max 81)" >"$work/a/study.json"
expect 0 'a: 6 of 8 models; does not hold' paper "$work/a" "$work/c"
expect 0 'tips - max, standard_consistency: -9.83 (-12.[0-9]* to -7.[0-9]*), 3 and 3 models: does not hold' paper "$work/a" "$work/c"
# Models that share all else are compared in pairs: what networks do to both is left out.
pair() { printf '{"axes": {"pool": "%s", "network": "%s", "seed": "1"}, "standard_consistency": %s}' "$1" "$2" "$3"; }
printf '{"study": "levels", "done": 6, "cells": 6, "models": [%s, %s, %s, %s, %s, %s]}' "$(pair tips a 30)" "$(pair tips b 61)" "$(pair tips c 92)" \
    "$(pair max a 20)" "$(pair max b 50)" "$(pair max c 80)" >"$work/a/study.json"
expect 0 'tips - max, standard_consistency: +11.00 (8.52 to 13.48), 3 pairs: holds' paper "$work/a" # 11 +- 4.3027 / sqrt(3)
# Differences that are all the same say nothing of how they spread, and one model nothing of its kind.
printf '{"study": "levels", "done": 4, "cells": 4, "models": [%s, %s, %s, %s]}' "$(pair tips a 30)" "$(pair tips b 60)" "$(pair max a 20)" "$(pair max b 50)" >"$work/a/study.json"
expect 0 'standard_consistency: +10.00, 2 pairs: not told, pairs without a spread' paper "$work/a"
printf '{"study": "levels", "done": 2, "cells": 2, "models": [%s, %s]}' "$(pair tips a 90)" "$(pair max a 20)" >"$work/a/study.json"
expect 0 'standard_consistency: +70.00, 1 and 1 models: not told, one model is no sample' paper "$work/a"

# r is strong below -0.5, with all of its interval; there is none of fewer than five clusters.
# correlated CLUSTERS NOISE: y falls with x in every cluster, up to noise.
correlated() {
    awk -v clusters="$1" -v noise="$2" 'BEGIN {
        srand(7)
        printf "{\"study\": \"correlation\", \"done\": 1, \"cells\": 1, \"models\": ["
        for (c = 0; c < clusters; c++)
            for (i = 0; i < 6; i++)
                printf "%s{\"axes\": {\"network\": \"n%d\", \"depth\": \"%d\"}, \"msb\": %d, \"standard_consistency\": %.3f}", c || i ? ", " : "", c, i, i,
                    90 - i + noise * (rand() - 0.5)
        print "]}" }' >"$work/b/study.json"
}
correlated 6 1
expect 0 'r of msb and standard_consistency: -0.9[0-9]* (-0.9[0-9]* to -0.9[0-9]*), 36 models in 6 clusters: holds' paper "$work/b"
correlated 6 20
expect 0 'r of msb and standard_consistency: -*0.[0-4][0-9]* (.*), 36 models in 6 clusters: \(does not hold\|not told, the interval holds -0.5\)' paper "$work/b"
correlated 4 1
expect 0 '24 models in 4 clusters: not told, fewer than five clusters have no interval' paper "$work/b"
expect 0 "c: there is no study.json; 'tips study GRID.yaml --merge --out .*c' makes it" paper "$work/c"
expect 1 'there is no such folder' paper "$work/nowhere"
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# tips study from the outside: cells of a grid, rows, shards and their merge, what fails, kill -9, mistakes in the file.
. "$(dirname "$0")/../support/expect.sh"
. "$(dirname "$0")/../support/study_kill.sh"
built_with yaml || { echo "this build has no libyaml: studies are not tested"; exit 77; }

cat >"$work/grid.yaml" <<'END'
title: A tiny study
limit: 20
seeds: 2
base: {data: "shapes:size=16,train=24,test=20,classes=2", arch: tiny, width: 4, epochs: 2, batch: 12, threads: 1}
vary:
  rates: [{name: low, lr: 0.01}, {name: high, lr: 0.1}]
cells:
  - {pool: [max, tips-exact], down: 1}
  - {pool: none}
analysis:
  - {kind: table, rows: pool}
  - {kind: correlation, x: msb, y: standard_consistency, within: pool, cluster: rates}
  - {kind: curve, x: lr, y: metric, series: pool}
  - {kind: bubble}
  - {kind: ablation, factor: pool, y: metric}
  - {kind: map, x: pool, y: rates}
  - {kind: training, y: [loss, undo]}
END

# The whole, and the same after kill -9: the same rows and the same models.
kill_and_resume "$work/grid.yaml" 1 --jobs 2 --threads 2
[ "$(wc -l <"$work/whole/study.csv")" -eq 13 ] || complain "not one row for each of 12 models: $(cat "$work/whole/study.csv")"
head -1 "$work/whole/study.csv" | grep -q '^task,data,network,width,operator,down,seed,variant,metric,standard_consistency,.*,msb,msb_nontrivial,' ||
    complain "other columns: $(head -1 "$work/whole/study.csv")"
grep -q '^classify,"shapes:size=16,train=24,test=20,classes=2",tiny,4,tips-exact,1,2,rates=high,' "$work/whole/study.csv" || complain "a row is missing"
[ "$(cut -d, -f5- "$work/whole/study.csv" | grep -c ',max,')" -eq 4 ] || complain "max has other than 4 rows"
for file in study.json study.txt study.html figures/2-correlation-1.svg figures/4-bubble-1.svg figures/6-map-1.svg figures/7-training-2.svg; do
    [ -s "$work/whole/$file" ] || complain "tips study leaves no $file"
done
for text in 'tips-exact - max' '95 % (Fisher)' 'none - max'; do grep -q -- "$text" "$work/whole/study.txt" || complain "study.txt lacks $text"; done

# The page is what tips report makes of the folder: claims, tables, figures, models. A drawing is a picture, in which nothing runs.
sed 's/^title:.*/title: "Losses <and> more"\nstudy: losses/' "$work/grid.yaml" >"$work/named.yaml"
expect 0 '12 of 12 models' study "$work/named.yaml" --merge --out "$work/whole"
(cd "$work" && "$tips" report whole -o page.html >/dev/null 2>&1) || complain "tips report failed on a study"
if command -v xmllint >/dev/null 2>&1; then xmllint --noout "$work/page.html" "$work/whole/study.html" || complain "the page of a study is no XML"; fi
for text in '<title>Losses &lt;and&gt; more</title>' 'fig:abl_with_loss' 'not told, models are missing' '<th>tips-exact - max</th>' '12 of 12 models' \
    'rates high, pool tips-exact, down 1, seed 2' '<figure class="card"><img alt="'; do grep -qF "$text" "$work/page.html" || complain "the page of a study lacks $text"; done
[ "$(grep -c '<figure' "$work/page.html")" -eq "$(find "$work/whole/figures" -name '*.svg' | wc -l)" ] || complain "figures are missing on the page"
cp -r "$work/whole" "$work/foreign"
printf '<svg xmlns="x"><path onload="alert(1)"/></svg>' >"$work/foreign/figures/2-correlation-1.svg"
printf '<script>alert(1)</script>' >"$work/foreign/figures/4-bubble-1.svg"
expect 0 'foreign.html: 1 study' report "$work/foreign" -o "$work/foreign.html"
grep -q 'alert' "$work/foreign.html" && complain "a foreign drawing is on the page"
[ "$(grep -c 'is no drawing' "$work/foreign.html")" -eq 1 ] || complain "the page does not say what was left out"
rm -rf "$work/foreign"
expect 0 '"judgement": "not told"' report "$work/whole" -o "$work/page.html" --json
expect 2 'report on studies and on runs apart' report "$work/whole" "$work"/whole/cells/*max-d1-s1* -o "$work/page.html"
expect 2 'is not the name of a page' report "$work/whole" -o "$work/whole/study.json"
printf '{}' >"$work/study.json"
expect 1 "is not what 'tips study' writes" report "$work" -o "$work/page.html"

# Two machines in one folder, each its part, and the merge: the same table. A part alone writes no table of all.
for part in 1 2; do
    "$tips" study "$work/grid.yaml" --out "$work/parts" --shard $part/2 --threads 1 >"$work/output" 2>&1 || complain "--shard $part/2 failed: $(cat "$work/output")"
    [ "$(wc -l <"$work/parts/shard-$part-of-2.csv")" -eq 7 ] || complain "--shard $part/2 has other than 6 rows"
done
[ ! -e "$work/parts/study.csv" ] || complain "a part wrote the table of all"
expect 0 '12 of 12 models' study "$work/grid.yaml" --merge --out "$work/parts"
rows "$work/parts" | cmp - "$work/whole.csv" || complain "the parts together give another table"
"$source/tools/same_rows.sh" "$work/whole/study.csv" "$work/parts/shard-2-of-2.csv" | grep -q '^all 6 rows' || complain "same_rows.sh finds rows of a part that are not in the whole"
sed '3s/,\(max\|none\|tips-exact\),/,aps,/' "$work/parts/shard-2-of-2.csv" >"$work/altered.csv"
"$source/tools/same_rows.sh" "$work/whole/study.csv" "$work/altered.csv" | grep -q '^1 of 6 rows' || complain "same_rows.sh misses a row that was altered"
# Folders apart: what another has counts, and is not trained again.
expect 0 '12 of 12 models' study "$work/grid.yaml" --merge --out "$work/empty" --also "$work/parts"
rows "$work/empty" | cmp - "$work/whole.csv" || complain "models of another folder give another table"

# A grid that grew trains what is new; one axis kept to a value needs no training at all.
sed 's/pool: none/pool: [none, aps]/' "$work/grid.yaml" >"$work/grown.yaml"
expect 0 '16 models, 12 of them done; about' study "$work/grown.yaml" --out "$work/whole" --dry-run
expect 0 '2 of 2 models' study "$work/grid.yaml" --out "$work/whole" --set pool=max --set rates=high --merge
sed 's/^seeds: 2/seeds: 1/' "$work/grid.yaml" >"$work/few.yaml"
expect 0 '6 models, 0 of them done; about .*, by a few steps of 6 of them' study "$work/few.yaml" --out "$work/none" --dry-run
[ ! -e "$work/none" ] || complain "a dry run left files"
# All test pictures are those that there are: here 20, which a limit of 20 takes too.
seconds() { "$tips" study "$work/few.yaml" --out "$work/none" --dry-run --limit "$1" --json 2>/dev/null | sed -n 's/.*"seconds": \([0-9.e-]*\).*/\1/p'; }
awk -v all="$(seconds 0)" -v limited="$(seconds 20)" 'BEGIN { exit !(all > 0 && all < 50 * limited) }' || complain "a dry run expects pictures that there are not"
expect 2 'there is no such folder' study "$work/few.yaml" --out "$work/none" --merge --also "$work/nowhere"

expect 1 '6 models, 0 of them done; how long the rest will take cannot be said' study "$work/few.yaml" --set data=folders:"$work/nowhere" --out "$work/none" --dry-run
# --set reaches every block: the seed of all cells, and an axis of another block as an option.
cat >"$work/blocks.yaml" <<'END'
limit: 10
base: {data: "shapes:size=16,train=24,test=10,classes=2", arch: tiny, width: 4, epochs: 1, batch: 12, threads: 1}
cells:
  - {pool: max, down: [1, 2]}
  - {pool: [aps, blur]}
END
expect 0 '3 of 3 models' study "$work/blocks.yaml" --out "$work/blocks" --set seed=5 --set down=2 --jobs 2
[ "$(cut -d, -f9,10 "$work/blocks/study.csv" | grep -c '^2,5$')" -eq 3 ] || complain "--set missed a block: $(cat "$work/blocks/study.csv")"
# Files whose paths end alike are two values of an axis.
mkdir -p "$work/first" "$work/second"
for folder in first second; do "$tips" init --arch tiny --width 4 --pool max --classes 2 --size 16 --out "$work/$folder/fresh.safetensors" >/dev/null 2>&1 || complain "tips init failed"; done
printf 'limit: 10\nbase: {data: "shapes:size=16,train=24,test=10,classes=2", arch: tiny, width: 4, pool: max, epochs: 1, batch: 12, threads: 1}\nvary: {init: [%s, %s]}\nanalysis: [{kind: table, rows: init}, {kind: curve, x: init}]\n' \
    "$work/first/fresh.safetensors" "$work/second/fresh.safetensors" >"$work/alike.yaml"
expect 0 '2 of 2 models' study "$work/alike.yaml" --out "$work/alike"
grep -q '>[^<]*second/fresh.safetensors</text>' "$work/alike/figures/2-curve-1.svg" || complain "a curve over names does not show them"
grep -q '^[^ ]*first/fresh.safetensors  *1 ' "$work/alike/study.txt" && grep -q '^[^ ]*second/fresh.safetensors  *1 ' "$work/alike/study.txt" ||
    complain "paths that end alike are one row: $(cat "$work/alike/study.txt")"
# A damaged result is made again, and keeps nobody else from being done. Whoever ignores the end of processes may start a study.
damaged=$(find "$work/blocks/cells" -name result.json | head -1)
head -c 100 "$damaged" >"$work/part" && cp "$work/part" "$damaged"
expect 0 '2 of 3 models' study "$work/blocks.yaml" --out "$work/blocks" --set seed=5 --set down=2 --merge
(
    trap '' CHLD
    timeout 300 "$tips" study "$work/blocks.yaml" --out "$work/blocks" --set seed=5 --set down=2 >"$work/output" 2>&1
)
grep -q '^3 of 3 models' "$work/output" || complain "a damaged result is not made again: $(cat "$work/output")"

# A cell that breaks is tried twice and told of; the others are done, and the exit code says it.
sed 's/lr: 0.1/lr: 1e6/; s/^seeds: 2/seeds: 1/' "$work/grid.yaml" >"$work/broken.yaml"
expect 1 'failed and will be tried once more: .*not a finite number' study "$work/broken.yaml" --out "$work/broken"
grep -q '^3 of 6 models' "$work/output" && grep -q '^failed: .*not a finite number' "$work/output" || complain "broken cells: $(cat "$work/output")"
[ "$(grep -c '"why"' "$work/broken/study.json")" -eq 3 ] || complain "study.json does not name what failed"

# Mistakes are told before anything is trained, with their line.
mistake() {
    printf '%s\n' "$2" >"$work/bad.yaml"
    expect "$3" "$1" study "$work/bad.yaml" --out "$work/none"
}
mistake "bad.yaml:1: unknown key 'epoch'; did you mean 'epochs'?" 'base: {epoch: 1}' 2
mistake "bad.yaml:1: eps" 'vary: {eps: [0.1, 2]}' 2
mistake "bad.yaml:1: unknown pooling operator 'tipsy'" 'vary: {pool: [max, tipsy]}' 2
mistake "bad.yaml:1: an analysis is a mapping whose 'kind' is one of table, correlation" 'analysis: [{kind: guess}]' 2
mistake "bad.yaml:1: 'eps' has no values" 'vary: {eps: []}' 1
mistake "bad.yaml:1: 'pretrain' is a mapping of options, or none" 'vary: {pretrain: [1]}' 1
mistake "begins with the weights of 'pretrain' or with those of 'weights'" 'base: {weights: a, pretrain: {epochs: 1}}' 2
mistake "bad.yaml:2: 'cells' is a list" 'base: {epochs: 1}
cells: {pool: max}' 1
mistake "bad.yaml:1: 'vary' is a mapping" 'vary: [1]' 1
mistake "bad.yaml:1: 'pool' has a list among its values" 'vary: {pool: [[max, aps]]}' 1
# So are those of the analyses: keys, axes and figures that there are not.
mistake "bad.yaml:1: unknown key 'row'; 'table' has title, rows, y" 'analysis: [{kind: table, row: pool}]' 2
mistake "bad.yaml:1: y: 'acuracy' is not a figure.*did you mean 'accuracy'" 'analysis: [{kind: table, y: [msb, acuracy]}]' 2
mistake "bad.yaml:1: rows: 'pol' is not an axis of the grid or an option; did you mean 'pool'" 'analysis: [{kind: table, rows: pol}]' 2
mistake "bad.yaml:1: factor: 'eps' is not an axis of the grid" 'analysis: [{kind: ablation, factor: eps}]' 2
mistake "bad.yaml:1: this analysis needs 'factor'" 'analysis: [{kind: ablation}]' 2
mistake "bad.yaml:1: this analysis needs 'y'" 'analysis: [{kind: map, x: pool}]' 2
mistake "bad.yaml:1: 'x' is a name" 'analysis: [{kind: curve, x: [eps, alpha]}]' 1
expect 2 'neither an option nor an axis' study "$work/grid.yaml" --set colour=red --out "$work/none"
expect 2 'the axis has no such value' study "$work/grid.yaml" --set rates=medium --out "$work/none"
expect 2 'write I/N' study "$work/grid.yaml" --shard 3/2 --out "$work/none"
expect 2 'name the file of the study' study --out "$work/none"
expect 2 'was evaluated with --limit 20, not 10' study "$work/grid.yaml" --limit 10 --out "$work/whole"
[ ! -e "$work/none" ] || complain "a refused study left files"

# A run that comes first: its last weights are what a cell begins with; cells that say the same of it share it. After
# kill -9 all is as it would have been.
rm -rf "$work/whole" "$work/killed"
cat >"$work/first.yaml" <<'END'
limit: 20
base: {data: "shapes:size=16,train=24,test=20,classes=2", arch: tiny, width: 4, epochs: 1, batch: 12, threads: 1, pool: max}
cells:
  - pretrain: none
  - {pretrain: {task: "contrast:kind=supcon", shift: both, epochs: 2, lr: 0.1}, head-only: true, lr: [0.1, 1]}
END
kill_and_resume "$work/first.yaml" 2 --jobs 2 --threads 2
[ "$(find "$work/whole/cells" -name result.json | wc -l)" -eq 3 ] && [ "$(find "$work/whole/encoders" -name last.safetensors | wc -l)" -eq 1 ] ||
    complain "not three models with one encoder: $(find "$work/whole" -name '*.safetensors')"
grep -q '"head-only": true' "$work"/whole/encoders/*/config.json && complain "the run that comes first trains its head alone"
grep -l '"head-only": true' "$work"/whole/cells/*/config.json | xargs grep -c '"weights": ".*/encoders/.*/last.safetensors"' | grep -q ':0' && complain "a cell does not begin with the encoder"
expect 0 '6 models, 1 of them done; about' study "$work/first.yaml" --out "$work/whole" --set pretrain.epochs=3 --seeds 2 --dry-run
expect 2 "there is no option 'epoch'" study "$work/first.yaml" --out "$work/none" --set pretrain.epoch=3

# Attacked and corrupted pictures, with the threads that the file names. Results without the attacks that are asked for are evaluated again, and not trained.
cat >"$work/attacked.yaml" <<'END'
limit: 20
levels: true
attack: fgsm:eps=8/255+1/255,patch:size=1/4
corrupt: contrast,fog:5
base: {data: "shapes:size=16,train=24,test=20,classes=2", arch: tiny, width: 4, epochs: 1, batch: 12, threads: 1}
vary: {pool: [max, tips-exact]}
analysis: [{kind: attacks, y: [metric, circular_consistency]}, {kind: levels}]
END
expect 0 '2 of 2 models' study "$work/attacked.yaml" --out "$work/attacked"
for text in unchanged fgsm_linf_1_255 fgsm_linf_8_255 patch_1_4 contrast fog 'all corruptions' 'consistency, circular'; do
    grep -q "^$text" "$work/attacked/study.txt" || complain "the analysis of attacks lacks $text"
done
[ "$(find "$work/attacked/figures" -name '1-attacks-*.svg' | wc -l)" -eq 6 ] || complain "not a curve for each of two attacks and the corruptions, of two figures"
# Curves go from the left to the right, whatever the order in which strengths are written.
for picture in "$work"/attacked/figures/1-attacks-*.svg; do
    sed -n 's/.*<path d="M\([^"Z]*L[^"Z]*L[^"Z]*\)" class="ls.*/\1/p' "$picture" | awk -F L '{ for (i = 2; i <= NF; i++) if ($i + 0 < $(i - 1) + 0) exit 1 }' || complain "the curve of $picture turns back"
done
[ "$(grep -l 'path d="M[^"Z]*L[^"Z]*L[^"Z]*" class="ls' "$work"/attacked/figures/1-attacks-*.svg | wc -l)" -ge 2 ] || complain "no curve has three points"
grep -q '"threads": 1,' "$work"/attacked/cells/*max*/config.json || complain "threads of the file are not those of the models"
# By the size of the shift: a table of each figure, and tips-exact keeps all answers under circular shifts of 1 and 2 pixels.
sed -n '/^circular consistency/,/^$/p' "$work/attacked/study.txt" >"$work/levels"
[ "$(grep -c '^[12] .* 100.00$' "$work/levels")" -eq 2 ] && grep -q '^pixels *max *tips-exact$' "$work/levels" || complain "sizes of shifts: $(cat "$work/levels")"
# Of one model the row is what tips attack says of it.
"$tips" attack "$work"/attacked/cells/*max*/best.safetensors --data shapes:size=16,train=24,test=20,classes=2 --attack fgsm:eps=8/255 --limit 20 --batch 12 --threads 1 --json >"$work/one.json" 2>/dev/null
alone=$(sed -n '/fgsm_linf_8_255/,/"value"/s/.*"value": \([0-9.]*\).*/\1/p' "$work/one.json" | head -1)
grep -q "^fgsm_linf_8_255 *$(printf '%.2f' "$alone") ±" "$work/attacked/study.txt" || complain "tips attack says $alone, the study $(grep fgsm_linf_8 "$work/attacked/study.txt")"
# Time for the rest is that of training and of evaluation.
sed 's/"seconds": [0-9.e-]*/"seconds": 100/; s/"evaluation_seconds": [0-9.e-]*/"evaluation_seconds": 500/' "$(find "$work/attacked/cells" -path '*max*' -name result.json)" >"$work/slow.json"
cp -r "$work/attacked" "$work/slow"
cp "$work/slow.json" "$(find "$work/slow/cells" -path '*max*' -name result.json)"
find "$work/slow/cells" -path '*tips-exact*' -name result.json -delete
expect 0 '2 models, 1 of them done; about 10 min for the rest' study "$work/attacked.yaml" --out "$work/slow" --dry-run
# One that is damaged is named, with what to do.
cp -r "$work/attacked" "$work/torn"
head -c 200 "$(find "$work/attacked/cells" -path '*max*' -name eval.json)" >"$(find "$work/torn/cells" -path '*max*' -name eval.json)"
expect 1 'eval.json: is damaged; remove it' study "$work/attacked.yaml" --out "$work/torn" --merge
# An evaluation that is gone is made again, and takes the analyses of the others with it no more.
find "$work/attacked/cells" -path '*max*' -name eval.json -delete
expect 0 '2 models, 1 of them done' study "$work/attacked.yaml" --out "$work/attacked" --dry-run
expect 0 '2 of 2 models' study "$work/attacked.yaml" --out "$work/attacked"
trained=$(stat -c %Y "$work"/attacked/cells/*max*/log.jsonl)
sed 's|^attack:.*|attack: fgsm:eps=4/255|; /^corrupt/d' "$work/attacked.yaml" >"$work/other.yaml"
expect 0 '2 models, 0 of them done' study "$work/other.yaml" --out "$work/attacked" --dry-run
expect 0 '2 of 2 models' study "$work/other.yaml" --out "$work/attacked"
grep -q '^fgsm_linf_4_255' "$work/attacked/study.txt" && [ "$trained" = "$(stat -c %Y "$work"/attacked/cells/*max*/log.jsonl)" ] || complain "other attacks are not measured, or models were trained again"
sed '/^attack/d; /^corrupt/d; s/kind: attacks.*/kind: table}]/' "$work/attacked.yaml" >"$work/plain.yaml"
# A dry run counts the passes of attacks: 6 strengths of PGD with 40 steps and three starts take thousands for each picture. Evaluation has its time in results.
sed 's|^attack:.*|attack: pgd|; /^corrupt/d' "$work/attacked.yaml" >"$work/long.yaml"
takes() { "$tips" study "$1" --out "$work/never" --dry-run --json 2>/dev/null | sed -n 's/.*"seconds": \([0-9.e+-]*\).*/\1/p'; }
awk -v plain="$(takes "$work/plain.yaml")" -v long="$(takes "$work/long.yaml")" 'BEGIN { exit !(plain > 0 && long > 3 * plain) }' || complain "a dry run does not see that PGD takes long: $(takes "$work/plain.yaml") and $(takes "$work/long.yaml") seconds"
grep -q '"evaluation_seconds": [0-9.]*[1-9]' "$work"/attacked/cells/*max*/result.json || complain "results do not say how long the evaluation took"
expect 0 '2 models, 2 of them done' study "$work/plain.yaml" --out "$work/attacked" --dry-run
mistake "bad.yaml:1: this analysis needs 'attack: NAME' or 'corrupt: NAME'" 'analysis: [{kind: attacks}]' 2
mistake "bad.yaml:1: this analysis needs 'levels: true'" 'analysis: [{kind: levels}]' 2
mistake "fgms" 'attack: fgms' 2
[ ! -e "$work/none" ] || complain "a refused study left files"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
